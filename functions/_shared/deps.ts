// What every function works with, made once per process.
import { connect, type Database } from '../../src/database/index.ts';
import { createTokenVerifier, type TokenVerifier } from './auth.ts';
import { type Environment, type FunctionConfig, readConfig } from './config.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';
import { createSchemaChecker, type SchemaChecker } from './schema-checker.ts';

/** One line of the log: for operators, never for callers. */
export interface LogEntry {
  level: 'error' | 'warn';
  function: string;
  request_id: string;
  method: string;
  path: string;
  code: string;
  cause?: string;
}

export interface FunctionDeps {
  config: FunctionConfig;
  database: Database;
  verify: TokenVerifier;
  schemas: SchemaChecker;
  /** Null where none is configured. */
  objects: ObjectStore | null;
  log(entry: LogEntry): void;
  /** Gives the database connections back. */
  close(): Promise<void>;
}

/** Throws an `Error` naming the variable when the environment is not usable; connects to nothing yet. */
export function createDeps(env: Environment, overrides: Partial<Pick<FunctionDeps, 'log'>> = {}): FunctionDeps {
  const config = readConfig(env);
  const database = connect({ url: config.databaseUrl, mode: config.pooler, max: config.maxConnections });
  return {
    config,
    database,
    verify: createTokenVerifier(config),
    schemas: createSchemaChecker(),
    objects: config.objectStore && createObjectStore(config.objectStore),
    log: overrides.log ?? ((entry) => console.error(JSON.stringify(entry))),
    close: () => database.close(),
  };
}
