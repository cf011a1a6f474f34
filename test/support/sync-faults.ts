import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { GraphFault } from '../../lineage/graph/fault.ts';
import type { GraphBatch, GraphChanges } from '../../lineage/graph/graph.ts';
import { openLedger, retryQuarantined, syncOnce, syncStatus } from '../../lineage/index.ts';
import { graphContents } from './compare-graph.ts';
import type { TestDatabase } from './database.ts';
import { purgeTable } from './filled-ledger.ts';
import { startMeteredProxy } from './metered-proxy.ts';
import { overlaid } from './overlaid.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './sql-ledger.ts';
import {
  type Faults,
  type GraphKind,
  inPagesOf,
  look,
  mirrorOf,
  recordChain,
  startWorker,
  until,
  untilEqual,
} from './sync.ts';

/** A fault of the graph for every write that carries one of these outcomes. */
function refusing(bad: Set<string>): Faults & { seen: number } {
  const check = ({ outcomes }: GraphChanges) => {
    const refused = outcomes.find((facts) => bad.has(facts.outcome_id));
    if (!refused) return;
    faults.seen += 1;
    throw new GraphFault('row', 'Test.BadRow', `the graph cannot take ${refused.outcome_id}`);
  };
  const faults = { seen: 0, write: ({ changes }: GraphBatch) => check(changes), repair: check };
  return faults;
}

