// What happens to a real Neo4j while it is mirrored into: killed, restarted, silent, read-only, another password, a row that
// it cannot take, somebody else's data. Nothing is lost, nothing parked that is not to blame, and everything said aloud.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { neo4jSource } from '../lineage/index.ts';
import { useDatabase } from './support/database.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';
import { mirrorOf, recordChain, startWorker, untilEqual } from './support/sync.ts';
import { itSurvives, itWouldLoseRows, type KilledGraph } from './support/sync-kill.ts';
import { useOwnNeo4jGraphs } from './support/sync-neo4j.ts';

const KILLS = 20;
const LONG = 300_000;
const database = useDatabase();
const graphs = useOwnNeo4jGraphs();
let tenantId: string;
let ledger: SqlLedger;
beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const started = async () => {
  const worker = startWorker(mirrorOf(database, await graphs.fresh(tenantId)));
  await recordChain(ledger, 3);
  await untilEqual(database, worker, tenantId);
  return worker;
};

describe('a Neo4j', () => {
  it('that is away is waited for, and gets what it missed', { timeout: LONG }, async () => {
    const worker = await started();
    for (const how of ['kill', 'stop'] as const) {
      await (how === 'kill' ? graphs.server.kill() : graphs.server.restart());
      await recordChain(ledger, 5);
      if (how === 'kill') {
        // The first fault is that of the connection that was cut, which passes by itself.
        const waiting = await worker.until(({ state, reason }) => state === 'waiting' && reason?.remedy != null);
        const remedy = expect.stringContaining('see that it runs');
        expect(waiting).toMatchObject({ reason: { remedy }, degraded_by: [{ remedy }], quarantined: 0 });
        await worker.until(({ lag }) => (lag?.rows ?? 0) >= 9);
        await graphs.server.restart();
      }
      await untilEqual(database, worker, tenantId, LONG);
      expect(worker.status()).toMatchObject({ state: 'active', degraded_by: [], rows_parked: 0 });
    }
  });

  it('that does not answer for a while loses nothing; the lag is seen to grow', { timeout: LONG }, async () => {
    const worker = await started();
    process.kill(graphs.server.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(graphs.server.pid, 'SIGCONT'));
    await recordChain(ledger, 5);
    await worker.until(({ lag }) => (lag?.rows ?? 0) >= 9 && (lag?.seconds ?? 0) > 5);
    process.kill(graphs.server.pid, 'SIGCONT');
    await untilEqual(database, worker, tenantId, LONG);
    expect(worker.status().rows_parked).toBe(0);
  });

  it('that became read-only parks nothing and drains when it is writable again', { timeout: LONG }, async () => {
    const worker = await started();
    await graphs.server.restart({ 'server.databases.default_to_read_only': 'true' });
    await recordChain(ledger, 5);
    const waiting = await worker.until(({ state, faults }) => state === 'waiting' && faults.whole > 0, LONG);
    expect(waiting.reason).toMatchObject({ message: expect.stringMatching(/read|write/i), remedy: expect.any(String) });
    await graphs.server.restart({});
    await untilEqual(database, worker, tenantId, LONG);
    expect(worker.status()).toMatchObject({ rows_parked: 0, quarantined: 0 });
  });

  it(
    'with another password parks nothing and drains once it is right (B009)',
    async () => {
      const source = await graphs.fresh(tenantId);
      let password = 'not-this-one';
      const open = () => neo4jSource({ ...graphs.server.options(), password, tenantId }).open();
      const worker = startWorker(mirrorOf(database, { ...source, open }));
      await recordChain(ledger, 10);
      const waiting = await worker.until(({ state, faults }) => state === 'waiting' && faults.whole > 0);
      expect(waiting.reason).toMatchObject({
        // The second once it was tried often: the server's own guard against guessing.
        code: expect.stringMatching(/^Neo\.ClientError\.Security\.(Unauthorized|AuthenticationRateLimit)$/),
        remedy: expect.any(String),
      });
      expect(JSON.stringify([waiting, worker.said])).not.toContain(password);
      password = graphs.server.password;
      await untilEqual(database, worker, tenantId, LONG);
      expect(worker.status()).toMatchObject({ rows_parked: 0, quarantined: 0 });
    },
    LONG,
  );

  it('that cannot take one row of ten takes the other nine, and that one once it is mended (B009)', async () => {
    const mine = await database.tenant();
    const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
    const worker = startWorker(mirrorOf(database, await graphs.fresh(mine)));
    await own.end(await own.start({ causation_id: 'the-same-cause' }));
    await untilEqual(database, worker, mine);
    await graphs.server.run('create constraint planted for (o:Outcome) require o.causation_id is unique');
    await own.end(await own.start({ causation_id: 'the-same-cause' }));
    await recordChain(own, 9, { causation_id: 'another-cause' });
    const parked = await worker.until(({ rows_parked, lag }) => rows_parked > 0 && lag?.rows === 0);
    expect(parked).toMatchObject({ rows_parked: 1, state: 'active' });
    expect(parked.last_error?.code).toBe('Neo.ClientError.Schema.ConstraintValidationFailed');
    const mirrored = await graphs.server.run('match (o:Outcome) where o.status is not null return count(o) as n');
    expect(mirrored).toEqual([{ n: 10n }]);
    expect(await worker.retryQuarantined()).toEqual({ repaired: 0, gone: 0, kept: 1 });
    await graphs.server.run('drop constraint planted');
    expect(await worker.retryQuarantined()).toEqual({ repaired: 1, gone: 0, kept: 0 });
    await untilEqual(database, worker, mine);
  });

  it('that is emptied by its operator under a running worker fills itself again', async () => {
    const worker = await started();
    await graphs.server.run('match (n) detach delete n');
    await untilEqual(database, worker, tenantId);
    // As where the database was dropped and made again.
    for (const { name } of await graphs.server.run('show constraints yield name')) {
      await graphs.server.run(`drop constraint ${name}`);
    }
    await graphs.server.run('match (n) detach delete n');
    await untilEqual(database, worker, tenantId);
    const constraints = await graphs.server.run('show constraints yield name');
    expect(constraints.length).toBeGreaterThan(0);
  });

  it('with somebody else’s nodes is refused, whole, until they are gone', async () => {
    const source = await graphs.fresh(tenantId);
    await graphs.server.run('create (:Outcome {outcome_id: "trial-7", result: "cured"})');
    const worker = startWorker(mirrorOf(database, source));
    const refused = await worker.until(({ state }) => state === 'refused');
    expect(refused.reason).toMatchObject({ code: 'graph_foreign', remedy: expect.any(String) });
    expect(await graphs.server.run('match (n) return count(n) as n')).toEqual([{ n: 1n }]);
    await graphs.server.run('match (n) detach delete n');
    await untilEqual(database, worker, tenantId);
  });
});

describe('Neo4j, through', () => {
  const graph = async (mine: string): Promise<KilledGraph> => {
    const source = await graphs.fresh(mine);
    return { source, order: { kind: 'neo4j', ...graphs.server.options() } };
  };
  itWouldLoseRows(database, graph);
  itSurvives(database, graph, { rounds: KILLS, seed: 4201, end: 'SIGKILL' });
  itSurvives(database, graph, {
    rounds: KILLS,
    seed: 4204,
    end: 'SIGKILL',
    instead: async (random) => {
      // A quarter dies; the others shut down, which costs no new Java.
      if (random() < 0.25) await graphs.server.kill();
      await graphs.server.restart();
    },
  });
});
