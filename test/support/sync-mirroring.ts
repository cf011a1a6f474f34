import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { syncOnce, syncStatus } from '../../lineage/index.ts';
import { NO_CHANGES } from '../../lineage/sync/net-changes.ts';
import { jsonb } from '../../src/database/statement.ts';
import { graphContents, ledgerContents } from './compare-graph.ts';
import { openTransaction } from './crowd.ts';
import type { TestDatabase } from './database.ts';
import { declaredLink, envelopeFor, invocationStart, policyDecision, policyMember } from './envelopes.ts';
import { purgeTable } from './filled-ledger.ts';
import { callIn, GUARD, idOf, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './sql-ledger.ts';
import { type GraphKind, inPagesOf, look, mirrorOf, recordChain, startWorker, until, untilEqual } from './sync.ts';

/** Nothing is lost and nothing doubled: what the ledger has comes to be in the graph, whatever the order of commits. */
export function describeMirroring(database: TestDatabase, graphs: GraphKind): void {
  let tenantId: string;
  let ledger: SqlLedger;
  beforeAll(async () => {
    tenantId = await database.tenant();
    ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  });

  /** A worker over a fresh graph of this file's tenant, once it has caught up. */
  const started = async () => {
    const worker = startWorker(mirrorOf(database, await graphs.fresh(tenantId)));
    await untilEqual(database, worker, tenantId);
    return worker;
  };
  const linkTo = (worker: Awaited<ReturnType<typeof started>>, source: string) =>
    worker.withGraph((graph) => graph.linksFrom([source]));

  describe('a mirror', () => {
    it('has every kind of outcome and link with all their facts', async () => {
      const worker = await started();
      const guard = sqlLedger(database, { tenantId, ...GUARD });
      const execution = await ledger.startExecution();
      const guarding = await ledger.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'os' } });
      const governed = await ledger.start({ execution_id: idOf(execution), causation_id: idOf(guarding) });
      await guard.decide(policyDecision({ invocation_id: idOf(governed) }, { guard_invocation_id: idOf(guarding) }));
      await ledger.end(governed, 'success', { policy: policyMember() });
      await ledger.end(guarding);
      const escalated = await ledger.start({ execution_id: idOf(execution) });
      await ledger.end(escalated, 'escalated');
      const target = await ledger.start({
        source: { id: 'os-agt-004', version: '1.0.0', domain: 'os' },
        causation_id: idOf(escalated),
      });
      const targetOutcome = await ledger.end(target, 'failure');
      const workflowOutcome = await ledger.end(execution, 'partial');
      await ledger.link(declaredLink(targetOutcome, workflowOutcome));
      await untilEqual(database, worker, tenantId);
      const { links, outcomes } = await worker.withGraph(graphContents);
      expect(new Set([...links.values()].map((link) => link.relation))).toEqual(
        new Set(['invoked', 'contributed-to', 'escalated-to', 'governed-by']),
      );
      expect(outcomes.get(workflowOutcome)).toMatchObject({
        source_type: 'workflow',
        invocation_id: null,
        execution_id: idOf(execution),
      });
    });

    it('has what committed late, though a later row was mirrored before (B001)', async () => {
      const worker = await started();
      const slow = await openTransaction(database, ledger.caller);
      const slowStart = invocationStart();
      await callIn(slow.sql, 'start_invocation', jsonb(slowStart));
      const slowAnswer = await recordIn(slow.sql, slowStart, envelopeFor(slowStart));
      const gone = await openTransaction(database, ledger.caller);
      const goneStart = invocationStart();
      await callIn(gone.sql, 'start_invocation', jsonb(goneStart));
      await recordIn(gone.sql, goneStart, envelopeFor(goneStart));
      const quick = await recordChain(ledger, 2);
      // The rows behind the open transactions are not given; who holds them back is named.
      const held = await worker.until(({ held_back_by }) => held_back_by.some(({ pid }) => pid === slow.pid));
      expect(held.held_back_by.find(({ pid }) => pid === slow.pid)).toMatchObject({
        user: 'ledger_gateway',
        database: database.name,
      });
      expect((await worker.withGraph(graphContents)).outcomes.has(quick[0] as string)).toBe(false);
      // The one rolled back leaves a gap in the numbers, over which nothing stalls.
      await gone.rollback();
      await slow.commit();
      await untilEqual(database, worker, tenantId);
      const { outcomes } = await worker.withGraph(graphContents);
      expect([...quick, slowAnswer.record['outcome_id']].every((id) => outcomes.has(id))).toBe(true);
    });

    it('has what is committed while passes run (B003)', async () => {
      const worker = startWorker(mirrorOf(database, await graphs.fresh(tenantId)), {
        pace: { busyMs: 0, idleMs: 0 },
      });
      await Promise.all(Array.from({ length: 4 }, () => recordChain(ledger, 15)));
      await untilEqual(database, worker, tenantId);
    });

    it('has a thousand links of one statement once each, and what is a microsecond apart (B004)', async () => {
      const mine = await database.tenant();
      const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
      const execution = await own.startExecution();
      const agents = Array.from({ length: 1_000 }, () => invocationStart({ execution_id: idOf(execution) }));
      for (let n = 0; n < agents.length; n += 100) {
        const hundred = agents.slice(n, n + 100);
        await own.ask('start_invocations', jsonb(hundred));
        await own.ask(
          'record_outcomes',
          jsonb(hundred.map((start) => ({ invocation_id: idOf(start), outcome: envelopeFor(start) }))),
        );
      }
      // Its thousand contributions are linked in the statement of its own outcome.
      await own.end(execution);
      const sides = mirrorOf(database, await graphs.fresh(mine));
      const small = { ...sides, openLedger: async () => inPagesOf(100, await sides.openLedger()) };
      const worker = startWorker(small, { pace: { busyMs: 0 } });
      await untilEqual(database, worker, mine);
      const { links } = await worker.withGraph(graphContents);
      expect(links.size).toBe(1_000);
      expect(new Set([...links.values()].map((link) => link.recorded_at)).size).toBeLessThan(20);
      expect(worker.status().batches_written).toBeGreaterThan(15);
    });

    it('has a link before its end, with a stub that is filled later (B021)', async () => {
      const worker = await started();
      // Its cause is an event from outside, of which no outcome will ever be: no link, and nothing that waits for one.
      await ledger.end(await ledger.start({ causation_id: `outside-${randomUUID()}` }));
      const cause = await ledger.start();
      const effect = await ledger.start({ causation_id: idOf(cause) });
      const [causeId, effectId] = [await ledger.end(cause), await ledger.end(effect)];
      await untilEqual(database, worker, tenantId);
      // The feed gives an outcome before its links; taken out by hand, the end is missing when the link comes.
      await worker.withGraph(async (graph) => {
        const { links } = await ledgerContents(database.admin, tenantId);
        const link = links.get(`${causeId} invoked ${effectId}`);
        if (!link) throw new Error('no such link');
        await graph.repair({
          ...NO_CHANGES,
          deletedLinks: [link],
          deletedOutcomes: [{ outcome_id: effectId, tenant_id: tenantId }],
        });
        await graph.repair({ ...NO_CHANGES, links: [link] });
        expect((await graphContents(graph)).stubs).toEqual(new Set([effectId]));
        await graph.forgetPosition();
      });
      await untilEqual(database, worker, tenantId);
      expect((await worker.withGraph(graphContents)).stubs.size).toBe(0);
    });

    it('loses what the ledger purged: outcomes, links, and ends without links', async () => {
      const mine = await database.tenant();
      const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
      await recordChain(own, 4);
      const worker = startWorker(mirrorOf(database, await graphs.fresh(mine)));
      await untilEqual(database, worker, mine);
      expect((await worker.withGraph(graphContents)).links.size).toBe(3);
      await purgeTable(database, mine, 'agent_invocation_outcomes');
      await untilEqual(database, worker, mine);
      // Links stand between stubs, as in the ledger, where they stand between purged outcomes.
      expect(await worker.withGraph(graphContents)).toMatchObject({ nodes: 4, relationships: 3 });
      await purgeTable(database, mine, 'agent_lineage_links');
      await untilEqual(database, worker, mine);
      expect(await worker.withGraph(graphContents)).toMatchObject({ nodes: 0, relationships: 0 });
      // Read from the start it comes to the same: what was purged is not in the feed.
      await worker.withGraph((graph) => graph.forgetPosition());
      await recordChain(own, 2);
      await untilEqual(database, worker, mine);
    });
  });

  describe('an emptied graph', () => {
    it('fills itself again', async () => {
      const source = await graphs.fresh(tenantId);
      const before = startWorker(mirrorOf(database, source));
      await recordChain(ledger, 5);
      await untilEqual(database, before, tenantId);
      await before.stop();
      await graphs.empty(source);
      const after = startWorker(mirrorOf(database, source));
      await untilEqual(database, after, tenantId);
    });

    it('is noticed while nothing new comes', async () => {
      const mine = await database.tenant();
      await recordChain(sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR }), 3);
      const worker = startWorker(mirrorOf(database, await graphs.fresh(mine)));
      await untilEqual(database, worker, mine);
      await worker.withGraph(async (graph) => {
        const { outcomes, links } = await graphContents(graph);
        await graph.repair({
          ...NO_CHANGES,
          deletedOutcomes: [...outcomes.values()],
          deletedLinks: [...links.values()],
        });
        await graph.forgetPosition();
      });
      await untilEqual(database, worker, mine);
    });
  });

  describe('one tenant’s mirror', () => {
    it('has that tenant alone', async () => {
      const [mine, others] = [await database.tenant(), await database.tenant()];
      const own = await recordChain(sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR }), 3);
      const foreign = await recordChain(sqlLedger(database, { tenantId: others, ...ORCHESTRATOR }), 3);
      const worker = startWorker(mirrorOf(database, await graphs.fresh(mine)));
      await untilEqual(database, worker, mine);
      const { outcomes } = await worker.withGraph(graphContents);
      expect([...outcomes.keys()].sort()).toEqual([...own].sort());
      expect(foreign.some((id) => outcomes.has(id))).toBe(false);
      expect(worker.status()).toMatchObject({ tenant_id: mine, position: { tenant_id: mine } });
    });

    it('refuses a graph of all tenants, and a graph of all a tenant’s, and writes nothing', async () => {
      for (const [filter, other] of [
        [null, tenantId],
        [tenantId, null],
      ] as const) {
        const made = await graphs.fresh(filter);
        await syncOnce(mirrorOf(database, made));
        const before = await look(made, graphContents);
        const wrong = graphs.at(made, other);
        const refused = syncOnce(mirrorOf(database, wrong));
        await expect(refused).rejects.toMatchObject({ code: 'graph_other_tenant', remedy: expect.any(String) });
        const worker = startWorker(mirrorOf(database, wrong));
        const status = await worker.until(({ state }) => state === 'refused');
        expect(status.reason).toMatchObject({ code: 'graph_other_tenant', remedy: expect.any(String) });
        await worker.stop();
        expect(await look(made, graphContents)).toEqual(before);
      }
    });

    it('of a tenant that is none is refused', async () => {
      const unknown = syncOnce(mirrorOf(database, await graphs.fresh(randomUUID())));
      await expect(unknown).rejects.toMatchObject({ code: 'unknown_tenant' });
    });
  });

  describe('a pass by hand', () => {
    it('comes to the feed’s end and says what it did', async () => {
      const mine = await database.tenant();
      const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
      await recordChain(own, 3);
      const sides = mirrorOf(database, await graphs.fresh(mine));
      const first = await until(
        () => syncOnce(sides),
        ({ position }) => position !== null,
      );
      expect(first).toMatchObject({ quarantined: 0, position: { tenant_id: mine } });
      const rest = await until(
        async () => [await syncOnce(sides), await look(sides.graph, graphContents)] as const,
        ([, { outcomes, links }]) => outcomes.size === 3 && links.size === 2,
      );
      expect(rest[0].position?.ledger_id).toBe(first.position?.ledger_id);
      expect(await syncOnce(sides)).toMatchObject({ rows: 0, batches: 0 });
    });

    it('leaves the work to a worker that has the lock', async () => {
      const sides = mirrorOf(database, await graphs.fresh(tenantId));
      const worker = startWorker(sides);
      await worker.until(({ state }) => state === 'active');
      // Its graph is not even opened: an embedded one's files are the worker's.
      const opened: string[] = [];
      const spied = {
        ...sides,
        graph: {
          ...sides.graph,
          open() {
            opened.push('opened');
            return sides.graph.open();
          },
        },
      };
      await expect(syncOnce(spied)).rejects.toMatchObject({ code: 'another_active' });
      expect(opened).toEqual([]);
    });
  });

  describe('the status from outside', () => {
    it('of a graph that nothing was mirrored into yet, and of one that a worker has', async () => {
      const mine = await database.tenant();
      await recordChain(sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR }), 2);
      const sides = mirrorOf(database, await graphs.fresh(mine));
      const behind = await until(
        () => syncStatus(sides),
        ({ lag }) => lag.rows === 3,
      );
      expect(behind).toMatchObject({ position: null, worker_active: false, quarantined: 0, quarantine: [] });
      expect(behind.lag.seconds).toBeGreaterThan(0);
      const worker = startWorker(sides);
      await untilEqual(database, worker, mine);
      const there = await until(
        () => syncStatus(sides),
        ({ lag }) => lag.rows === 0,
      );
      expect(there).toMatchObject({ mirror: worker.mirror, tenant_id: mine, worker_active: true, lag: { seconds: 0 } });
      expect(there.position).toEqual(worker.status().position);
    });
  });

  describe('a worker with nothing to do', () => {
    it('is active over a ledger without a row, and its graph stays empty', async () => {
      const worker = startWorker(mirrorOf(database, await graphs.fresh(await database.tenant())));
      const status = await worker.until(({ state, last_pass_at }) => state === 'active' && last_pass_at !== null);
      expect(status.degraded_by).toEqual([]);
      expect(await worker.withGraph(graphContents)).toMatchObject({ nodes: 0, relationships: 0 });
    });

    it('polls: a row is there within moments of its commit, without any notice', async () => {
      const worker = await started();
      const [id] = await recordChain(ledger, 1);
      await until(async () => (await worker.withGraph(graphContents)).outcomes.has(id as string));
      expect(await linkTo(worker, id as string)).toEqual([]);
    });
  });
}
