// Queries that the embedded graph's library cannot end: the process that holds the graph ends over them, and the mirror goes on.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLedger, type Ledger } from '../src/client/index.ts';
import { attach } from '../src/stack/attach.ts';
import type { Stack } from '../src/stack/stack.ts';
import { useCli } from './support/cli.ts';

const MIB = 2 ** 20;
/** What the worker may take: the start of Node, the buffer pool and the share of queries, and what comes between two looks. */
const MOST_MIB = 150 + 256 + 1.5 * 1024 + 512;
/** From the limit to the answer: the grace, and a busy machine. */
const GRACE_MS = 2_000;
const SLOW_MS = 3_000;

vi.setConfig({ testTimeout: 120_000 });

const cli = useCli();
const dataDir = path.join(cli.folder, 'data');
const at = ['--data-dir', dataDir];
let stack: Stack;
let ledger: Ledger;
let tenantId: string;

beforeAll(async () => {
  const up = await cli.run(['up', '--detach', '--json', ...at]);
  expect(up.code, up.stderr).toBe(0);
  tenantId = up.json()['tenant_id'] as string;
  stack = (await attach(dataDir)) as Stack;
  const accessToken = await stack.mintToken({ tenantId, role: 'orchestrator', actorId: 'o-1' });
  ledger = createLedger({ url: stack.functionsUrl, accessToken });
  await record();
}, 120_000);

afterAll(async () => {
  await cli.run(['down', ...at]);
});

async function record(): Promise<void> {
  const source = (id: string) => ({ id, version: '1.0.0', domain: 'shop' });
  const start = { source: source('planner'), correlation_id: 'order-1', causation_id: 'order-1' };
  await ledger.invocation(start, async (ctx) => {
    await ctx.invocation({ source: source('packer') }, async () => ({ boxes: 3 }));
    return { boxes: 3 };
  });
}

/** The stack's own file follows the restarts. */
function workerPid(): number {
  const { workers } = JSON.parse(readFileSync(path.join(dataDir, 'stack.json'), 'utf8'));
  return workers.find(({ name }: { name: string }) => name === 'sync').pid;
}

/** The largest resident memory of a process until the promise settles. */
async function peakMib(pid: number, asked: Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
      peak = Math.max(peak, (Number(pages) * 4096) / MIB);
    } catch {
      // It has ended.
    }
  }, 20);
  await asked;
  clearInterval(timer);
  return peak;
}

async function ask(text: string, timeoutMs: number) {
  const began = Date.now();
  const asked = stack.mirror.cypher({ text, tenantId, timeoutMs }).then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
  return { code: await asked, ms: Date.now() - began };
}

async function count(): Promise<number> {
  const { rows } = await stack.mirror.cypher({ text: 'match (o:Outcome) return count(*) as n', tenantId });
  return rows[0]?.['n'] as number;
}

async function equalsDatabase(): Promise<void> {
  await stack.mirror.once();
  const { outcomes, links } = await stack.mirror.reconcile({ dryRun: true });
  const same = { missing: 0, different: 0, surplus: 0 };
  expect([outcomes, links]).toMatchObject([same, same]);
}

const doubled = (by: string, times: number) =>
  `UNWIND [1] AS r WITH [1, 2, 3] AS x ${`WITH ${by} AS x `.repeat(times)}RETURN size(x) AS n`;
const crossed = Array.from({ length: 10 }, (_, n) => `o${n}`);
const CROSSED = `MATCH ${crossed.map((name) => `(${name}:Outcome)`).join(', ')}
  RETURN sum(o0.duration_ms % (${crossed.map((name) => `${name}.duration_ms`).join(' + ')} + 1)) AS n`;

describe('a query that the library does not end', () => {
  test.each([
    ['a list added to itself', doubled('x + x', 30)],
    ['a list within itself', doubled('[x, x]', 30)],
    ['a list joined to itself', doubled('list_concat(x, x)', 30)],
  ])('%s: refused in time, memory bounded, the next query answered, the mirror as the database', async (_, text) => {
    const pid = workerPid();
    const asked = ask(text, 3_000);
    const peak = await peakMib(pid, asked);
    const { code, ms } = await asked;
    expect(['query_timeout', 'query_unbounded']).toContain(code);
    expect(ms).toBeLessThan(3_000 + GRACE_MS + SLOW_MS);
    if (process.platform === 'linux') expect(peak).toBeLessThan(MOST_MIB);
    expect(await count()).toBeGreaterThanOrEqual(2);
    expect(workerPid()).not.toBe(pid);
    await record();
    await equalsDatabase();
  });

  test('one that takes memory is refused long before its limit', async () => {
    const { code, ms } = await ask(doubled('x + x', 40), 600_000);
    expect(code).toBe('query_unbounded');
    expect(ms).toBeLessThan(60_000);
    expect(await count()).toBeGreaterThanOrEqual(2);
  });

  test('more of them than there are places keep nobody out', async () => {
    const text = doubled('x + x', 30);
    const codes = await Promise.all(Array.from({ length: 4 }, async () => (await ask(text, 1_000)).code));
    for (const code of codes) expect(['query_timeout', 'query_unbounded', 'worker_unreachable']).toContain(code);
    expect(codes.filter((code) => code.startsWith('query_')).length).toBeGreaterThan(0);
    expect(await count()).toBeGreaterThanOrEqual(2);
    await equalsDatabase();
  });

  test('the log says what it was, and nothing is found wrong with the worker', async () => {
    const lines = readFileSync(path.join(dataDir, 'workers.log'), 'utf8').trim().split('\n');
    const overruns = lines.map((line) => JSON.parse(line)).filter(({ message }) => /a query overran/.test(message));
    expect(overruns.length).toBeGreaterThanOrEqual(4);
    expect(overruns[0]).toMatchObject({ level: 'error', code: expect.stringMatching(/^query_/) });
    expect(overruns[0].query).toContain('UNWIND [1] AS r');
    const status = await cli.run(['status', '--json', ...at]);
    expect((status.json()['workers'] as object[])[0]).toMatchObject({ name: 'sync', state: 'active' });
  });
});

test('a query that the library does end at its limit ends nothing else', async () => {
  const pid = workerPid();
  const { code, ms } = await ask(CROSSED, 1_000);
  expect(code).toBe('query_timeout');
  expect(ms).toBeLessThan(1_000 + GRACE_MS + SLOW_MS);
  expect(workerPid()).toBe(pid);
});
