import { afterAll, beforeAll } from 'vitest';
import type { StopMode } from '../../src/stack/postgres/index.ts';
import { type OpenDatabase, openDatabase, type TestDatabase } from './database.ts';
import { startTestServer } from './shared-server.ts';

/** A test file's own durable server (fsync on), for tests that kill it, with one database cloned from its template. */
export interface TestServer {
  readonly port: number;
  readonly pid: number;
  readonly database: TestDatabase;
  /** Ends the server; `immediate` as in a crash: sessions are cut, nothing is written back. */
  kill(mode?: StopMode): Promise<void>;
  /** Starts it again on the same port and files, recovering what was committed. */
  restart(): Promise<void>;
}

/** Gives the test file a server of its own, stopped and deleted after its tests. */
export function useServer(settings: Record<string, string> = {}): TestServer {
  let started: Awaited<ReturnType<typeof startTestServer>> | undefined;
  let database: OpenDatabase | undefined;
  const server = () => {
    if (!started) throw new Error('useServer() is used before beforeAll has run');
    return started.server;
  };
  beforeAll(async () => {
    started = await startTestServer({ max_connections: '200', max_prepared_transactions: '10', ...settings });
    database = await openDatabase({ port: started.server.port });
  });
  afterAll(async () => {
    await started?.server.stop('immediate');
    await started?.remove();
  });
  return {
    get port() {
      return server().port;
    },
    get pid() {
      return server().pid;
    },
    get database() {
      if (!database) throw new Error('useServer() is used before beforeAll has run');
      return database;
    },
    kill: (mode = 'immediate') => server().stop(mode),
    restart: () => server().restart(),
  };
}
