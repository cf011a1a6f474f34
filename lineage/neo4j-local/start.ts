import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilAnswers } from './answers.ts';
import { findJava } from './java.ts';
import { neo4jLibraries } from './libraries.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { writeSettings } from './server-settings.ts';

export interface Neo4jLocalOptions {
  /** Keeps its data here; without it, a temporary folder that `stop` deletes. */
  home?: string;
  /** For the user `neo4j`; a random one when left out; null turns authentication off. */
  password?: string | null;
  /** On loopback; a free one when left out. */
  port?: number;
  /** Lines of neo4j.conf, e.g. `{'server.databases.default_to_read_only': 'true'}`. */
  settings?: Record<string, string>;
  /** Java's heap; `512m` when left out. */
  heap?: string;
  /** Starts in half the time and then answers more slowly: Java's simple compiler alone, for tests that ask little. */
  quick?: boolean;
  /** Where the jars are kept; the user's cache folder when left out. */
  cache?: string;
  /** Is told what takes long. */
  say?: (line: string) => void;
}

/** A real Neo4j on loopback that this process has started; it ends when this process does. */
export interface Neo4jLocal {
  uri: string;
  user: string;
  /** Empty where authentication is off. */
  password: string;
  readonly pid: number;
  home: string;
  /** Resolves when the server that runs now has ended, however. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
  /** `kill -9`; `restart` brings it back. */
  kill(): Promise<void>;
  /** Stops its databases and starts them again, or starts what was killed, on the same port and folder, with other settings if given. */
  restart(settings?: Record<string, string>): Promise<void>;
}

/**
 * Starts Neo4j 5.26 (community) from Maven Central; ready when a query over Bolt has answered.
 *
 * @throws Neo4jLocalError with the remedy, when Java or Maven is missing or the server does not start
 */
export async function startNeo4jLocal(options: Neo4jLocalOptions = {}): Promise<Neo4jLocal> {
  const java = await findJava();
  const libraries = await neo4jLibraries(options.cache, options.say);
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'outcome-ledger-neo4j-'));
  mkdirSync(home, { recursive: true });
  const password = options.password === undefined ? randomBytes(18).toString('base64url') : options.password;

  const start = async (port: number, settings: Record<string, string>): Promise<ServerProcess> => {
    writeSettings(home, port, password !== null, settings);
    const started = await startServerProcess({
      java,
      libraries,
      home,
      password,
      heap: options.heap ?? '512m',
      quick: options.quick ?? false,
    });
    try {
      await untilAnswers(`bolt://127.0.0.1:${started.port}`, password);
    } catch (error) {
      await started.kill();
      throw error;
    }
    return started;
  };
  const discard = () => {
    if (!options.home) rmSync(home, { recursive: true, force: true });
  };

  let settings = options.settings ?? {};
  let server = await start(options.port ?? 0, settings).catch((error) => {
    discard();
    throw error;
  });
  return {
    uri: `neo4j://127.0.0.1:${server.port}`,
    user: 'neo4j',
    password: password ?? '',
    home,
    get pid() {
      return server.pid;
    },
    get ended() {
      return server.ended;
    },
    async stop() {
      await server.stop();
      discard();
    },
    kill: () => server.kill(),
    async restart(changed = settings) {
      settings = changed;
      if (!server.alive) {
        server = await start(server.port, settings);
        return;
      }
      writeSettings(home, server.port, password !== null, settings);
      await server.restart();
      await untilAnswers(`bolt://127.0.0.1:${server.port}`, password);
    },
  };
}
