import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { killWhenSilent } from './liveness.ts';

let server: Server;
let child: ChildProcess;
let exited: Promise<unknown>;
let asked: number;

beforeEach(async () => {
  asked = 0;
  server = createServer((_, response) => {
    asked += 1;
    response.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  exited = once(child, 'exit').then(([code, signal]) => signal ?? code);
});
afterEach(async () => {
  child.kill('SIGKILL');
  await exited;
  server.close();
});

const watch = () => {
  const { port } = server.address() as AddressInfo;
  return killWhenSilent({ url: `http://127.0.0.1:${port}`, exited, kill: () => child.kill('SIGKILL') }, 5);
};

it('leaves alone what answers, however unwell it is, and ends with it', async () => {
  const watching = watch();
  while (asked < 20) await once(server, 'request');
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  child.kill('SIGTERM');
  await watching;
  expect(await exited).toBe('SIGTERM');
});

it('kills what lives on and answers no more', async () => {
  const watching = watch();
  while (asked < 3) await once(server, 'request');
  server.close();
  server.closeAllConnections();
  expect(await exited).toBe('SIGKILL');
  await watching;
});
