// The ground under the embedded graph of a running stack: its folder taken away, its files damaged, its disk full.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLedger, type Ledger } from '../src/client/index.ts';
import { attach } from '../src/stack/attach.ts';
import type { Stack } from '../src/stack/stack.ts';
import { useCli } from './support/cli.ts';

const MIB = 2 ** 20;
const WITHIN = { timeout: 60_000, interval: 100 };

vi.setConfig({ testTimeout: 180_000 });

const cli = useCli();
const dataDir = path.join(cli.folder, 'data');
const graph = path.join(dataDir, 'graph');
const at = ['--data-dir', dataDir];
let stack: Stack;
let ledger: Ledger;

beforeAll(up, 120_000);

afterAll(async () => {
  await cli.run(['down', ...at]);
});

async function up(): Promise<void> {
  const started = await cli.run(['up', '--detach', '--json', ...at]);
  expect(started.code, started.stderr).toBe(0);
  stack = (await attach(dataDir)) as Stack;
  const tenantId = started.json()['tenant_id'] as string;
  const accessToken = await stack.mintToken({ tenantId, role: 'orchestrator', actorId: 'o-1' });
  ledger = createLedger({ url: stack.functionsUrl, accessToken });
  await record();
}

async function record(times = 1): Promise<void> {
  const source = { id: 'planner', version: '1.0.0', domain: 'shop' };
  const start = { source, correlation_id: 'order-1', causation_id: 'order-1' };
  for (let n = 0; n < times; n += 1) {
    await ledger.invocation(start, async (ctx) => {
      await ctx.invocation({ source: { ...source, id: 'packer' } }, async () => ({ boxes: 3 }));
      return { boxes: 3 };
    });
  }
}

/** Waits until the mirror holds what the ledger does. */
async function equalsDatabase(): Promise<void> {
  await vi.waitFor(() => stack.mirror.once(), WITHIN);
  const { outcomes, links } = await stack.mirror.reconcile({ dryRun: true });
  const same = { missing: 0, different: 0, surplus: 0 };
  expect([outcomes, links]).toMatchObject([same, same]);
  expect(outcomes.checked).toBeGreaterThanOrEqual(2);
}

interface Said {
  state: string;
  url: string;
  pid: number;
  reason: { code: string; message: string; remedy: string } | null;
}

async function worker(): Promise<Said> {
  const { json, code, stderr } = await cli.run(['status', '--json', ...at]);
  expect(code, stderr).toBe(0);
  return (json()['workers'] as (Said & { name: string })[]).find(({ name }) => name === 'sync') as Said;
}

/** What `status`, the worker's health and `doctor` say once the reason is known. */
async function unwell(code: string): Promise<Said> {
  const said = await vi.waitFor(async () => {
    const found = await worker();
    expect(found.reason?.code, JSON.stringify(found)).toBe(code);
    return found;
  }, WITHIN);
  expect((await fetch(`${said.url}/healthz`)).status).toBe(503);
  const { reason } = said;
  const text = await cli.run(['status', ...at]);
  expect(text.stdout).toContain(`sync: ${code}`);
  expect(text.stdout).toContain(reason?.remedy);
  const doctor = await cli.run(['doctor', '--json', ...at]);
  expect(doctor.code).toBe(1);
  const checks = doctor.json()['checks'] as { name: string; detail: string; remedy: string }[];
  expect(checks.find(({ name }) => name === 'graph worker')).toMatchObject({
    detail: expect.stringContaining(code),
    remedy: reason?.remedy,
  });
  return said;
}

/** The worker as the stack keeps it, whatever it says itself. */
function kept(): { state: string; pid?: number } {
  const { workers } = JSON.parse(readFileSync(path.join(dataDir, 'stack.json'), 'utf8'));
  return workers.find(({ name }: { name: string }) => name === 'sync');
}

const log = () => readFileSync(path.join(dataDir, 'workers.log'), 'utf8');

describe('the folder', () => {
  test('taken away while it is open: noticed, made anew, filled from the ledger', async () => {
    await equalsDatabase();
    rmSync(graph, { recursive: true });
    await vi.waitFor(() => expect(existsSync(path.join(graph, 'graph.lbug'))).toBe(true), WITHIN);
    await record();
    await equalsDatabase();
    expect(log()).toContain('"code":"graph_gone"');
    expect(await worker()).toMatchObject({ state: 'active', reason: null });
  });

  test('with another in its place: that one is not written over with what was open', async () => {
    rmSync(graph, { recursive: true });
    mkdirSync(graph);
    await vi.waitFor(() => expect(existsSync(path.join(graph, 'graph.lbug'))).toBe(true), WITHIN);
    await record();
    await equalsDatabase();
  });
});

