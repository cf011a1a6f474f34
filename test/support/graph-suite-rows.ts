import { describe, expect, it } from 'vitest';
import type { GraphChanges, LinkFacts, OutcomeFacts } from '../../lineage/graph/graph.ts';
import { contentOf, GraphModel } from './graph-model.ts';
import {
  batchAt,
  changes,
  evidenceFrom,
  evidenceOf,
  linkBetween,
  OTHER_TENANT,
  outcomeFrom,
  positionAt,
  RELATION_WORDS,
  TENANT,
  uuidFrom,
} from './graph-rows.ts';
import type { GraphBench } from './graph-suite.ts';
import { randomFrom, shuffled } from './random.ts';

const WRITERS_SEED = 20_261_130;
const MODEL_SEEDS = [1, 2, 3, 4, 5, 6];

/** Rows: what is written stands there once, whatever came first, and whatever is written again. */
export function checkRows(bench: GraphBench): void {
  describe('rows', () => {
    it('is written twice, and from the start again, and stays the same graph', async () => {
      const graph = await bench.ready();
      const random = randomFrom(11);
      const outcomes = Array.from({ length: 30 }, () => outcomeFrom(random));
      const lists = { outcomes, links: everyRelation(random, outcomes) };
      await graph.write(batchAt(0, lists));
      const once = await contentOf(graph);
      expect(Object.keys(once.outcomes)).toHaveLength(30);
      expect(Object.keys(once.links)).toHaveLength(120);

      await graph.write(batchAt(1, lists));
      await graph.repair(changes(lists));
      expect(await contentOf(graph)).toEqual(once);
      await graph.forgetPosition();
      expect(await graph.position()).toBeNull();
      await graph.write(batchAt(0, lists));
      expect(await contentOf(graph)).toEqual(once);
      expect(await graph.position()).toEqual(positionAt(1));
    });

    it('makes a stub of an end that is not there, and fills it later', async () => {
      const graph = await bench.ready();
      const random = randomFrom(12);
      const [cause, caused] = [outcomeFrom(random), outcomeFrom(random)];
      const link = linkBetween(random, cause.outcome_id, caused.outcome_id);
      await graph.write(batchAt(0, { outcomes: [caused], links: [link] }));
      expect((await contentOf(graph)).outcomes[cause.outcome_id]).toEqual({ key: keyOf(cause), facts: null });
      expect(await graph.linksFrom([cause.outcome_id])).toEqual([link]);

      await graph.write(batchAt(1, { outcomes: [cause] }));
      const content = await contentOf(graph);
      expect(content.outcomes[cause.outcome_id]?.facts).toEqual(cause);
      expect(Object.values(content.links)).toEqual([link]);
      expect(Object.keys(content.outcomes)).toHaveLength(2);
    });

    it('keeps a deleted outcome as a stub while it has links, and lets the stub go with the last of them', async () => {
      const graph = await bench.ready();
      const random = randomFrom(13);
      const [a, b, c] = [outcomeFrom(random), outcomeFrom(random), outcomeFrom(random)];
      const links = [linkBetween(random, a.outcome_id, b.outcome_id), linkBetween(random, b.outcome_id, c.outcome_id)];
      await graph.write(batchAt(0, { outcomes: [a, b, c], links }));

      await graph.write(batchAt(1, { deletedOutcomes: [keyOf(b)] }));
      let content = await contentOf(graph);
      expect(content.outcomes[b.outcome_id]).toEqual({ key: keyOf(b), facts: null });
      expect(Object.keys(content.links)).toHaveLength(2);

      await graph.write(batchAt(2, { deletedLinks: [links[0] as LinkFacts] }));
      content = await contentOf(graph);
      expect(content.outcomes[b.outcome_id]).toBeDefined();
      await graph.write(batchAt(3, { deletedLinks: [links[1] as LinkFacts] }));
      content = await contentOf(graph);
      expect(Object.keys(content.outcomes).sort()).toEqual([a.outcome_id, c.outcome_id].sort());
      expect(content.links).toEqual({});
    });

    it('takes links and both ends away in one batch, and what is not there is no fault', async () => {
      const graph = await bench.ready();
      const random = randomFrom(14);
      const [a, b] = [outcomeFrom(random), outcomeFrom(random)];
      const link = linkBetween(random, a.outcome_id, b.outcome_id);
      await graph.write(batchAt(0, { outcomes: [a, b], links: [link] }));
      const gone = { deletedOutcomes: [keyOf(a), keyOf(b)], deletedLinks: [link] };
      await graph.write(batchAt(1, gone));
      expect(await contentOf(graph)).toEqual({ outcomes: {}, links: {} });
      await graph.write(batchAt(2, gone));
      expect(await contentOf(graph)).toEqual({ outcomes: {}, links: {} });
    });

    it('takes a link that is declared again after its deletion, under its new id', async () => {
      const graph = await bench.ready();
      const random = randomFrom(15);
      const [a, b] = [outcomeFrom(random), outcomeFrom(random)];
      const first = linkBetween(random, a.outcome_id, b.outcome_id, { origin: 'declared', declared_by: 'one' });
      const again = linkBetween(random, a.outcome_id, b.outcome_id, { origin: 'derived', declared_by: null });
      await graph.write(batchAt(0, { outcomes: [a, b], links: [first] }));
      await graph.write(batchAt(1, { deletedLinks: [first] }));
      await graph.write(batchAt(2, { links: [again] }));
      expect(await graph.linksFrom([a.outcome_id])).toEqual([again]);
      // Without the deletion in between (it was netted out): the old link's optional property goes too.
      await graph.write(batchAt(3, { links: [first] }));
      await graph.write(batchAt(4, { links: [again] }));
      expect(await graph.linksFrom([a.outcome_id])).toEqual([again]);
    });

    it('keeps links of four relations between the same two apart, and one to itself', async () => {
      const graph = await bench.ready();
      const random = randomFrom(16);
      const [a, b] = [outcomeFrom(random), outcomeFrom(random)];
      const links = RELATION_WORDS.flatMap((relation) => [
        linkBetween(random, a.outcome_id, b.outcome_id, { relation }),
        linkBetween(random, b.outcome_id, a.outcome_id, { relation }),
        linkBetween(random, a.outcome_id, a.outcome_id, { relation }),
      ]);
      await graph.write(batchAt(0, { outcomes: [a, b], links }));
      expect(Object.keys((await contentOf(graph)).links)).toHaveLength(12);
      await graph.write(batchAt(1, { deletedLinks: links.filter(({ relation }) => relation === 'invoked') }));
      const left = Object.values((await contentOf(graph)).links);
      expect(left).toHaveLength(9);
      expect(left.every(({ relation }) => relation !== 'invoked')).toBe(true);
    });

    it('takes a thousand rows of one instant, and gives each page once', async () => {
      const graph = await bench.ready();
      const random = randomFrom(17);
      const recorded_at = '2026-05-20T04:30:00.123456Z';
      const outcomes = Array.from({ length: 1_000 }, () => outcomeFrom(random, { recorded_at }));
      await graph.write(batchAt(0, { outcomes: shuffled(outcomes, random) }));
      const ids: string[] = [];
      for (let after: string | null = null; ; after = ids.at(-1) ?? null) {
        const page = await graph.outcomesAfter(after, 73);
        ids.push(...page.map(({ key }) => key.outcome_id));
        if (page.length < 73) break;
      }
      expect(ids).toEqual(outcomes.map(({ outcome_id }) => outcome_id).sort());
    });

    it('mixes no tenants: neither deletion nor link reaches into another', async () => {
      const graph = await bench.ready();
      const random = randomFrom(18);
      const [a, b] = [outcomeFrom(random), outcomeFrom(random)];
      const foreign = outcomeFrom(random, { tenant_id: OTHER_TENANT });
      const link = linkBetween(random, a.outcome_id, b.outcome_id);
      await graph.write(batchAt(0, { outcomes: [a, b, foreign], links: [link] }));
      const before = await contentOf(graph);

      await graph.write(
        batchAt(1, {
          deletedOutcomes: [{ ...keyOf(a), tenant_id: OTHER_TENANT }],
          deletedLinks: [{ ...link, tenant_id: OTHER_TENANT }],
        }),
      );
      expect(await contentOf(graph)).toEqual(before);

      const across = linkBetween(random, a.outcome_id, foreign.outcome_id);
      const taken = { ...foreign, tenant_id: TENANT };
      const good = { outcomes: [outcomeFrom(random)], links: [linkBetween(random, a.outcome_id, uuidFrom(random))] };
      for (const bad of [{ links: [...good.links, across] }, { outcomes: [...good.outcomes, taken] }]) {
        await expect(graph.write(batchAt(2, { ...good, ...bad }))).rejects.toMatchObject({
          name: 'GraphFault',
          kind: 'row',
        });
        await expect(graph.repair(changes({ ...good, ...bad }))).rejects.toMatchObject({ kind: 'row' });
      }
      // Neither the good rows of the refused batches, nor their position.
      expect(await contentOf(graph)).toEqual(before);
      expect(await graph.position()).toEqual(positionAt(2));
    });

    it('writes nothing of another tenant into a graph of one tenant', async () => {
      const graph = await bench.ready({ tenantId: TENANT });
      const random = randomFrom(19);
      const own = outcomeFrom(random);
      const position = { to: positionAt(1, { tenant_id: TENANT }), from: null };
      const foreign = outcomeFrom(random, { tenant_id: OTHER_TENANT });
      await expect(graph.write({ changes: changes({ outcomes: [own, foreign] }), ...position })).rejects.toMatchObject({
        name: 'GraphFault',
        kind: 'row',
      });
      expect(await contentOf(graph)).toEqual({ outcomes: {}, links: {} });
      await graph.write({ changes: changes({ outcomes: [own] }), ...position });
      expect(Object.keys((await contentOf(graph)).outcomes)).toEqual([own.outcome_id]);
    });

    it(`lets parallel writers repair the same rows in opposite orders (seed ${WRITERS_SEED})`, async () => {
      const random = randomFrom(WRITERS_SEED);
      const writers = [await bench.ready(), await bench.ready()];
      const ids = Array.from({ length: 20 }, () => uuidFrom(random));
      const links = Array.from({ length: 200 }, (_, n) =>
        linkBetween(random, ids[n % 20] as string, ids[Math.floor(random() * 20)] as string),
      );
      // Each key once in a batch, as the worker gives it.
      const rows = [...new Map(links.map((link) => [link.source_outcome_id + link.target_outcome_id, link])).values()];
      for (let round = 0; round < 15; round += 1) {
        await Promise.all([
          writers[0]?.repair(changes({ links: rows })),
          writers[1]?.repair(changes({ links: rows.toReversed() })),
          writers[0]?.repair(changes({ links: shuffled(rows, random) })),
        ]);
      }
      const content = await contentOf(await bench.ready());
      expect(Object.keys(content.outcomes).sort()).toEqual([...new Set(ids)].sort());
      expect(Object.keys(content.links)).toHaveLength(rows.length);
    });

    it.each(MODEL_SEEDS)('agrees with the model after random batches (seed %i)', async (seed) => {
      const random = randomFrom(seed);
      const graph = await bench.ready();
      const model = new GraphModel();
      const ids = Array.from({ length: 12 }, () => uuidFrom(random));
      for (let step = 0; step < 12; step += 1) {
        const batch = batchAt(step, randomChanges(random, ids));
        await graph.write(batch);
        model.apply(batch.changes);
        expect(await contentOf(graph, 5), `after batch ${step} of seed ${seed}`).toEqual(model.content());
      }
    });
  });
}

