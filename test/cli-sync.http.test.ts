// `sync` and `cypher`, and the graph beside a local stack: kept up by a process of its own, which may die.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLedger, type Ledger } from '../src/client/index.ts';
import { isAlive } from '../src/stack/postgres/postmaster.ts';
import { useCli } from './support/cli.ts';
import { cliHere } from './support/cli-here.ts';

interface WorkerState {
  name: string;
  state: string;
  url: string;
  pid: number;
}

const WITHIN = { timeout: 60_000, interval: 50 };

vi.setConfig({ testTimeout: 120_000 });

const cli = useCli();
const dataDir = path.join(cli.folder, 'data');
const at = ['--data-dir', dataDir];
const correlation = `corr-${randomUUID()}`;
let status: { functions_url: string; database_url: string; tenant_id: string; pid: number };
let ledger: Ledger;
/** A planner that called a packer. */
let cause: string;
let effect: string;

beforeAll(async () => {
  const up = await cli.run(['up', '--detach', '--json', ...at]);
  expect(up.code, up.stderr).toBe(0);
  status = up.json() as unknown as typeof status;
  const token = await cli.run(['token', '--role', 'orchestrator', '--actor', 'o-1', ...at]);
  ledger = createLedger({ url: status.functions_url, accessToken: token.stdout.trim() });
  [cause, effect] = await record();
}, 120_000);

afterAll(async () => {
  await cli.run(['down', ...at]);
});

async function record(): Promise<[string, string]> {
  let inner = '';
  const source = (id: string) => ({ id, version: '1.0.0', domain: 'shop' });
  const start = { source: source('planner'), correlation_id: correlation, causation_id: 'order-1' };
  const { outcome } = await ledger.invocation(start, async (ctx) => {
    const packed = await ctx.invocation({ source: source('packer') }, async () => ({ boxes: 3 }));
    inner = packed.outcome.outcome_id;
    return { boxes: 3 };
  });
  return [outcome.outcome_id, inner];
}

const syncUrl = () => {
  const { passwords } = JSON.parse(readFileSync(path.join(dataDir, 'secrets.json'), 'utf8'));
  const url = new URL(status.database_url);
  url.username = 'ledger_sync';
  url.password = passwords.ledger_sync;
  return url.href;
};

async function caughtUp(): Promise<void> {
  const once = await cliHere(['sync', '--once', '--json', ...at]);
  expect(once.code, once.stderr).toBe(0);
}

async function worker(): Promise<WorkerState> {
  const { code, json, stderr } = await cliHere(['status', '--json', ...at]);
  expect(code, stderr).toBe(0);
  const found = (json()['workers'] as WorkerState[]).find(({ name }) => name === 'sync');
  if (!found) throw new Error('the stack has no worker');
  return found;
}

async function counts(): Promise<unknown> {
  await caughtUp();
  const { json } = await cliHere(['sync', '--reconcile', '--dry-run', '--json', ...at]);
  const { outcomes, links } = json() as Record<string, Record<string, number>>;
  return [outcomes, links].map((side) => [side?.['missing'], side?.['different'], side?.['surplus']]);
}
const SAME = [
  [0, 0, 0],
  [0, 0, 0],
];

