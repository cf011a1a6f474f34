// The embedded PostgreSQL of a running stack is killed: the stack brings it back, and a stop leaves nothing behind.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { attach, readState, type Stack, startStack } from '../src/stack/index.ts';
import { isAlive, readPostmaster } from '../src/stack/postgres/postmaster.ts';
import { type Api, apiOf } from './functions-client.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { using } from './support/shared-server.ts';

const WITHIN = { timeout: 30_000, interval: 100 };

let dir: string;
let stack: Stack;
let notices: string[];
let api: Api;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-recovery-'));
  await chmod(dir, 0o711);
  notices = [];
  stack = await startStack({ dataDir: dir, quiet: true, onNotice: (text) => notices.push(text) });
  const { tenantId } = await stack.createTenant();
  api = await apiOf(stack, { tenantId });
});
afterEach(async () => {
  await stack.stop();
  await rm(dir, { recursive: true, force: true });
});

async function cluster(): Promise<string> {
  const elsewhere = await readFile(path.join(dir, 'postgres.path'), 'utf8').catch(() => '');
  return elsewhere.trim() || path.join(dir, 'postgres');
}

/** The running server's process; throws while there is none. */
async function postmaster(): Promise<number> {
  const found = await readPostmaster(await cluster());
  if (!found?.ready || !isAlive(found.pid)) throw new Error('no server is ready');
  return found.pid;
}

async function started(): Promise<Document> {
  const start = invocationStart();
  expect((await api('POST', '/invocations', start)).status).toBe(201);
  return start;
}

async function record(start: Document): Promise<string> {
  const answer = await api('POST', '/outcomes', {
    invocation_id: start['invocation_id'],
    outcome: envelopeFor(start),
  });
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
  return answer.body.outcome_id;
}

const read = async (outcomeId: string) => (await api('GET', `/outcomes/${outcomeId}`)).status;

it('is whole again after a kill: open work is recorded, earlier outcomes are there, a stop leaves nothing', async () => {
  const earlier = await record(await started());
  const open = await started();
  const killed = await postmaster();
  process.kill(killed, 'SIGKILL');

  // A session outlives its postmaster for a moment, so that a call may still be answered before the calls that find nobody.
  const outcome = await vi.waitFor(() => record(open), WITHIN);
  const successor = await vi.waitFor(async () => {
    const running = await postmaster();
    expect(running).not.toBe(killed);
    return running;
  }, WITHIN);
  const later = await vi.waitFor(async () => record(await started()), WITHIN);
  for (const id of [earlier, outcome, later]) await vi.waitFor(async () => expect(await read(id)).toBe(200), WITHIN);
  expect(await using(stack.databaseUrl, (sql) => sql`select 1 as n`)).toEqual([{ n: 1 }]);
  expect(notices).toEqual([expect.stringContaining('restart 1 of'), 'PostgreSQL runs again']);

  await stack.stop();
  await stack.stopped;
  await sleep(500);
  expect(isAlive(successor)).toBe(false);
  await expect(postmaster()).rejects.toThrow();
  expect(await readState(dir)).toBeUndefined();
  // The stop was no death.
  expect(notices).toHaveLength(2);
});

it('is attached to only once its database is back', async () => {
  process.kill(await postmaster(), 'SIGKILL');
  await vi.waitFor(() => expect(notices).not.toEqual([]), { ...WITHIN, interval: 1 });
  const attached = await attach(dir);
  expect(await attached?.createTenant()).toMatchObject({ tenantId: expect.any(String) });
});

it('stops while its database comes back, and leaves nothing running', async () => {
  process.kill(await postmaster(), 'SIGKILL');
  await vi.waitFor(() => expect(notices).not.toEqual([]), { ...WITHIN, interval: 1 });
  await stack.stop();
  await expect(postmaster()).rejects.toThrow();
  expect(await attach(dir)).toBeUndefined();
});

it('stops itself when its database keeps dying, and the next start finds everything', async () => {
  const earlier = await record(await started());
  for (let kill = 1; kill <= 6; kill += 1) {
    process.kill(await vi.waitFor(postmaster, WITHIN), 'SIGKILL');
    if (kill <= 5) await vi.waitFor(() => expect(notices).toHaveLength(kill * 2), WITHIN);
  }
  await expect(stack.stopped).rejects.toMatchObject({ code: 'database_lost' });
  await expect(postmaster()).rejects.toThrow();
  expect(await attach(dir)).toBeUndefined();
  stack = await startStack({ dataDir: dir, quiet: true });
  expect(await read(earlier)).toBe(200);
});
