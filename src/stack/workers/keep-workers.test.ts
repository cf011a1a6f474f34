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
    expect(states.at(-2)).toEqual({ name: 'sync', state: 'restarting' });
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
  await vi.waitFor(() => expect(states).toHaveLength(3), WITHIN);
  expect(notices.filter((text) => text.includes('did not start'))).toHaveLength(2);
  starts = 1;
  process.kill(states[2]?.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(notices.filter((text) => text.includes('did not start'))).toHaveLength(3), WITHIN);
  await kept?.stop();
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
