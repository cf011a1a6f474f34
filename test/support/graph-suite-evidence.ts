import { describe, expect, it } from 'vitest';
import type { LinkFacts, OutcomeFacts } from '../../lineage/graph/graph.ts';
import { contentOf } from './graph-model.ts';
import {
  batchAt,
  changes,
  evidenceFrom,
  evidenceOf,
  linkBetween,
  NO_EVIDENCE,
  OTHER_TENANT,
  outcomeFrom,
  positionAt,
  TENANT,
} from './graph-rows.ts';
import type { GraphBench } from './graph-suite.ts';
import { randomFrom } from './random.ts';

const LIMITS = { timeoutMs: 30_000, maxRows: 100 };

/** Evidence: it changes what stands, and never makes what does not. */
export function checkEvidence(bench: GraphBench): void {
  describe('evidence', () => {
    it('replaces that of an outcome and nothing else of it, and a replay changes nothing', async () => {
      const graph = await bench.ready();
      const random = randomFrom(71);
      const outcomes = Array.from({ length: 40 }, () => outcomeFrom(random));
      await graph.write(batchAt(0, { outcomes }));
      const facts = outcomes.map(() => evidenceFrom(random));
      const evidence = outcomes.map((outcome, n) => evidenceOf(outcome, facts[n] as (typeof facts)[0]));
      for (const step of [1, 2]) {
        await graph.write(batchAt(step, { evidence }));
        const content = await contentOf(graph);
        for (const [n, outcome] of outcomes.entries())
          expect(content.outcomes[outcome.outcome_id]?.facts).toEqual({ ...outcome, ...facts[n] });
      }
      // Taken away again: a null is no property.
      await graph.repair(changes({ evidence: outcomes.map((outcome) => evidenceOf(outcome, NO_EVIDENCE)) }));
      const { rows } = await graph.query(
        'match (o:Outcome) where o.verification is null and o.awaiting_until is null and o.integrated = false return count(o) as bare',
        {},
        LIMITS,
      );
      expect(rows).toEqual([{ bare: 40 }]);
      expect(await graph.position()).toEqual(positionAt(3));
    });

    it('about a stub or about nothing is left out: the outcome brings its own when it comes', async () => {
      const graph = await bench.ready();
      const random = randomFrom(72);
      const [there, stub, nowhere] = [outcomeFrom(random), outcomeFrom(random), outcomeFrom(random)];
      const link = linkBetween(random, there.outcome_id, stub.outcome_id);
      await graph.write(batchAt(0, { outcomes: [there], links: [link] }));
      const before = await contentOf(graph);
      const evidence = [stub, nowhere].map((outcome) => evidenceOf(outcome, evidenceFrom(random)));
      await graph.write(batchAt(1, { evidence }));
      expect(await contentOf(graph)).toEqual(before);
      await graph.write(batchAt(2, { outcomes: [stub] }));
      expect((await contentOf(graph)).outcomes[stub.outcome_id]?.facts).toEqual(stub);
    });

    it('goes with its outcome: a stub has none of it', async () => {
      const graph = await bench.ready();
      const random = randomFrom(73);
      const [a, b] = [outcomeFrom(random), outcomeFrom(random)].map(
        (row): OutcomeFacts => ({ ...row, ...evidenceFrom(random) }),
      ) as [OutcomeFacts, OutcomeFacts];
      const link: LinkFacts = linkBetween(random, a.outcome_id, b.outcome_id);
      await graph.write(batchAt(0, { outcomes: [a, b], links: [link] }));
      await graph.write(batchAt(1, { deletedOutcomes: [{ outcome_id: a.outcome_id, tenant_id: TENANT }] }));
      const { rows } = await graph.query(
        'match (o:Outcome) where o.verification is not null or o.verification_required is not null or o.integrated is not null return o.outcome_id as id',
        {},
        LIMITS,
      );
      expect(rows).toEqual([{ id: b.outcome_id }]);
    });

    it('of another tenant changes nothing, and is refused by a graph of one tenant', async () => {
      const graph = await bench.ready();
      const random = randomFrom(74);
      const outcome = outcomeFrom(random);
      await graph.write(batchAt(0, { outcomes: [outcome] }));
      const foreign = evidenceOf({ ...outcome, tenant_id: OTHER_TENANT }, evidenceFrom(random));
      await graph.write(batchAt(1, { evidence: [foreign] }));
      expect((await contentOf(graph)).outcomes[outcome.outcome_id]?.facts).toEqual(outcome);
      await graph.close();
      await bench.store().reset();
      const one = await bench.ready({ tenantId: TENANT });
      await expect(one.repair(changes({ evidence: [foreign] }))).rejects.toMatchObject({ kind: 'row' });
    });
  });
}
