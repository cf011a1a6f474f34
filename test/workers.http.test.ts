// `outcome-ledger workers` as a supervisor runs it: health, metrics, signals, and one active worker of several.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createLedger } from '../src/client/index.ts';
import { isAlive } from '../src/stack/postgres/postmaster.ts';
import { startLedger } from '../src/testing/index.ts';
import { useCli } from './support/cli.ts';
import { useDatabase } from './support/database.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';
import { startWorkers, type WorkerProcess } from './support/worker-process.ts';

// How far a worker is behind is measured ever more rarely where measuring takes long.
const WITHIN = { timeout: 60_000, interval: 25 };

vi.setConfig({ testTimeout: 150_000 });

const cli = useCli();
const database = useDatabase();
let ledger: SqlLedger;
let folders = 0;
/** A new folder for an embedded graph. */
const newGraph = () => ['--graph', 'embedded', '--graph-dir', path.join(cli.folder, `graph-${++folders}`)];
const env = () => ({ OUTCOME_LEDGER_SYNC_DATABASE_URL: database.urlAs('ledger_sync') });

beforeAll(async () => {
  ledger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
  await recordChain(3);
});

/** Outcomes of which each caused the next. */
async function recordChain(length: number): Promise<void> {
  let causation_id = 'evt-1';
  for (let n = 0; n < length; n += 1) causation_id = await ledger.end(await ledger.start({ causation_id }));
}

async function state(worker: WorkerProcess, wanted: string) {
  return vi.waitFor(async () => {
    const [code, document] = await worker.health();
    expect(document.workers[0]?.['state'], JSON.stringify(document)).toBe(wanted);
    return { code, status: document.status, worker: document.workers[0] ?? {} };
  }, WITHIN);
}

/** Waits until a new graph has everything; other files' transactions on the shared server hold the feed back for moments. */
async function caughtUp(worker: WorkerProcess) {
  const [rows] = await database.sql<{ n: number }[]>`
    select ((select count(*) from ledger_internal.outcomes) + (select count(*) from public.agent_lineage_links))::int as n`;
  return vi.waitFor(async () => {
    const [, { workers }] = await worker.health();
    expect(workers[0]).toMatchObject({ state: 'active', rows_written: rows?.n });
    return workers[0] ?? {};
  }, WITHIN);
}

/** Compares both sides with the graph of a worker that has ended. */
async function differences(graph: string[]): Promise<Record<string, unknown>> {
  const once = await cli.run(['sync', '--once', '--json', ...graph], { env: env() });
  expect(once.code, once.stderr).toBe(0);
  const { code, json, stderr } = await cli.run(['sync', '--reconcile', '--dry-run', '--json', ...graph], {
    env: env(),
  });
  expect(code, stderr).toBe(0);
  return json();
}

