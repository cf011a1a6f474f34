import { describe, expect, it } from 'vitest';
import { GraphRefused } from '../../lineage/graph/fault.ts';
import { contentOf } from './graph-model.ts';
import { batchAt, changes, OTHER_TENANT, outcomeFrom, TENANT } from './graph-rows.ts';
import type { GraphBench } from './graph-suite.ts';
import { randomFrom } from './random.ts';

/** Graphs that are not this mirror's: refused before anything is written, with what to do. */
export function checkRefusals(bench: GraphBench): void {
  describe('refusals', () => {
    it('refuses every graph that is not ours to write', async () => {
      expect(bench.store().refused.length).toBeGreaterThan(0);
      for (const { what, code, plant, names } of bench.store().refused) {
        await bench.store().reset();
        await plant();
        const graph = await bench.open();
        const refusal = await refusalOf(graph.prepare());
        expect({ what, code: refusal.code }).toEqual({ what, code });
        expect(refusal.remedy, what).toMatch(/\w{3,}/);
        for (const name of names ?? []) expect(refusal.message, what).toContain(name);
        // Asked again, it says the same: nothing was changed.
        expect((await refusalOf(graph.prepare())).message).toBe(refusal.message);
        await graph.close();
      }
    });

    it('refuses a graph of another tenant filter, both ways, and takes its own again', async () => {
      const random = randomFrom(41);
      const all = await bench.ready();
      await all.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
      const filtered = await bench.open({ tenantId: TENANT });
      expect((await refusalOf(filtered.prepare())).code).toBe('graph_other_tenant');
      await all.close();
      await bench.ready();

      await filtered.close();
      await bench.store().reset();
      const one = await bench.ready({ tenantId: TENANT });
      await one.repair(changes({ outcomes: [outcomeFrom(random)] }));
      await one.close();
      for (const options of [undefined, { tenantId: OTHER_TENANT }]) {
        const refusal = await refusalOf((await bench.open(options)).prepare());
        expect(refusal.code).toBe('graph_other_tenant');
        expect(refusal.message).toContain(TENANT);
      }
      expect(Object.keys((await contentOf(await bench.ready({ tenantId: TENANT }))).outcomes)).toHaveLength(1);
    });

    it('prepares as often as asked, also twice at once, and beside a graph in use', async () => {
      const random = randomFrom(42);
      const [one, two] = [await bench.open(), await bench.open()];
      await Promise.all([one.prepare(), two.prepare()]);
      await one.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
      await two.prepare();
      await one.prepare();
      expect(Object.keys((await contentOf(two)).outcomes)).toHaveLength(1);
    });
  });
}

async function refusalOf(prepared: Promise<void>): Promise<GraphRefused> {
  const error = await prepared.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof GraphRefused)) throw error;
  return error;
}