test('a damaged file: the folder is named and what to do; done, the mirror is whole', async () => {
  await equalsDatabase();
  expect((await cli.run(['down', ...at])).code).toBe(0);
  truncateSync(path.join(graph, 'graph.lbug'), 40_000);
  await up();
  const { reason, pid } = await unwell('graph_damaged');
  expect(reason?.message).toContain(graph);
  expect(reason?.remedy).toContain(`Delete ${graph}`);
  rmSync(graph, { recursive: true });
  await equalsDatabase();
  expect((await worker()).pid).toBe(pid);
});

test.runIf(process.platform === 'linux')(
  'files that may not grow: whatever becomes of the worker, the mirror heals',
  async () => {
    await equalsDatabase();
    const { pid } = await worker();
    expect(spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${64 * 1024}`]).status).toBe(0);
    await record(40);
    const said = await vi.waitFor(async () => {
      const found = await worker();
      expect(found.reason?.code ?? found.pid).not.toBe(pid);
      return found;
    }, WITHIN);
    if (said.pid === pid) {
      expect(said.reason).toMatchObject({ code: 'graph_files', remedy: expect.stringContaining('limits on files') });
      // The limit is the process's; ended, however, it takes that along.
      process.kill(pid, 'SIGTERM');
    }
    await equalsDatabase();
    expect((await worker()).pid).not.toBe(pid);
  },
);

test('a worker that keeps crashing is started ever more slowly; meanwhile it is said why, and what to do', async () => {
  let { pid } = await worker();
  // What the library does with some damage: it takes the process along, as soon as it is read.
  for (let crash = 1; crash <= 6; crash += 1) {
    const last = pid;
    process.kill(pid, 'SIGSEGV');
    if (crash === 6) break;
    pid = await vi.waitFor(() => {
      const running = kept().pid;
      if (running === undefined || running === last) throw new Error('not yet');
      return running;
    }, WITHIN);
  }
  await vi.waitFor(() => expect(kept().state).toBe('restarting'), { timeout: 2_000, interval: 10 });
  const asked = (...args: string[]) => cli.run([...args, '--json', ...at]);
  const [status, sync, doctor] = await Promise.all([asked('status'), asked('sync', '--status'), asked('doctor')]);
  const why = { code: 'graph_damaged', remedy: expect.stringContaining(`delete ${graph}`) };
  expect((status.json()['workers'] as Said[])[0]).toMatchObject({ state: 'restarting', reason: why });
  expect([sync.code, sync.json()]).toMatchObject([2, why]);
  expect(doctor.json()['checks']).toContainEqual(expect.objectContaining({ name: 'graph', verdict: 'fail' }));
  await equalsDatabase();
  expect(await worker()).toMatchObject({ state: 'active', reason: null });
});

/** Leaves so many MiB on the disk of the graph. */
function fill(left: number): string {
  const ballast = path.join(graph, 'ballast');
  const { bavail, bsize } = statfsSync(graph);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - left * MIB));
  return ballast;
}

const mounts = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!mounts)('the disk', () => {
  beforeAll(async () => {
    expect((await cli.run(['down', ...at])).code).toBe(0);
    rmSync(graph, { recursive: true });
    mkdirSync(graph, { mode: 0o700 });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', graph]);
    expect(mounted.status, String(mounted.stderr)).toBe(0);
    await up();
  }, 120_000);

  afterAll(async () => {
    await cli.run(['down', ...at]);
    expect(spawnSync('umount', [graph]).status).toBe(0);
  });

  test('full: the worker waits, alive, and says so; recording and queries go on; space heals it', async () => {
    await equalsDatabase();
    const before = await worker();
    const ballast = fill(8);
    await record(3);
    const said = await unwell('graph_disk_full');
    expect(said.pid).toBe(before.pid);
    expect(said.reason?.message).toContain(graph);
    expect(said.reason?.remedy).toContain('Free space');
    const count = { text: 'match (o:Outcome) return count(*) as n', tenantId: null };
    expect((await stack.mirror.cypher(count)).rows[0]?.['n']).toBeGreaterThanOrEqual(4);
    rmSync(ballast);
    await equalsDatabase();
    expect(await worker()).toMatchObject({ pid: before.pid, state: 'active', reason: null });
  });

  test('full to the last byte, the worker killed meanwhile: the next one waits, too', async () => {
    const ballast = fill(0);
    const { pid } = await worker();
    process.kill(pid, 'SIGKILL');
    await record(2);
    await unwell('graph_disk_full');
    rmSync(ballast);
    await equalsDatabase();
  });
});