describe('a worker', () => {
  test('says how it is, in health, metrics and a log of JSON lines', async () => {
    const worker = await startWorkers(cli.main, newGraph(), env());
    const { mirror } = await caughtUp(worker);
    expect((await worker.health())[0]).toBe(200);
    await vi.waitFor(
      async () => expect((await worker.health())[1].workers[0]?.['lag']).toMatchObject({ rows: 0 }),
      WITHIN,
    );
    const metrics = await fetch(`${worker.url}/metrics`);
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
    const text = await metrics.text();
    const value = (name: string, labels = '') =>
      Number(new RegExp(`^${name}{mirror="[^"]+"${labels}} (.+)$`, 'm').exec(text)?.[1]);
    expect(value('outcome_ledger_sync_active')).toBe(1);
    expect(value('outcome_ledger_sync_lag_rows')).toBe(0);
    expect(value('outcome_ledger_sync_quarantined')).toBe(0);
    // Three outcomes and the two links between them.
    expect(value('outcome_ledger_sync_rows_total')).toBe(5);
    expect(value('outcome_ledger_sync_state', ',state="active"')).toBe(1);
    expect(text).toContain(`mirror="${mirror}"`);
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    for (const entry of worker.said) {
      expect(entry).toMatchObject({
        time: expect.stringMatching(/Z$/),
        level: expect.any(String),
        message: expect.any(String),
      });
    }
    const all = JSON.stringify(worker.said);
    expect(all).not.toContain(new URL(database.urlAs('ledger_sync')).password);
  });

  test('gives nothing else away, and nothing is changed through it, without the control token', async () => {
    const controlled = { ...env(), OUTCOME_LEDGER_CONTROL_TOKEN: 'let-me' };
    for (const [worker, right] of [
      [await startWorkers(cli.main, newGraph(), env()), 403],
      [await startWorkers(cli.main, newGraph(), controlled), 200],
    ] as const) {
      await caughtUp(worker);
      const ask = (token: string) =>
        fetch(`${worker.url}/control/sync`, { headers: { authorization: `Bearer ${token}` } });
      expect([(await ask('guess')).status, (await ask('undefined')).status]).toEqual([403, 403]);
      expect((await ask('let-me')).status).toBe(right);
      const query = { method: 'POST', body: JSON.stringify({ text: 'match (o:Outcome) return count(*) as n' }) };
      expect((await fetch(`${worker.url}/control/cypher`, query)).status).toBe(403);
      expect((await fetch(`${worker.url}/nothing`)).status).toBe(404);
    }
  });

  test('ends itself over a query that nothing else ends, once the asker is answered; the next one goes on', async () => {
    const graph = newGraph();
    const controlled = { ...env(), OUTCOME_LEDGER_CONTROL_TOKEN: 'let-me' };
    const worker = await startWorkers(cli.main, graph, controlled);
    await caughtUp(worker);
    const text = `UNWIND [1] AS r WITH [1, 2, 3] AS x ${'WITH x + x AS x '.repeat(30)}RETURN size(x) AS n`;
    const answer = await fetch(`${worker.url}/control/cypher`, {
      method: 'POST',
      headers: { authorization: 'Bearer let-me' },
      body: JSON.stringify({ text, tenantId: null, timeoutMs: 1_000 }),
    });
    expect([answer.headers.get('content-type'), await answer.json()]).toEqual([
      'application/problem+json',
      expect.objectContaining({ code: expect.stringMatching(/^query_(timeout|unbounded)$/) }),
    ]);
    expect(await worker.exit).toEqual({ code: null, signal: 'SIGKILL' });
    expect(worker.said.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('a query overran') });
    await state(await startWorkers(cli.main, graph, env()), 'active');
  });

  test('tells who holds the feed back', async () => {
    const worker = await startWorkers(cli.main, newGraph(), env());
    await caughtUp(worker);
    const holder = await database.sql.reserve();
    try {
      await holder`begin`;
      const [held] = await holder<{ pid: number }[]>`select pg_current_xact_id(), pg_backend_pid() as pid`;
      await vi.waitFor(async () => {
        const [code, { workers }] = await worker.health();
        expect(workers[0]?.['held_back_by']).toContainEqual(
          expect.objectContaining({ pid: held?.pid, user: 'postgres' }),
        );
        // Not yet for so long that it is ill.
        expect(code).toBe(200);
      }, WITHIN);
    } finally {
      await holder`rollback`;
      holder.release();
    }
  });

  test('that cannot log in is unwell and says what to do; so is one whose ledger is away', async () => {
    const url = new URL(database.urlAs('ledger_sync'));
    url.password = 'wrong';
    const locked = await startWorkers(cli.main, newGraph(), { OUTCOME_LEDGER_SYNC_DATABASE_URL: url.href });
    const refused = await state(locked, 'refused');
    expect(refused).toMatchObject({ code: 503, status: 'unwell', worker: { reason: { code: 'not_permitted' } } });
    expect(refused.worker['degraded_by'][0].remedy).toContain('roles password ledger_sync');
    url.port = '9';
    const away = await startWorkers(cli.main, newGraph(), { OUTCOME_LEDGER_SYNC_DATABASE_URL: url.href });
    expect(await state(away, 'waiting')).toMatchObject({
      code: 503,
      worker: { reason: { code: 'ledger_unreachable' } },
    });
    expect(await (await fetch(`${away.url}/metrics`)).text()).toMatch(/^outcome_ledger_sync_degraded{.+} 1$/m);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it in order: exit 0, nothing half-written, the rest comes later',
    async (signal) => {
      await recordChain(100);
      const graph = newGraph();
      const worker = await startWorkers(cli.main, graph, env());
      worker.child.kill(signal);
      expect(await worker.exit).toEqual({ code: 0, signal: null });
      expect(worker.said.map((entry) => entry.message)).toEqual(expect.arrayContaining(['stopping', 'stopped']));
      expect(await differences(graph)).toMatchObject({
        outcomes: { missing: 0, different: 0, surplus: 0 },
        links: { missing: 0, different: 0, surplus: 0 },
      });
    },
  );

  test('mirrors one tenant alone', async () => {
    const tenantId = await database.tenant();
    const other = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
    await other.end(await other.start());
    const worker = await startWorkers(cli.main, [...newGraph(), '--tenant', tenantId], env());
    await vi.waitFor(async () => {
      const [, { workers }] = await worker.health();
      expect(workers[0]).toMatchObject({ state: 'active', tenant_id: tenantId, rows_written: 1 });
    }, WITHIN);
  });
});

