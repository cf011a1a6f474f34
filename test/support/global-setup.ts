import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type BuiltCommand, buildCommand } from './command-build.ts';
import { neo4jLender } from './neo4j-lender.ts';
import { type SharedServer, startSharedServer } from './shared-server.ts';
import { type BuiltProcess, buildSyncProcess } from './sync-process-build.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a test worker asks for what the run has once: its database server, its Neo4j. Asking starts it. */
    sharedServerUrl: string;
  }
}

/**
 * One embedded server for the whole run, started when the first test file asks for it, so that a run of unit tests
 * starts none. Stopped, with its files deleted, when the run ends; should this process be killed, by its guard. A Neo4j,
 * the script of a worker and the built command likewise.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let database: Promise<SharedServer> | undefined;
  let built: Promise<BuiltProcess> | undefined;
  let command: Promise<BuiltCommand> | undefined;
  const neo4j = neo4jLender();
  const answer: Record<string, (response: ServerResponse) => Promise<unknown>> = {
    async '/'(response) {
      database ??= startSharedServer();
      response.end(JSON.stringify((await database).access));
    },
    async '/sync-process'(response) {
      built ??= buildSyncProcess();
      response.end(JSON.stringify(await built));
    },
    async '/command'(response) {
      command ??= buildCommand();
      response.end(JSON.stringify(await command));
    },
    '/neo4j': (response) => neo4j.lend(response),
  };
  const http = createServer((request, response) => {
    answer[request.url ?? '']?.(response).catch((error: Error) => {
      response.statusCode = 500;
      response.end(`${error.message}\n`);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  project.provide('sharedServerUrl', `http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  return async () => {
    http.closeAllConnections();
    http.close();
    (await built?.catch(() => undefined))?.remove();
    (await command?.catch(() => undefined))?.remove();
    await neo4j.stop();
    await (await database?.catch(() => undefined))?.stop();
  };
}