/** What goes wrong with a mirror: told apart, nothing lost, said aloud. */
export function describeFaults(database: TestDatabase, graphs: GraphKind): void {
  let tenantId: string;
  let ledger: SqlLedger;
  beforeAll(async () => {
    tenantId = await database.tenant();
    ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  });

  /** A tenant of the test's own. */
  const fresh = async () => {
    const mine = await database.tenant();
    return { mine, own: sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR }), source: await graphs.fresh(mine) };
  };
  const backends = () => database.admin<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = ${database.name} and usename = 'ledger_sync'`;

  describe('a lost session of the ledger', () => {
    it('is replaced, again and again, and rows go on coming (B006)', async () => {
      const worker = startWorker(mirrorOf(database, await graphs.fresh(tenantId)));
      await worker.until(({ state }) => state === 'active');
      for (let round = 1; round <= 3; round += 1) {
        const ended = await backends();
        expect(ended.length).toBeGreaterThan(0);
        for (const { pid } of ended) await database.admin`select pg_terminate_backend(${pid}, 10000)`;
        await worker.until(({ faults }) => faults.ledger >= round);
        await recordChain(ledger, 2);
        await untilEqual(database, worker, tenantId);
        // By another session, which has the lock.
        const now = await until(backends, (found) => found.length === 1);
        expect(ended.map(({ pid }) => pid)).not.toContain(now[0]?.pid);
        expect(worker.status()).toMatchObject({ state: 'active', degraded_by: [] });
      }
      expect(worker.said.filter(({ details }) => details['code'] === 'ledger_unreachable').length).toBeGreaterThan(0);
    });

    it('whose socket fell silent is replaced when no answer comes (B006)', async () => {
      const proxy = await startMeteredProxy(database.port);
      onTestFinished(() => proxy.stop());
      const url = proxy.through(database.urlAs('ledger_sync'));
      const worker = startWorker({
        ...mirrorOf(database, await graphs.fresh(tenantId)),
        openLedger: () => openLedger({ url, tenantId, answerMs: 1_000 }),
      });
      await untilEqual(database, worker, tenantId);
      const [silent] = await backends();
      proxy.silence();
      await recordChain(ledger, 2);
      // To the server the silent session still has the lock, until it is found dead.
      await worker.until(({ state, faults }) => state === 'standby' && faults.ledger > 0);
      await database.admin`select pg_terminate_backend(${silent?.pid as number}, 10000)`;
      await untilEqual(database, worker, tenantId);
    });
  });

  describe('one bad row', () => {
    it('of ten is parked with its reason, nine land; mended, it comes back (B009)', async () => {
      const { mine, own, source } = await fresh();
      const ids = await recordChain(own, 10);
      const bad = new Set([ids[2] as string]);
      const worker = startWorker(mirrorOf(database, source, refusing(bad)));
      await worker.until(({ quarantined }) => quarantined === 1);
      const nine = await until(
        () => worker.withGraph(graphContents),
        ({ outcomes, links }) => outcomes.size === 9 && links.size === 9,
      );
      expect([...nine.stubs]).toEqual([ids[2]]);
      expect(worker.status()).toMatchObject({ state: 'active', rows_parked: 1, last_error: { code: 'Test.BadRow' } });
      await worker.stop();

      const status = await syncStatus(mirrorOf(database, source));
      expect(status).toMatchObject({ quarantined: 1, worker_active: false, lag: { rows: 0 } });
      expect(status.quarantine).toMatchObject([
        {
          kind: 'agent_invocation_outcomes',
          tenant_id: mine,
          row_key: { outcome_id: ids[2] },
          code: 'Test.BadRow',
          reason: `the graph cannot take ${ids[2]}`,
        },
      ]);
      const [first] = status.quarantine;

      // Still bad: it stays, with one attempt more.
      expect(await retryQuarantined(mirrorOf(database, source, refusing(bad)))).toEqual({
        repaired: 0,
        gone: 0,
        kept: 1,
      });
      const [again] = (await syncStatus(mirrorOf(database, source))).quarantine;
      expect(again?.attempts).toBe((first?.attempts ?? 0) + 1);
      // Mended.
      expect(await retryQuarantined(mirrorOf(database, source))).toEqual({ repaired: 1, gone: 0, kept: 0 });
      const after = startWorker(mirrorOf(database, source));
      await untilEqual(database, after, mine);
      await after.until(({ quarantined }) => quarantined === 0);
    });

    it('is tried again by a worker that starts', async () => {
      const { mine, own, source } = await fresh();
      const ids = await recordChain(own, 3);
      const worker = startWorker(mirrorOf(database, source, refusing(new Set([ids[1] as string]))));
      await worker.until(({ quarantined }) => quarantined === 1);
      await worker.stop();
      const mended = startWorker(mirrorOf(database, source));
      await untilEqual(database, mended, mine);
      await mended.until(({ quarantined }) => quarantined === 0);
    });

    it('that was purged meanwhile leaves the quarantine, and the graph has nothing of it', async () => {
      const { mine, own, source } = await fresh();
      const ids = await recordChain(own, 3);
      const worker = startWorker(mirrorOf(database, source, refusing(new Set([ids[0] as string]))));
      await worker.until(({ quarantined }) => quarantined === 1);
      await purgeTable(database, mine, 'agent_invocation_outcomes');
      await purgeTable(database, mine, 'agent_lineage_links');
      expect(await worker.retryQuarantined()).toEqual({ repaired: 0, gone: 1, kept: 0 });
      await untilEqual(database, worker, mine);
    });

    it('that comes alone waits until another passes: nobody can tell a bad row from a bad graph by one', async () => {
      const { mine, own, source } = await fresh();
      const ids = await recordChain(own, 1);
      const worker = startWorker(mirrorOf(database, source, refusing(new Set(ids))));
      const waiting = await worker.until(({ state }) => state === 'waiting');
      expect(waiting.reason).toMatchObject({ code: 'rows_all_refused' });
      await recordChain(own, 1);
      await worker.until(({ state, quarantined }) => state === 'active' && quarantined === 1);
      await until(
        () => worker.withGraph(graphContents),
        ({ outcomes }) => outcomes.size === 1,
      );
      expect((await database.admin`select from public.agent_invocation_outcomes where tenant_id = ${mine}`).count).toBe(
        2,
      );
    });
  });

  describe('a fault of the whole batch', () => {
    it('parks nothing; it is said once, everything waits, and drains when it is mended (B009)', async () => {
      const { mine, own, source } = await fresh();
      let broken = true;
      const worker = startWorker(
        mirrorOf(database, source, {
          write() {
            if (broken) throw new GraphFault('whole', 'Test.WrongPassword', 'the credentials are wrong');
          },
        }),
      );
      await recordChain(own, 10);
      const waiting = await worker.until(({ state, faults }) => state === 'waiting' && faults.whole >= 3);
      expect(waiting).toMatchObject({
        reason: { code: 'Test.WrongPassword', remedy: expect.stringContaining('credentials') },
        degraded_by: [{ code: 'Test.WrongPassword' }],
        rows_parked: 0,
        rows_written: 0,
      });
      // It is seen how much waits.
      await worker.until(({ lag }) => (lag?.rows ?? 0) >= 19);
      expect(worker.said.filter(({ details }) => details['code'] === 'Test.WrongPassword')).toHaveLength(1);
      broken = false;
      await untilEqual(database, worker, mine);
      expect(await worker.until(({ state, lag }) => state === 'active' && lag?.rows === 0)).toMatchObject({
        quarantined: 0,
        degraded_by: [],
      });
    });

    it('that shows as a fault of every row parks nothing either', async () => {
      const { mine, own, source } = await fresh();
      await recordChain(own, 12);
      let broken = true;
      const refuse = () => {
        if (broken) throw new GraphFault('row', 'Test.NoSuchProperty', 'the database knows no such property');
      };
      const worker = startWorker(mirrorOf(database, source, { write: refuse, repair: refuse }));
      await worker.until(({ state, reason }) => state === 'waiting' && reason?.code === 'rows_all_refused');
      expect(worker.status()).toMatchObject({ rows_parked: 0, quarantined: 0 });
      broken = false;
      await untilEqual(database, worker, mine);
      expect(worker.status().rows_parked).toBe(0);
    });

    it('ends a pass by hand, which says what is wrong', async () => {
      const { own, source } = await fresh();
      await recordChain(own, 1);
      const write = () => {
        throw new GraphFault('whole', 'Test.ReadOnly', 'the database is read-only');
      };
      await until(
        () =>
          syncOnce(mirrorOf(database, source, { write })).then(
            () => 'nothing to write yet',
            (error) => `${error.kind} ${error.code}`,
          ),
        (end) => end === 'whole Test.ReadOnly',
      );
    });
  });

  describe('a passing fault', () => {
    it('is tried again, also where the write had landed and only its answer was lost', async () => {
      const { mine, own, source } = await fresh();
      const ids = await recordChain(own, 6);
      let faults = 0;
      const sides = mirrorOf(database, source);
      const open = async () => {
        const graph = await source.open();
        return overlaid(graph, {
          async write(batch) {
            faults += 1;
            if (faults % 4 === 0 || batch.changes.outcomes.length === 0) return graph.write(batch);
            if (faults % 4 === 1) await graph.write(batch);
            throw new GraphFault('passing', 'Test.Away', 'the connection was lost');
          },
        });
      };
      const worker = startWorker({ ...sides, graph: { ...sides.graph, open } });
      await untilEqual(database, worker, mine);
      expect(ids).toHaveLength(6);
      expect(worker.status()).toMatchObject({ rows_parked: 0 });
      expect(worker.status().faults.passing).toBeGreaterThan(0);
    });

    it('of a graph that hangs shows as a lag that grows', async () => {
      const { mine, own, source } = await fresh();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      onTestFinished(() => release());
      const worker = startWorker(mirrorOf(database, source, { write: () => held }));
      await worker.until(({ state }) => state === 'active');
      await recordChain(own, 3);
      const one = await worker.until(({ lag }) => lag?.rows === 5);
      await recordChain(own, 1);
      const more = await worker.until(({ lag }) => lag?.rows === 6);
      expect(more.lag?.seconds).toBeGreaterThan(one.lag?.seconds ?? 0);
      release();
      await untilEqual(database, worker, mine);
    });
  });

  describe('a clean stop', () => {
    it('in the middle of a backlog finishes the batch in hand and leaves nothing half', async () => {
      const { mine, own, source } = await fresh();
      for (let n = 0; n < 5; n += 1) await recordChain(own, 20);
      // Everything must be in the feed, or the worker would come to its end.
      const sides = mirrorOf(database, source);
      let writes = 0;
      let worker: ReturnType<typeof startWorker> | undefined;
      let stopped: Promise<void> | undefined;
      const small = {
        ...mirrorOf(database, source, {
          write() {
            writes += 1;
            if (writes === 3) stopped = worker?.stop();
          },
        }),
        openLedger: async () => inPagesOf(30, await sides.openLedger()),
      };
      worker = startWorker(small);
      await until(() => writes >= 3);
      await stopped;
      expect(worker.status().state).toBe('stopped');
      const half = await look(source, async (graph) => ({
        ...(await graphContents(graph)),
        at: await graph.position(),
      }));
      const at = half.at;
      if (!at) throw new Error('nothing was written');
      const upTo = await database.admin<{ id: string }[]>`
        select outcome_id as id from public.agent_invocation_outcomes
         where tenant_id = ${mine} and (epoch, xid, seq) <= (${at.epoch}::int, ${at.xid}::text::xid8, ${String(at.seq)}::text::bigint)`;
      expect([...half.outcomes.keys()].sort()).toEqual(upTo.map(({ id }) => id).sort());
      expect(writes).toBe(3);
      expect(upTo.length).toBeLessThan(100);
      expect(upTo.length).toBeGreaterThan(0);
      const next = startWorker(mirrorOf(database, source));
      await untilEqual(database, next, mine);
    });

    it('ends at once while it waits for a ledger or a graph that is not there', async () => {
      const source = await graphs.fresh(tenantId);
      const away = startWorker(
        {
          ...mirrorOf(database, source),
          openLedger: () => new Promise(() => undefined),
        },
        { pace: { backoffMaxMs: 60_000 } },
      );
      await away.stop();
      expect(away.status().state).toBe('stopped');
      const hung = startWorker({
        ...mirrorOf(database, source),
        graph: { ...source, open: () => new Promise(() => undefined) },
      });
      await until(backends, (found) => found.length > 0);
      await hung.stop();
      expect(hung.status().state).toBe('stopped');
    });
  });
}