describe('cypher', () => {
  test('why and impact tell what SQL tells', async () => {
    await caughtUp();
    for (const [name, id] of [
      ['why', effect],
      ['impact', cause],
    ] as const) {
      const inSql = await cliHere([name, id, '--json', ...at]);
      const inCypher = await cliHere(['cypher', name, '--param', `outcome_id=${id}`, '--json', ...at]);
      expect(inCypher.code, inCypher.stderr).toBe(0);
      const ids = (rows: unknown) =>
        (rows as { outcome_id: string; depth: number }[]).map((row) => [row.outcome_id, row.depth]);
      expect(ids(inCypher.json()['rows'])).toEqual(ids(inSql.json()['nodes']));
      expect(ids(inSql.json()['nodes'])).toEqual([
        [id, 0],
        [id === cause ? effect : cause, 1],
      ]);
    }
    const cut = await cliHere(['cypher', 'why', '--param', `outcome_id=${effect}`, '--depth', '0', '--json', ...at]);
    expect(cut.json()['rows']).toHaveLength(1);
  });

  test('a table for people', async () => {
    const query =
      'match (cause:Outcome {tenant_id: $tenant_id})-[:INVOKED]->(effect:Outcome {outcome_id: $id}) return cause.source_id as cause, effect.status as effect';
    const { code, stdout } = await cli.run(['cypher', query, '--param', `id=${effect}`, ...at]);
    expect([code, stdout]).toEqual([0, 'cause    effect\nplanner  success\n(1 row)\n']);
  });

  test('parameters that are JSON are taken as that', async () => {
    const { json, stderr } = await cliHere([
      ...['cypher', 'return $n + 1 as n, $yes as yes, $word as word', '--json', ...at],
      ...['--param', 'n=41', '--param', 'yes=true', '--param', 'word=a=b'],
    ]);
    expect(json()['rows'], stderr).toEqual([{ n: 42, yes: true, word: 'a=b' }]);
  });

  test('another tenant sees nothing of it', async () => {
    const made = await cliHere(['tenant', 'create', '--json', ...at]);
    const tenant = ['--tenant', String(made.json()['tenant_id'])];
    const why = await cliHere(['cypher', 'why', '--param', `outcome_id=${effect}`, '--json', ...tenant, ...at]);
    expect([why.code, why.json()['rows']]).toEqual([0, []]);
    const own = 'match (o:Outcome {tenant_id: $tenant_id}) return count(*) as n';
    expect((await cliHere(['cypher', own, '--json', ...tenant, ...at])).json()['rows']).toEqual([{ n: 0 }]);
    const unknown = await cliHere(['cypher', own, '--json', '--tenant', randomUUID(), ...at]);
    expect([unknown.code, unknown.json()['code']]).toEqual([1, 'unknown_tenant']);
  });

  test('--list needs no ledger and names the parameters', async () => {
    // The built command: it has to find the texts of the queries.
    const { code, json } = await cli.run(['cypher', '--list', '--json']);
    const queries = json() as unknown as { name: string; parameters: { name: string }[] }[];
    expect(code).toBe(0);
    expect(queries.map((query) => query.name)).toEqual(
      expect.arrayContaining(['why', 'impact', 'correlation', 'path']),
    );
    const { stdout } = await cliHere(['cypher', '--list']);
    for (const { name, parameters } of queries) {
      expect(stdout).toContain(`${name}  `);
      for (const parameter of parameters) expect(stdout).toContain(parameter.name);
    }
  });

  const slow =
    'unwind range(1, 10000) as a with collect(a) as xs unwind xs as b unwind xs as c return sum(size(md5(to_string(b * c)))) as n';
  test.each([
    ['a write', ['match (o:Outcome) set o.status = "success" return o'], 2, 'query_writes'],
    ['a deletion', ['match (o:Outcome) detach delete o'], 2, 'query_writes'],
    ['a path without an end', ['match (a:Outcome)-[:INVOKED*]->(b:Outcome) return b.outcome_id'], 2, 'query_unbounded'],
    ['a range without a measure', ['unwind range(1, 30000000) as a return sum(a)'], 2, 'query_unbounded'],
    ['nonsense', ['match me if you can'], 2, 'query_invalid'],
    ['an unknown name', ['whence'], 2, 'query_invalid'],
    ['a parameter that is missing', ['why'], 2, 'query_invalid'],
    ['a parameter that is no outcome', ['why', '--param', 'outcome_id=x'], 2, 'query_invalid'],
    ['a parameter without a value', ['why', '--param', 'outcome_id'], 2, 'usage'],
    ['a parameter given twice', ['return $x', '--param', 'x=1', '--param', 'x=2'], 2, 'usage'],
    ['an integer that would be rounded', ['return $x', '--param', 'x=9007199254740993'], 2, 'usage'],
    ['an infinite number within', ['return $x', '--param', 'x={"a":1e400}'], 2, 'usage'],
    ['a silly depth', ['why', '--depth', '65'], 2, 'usage'],
    ['no query', [], 2, 'usage'],
    ['a query that does not end', [slow, '--timeout', '1'], 1, 'query_timeout'],
  ])('%s is refused', async (_what, args, exit, word) => {
    const { code, json, stderr } = await cliHere(['cypher', ...args, '--json', ...at]);
    expect([code, json()['code']], stderr).toEqual([exit, word]);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('and the graph is as it was', async () => {
    expect(await counts()).toEqual(SAME);
  });
});

describe('sync', () => {
  test('--status tells people and programs', async () => {
    await caughtUp();
    // The lag is as it was measured last.
    await vi.waitFor(async () => {
      const { code, json } = await cliHere(['sync', '--status', '--json', ...at]);
      const healthy = { state: 'active', lag: { rows: 0 }, quarantined: 0, quarantine: [], degraded_by: [] };
      expect([code, json()]).toMatchObject([0, healthy]);
    }, WITHIN);
    const { stdout } = await cliHere(['sync', '--status', ...at]);
    expect(stdout).toMatch(/^state +active since /m);
    expect(stdout).toMatch(new RegExp(`^graph +embedded ${path.join(dataDir, 'graph')}$`, 'm'));
    expect(stdout).toMatch(/^lag +0 rows, 0\.0 s$/m);
    expect(stdout).toMatch(/^position +epoch 1, xid \d+, seq \d+$/m);
  });

  test('--status names who holds the feed back; doctor looks at the graph too', async () => {
    const sql = postgres(status.database_url, { max: 1, onnotice: () => undefined });
    try {
      await sql.begin(async (tx) => {
        const [held] = await tx<{ pid: number }[]>`select pg_current_xact_id(), pg_backend_pid() as pid`;
        await vi.waitFor(async () => {
          const { stdout } = await cliHere(['sync', '--status', ...at]);
          expect(stdout).toMatch(
            new RegExp(`^held back by +pid ${held?.pid} \\(postgres in postgres\\) for \\d+ s$`, 'm'),
          );
        }, WITHIN);
      });
    } finally {
      await sql.end();
    }
    const { json } = await cliHere(['doctor', '--json', ...at]);
    const names = (json()['checks'] as { name: string; verdict: string }[]).filter(({ verdict }) => verdict === 'ok');
    for (const name of ['graph worker', 'graph lag', 'graph quarantine']) {
      expect(names).toContainEqual(expect.objectContaining({ name }));
    }
    const { url } = await worker();
    const elsewhere = await cliHere(['doctor', '--worker-url', url, '--json']);
    expect([elsewhere.code, (elsewhere.json()['checks'] as unknown[]).length]).toEqual([0, 3]);
    const nobody = await cliHere(['doctor', '--worker-url', 'http://127.0.0.1:9', '--json']);
    expect([nobody.code, nobody.json()['checks']]).toEqual([1, [expect.objectContaining({ verdict: 'fail' })]]);
  });

  test('with both sides named: catch up, compare, repair', async () => {
    const graph = ['--json', '--graph', 'embedded', '--graph-dir', path.join(cli.folder, 'by-hand')];
    const sync = (...args: string[]) => cliHere(['sync', ...args, ...graph, '--database-url', syncUrl()]);
    const env = { OUTCOME_LEDGER_SYNC_DATABASE_URL: syncUrl() };
    const first = await cli.run(['sync', '--once', ...graph], { env });
    expect([first.code, Number(first.json()['rows']) > 0], first.stderr).toEqual([0, true]);
    expect((await sync('--once')).json()).toMatchObject({ rows: 0, position: first.json()['position'] });
    await record();
    const looked = await sync('--status');
    expect([looked.code, looked.json()['state'], looked.json()['lag']]).toEqual([
      ...[0, 'no worker'],
      expect.objectContaining({ rows: 3 }),
    ]);
    const dry = await sync('--reconcile', '--dry-run');
    expect([dry.code, dry.json()['repaired'], dry.json()['outcomes']]).toEqual([
      ...[1, 0],
      expect.objectContaining({ missing: 2 }),
    ]);
    const repair = await sync('--reconcile');
    expect([repair.code, repair.json()['repaired']]).toEqual([0, 3]);
    expect((await sync('--reconcile', '--dry-run')).code).toBe(0);
    expect((await sync('--retry-quarantined')).json()).toEqual({ repaired: 0, gone: 0, kept: 0 });
    const tenant = await sync('--once', '--tenant', status.tenant_id);
    expect([tenant.code, tenant.json()['code']]).toEqual([2, 'graph_other_tenant']);
  });

  test('the owner’s connection is taken, with a word on what to give instead', async () => {
    const graph = ['--json', '--graph', 'embedded', '--graph-dir', path.join(cli.folder, 'by-owner')];
    const asked = (url: string) => cliHere(['sync', '--once', ...graph, '--database-url', url]);
    const owner = await asked(status.database_url);
    expect([owner.code, Number(owner.json()['rows']) > 0]).toEqual([0, true]);
    expect(owner.stderr).toContain('outcome-ledger roles password ledger_sync');
    expect(owner.stderr).not.toContain(new URL(status.database_url).password);
    const right = await asked(syncUrl());
    expect([right.code, right.stderr]).toEqual([0, '']);
  });

  test('the files of a running stack are not for others', async () => {
    const graph = ['--graph', 'embedded', '--graph-dir', path.join(dataDir, 'graph')];
    const { code, stderr } = await cliHere(['sync', '--once', '--database-url', syncUrl(), ...graph]);
    expect(code, stderr).toBe(2);
    expect(await counts()).toEqual(SAME);
  });

  test.each([
    ['no mode', []],
    ['two modes', ['--once', '--status']],
    ['a dry run of nothing', ['--once', '--dry-run']],
    ['one tenant of the local stack', ['--status', '--tenant', randomUUID()]],
  ])('%s is wrong usage', async (_what, args) => {
    const { code, json } = await cliHere(['sync', ...args, '--json', ...at]);
    expect([code, json()['code']]).toEqual([2, 'usage']);
  });

  test('a ledger that does not answer, a login that is refused: exit 2, the password untold', async () => {
    const graph = ['--graph', 'embedded', '--graph-dir', path.join(cli.folder, 'none')];
    for (const [url, word] of [
      ['postgres://ledger_sync:hidden-word@127.0.0.1:9/postgres', 'database_unreachable'],
      [syncUrl().replace(/:[^:@/]+@/, ':hidden-word@'), 'not_permitted'],
    ] as const) {
      const { code, json, stderr } = await cliHere(['sync', '--status', '--database-url', url, '--json', ...graph]);
      expect([code, json()['code']], stderr).toEqual([2, word]);
      expect(stderr).not.toContain('hidden-word');
    }
  });
});

describe('the worker beside the stack', () => {
  test('is started again when it is killed, and nothing is lost', async () => {
    const before = await worker();
    process.kill(before.pid, 'SIGKILL');
    await record();
    const after = await vi.waitFor(async () => {
      const found = await worker();
      expect(found).toMatchObject({ name: 'sync', state: 'active' });
      expect(found.pid).not.toBe(before.pid);
      return found;
    }, WITHIN);
    expect((await fetch(`${after.url}/metrics`)).status).toBe(200);
    expect(await counts()).toEqual(SAME);
  });

  test('ends when the stack is killed; a graph whose files were deleted fills again', async () => {
    const { pid } = await worker();
    process.kill(status.pid, 'SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WITHIN);
    rmSync(path.join(dataDir, 'graph'), { recursive: true });
    const up = await cli.run(['up', '--detach', '--json', ...at]);
    expect(up.code, up.stderr).toBe(0);
    status = up.json() as unknown as typeof status;
    expect(existsSync(path.join(dataDir, 'graph'))).toBe(true);
    expect(await counts()).toEqual(SAME);
    const { json } = await cliHere(['cypher', 'match (o:Outcome) return count(*) as n', '--json', ...at]);
    expect((json()['rows'] as { n: number }[])[0]?.n).toBeGreaterThanOrEqual(6);
  });

  test('down stops it first, in order', async () => {
    const { pid } = await worker();
    const asked = Date.now();
    expect((await cli.run(['down', ...at])).code).toBe(0);
    // It ended by itself: one that hangs is killed after twenty seconds.
    expect(Date.now() - asked).toBeLessThan(15_000);
    expect(isAlive(pid)).toBe(false);
    const log = readFileSync(path.join(dataDir, 'workers.log'), 'utf8').trim().split('\n');
    expect(log.map((line) => JSON.parse(line).message)).toEqual(
      expect.arrayContaining(['stopped', 'sweep stopped', 'relay stopped']),
    );
  });
});
