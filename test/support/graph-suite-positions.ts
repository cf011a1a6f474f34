import { describe, expect, it } from 'vitest';
import { PositionMoved } from '../../lineage/graph/fault.ts';
import { contentOf } from './graph-model.ts';
import { batchAt, changes, linkBetween, OTHER_TENANT, outcomeFrom, positionAt } from './graph-rows.ts';
import type { GraphBench } from './graph-suite.ts';
import { randomFrom } from './random.ts';

/** The position: it moves with the rows or not at all, and one writer at a time moves it. */
export function checkPositions(bench: GraphBench): void {
  describe('position', () => {
    it('is null in an empty graph, comes back as written, and survives the handle', async () => {
      const graph = await bench.ready();
      expect(await graph.position()).toBeNull();
      await graph.write(batchAt(0, {}));
      expect(await graph.position()).toEqual(positionAt(1));
      expect(await (await bench.ready()).position()).toEqual(positionAt(1));
    });

    it('stands still when the batch fails, and so do the rows', async () => {
      const graph = await bench.ready();
      const random = randomFrom(21);
      const foreign = outcomeFrom(random, { tenant_id: OTHER_TENANT });
      await graph.write(batchAt(0, { outcomes: [foreign] }));
      const before = await contentOf(graph);
      const outcomes = Array.from({ length: 50 }, () => outcomeFrom(random));
      const links = outcomes.map(({ outcome_id }) =>
        linkBetween(random, outcome_id, outcomes[0]?.outcome_id as string),
      );
      const bad = linkBetween(random, foreign.outcome_id, outcomes[0]?.outcome_id as string);
      await expect(graph.write(batchAt(1, { outcomes, links: [...links, bad] }))).rejects.toMatchObject({
        kind: 'row',
      });
      expect(await contentOf(graph)).toEqual(before);
      expect(await graph.position()).toEqual(positionAt(1));
      // The guard holds no grudge: the same rows without the bad one go through.
      await graph.write(batchAt(1, { outcomes, links }));
      expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(51);
      expect(await graph.position()).toEqual(positionAt(2));
    });

    it('fences off a worker whose position is not the graph’s', async () => {
      const random = randomFrom(22);
      const [first, second] = [await bench.ready(), await bench.ready()];
      const row = () => ({ outcomes: [outcomeFrom(random)] });
      await first.write(batchAt(0, row()));
      await expect(second.write(batchAt(0, row()))).rejects.toBeInstanceOf(PositionMoved);
      expect(Object.keys((await contentOf(first)).outcomes)).toHaveLength(1);
      expect(await second.position()).toEqual(positionAt(1));
      await second.write(batchAt(1, row()));
      await expect(first.write(batchAt(1, row()))).rejects.toBeInstanceOf(PositionMoved);
      expect(await first.position()).toEqual(positionAt(2));
      expect(Object.keys((await contentOf(first)).outcomes)).toHaveLength(2);
    });

    it('fences on every part of the position', async () => {
      const graph = await bench.ready();
      await graph.write(batchAt(0, {}));
      const random = randomFrom(23);
      const wrong = [{ epoch: 2 }, { xid: '9007199254740995' }, { seq: 1 }, { ledger_id: 'another' }, { kind: 'x' }];
      for (const over of wrong) {
        const batch = {
          changes: changes({ outcomes: [outcomeFrom(random)] }),
          from: positionAt(1, over),
          to: positionAt(2),
        };
        await expect(graph.write(batch), JSON.stringify(over)).rejects.toBeInstanceOf(PositionMoved);
      }
      expect(await contentOf(graph)).toEqual({ outcomes: {}, links: {} });
    });

    it('lets one of two writers through that write from the same position at once', async () => {
      const random = randomFrom(24);
      const workers = [await bench.ready(), await bench.ready()];
      for (let step = 0; step < 10; step += 1) {
        const results = await Promise.allSettled(
          workers.map((graph, n) =>
            graph.write({
              ...batchAt(step, { outcomes: [outcomeFrom(random, { source_id: `worker-${n}` })] }),
              // Told apart by a part of the position that the next step does not use.
              to: positionAt(step + 1),
            }),
          ),
        );
        const refused = results.filter((result) => result.status === 'rejected');
        expect(refused, `step ${step}`).toHaveLength(1);
        expect((refused[0] as PromiseRejectedResult).reason).toBeInstanceOf(PositionMoved);
        expect(Object.keys((await contentOf(workers[0] as never)).outcomes)).toHaveLength(step + 1);
      }
    });

    it('is forgotten on demand while the rows stay, and repair does not touch it', async () => {
      const graph = await bench.ready();
      const random = randomFrom(25);
      await graph.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
      await graph.repair(changes({ outcomes: [outcomeFrom(random)] }));
      expect(await graph.position()).toEqual(positionAt(1));
      await graph.forgetPosition();
      expect(await graph.position()).toBeNull();
      expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(2);
      // Opened again, it is still ours.
      const again = await bench.ready();
      await again.write(batchAt(0, {}));
      expect(await again.position()).toEqual(positionAt(1));
    });

    it('is gone with an emptied graph, which then fills again', async () => {
      const random = randomFrom(26);
      const row = outcomeFrom(random);
      const graph = await bench.ready();
      await graph.write(batchAt(0, { outcomes: [row] }));
      await graph.close();
      await bench.store().reset();
      const again = await bench.ready();
      expect(await again.position()).toBeNull();
      await again.write(batchAt(0, { outcomes: [row] }));
      expect(Object.keys((await contentOf(again)).outcomes)).toEqual([row.outcome_id]);
    });
  });
}
