import { describe, expect, it } from 'vitest';
import { GraphFault, type GraphSource, reconcile, syncOnce } from '../../lineage/index.ts';
import { NO_CHANGES } from '../../lineage/sync/net-changes.ts';
import { graphContents } from './compare-graph.ts';
import type { TestDatabase } from './database.ts';
import { declaredLink } from './envelopes.ts';
import { purgeTable } from './filled-ledger.ts';
import { overlaid } from './overlaid.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './sql-ledger.ts';
import { type GraphKind, look, mirrorOf, recordChain, startWorker, until, untilEqual } from './sync.ts';

const CLEAN = { missing: 0, different: 0, surplus: 0 };

/** Comparing both sides and repairing the graph. */
export function describeReconcile(database: TestDatabase, graphs: GraphKind): void {
  let mine: string;
  let own: SqlLedger;
  let source: GraphSource;
  let ids: string[];
  /** A mirrored ledger of a chain of so many outcomes, and nobody at work. */
  const mirrored = async (length: number) => {
    mine = await database.tenant();
    own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
    source = await graphs.fresh(mine);
    ids = await recordChain(own, length);
    const worker = startWorker(mirrorOf(database, source));
    await untilEqual(database, worker, mine);
    await worker.stop();
  };
  const equal = async () => {
    const worker = startWorker(mirrorOf(database, source));
    await untilEqual(database, worker, mine);
    await worker.stop();
  };

  describe('reconcile', () => {
    it('finds nothing in a whole graph, page by page', async () => {
      await mirrored(25);
      for (const pageSize of [1, 2, 7, 500]) {
        expect(await reconcile(mirrorOf(database, source), { pageSize })).toEqual({
          outcomes: { checked: 25, ...CLEAN },
          links: { checked: 24, ...CLEAN },
          repaired: 0,
          refused: 0,
          quarantine: { repaired: 0, gone: 0, kept: 0 },
          position_reset: false,
        });
      }
    });

    it.each([1, 3, 500])(
      'counts and repairs what is missing, different and surplus (pages of %i)',
      async (pageSize) => {
        await mirrored(12);
        await look(source, async (graph) => {
          const { outcomes, links } = await graphContents(graph);
          const outcome = (n: number) => outcomes.get(ids[n] as string) as NonNullable<ReturnType<typeof outcomes.get>>;
          const link = (n: number) =>
            links.get(`${ids[n]} invoked ${ids[n + 1]}`) as NonNullable<ReturnType<typeof links.get>>;
          await graph.repair({
            ...NO_CHANGES,
            deletedOutcomes: [outcome(3), outcome(4)],
            deletedLinks: [link(6), link(7)],
          });
          await graph.repair({
            ...NO_CHANGES,
            outcomes: [
              { ...outcome(8), status: 'failure', decision: 'allow' },
              { ...outcome(0), outcome_id: '00000000-0000-4000-8000-000000000000', invocation_id: null },
              { ...outcome(0), outcome_id: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
            ],
            links: [
              { ...link(9), origin: 'declared', declared_by: 'somebody' },
              { ...link(0), link_id: '11111111-1111-4111-8111-111111111111', target_outcome_id: ids[5] as string },
            ],
          });
        });
        const counts = {
          outcomes: { checked: 14, missing: 2, different: 1, surplus: 2 },
          links: { checked: 12, missing: 2, different: 1, surplus: 1 },
        };
        const dry = await reconcile(mirrorOf(database, source), { dryRun: true, pageSize });
        expect(dry).toMatchObject({ ...counts, repaired: 0, quarantine: null });
        expect(await reconcile(mirrorOf(database, source), { pageSize })).toMatchObject({
          ...counts,
          repaired: 9,
          refused: 0,
        });
        expect(await reconcile(mirrorOf(database, source), { pageSize })).toMatchObject({
          outcomes: CLEAN,
          links: CLEAN,
          repaired: 0,
        });
        await equal();
      },
    );

    it('finds links whose source was purged', async () => {
      await mirrored(3);
      await purgeTable(database, mine, 'agent_invocation_outcomes');
      await equal();
      await look(source, async (graph) => {
        const { links } = await graphContents(graph);
        await graph.repair({ ...NO_CHANGES, deletedLinks: [...links.values()] });
        expect(await graphContents(graph)).toMatchObject({ nodes: 0, relationships: 0 });
      });
      expect(await reconcile(mirrorOf(database, source))).toMatchObject({ links: { missing: 2 }, repaired: 2 });
      await equal();
    });

    it('runs beside a worker and writers', async () => {
      await mirrored(10);
      const worker = startWorker(mirrorOf(database, source));
      await worker.until(({ state }) => state === 'active');
      let writing = true;
      const writers = Promise.all(Array.from({ length: 3 }, () => recordChain(own, 30))).finally(() => {
        writing = false;
      });
      let rounds = 0;
      while (writing || rounds === 0) {
        const report = await worker.reconcile({ pageSize: 20 });
        expect(report.outcomes).toMatchObject({ different: 0, surplus: 0 });
        expect(report.links).toMatchObject({ different: 0, surplus: 0 });
        rounds += 1;
      }
      await writers;
      await untilEqual(database, worker, mine);
    });

    it('does not bring back what is purged between its look and its write', async () => {
      await mirrored(6);
      await look(source, async (graph) => {
        const { outcomes, links } = await graphContents(graph);
        await graph.repair({
          ...NO_CHANGES,
          deletedOutcomes: [...outcomes.values()],
          deletedLinks: [...links.values()],
        });
      });
      const sides = mirrorOf(database, source);
      let purged = false;
      const open = async () => {
        const graph = await source.open();
        const ahead = overlaid(graph, { close: async () => undefined });
        return overlaid(graph, {
          async repair(changes) {
            if (!purged && changes.outcomes.length > 0) {
              purged = true;
              await purgeTable(database, mine, 'agent_lineage_links');
              await purgeTable(database, mine, 'agent_invocation_outcomes');
              // The tombstones are mirrored before the repair lands.
              const passes = { ...sides, graph: { ...source, open: async () => ahead } };
              await until(
                () => syncOnce(passes),
                ({ rows }) => rows > 0,
              );
            }
            return graph.repair(changes);
          },
        });
      };
      await reconcile({ ...sides, graph: { ...source, open } });
      expect(purged).toBe(true);
      await equal();
      expect(await look(source, graphContents)).toMatchObject({ nodes: 0, relationships: 0 });
    });

    it('leaves what the graph does not take, and repairs the rest', async () => {
      await mirrored(8);
      const sides = mirrorOf(database, source);
      await look(source, async (graph) => {
        const { outcomes } = await graphContents(graph);
        await graph.repair({ ...NO_CHANGES, deletedOutcomes: [...outcomes.values()] });
      });
      const refusing = mirrorOf(database, source, {
        repair({ outcomes }) {
          if (outcomes.some((facts) => facts.outcome_id === ids[3])) throw new GraphFault('row', 'Test.BadRow', 'no');
        },
      });
      expect(await reconcile(refusing)).toMatchObject({ outcomes: { missing: 8 }, repaired: 7, refused: 1 });
      expect(await reconcile(sides)).toMatchObject({ outcomes: { missing: 1 }, repaired: 1, refused: 0 });
      await equal();
    });

    it('refuses a graph of another ledger, and touches nothing', async () => {
      await mirrored(2);
      const before = await look(source, graphContents);
      await look(source, async (graph) => {
        const at = await graph.position();
        if (!at) throw new Error('nothing was mirrored');
        const foreign = { ...at, ledger_id: '99999999-9999-4999-8999-999999999999' };
        await graph.write({ changes: NO_CHANGES, from: at, to: foreign });
      });
      for (const attempt of [reconcile, syncOnce]) {
        await expect(attempt(mirrorOf(database, source))).rejects.toMatchObject({
          code: 'graph_other_ledger',
          remedy: expect.any(String),
        });
      }
      const worker = startWorker(mirrorOf(database, source));
      await own.link(declaredLink(ids[1] as string, ids[0] as string));
      const status = await worker.until(({ state }) => state === 'refused');
      expect(status.reason?.code).toBe('graph_other_ledger');
      await worker.stop();
      expect(await look(source, graphContents)).toEqual(before);
    });
  });
}