const keyOf = ({ outcome_id, tenant_id }: OutcomeFacts) => ({ outcome_id, tenant_id });

/** A ring of links of every relation over the outcomes. */
function everyRelation(random: () => number, outcomes: OutcomeFacts[]): LinkFacts[] {
  return RELATION_WORDS.flatMap((relation) =>
    outcomes.map(({ outcome_id }, n) =>
      linkBetween(random, outcome_id, outcomes[(n + 1) % outcomes.length]?.outcome_id as string, { relation }),
    ),
  );
}

/** Changes of a few ids, each key in at most one list. */
function randomChanges(random: () => number, ids: string[]): GraphChanges {
  const result = changes({});
  for (const outcome_id of ids) {
    const dice = random();
    if (dice < 0.3) result.outcomes.push(outcomeFrom(random, { outcome_id }));
    else if (dice < 0.45) result.deletedOutcomes.push({ outcome_id, tenant_id: TENANT });
    else if (dice < 0.7) result.evidence.push(evidenceOf({ outcome_id, tenant_id: TENANT }, evidenceFrom(random)));
  }
  for (const source of ids) {
    for (const target of ids) {
      const dice = random();
      if (dice > 0.16) continue;
      const relation = RELATION_WORDS[Math.floor(random() * 4)];
      const link = linkBetween(random, source, target, { relation });
      if (dice < 0.08) result.links.push(link);
      else {
        const { tenant_id, source_outcome_id, target_outcome_id } = link;
        result.deletedLinks.push({ tenant_id, source_outcome_id, target_outcome_id, relation: link.relation });
      }
    }
  }
  return result;
}
