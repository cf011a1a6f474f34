import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type SharedServer, startSharedServer } from './shared-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a test worker asks for the run's one database server; asking starts it. */
    sharedServerUrl: string;
  }
}

/**
 * One embedded server for the whole run, started when the first test file asks for it, so that a run of unit tests
 * starts none. Stopped, with its files deleted, when the run ends; should this process be killed, by its guard.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let shared: Promise<SharedServer> | undefined;
  const http = createServer((_request, response) => {
    shared ??= startSharedServer();
    shared.then(
      (server) => response.end(JSON.stringify(server.access)),
      (error: Error) => {
        response.statusCode = 500;
        response.end(error.message);
      },
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  project.provide('sharedServerUrl', `http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  return async () => {
    http.closeAllConnections();
    http.close();
    await (await shared?.catch(() => undefined))?.stop();
  };
}
