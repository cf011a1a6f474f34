import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isAlive } from '../postgres/postmaster.ts';
import type { WorkerState } from '../state.ts';
import { startChild, WorkerNotStarted } from './child.ts';
import { type KeptWorkers, keepWorkers } from './keep-workers.ts';

const WITHIN = { timeout: 20_000, interval: 10 };
const SERVES = `console.log('log line of ' + process.env.WHO); process.send({ listening: 'http://127.0.0.1:1' });
  process.on('disconnect', () => process.exit());`;

let folder: string;
let states: WorkerState[];
let notices: string[];
let kept: KeptWorkers | undefined;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-workers-'));
  states = [];
  notices = [];
});
afterEach(async () => {
  await kept?.stop();
  kept = undefined;
  await rm(folder, { recursive: true, force: true });
});

const logFile = () => path.join(folder, 'workers.log');
const child = (script: string) => startChild({ args: ['-e', script], env: { WHO: 'one' }, logFile: logFile() });

async function keep(start: () => ReturnType<typeof child>): Promise<void> {
  kept = await keepWorkers({
    name: 'sync',
    start,
    explain: (how) => (how === 'code 9' ? { code: 'nine', message: 'it said nine', remedy: 'say ten' } : undefined),
    logFile: logFile(),
    onNotice: (text) => notices.push(text),
    onState: async (state) => void states.push(state),
  });
}

it('tells where a worker listens, with its output in the log', async () => {
  await keep(() => child(SERVES));
  expect(states).toEqual([{ name: 'sync', state: 'running', url: 'http://127.0.0.1:1', pid: expect.any(Number) }]);
  expect(await readFile(logFile(), 'utf8')).toBe('log line of one\n');
});

it('starts it again whenever it dies, and stops the one that runs', async () => {
  await keep(() => child(SERVES));
  for (let death = 1; death <= 2; death += 1) {
    process.kill(states.at(-1)?.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(states).toHaveLength(1 + death * 2), WITHIN);
    expect(states.at(-2)).toMatchObject({ name: 'sync', state: 'restarting' });
    // One death is an accident.
    expect(states.at(-2)?.reason?.code).toBe(death === 1 ? undefined : 'worker_ends');
  }
  expect(new Set(states.map((state) => state.pid)).size).toBe(4);
  expect(notices[0]).toContain('SIGKILL');
  await kept?.stop();
  expect(isAlive(states.at(-1)?.pid ?? 0)).toBe(false);
  // The stop was no death.
  expect(states).toHaveLength(5);
});

it('goes on trying where a restart fails, and stops while it does', async () => {
  let starts = 0;
  await keep(() => child(++starts === 1 || starts > 3 ? SERVES : 'process.exit(1)'));
  process.kill(states[0]?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(states).toHaveLength(5), WITHIN);
  expect(notices.filter((text) => text.includes('did not start'))).toHaveLength(2);
  const waiting = {
    state: 'restarting',
    reason: { code: 'worker_not_started', remedy: expect.stringContaining(folder) },
  };
  expect(states.slice(1)).toMatchObject([{ state: 'restarting' }, waiting, waiting, { state: 'running' }]);
  starts = 1;
  process.kill(states[4]?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(notices.filter((text) => text.includes('did not start'))).toHaveLength(3), WITHIN);
  await kept?.stop();
});

it('knows a death that explains itself, and tells of it while it runs again', async () => {
  let starts = 0;
  await keep(() => child(++starts === 1 ? `process.on('SIGTERM', () => process.exit(9)); ${SERVES}` : SERVES));
  process.kill(states[0]?.pid ?? 0, 'SIGTERM');
  await vi.waitFor(() => expect(states).toHaveLength(3), WITHIN);
  expect(states.slice(1).map(({ state, reason }) => [state, reason?.remedy])).toEqual([
    ['restarting', 'say ten'],
    ['running', 'say ten'],
  ]);
});

it('starts one that ended itself over a query again at once, each time, and finds nothing wrong', async () => {
  const overruns = `process.send({ ending: 'query_overran' }, () => process.kill(process.pid, 'SIGKILL'));`;
  let starts = 0;
  const began = Date.now();
  await keep(() => child(`${SERVES} ${++starts <= 8 ? overruns : ''}`));
  await vi.waitFor(() => expect(states).toHaveLength(1 + 8 * 2), { timeout: 40_000, interval: 10 });
  // With the waits of a process that is unwell it would be half a minute.
  expect(Date.now() - began).toBeLessThan(25_000);
  expect(states.filter(({ reason }) => reason)).toEqual([]);
  expect(notices[0]).toContain('ended itself over a query');
});

it('leaves nothing that was started while it was stopped', async () => {
  const pids: number[] = [];
  let slow = false;
  await keep(async () => {
    const made = await child(slow ? `setTimeout(() => { ${SERVES} }, 300)` : SERVES);
    pids.push(made.pid);
    return made;
  });
  slow = true;
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(states.at(-1)?.state).toBe('restarting'), WITHIN);
  await kept?.stop();
  expect(pids.map(isAlive)).not.toContain(true);
});

it('says why the first start failed, in the words of the command', async () => {
  const problem = { code: 'port_in_use', detail: 'port 1 is in use', remedy: 'choose another --port' };
  const refused = `console.log(JSON.stringify(${JSON.stringify(problem)}, null, 2)); process.exitCode = 2;`;
  await expect(child(refused)).rejects.toMatchObject({
    ...{ code: 'port_in_use', remedy: 'choose another --port' },
    message: 'the sync worker did not start: port 1 is in use',
  });
  await expect(child('process.exit(7)')).rejects.toThrow(WorkerNotStarted);
  await expect(child('process.exit(7)')).rejects.toMatchObject({ code: 'worker_not_started' });
});
