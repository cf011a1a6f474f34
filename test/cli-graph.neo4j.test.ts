// The command line with a real Neo4j: one that it starts itself, and one that the environment names.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLedger } from '../src/client/index.ts';
import { useCli } from './support/cli.ts';
import { useDatabase } from './support/database.ts';
import { useNeo4j } from './support/neo4j.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';
import { startWorkers, type WorkerProcess } from './support/worker-process.ts';

const WITHIN = { timeout: 120_000, interval: 50 };

// A fresh Neo4j compiles itself first.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const cli = useCli();
/** Data directories on which a stack may run. */
const OWN = ['--data-dir', path.join(cli.folder, 'own')];
const OTHER = ['--data-dir', path.join(cli.folder, 'other')];

afterAll(async () => {
  for (const at of [OWN, OTHER]) await cli.run(['down', ...at]);
});

function listens(uri: string): Promise<boolean> {
  const { hostname, port } = new URL(uri.replace(/^neo4j/, 'http'));
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname, () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

interface Status {
  functions_url: string;
  neo4j: { uri: string; state: string; reason?: { code: string; remedy: string } };
  workers: { name: string; url: string; pid: number }[];
}

/** The Java that was started with this folder, and no other. */
function neo4jPid(home: string): number {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const found = lines.filter((line) => line.includes('java') && line.endsWith(home));
  expect(found).toHaveLength(1);
  return Number(found[0]?.trim().split(' ')[0]);
}

describe('up --graph neo4j without NEO4J_URI', () => {
  test('starts one of its own, keeps it up, keeps its data, and takes it along', async () => {
    const at = OWN;
    const up = await cli.run(['up', '--detach', '--graph', 'neo4j', '--json', ...at]);
    expect(up.code, up.stderr).toBe(0);
    const { functions_url, graph, workers } = up.json() as Record<string, string> & { workers: unknown };
    expect(graph).toBe('neo4j');
    expect(workers).toContainEqual(expect.objectContaining({ name: 'sync', pid: expect.any(Number), state: 'active' }));
    const token = await cli.run(['token', '--role', 'orchestrator', '--actor', 'o-1', ...at]);
    const ledger = createLedger({ url: functions_url ?? '', accessToken: token.stdout.trim() });
    const source = { id: 'planner', version: '1.0.0', domain: 'shop' };
    const start = { source, correlation_id: 'order-1', causation_id: 'order-1' };
    const { outcome } = await ledger.invocation(start, async () => ({ done: true }));
    expect(await cli.run(['sync', '--once', ...at])).toMatchObject({ code: 0 });
    const status = await cli.run(['sync', '--status', '--json', ...at]);
    const { address } = status.json()['graph'] as { address: string };
    expect(await listens(address)).toBe(true);
    const why = ['cypher', 'why', '--param', `outcome_id=${outcome.outcome_id}`, '--json', ...at];
    expect((await cli.run(why)).json()['rows']).toMatchObject([{ outcome_id: outcome.outcome_id, depth: 0 }]);
    expect((await cli.run(['down', ...at])).code).toBe(0);
    expect(await listens(address)).toBe(false);

    const again = await cli.run(['up', '--detach', '--graph', 'neo4j', '--json', ...at]);
    expect(again.code, again.stderr).toBe(0);
    await vi.waitFor(async () => expect((await cli.run(why)).json()['rows']).toHaveLength(1), WITHIN);
    const after = await cli.run(['sync', '--status', '--json', ...at]);
    // The same address, where the position was found: nothing was read again.
    expect(after.json()).toMatchObject({ graph: { address }, rows_written: 0 });
  });

  test('says where it is and as whom, and where the password is; the password to programs alone', async () => {
    const { json } = await cli.run(['status', '--json', ...OWN]);
    const { uri, user, password, password_in, state } = json()['neo4j'] as Record<string, string>;
    expect([user, state, await listens(uri ?? '')]).toEqual(['neo4j', 'running', true]);
    const [file, member] = (password_in ?? '').split(', ');
    expect(member).toBe('passwords.neo4j');
    expect(JSON.parse(readFileSync(file ?? '', 'utf8')).passwords.neo4j).toBe(password);
    for (const command of ['status', 'up']) {
      const { stdout } = await cli.run([command, ...OWN]);
      expect(stdout).toContain(`neo4j ${uri} (user neo4j, password in ${password_in})`);
      expect(stdout).not.toContain(password);
    }
    const asked = await cli.run(['cypher', 'match (o:Outcome) return count(*) as n', '--json'], {
      env: { NEO4J_URI: uri, NEO4J_USER: user, NEO4J_PASSWORD: password },
    });
    expect([asked.code, asked.json()['rows']], asked.stderr).toEqual([0, [{ n: 1 }]]);
  });

  test('killed, it is away for a while, which status and health say; it comes back, and the mirror with it', async () => {
    const at = OWN;
    const before = (await cli.run(['status', '--json', ...at])).json() as unknown as Status;
    const sync = before.workers.find(({ name }) => name === 'sync');
    process.kill(neo4jPid(path.join(cli.folder, 'own', 'neo4j')), 'SIGKILL');
    const away = await vi.waitFor(async () => {
      const status = (await cli.run(['status', '--json', ...at])).json() as unknown as Status;
      expect(status.neo4j).toMatchObject({ state: 'restarting', reason: { code: 'neo4j_restarting' } });
      return status.neo4j.reason;
    }, WITHIN);
    expect(away?.remedy).toContain('debug.log');
    const degraded = await vi.waitFor(async () => {
      const health = await fetch(`${sync?.url}/healthz`);
      expect(health.status).toBe(503);
      return ((await health.json()) as { workers: { degraded_by: { code: string; remedy: string }[] }[] }).workers[0];
    }, WITHIN);
    expect(degraded?.degraded_by[0]).toMatchObject({ remedy: expect.stringMatching(/see that it runs|by itself/) });
    const token = await cli.run(['token', '--role', 'orchestrator', '--actor', 'o-1', ...at]);
    const ledger = createLedger({ url: before.functions_url, accessToken: token.stdout.trim() });
    const source = { id: 'planner', version: '1.0.0', domain: 'shop' };
    const start = { source, correlation_id: 'order-2', causation_id: 'order-2' };
    await ledger.invocation(start, async () => ({ done: true }));
    await vi.waitFor(async () => expect((await cli.run(['sync', '--once', ...at])).code).toBe(0), WITHIN);
    const count = ['cypher', 'match (o:Outcome) return count(*) as n', '--json', ...at];
    expect((await cli.run(count)).json()['rows']).toEqual([{ n: 2 }]);
    const after = (await cli.run(['status', '--json', ...at])).json() as unknown as Status;
    // The same address and password, and the worker lived through it.
    const { reason: _, ...same } = before.neo4j;
    expect(after.neo4j).toEqual(same);
    expect(after.workers.find(({ name }) => name === 'sync')).toEqual(sync);
  });
});

describe('the Neo4j that NEO4J_URI names', () => {
  const database = useDatabase();
  const neo4j = useNeo4j();
  let ledger: SqlLedger;
  let tenantId: string;
  let last: string;
  const env = (password = neo4j.password) => ({
    OUTCOME_LEDGER_SYNC_DATABASE_URL: database.urlAs('ledger_sync'),
    NEO4J_URI: neo4j.uri,
    NEO4J_USERNAME: neo4j.user,
    NEO4J_PASSWORD: password,
  });
  const sync = (...args: string[]) => cli.run(['sync', ...args, '--json'], { env: env() });
  const cypher = (...args: string[]) => cli.run(['cypher', ...args, '--json'], { env: env() });

  beforeAll(async () => {
    tenantId = await database.tenant();
    ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
    await recordChain(20);
  });

  async function recordChain(length: number): Promise<void> {
    let causation_id = last ?? 'evt-1';
    for (let n = 0; n < length; n += 1) causation_id = await ledger.end(await ledger.start({ causation_id }));
    last = causation_id;
  }

  async function state(worker: WorkerProcess, wanted: object) {
    await vi.waitFor(async () => {
      const [code, { workers }] = await worker.health();
      expect({ code, ...workers[0] }).toMatchObject(wanted);
    }, WITHIN);
  }

  async function differences(): Promise<unknown> {
    const { code, json, stderr } = await sync('--reconcile', '--dry-run');
    expect(code, stderr).toBe(0);
    return json();
  }

  test('catches up, is asked, compared and repaired by hand', async () => {
    const once = await sync('--once');
    expect([once.code, once.json()['rows']], once.stderr).toEqual([0, 39]);
    expect((await sync('--status')).json()).toMatchObject({ state: 'no worker', lag: { rows: 0 }, quarantined: 0 });
    await differences();
    const why = ['why', '--param', `outcome_id=${last}`, '--depth', '64'];
    const found = await cypher(...why, '--tenant', tenantId);
    expect([found.code, (found.json()['rows'] as unknown[]).length], found.stderr).toEqual([0, 20]);
    const nobody = await cypher(...why);
    expect([nobody.code, nobody.json()['code']]).toEqual([2, 'query_invalid']);
    const all = await cypher('match (o:Outcome) return count(*) as n');
    expect(all.json()).toEqual({ columns: ['n'], rows: [{ n: 20 }], truncated: false });
    const write = await cypher('match (o:Outcome) set o.status = "success"');
    expect([write.code, write.json()['code']]).toEqual([2, 'query_writes']);
    const slow = await cypher(
      'unwind range(1, 100000) as a unwind range(1, 100000) as b return count(*)',
      '--timeout',
      '1',
    );
    expect([slow.code, slow.json()['code']]).toEqual([1, 'query_timeout']);
  });

  test('one of two workers is active; killed, the other goes on, and nothing is lost or doubled', async () => {
    const first = await startWorkers(cli.main, [], env());
    await state(first, { code: 200, state: 'active' });
    const second = await startWorkers(cli.main, [], env());
    await state(second, { code: 200, state: 'standby' });
    const refused = await sync('--once');
    expect([refused.code, refused.json()['code']]).toEqual([2, 'another_active']);
    expect((await sync('--status')).json()['state']).toBe('active');
    await recordChain(10);
    first.child.kill('SIGKILL');
    await recordChain(10);
    await state(second, { code: 200, state: 'active', lag: { rows: 0 } });
    second.child.kill('SIGTERM');
    expect(await second.exit).toEqual({ code: 0, signal: null });
    expect((await sync('--once')).code).toBe(0);
    await differences();
  });

  test('wrong credentials: it waits, loudly; once they are right the backlog drains', async () => {
    await recordChain(5);
    const locked = await startWorkers(cli.main, [], env('not the password'));
    await state(locked, {
      code: 503,
      state: 'waiting',
      degraded_by: [{ remedy: expect.stringContaining('credentials') }],
    });
    const doctor = await cli.run(['doctor', '--worker-url', locked.url]);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(/^fail +graph worker +waiting/m)]);
    locked.child.kill('SIGTERM');
    expect((await locked.exit).code).toBe(0);
    const right = await startWorkers(cli.main, [], env());
    await state(right, { code: 200, state: 'active', lag: { rows: 0 }, quarantined: 0 });
    right.child.kill('SIGTERM');
    await right.exit;
    await differences();
    const asked = await cli.run(['cypher', 'return 1', '--json'], { env: env('not the password') });
    expect([asked.code, asked.json()['code']]).toEqual([2, 'graph_fault']);
    expect(asked.stderr).not.toContain('not the password');
  });

  test('doctor looks at both sides that stand in the environment', async () => {
    const { code, json, stderr } = await cli.run(['doctor', '--json', '--database-url', database.ownerUrl], {
      env: env(),
    });
    const checks = json()['checks'] as { name: string; verdict: string; detail: string }[];
    expect(
      checks.filter(({ name }) => name.startsWith('graph')).map(({ verdict }) => verdict),
      stderr,
    ).toEqual(['warn', 'ok', 'ok']);
    expect(code).toBe(0);
  });

  test('a graph of another ledger is refused before anything is written', async () => {
    await sync('--once');
    const up = ['up', '--detach', '--graph', 'neo4j', '--json', ...OTHER];
    const other = await cli.run(up, { env: { ...env(), OUTCOME_LEDGER_SYNC_DATABASE_URL: undefined } });
    expect(other.code, other.stderr).toBe(0);
    await vi.waitFor(async () => {
      const { code, json } = await cli.run(['sync', '--status', '--json', ...OTHER]);
      expect([code, json()]).toMatchObject([1, { state: 'refused', reason: { code: 'graph_other_ledger' } }]);
    }, WITHIN);
    await differences();
  });
});