describe('two workers of one mirror', () => {
  test('one is active; killed, the other goes on where it was, and nothing is lost or doubled', async () => {
    const graph = newGraph();
    const first = await startWorkers(cli.main, graph, env());
    await state(first, 'active');
    const second = await startWorkers(cli.main, graph, env());
    expect(await state(second, 'standby')).toMatchObject({ code: 200, status: 'ok' });
    await recordChain(20);
    first.child.kill('SIGKILL');
    await first.exit;
    await recordChain(20);
    await state(second, 'active');
    second.child.kill('SIGTERM');
    await second.exit;
    const { outcomes, links } = await differences(graph);
    const [rows] = await database.sql`
      select (select count(*) from ledger_internal.outcomes)::int as outcomes,
             (select count(*) from public.agent_lineage_links)::int as links`;
    expect(outcomes).toEqual({ checked: rows?.['outcomes'], missing: 0, different: 0, surplus: 0 });
    expect(links).toEqual({ checked: rows?.['links'], missing: 0, different: 0, surplus: 0 });
  });
});

describe('the ledger of a test suite', () => {
  test('has a graph when it is asked for, kept up by a process that goes with it', async () => {
    const own = await startLedger({ graph: 'embedded' });
    const { stack, tenantId } = own;
    try {
      const client = createLedger({ url: own.url, accessToken: await own.token('orchestrator', 'o-1') });
      const source = { id: 'planner', version: '1.0.0', domain: 'shop' };
      const start = { source, correlation_id: 'order-1', causation_id: 'order-1' };
      const { outcome } = await client.invocation(start, async () => ({ done: true }));
      await vi.waitFor(() => stack.mirror.once(), WITHIN);
      const parameters = { outcome_id: outcome.outcome_id };
      expect((await stack.mirror.cypher({ name: 'why', tenantId, parameters })).rows).toMatchObject([
        { depth: 0, ...parameters },
      ]);
      await expect(stack.mirror.cypher({ text: 'create (:Outcome)', tenantId })).rejects.toMatchObject({
        code: 'query_writes',
      });
      const running = { state: 'running', url: expect.any(String) };
      expect([stack.graph, stack.workers]).toEqual([
        'embedded',
        [
          { name: 'sync', ...running, pid: expect.any(Number) },
          { name: 'sweep', ...running, pid: process.pid },
          { name: 'relay', ...running, pid: process.pid },
        ],
      ]);
    } finally {
      await own.stop();
    }
    expect([isAlive(stack.workers[0]?.pid ?? 0), existsSync(stack.dataDir)]).toEqual([false, false]);
  });
});

describe('refused before anything runs: exit 2', () => {
  const run = (args: string[], environment: Record<string, string | undefined> = env()) =>
    cli.run(['workers', ...args, '--json'], { env: environment });
  const embedded = ['--graph', 'embedded', '--graph-dir', 'somewhere'];

  test.each([
    ['an unknown name', ['sync', 'mirror'], {}, /no worker 'mirror'/],
    ['an unknown name in a list', ['sync,seal'], {}, /no worker 'seal'/],
    ['no graph', [], {}, /NEO4J_URI is not set/],
    ['a graph without its folder', ['--graph', 'embedded'], {}, /folder of its files/],
    ['a folder for Neo4j', ['--graph-dir', 'x'], { NEO4J_URI: 'neo4j://127.0.0.1' }, /--graph-dir is of the embedded/],
    ['no address of a Neo4j', [], { NEO4J_URI: 'http://127.0.0.1:7474' }, /NEO4J_URI is no address/],
    ['an unknown graph', ['--graph', 'memory'], {}, /Allowed choices are neo4j, embedded/],
    ['no URL of a database', ['sync', ...embedded, '--database-url', 'nonsense'], {}, /database URL cannot be read/],
    ['a tenant that is none', [...embedded, '--tenant', 'acme'], {}, /UUID v4/],
  ])('%s', async (_what, args, more, words) => {
    const { code, json } = await run(args as string[], { ...env(), ...more });
    expect([code, json()['detail']]).toEqual([2, expect.stringMatching(words)]);
  });

  test("no ledger: other commands' variables are not read", async () => {
    const url = database.ownerUrl;
    const { code, json } = await run(embedded, { OUTCOME_LEDGER_DATABASE_URL: url, DATABASE_URL: url });
    expect([code, json()['code'], json()['detail']]).toEqual([2, 'usage', expect.stringContaining('which ledger?')]);
  });

  test('a port in use, a host that is not here', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const busy = await run([...newGraph(), '--port', String(port)]);
    taken.close();
    expect([busy.code, busy.json()['code']]).toEqual([2, 'port_in_use']);
    const elsewhere = await run([...newGraph(), '--port', '0', '--host', '192.0.2.1']);
    expect([elsewhere.code, elsewhere.json()['code']]).toEqual([2, 'start_failed']);
  });
});
