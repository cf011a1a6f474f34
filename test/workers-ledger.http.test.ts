// The workers that need the ledger alone: `outcome-ledger workers sweep relay`, and the ones in a stack's own process.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { startStack } from '../src/stack/index.ts';
import { createSweepMetrics, startSweep } from '../src/sweep/index.ts';
import { startLedger } from '../src/testing/index.ts';
import { apiOf } from './functions-client.ts';
import { useCli } from './support/cli.ts';
import { useDatabase } from './support/database.ts';
import { startReceiver } from './support/receiver.ts';
import { registered } from './support/relay.ts';
import { ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';
import { startWorkers } from './support/worker-process.ts';

const WITHIN = { timeout: 60_000, interval: 25 };

vi.setConfig({ testTimeout: 150_000 });

const cli = useCli();
const database = useDatabase();
const urls = () => ({
  OUTCOME_LEDGER_SWEEP_DATABASE_URL: database.urlAs('ledger_sweep'),
  OUTCOME_LEDGER_RELAY_DATABASE_URL: database.urlAs('ledger_relay'),
});

/** An invocation whose deadline is a moment away. */
async function overdue(tenantId: string): Promise<string> {
  const start = await sqlLedger(database, { tenantId, ...ORCHESTRATOR }).start({ deadline_in_ms: 1 });
  return start['invocation_id'];
}

const statusOf = async (invocationId: string) => {
  const [row] =
    await database.sql`select status, origin from public.agent_invocation_outcomes where invocation_id = ${invocationId}`;
  return row && [row['status'], row['origin']];
};

describe('sweep and relay in a process of their own', () => {
  test('end what nobody ended, tell who asked, and go at SIGTERM', async () => {
    const tenantId = await database.tenant();
    const receiver = await startReceiver();
    await registered(database, tenantId, receiver.url, { event_types: ['os.outcome.timeout'] });
    // Named by their variables alone.
    const workers = await startWorkers(cli.main, ['--allow-loopback'], urls(), []);
    const invocationId = await overdue(tenantId);
    await vi.waitFor(async () => expect(await statusOf(invocationId)).toEqual(['timeout', 'swept']), WITHIN);
    await vi.waitFor(() => expect(receiver.took).toHaveLength(1), WITHIN);
    expect(receiver.took[0]?.event).toMatchObject({ type: 'os.outcome.timeout', data: { status: 'timeout' } });
    await vi.waitFor(async () => {
      const [code, document] = await workers.health();
      expect([code, document]).toMatchObject([
        200,
        {
          status: 'ok',
          workers: [
            { name: 'sweep', state: 'active', swept: 1, degraded_by: [] },
            { name: 'relay', state: 'active', delivered: 1, degraded_by: [] },
          ],
        },
      ]);
    }, WITHIN);
    const text = await (await fetch(`${workers.url}/metrics`)).text();
    expect(text).toMatch(/^outcome_ledger_sweep_timeouts_total 1$/m);
    expect(text).toMatch(/^outcome_ledger_sweep_state\{state="active"\} 1$/m);
    expect(text).toMatch(/^outcome_ledger_relay_delivered_total 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect((await fetch(`${workers.url}/control/sync`)).status).toBe(403);
    workers.child.kill('SIGTERM');
    expect(await workers.exit).toEqual({ code: 0, signal: null });
    expect(JSON.stringify(workers.said)).not.toContain('postgres://');
  });

  test('a login that may not is refused, and says whose it should be', async () => {
    const workers = await startWorkers(cli.main, ['--database-url', database.urlAs('ledger_auditor')], {}, ['sweep']);
    await vi.waitFor(async () => {
      const [code, document] = await workers.health();
      expect([code, document.workers[0]]).toMatchObject([
        503,
        {
          name: 'sweep',
          state: 'refused',
          degraded_by: [{ code: 'not_permitted', remedy: expect.stringContaining('ledger_sweep') }],
        },
      ]);
    }, WITHIN);
  });

  test.each([
    ['nothing named and nothing set', [], {}, 'usage', /which workers/],
    ['no connection string', ['sweep'], {}, 'usage', /OUTCOME_LEDGER_SWEEP_DATABASE_URL is not set/],
    [
      'one of two without',
      ['sweep,relay'],
      { OUTCOME_LEDGER_SWEEP_DATABASE_URL: 'postgres://x@127.0.0.1/y' },
      'usage',
      /OUTCOME_LEDGER_RELAY_/,
    ],
    [
      'one login for two',
      ['sweep', 'relay', '--database-url', 'postgres://x@127.0.0.1/y'],
      {},
      'usage',
      /login of one worker/,
    ],
    ['no URL', ['relay', '--database-url', 'nonsense'], {}, 'database_unreachable', /cannot be read/],
    [
      'an exporter that cannot be used',
      ['relay', '--port', '0', '--database-url', 'postgres://x@127.0.0.1/y'],
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'relay_misconfigured',
      /grpc/,
    ],
  ])('refused before anything runs: %s', async (_what, args, env, code, words) => {
    const { code: exit, json } = await cli.run(['workers', ...args, '--json'], { env });
    expect([exit, json()['code'], json()['detail']]).toEqual([2, code, expect.stringMatching(words)]);
    expect(json()['remedy']).toEqual(expect.any(String));
  });
});

describe('a sweep worker', () => {
  test('waits for a ledger that is away, goes on when it is back, and several share the work', async () => {
    const tenantId = await database.tenant();
    const away = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => away.once('listening', resolve));
    const { port } = away.address() as { port: number };
    const nobody = startSweep({
      url: `postgres://ledger_sweep:x@127.0.0.1:${port}/x`,
      pace: { backoffMs: 5, backoffMaxMs: 20 },
    });
    await new Promise((resolve) => {
      away.closeAllConnections();
      away.close(resolve);
    });
    await vi.waitFor(
      () => expect(nobody.status()).toMatchObject({ state: 'waiting', degraded_by: [{ remedy: null }] }),
      WITHIN,
    );
    await nobody.stop();
    expect(nobody.status().state).toBe('stopped');

    const ids = await Promise.all(Array.from({ length: 250 }, () => overdue(tenantId)));
    const url = database.urlAs('ledger_sweep');
    const workers = [startSweep({ url, pace: { idleMs: 5 } }), startSweep({ url, pace: { idleMs: 5 } })];
    await vi.waitFor(
      () => expect(workers.reduce((sum, worker) => sum + worker.status().swept, 0)).toBe(ids.length),
      WITHIN,
    );
    const text = await createSweepMetrics(() => workers).registry.metrics();
    expect(text).toContain(`outcome_ledger_sweep_timeouts_total ${ids.length}`);
    await Promise.all(workers.map((worker) => worker.stop()));
    const [row] =
      await database.sql`select count(*)::int as n from public.agent_invocation_outcomes where invocation_id = any(${ids}::uuid[]) and status = 'timeout'`;
    expect(row?.['n']).toBe(ids.length);
  });
});

describe('the ledger of a test suite', () => {
  test('sweeps and calls webhooks by itself, and shows both', async () => {
    const receiver = await startReceiver();
    const own = await startLedger();
    try {
      const operator = await apiOf(own.stack, { tenantId: own.tenantId, role: 'operator', actorId: randomUUID() });
      const orchestrator = await apiOf(own.stack, { tenantId: own.tenantId });
      expect((await operator('POST', '/events/webhooks', { url: receiver.url })).status).toBe(201);
      const start = {
        source: { id: 'planner', version: '1.0.0', domain: 'shop' },
        ...{ correlation_id: 'order-1', causation_id: 'order-1', deadline_in_ms: 1 },
      };
      expect((await orchestrator('POST', '/invocations', start)).status).toBe(201);
      await vi.waitFor(
        () => expect(receiver.took.map(({ event }) => event['type'])).toEqual(['os.outcome.timeout']),
        WITHIN,
      );
      const { url } = own.stack.workers[0] ?? {};
      const health = (await (await fetch(`${url}/healthz`)).json()) as object;
      expect(health).toMatchObject({ status: 'ok', workers: [{ name: 'sweep', swept: 1 }, { name: 'relay' }] });
    } finally {
      await own.stop();
    }
  });

  test('runs neither when it is told so; an exporter that cannot be used takes nothing but the traces', async () => {
    const none = await startLedger({ workers: false });
    expect(none.stack.workers).toEqual([]);
    await none.stop();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:4317');
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc');
    const said: string[] = [];
    const stack = await startStack({ quiet: true, onNotice: (text) => said.push(text) });
    vi.unstubAllEnvs();
    expect(stack.workers.map(({ name }) => name)).toEqual(['sweep', 'relay']);
    await stack.stop();
    expect(said).toEqual([expect.stringMatching(/^no traces: .*grpc/)]);
  });
});
