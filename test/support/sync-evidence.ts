import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GraphChanges, OutcomeFacts } from '../../lineage/graph/graph.ts';
import { GraphFault, reconcile, syncOnce } from '../../lineage/index.ts';
import { NO_CHANGES } from '../../lineage/sync/net-changes.ts';
import { jsonb } from '../../src/database/statement.ts';
import { graphContents } from './compare-graph.ts';
import { openTransaction } from './crowd.ts';
import type { TestDatabase } from './database.ts';
import { invocationStart } from './envelopes.ts';
import { escalate, evidenceIn } from './evidence.ts';
import { purgeTable } from './filled-ledger.ts';
import { NO_EVIDENCE } from './graph-rows.ts';
import { overlaid } from './overlaid.ts';
import { callIn, ORCHESTRATOR, type SqlLedger, sqlLedger } from './sql-ledger.ts';
import { type GraphKind, inPagesOf, look, mirrorOf, startWorker, type TestWorker, until, untilEqual } from './sync.ts';

/** What judgments rest on: it changes after an outcome was recorded, and the graph follows. */
export function describeEvidence(database: TestDatabase, graphs: GraphKind): void {
  let tenantId: string;
  let ledger: SqlLedger;
  let evidence: ReturnType<typeof evidenceIn>;
  beforeAll(async () => {
    tenantId = await database.tenant();
    ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
    evidence = evidenceIn(database, tenantId);
  });

  const started = async () => {
    const worker = startWorker(mirrorOf(database, await graphs.fresh(tenantId)));
    await untilEqual(database, worker, tenantId);
    return worker;
  };
  const factsOf = async (worker: TestWorker, id: string): Promise<OutcomeFacts> => {
    await untilEqual(database, worker, tenantId);
    const { outcomes } = await worker.withGraph(graphContents);
    return outcomes.get(id) as OutcomeFacts;
  };
  /** Mirrors until nothing is left, without a worker, in pages of so many rows. */
  const mirrorOnce = async (sides: ReturnType<typeof mirrorOf>, rows = 1_000) => {
    const small = { ...sides, openLedger: async () => inPagesOf(rows, await sides.openLedger()) };
    await until(
      () => syncOnce(small),
      (report) => report.rows === 0 && report.held_back_by.length === 0,
    );
  };

  describe('the evidence about an outcome', () => {
    it('follows it into the graph, the latest word of each kind', async () => {
      const worker = await started();
      const id = await ledger.end(await ledger.start({ verify: 'auto' }));
      expect(await factsOf(worker, id)).toMatchObject({ ...NO_EVIDENCE, verification_required: true });
      await evidence.verify(id, 'failed');
      expect(await factsOf(worker, id)).toMatchObject({ verification: 'failed', verification_required: true });
      await evidence.verify(id, 'passed');
      await evidence.assess(id, 'hollow');
      expect(await factsOf(worker, id)).toMatchObject({ verification: 'passed', assessment: 'hollow' });
      await evidence.assess(id, 'delivered');
      await evidence.integrate(id);
      expect(await factsOf(worker, id)).toMatchObject({ assessment: 'delivered', integrated: true });
      // What auto came to: nothing.
      await evidence.verify(id, 'skipped', { resolved_verify: 'skip' });
      expect(await factsOf(worker, id)).toMatchObject({ verification: 'skipped', verification_required: false });
      expect(worker.status()).toMatchObject({ rows_parked: 0, faults: { row: 0, whole: 0 } });
    });

    it('of a workflow is its own', async () => {
      const worker = await started();
      const execution = await ledger.startExecution();
      const inside = await ledger.end(await ledger.start({ execution_id: execution['execution_id'] }));
      const id = await ledger.end(execution);
      await evidence.verify(id, 'failed');
      expect(await factsOf(worker, id)).toMatchObject({ source_type: 'workflow', verification: 'failed' });
      expect(await factsOf(worker, inside)).toMatchObject({ verification: null });
    });

    it('tells until when a human may answer, until one has', async () => {
      const worker = await started();
      const { id, request } = await escalate(ledger, await ledger.start());
      expect((await factsOf(worker, id)).awaiting_until).toMatch(/^20\d\d-.*Z$/);
      await evidence.answer(request);
      expect(await factsOf(worker, id)).toMatchObject({ awaiting_until: null });
      // Asked anew, under an id that only a careless reader would put into a query.
      const odd = `"ask", {\\} ${randomUUID()}`;
      const ask = (hitl_request_id: string) =>
        ledger.ask('open_hitl_request', jsonb({ outcome_id: id, hitl_request_id, reason: 'please' }));
      expect((await ask(odd)).result).toBe('recorded');
      expect((await factsOf(worker, id)).awaiting_until).not.toBeNull();
      await evidence.answer(odd);
      expect(await factsOf(worker, id)).toMatchObject({ awaiting_until: null });
      // A request about what is no escalated outcome changes none.
      const open = await ledger.start();
      const asked = await ledger.ask(
        'open_hitl_request',
        jsonb({ invocation_id: open['invocation_id'], reason: 'may I?' }),
      );
      await evidence.answer(asked.record['hitl_request_id']);
      expect(await factsOf(worker, await ledger.end(open))).toMatchObject(NO_EVIDENCE);
    });

    it('that the feed gives before its outcome is there in the end', async () => {
      const sides = mirrorOf(database, await graphs.fresh(tenantId));
      // The transaction is older than the outcome's, so that the feed gives its rows first.
      const older = await openTransaction(database, evidence.worker.caller);
      await older.sql`select pg_current_xact_id()`;
      const id = await ledger.end(await ledger.start());
      await callIn(older.sql, 'record_verification', evidence.verification(id, 'failed'));
      await older.commit();
      const order = await database.admin`
        select v.xid::text::numeric < o.xid::text::numeric as first
          from public.outcome_verifications v join public.agent_invocation_outcomes o using (outcome_id) where v.outcome_id = ${id}`;
      expect(order).toMatchObject([{ first: true }]);
      await mirrorOnce(sides, 1);
      const { outcomes } = await look(sides.graph, graphContents);
      expect(outcomes.get(id)).toMatchObject({ verification: 'failed' });
    });

    it('is never taken back, not for a moment, by an outcome’s row that is read again', async () => {
      const source = await graphs.fresh(tenantId);
      const id = await ledger.end(await ledger.start());
      await evidence.verify(id, 'failed');
      await mirrorOnce(mirrorOf(database, source));
      await look(source, (graph) => graph.forgetPosition());
      const written: (string | null)[] = [];
      const watched = mirrorOf(database, source, {
        write({ changes }) {
          for (const row of [...changes.outcomes, ...changes.evidence])
            if (row.outcome_id === id) written.push(row.verification);
        },
      });
      await mirrorOnce(watched, 1);
      // Its own row and that of the verification.
      expect(written).toEqual(['failed', 'failed']);
    });

    it('goes with an outcome that is purged, and leaves nothing on its stub', async () => {
      const mine = await database.tenant();
      const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
      const cause = await own.start();
      const ids = [await own.end(cause), await own.end(await own.start({ causation_id: cause['invocation_id'] }))];
      for (const id of ids) await evidenceIn(database, mine).verify(id, 'failed');
      const worker = startWorker(mirrorOf(database, await graphs.fresh(mine)));
      await untilEqual(database, worker, mine);
      await purgeTable(database, mine, 'agent_invocation_outcomes');
      await untilEqual(database, worker, mine);
      const stubs = () =>
        worker.withGraph((graph) =>
          graph.query('MATCH (o:Outcome) RETURN o.outcome_id AS id, o.verification AS said', {}, LIMITS),
        );
      expect((await stubs()).rows.map(({ said }) => said)).toEqual([null, null]);
      // Read from the start, the evidence comes without its outcome.
      await worker.withGraph((graph) => graph.forgetPosition());
      await worker.until(({ position }) => position === null);
      await worker.until(({ position }) => position !== null);
      await untilEqual(database, worker, mine);
      expect((await stubs()).rows.map(({ said }) => said)).toEqual([null, null]);
    });
  });

  describe('reconcile', () => {
    it('finds and repairs evidence that differs; that time passed is no difference', async () => {
      const source = await graphs.fresh(tenantId);
      const sides = mirrorOf(database, source);
      const broken = await ledger.end(await ledger.start());
      await evidence.verify(broken, 'failed');
      const start = await ledger.start();
      const early = await ledger.ask(
        'open_hitl_request',
        jsonb({ invocation_id: start['invocation_id'], reason: 'now?', expires_in_ms: 1 }),
      );
      const lapsed = await ledger.end(start, 'escalated');
      expect(early.result).toBe('recorded');
      await mirrorOnce(sides);
      const { outcomes } = await look(source, graphContents);
      expect(new Date(outcomes.get(lapsed)?.awaiting_until ?? '').getTime()).toBeLessThan(Date.now());
      const clean = { missing: 0, different: 0, surplus: 0 };
      expect(await reconcile(sides)).toMatchObject({ outcomes: clean, repaired: 0 });
      const wrong = { tenant_id: tenantId, ...NO_EVIDENCE };
      await look(source, (graph) =>
        graph.repair({
          ...NO_CHANGES,
          evidence: [
            { ...wrong, outcome_id: broken, verification: 'passed' },
            { ...wrong, outcome_id: lapsed },
          ],
        }),
      );
      expect(await reconcile(sides)).toMatchObject({ outcomes: { ...clean, different: 2 }, repaired: 2 });
      expect((await look(source, graphContents)).outcomes.get(broken)).toMatchObject({ verification: 'failed' });
    });

    it('does not put back what was known before newer evidence passed by', async () => {
      const source = await graphs.fresh(tenantId);
      const sides = mirrorOf(database, source);
      const id = await ledger.end(await ledger.start());
      await evidence.verify(id, 'failed');
      await mirrorOnce(sides);
      await look(source, (graph) =>
        graph.repair({ ...NO_CHANGES, evidence: [{ tenant_id: tenantId, outcome_id: id, ...NO_EVIDENCE }] }),
      );
      let passed = false;
      const open = async () => {
        const graph = await source.open();
        const ahead = overlaid(graph, { close: async () => undefined });
        return overlaid(graph, {
          async repair(changes: GraphChanges) {
            if (!passed && changes.outcomes.length > 0) {
              passed = true;
              await evidence.verify(id, 'passed');
              await mirrorOnce({ ...sides, graph: { ...source, open: async () => ahead } });
            }
            return graph.repair(changes);
          },
        });
      };
      await reconcile({ ...sides, graph: { ...source, open } });
      expect(passed).toBe(true);
      expect((await look(source, graphContents)).outcomes.get(id)).toMatchObject({ verification: 'passed' });
    });
  });

  it('evidence that the graph does not take is parked, and goes in later as it stands then', async () => {
    const source = await graphs.fresh(tenantId);
    const id = await ledger.end(await ledger.start());
    await mirrorOnce(mirrorOf(database, source));
    let bad = true;
    const worker = startWorker(
      mirrorOf(database, source, {
        write({ changes }) {
          if (bad && changes.evidence.some((row) => row.outcome_id === id))
            throw new GraphFault('row', 'Test.BadRow', 'no');
        },
      }),
    );
    await evidence.verify(id, 'failed');
    await worker.until(({ rows_parked }) => rows_parked === 1);
    const [parked] = await database.admin`
      select kind, row_key from ledger_internal.sync_quarantine where mirror = ${worker.mirror}`;
    expect(parked).toEqual({ kind: 'outcome_verifications', row_key: { outcome_id: id } });
    bad = false;
    await evidence.verify(id, 'passed');
    await untilEqual(database, worker, tenantId);
    expect(await worker.retryQuarantined()).toEqual({ repaired: 1, gone: 0, kept: 0 });
    expect(await factsOf(worker, id)).toMatchObject({ verification: 'passed' });
  });

  it('of another tenant stays out of one tenant’s mirror', async () => {
    const [mine, others] = [await database.tenant(), await database.tenant()];
    const ids: string[] = [];
    for (const tenant of [mine, others]) {
      const own = sqlLedger(database, { tenantId: tenant, ...ORCHESTRATOR });
      // The same request's id in both.
      const start = invocationStart();
      await own.ask('start_invocation', jsonb(start));
      ids.push(await own.end(start, 'escalated'));
      await own.ask(
        'open_hitl_request',
        jsonb({ outcome_id: ids.at(-1), hitl_request_id: `shared ${mine}`, reason: '?' }),
      );
    }
    await evidenceIn(database, others).answer(`shared ${mine}`);
    const worker = startWorker(mirrorOf(database, await graphs.fresh(mine)));
    await untilEqual(database, worker, mine);
    const { outcomes } = await worker.withGraph(graphContents);
    expect([...outcomes.keys()]).toEqual([ids[0]]);
    expect(outcomes.get(ids[0] as string)?.awaiting_until).not.toBeNull();
    expect(worker.status()).toMatchObject({ rows_parked: 0 });
  });
}

const LIMITS = { timeoutMs: 60_000, maxRows: 100 };
