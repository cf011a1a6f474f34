import { describe, expect, it } from 'vitest';
import { judgmentClauses, judgmentOf } from '../../generate/judgment-cypher.ts';
import type { OutcomeFacts } from '../../lineage/graph/graph.ts';
import { deriveJudgment, lifecycleOfOutcome, withDelivery } from '../../src/contract/judgment/index.ts';
import { DELIVERY_ASSESSMENTS, LIFECYCLES, VERIFICATIONS } from '../../src/contract/judgment/words.ts';
import { batchAt, outcomeFrom, TENANT } from './graph-rows.ts';
import type { GraphBench } from './graph-suite.ts';
import { GOLDEN_CELLS } from './judgment-golden.ts';
import { randomFrom } from './random.ts';

const LIMITS = { timeoutMs: 60_000, maxRows: 10_000 };
const NOW = '2026-05-20T12:00:00.000000Z';
const [LONG_AGO, FAR_AHEAD] = ['2020-01-01T00:00:00.000000Z', '9999-01-01T00:00:00.000000Z'];

/** Facts of outcomes by the lifecycle that they have, as design section 11 has it; `odd` has none. */
const LIVES: readonly (readonly [lifecycle: string, facts: Partial<OutcomeFacts>])[] = [
  ['done', { status: 'success' }],
  ['done', { status: 'partial', completion_reason: 'canceled' }],
  ['merged', { status: 'success', integrated: true }],
  ['merged', { status: 'partial', integrated: true }],
  ['stopped', { status: 'failure', completion_reason: 'canceled', integrated: true }],
  ['stopped', { status: 'timeout', completion_reason: 'interrupted' }],
  ['failed', { status: 'failure' }],
  ['failed', { status: 'timeout', completion_reason: 'timeout' }],
  ['skipped', { status: 'blocked' }],
  ['skipped', { status: 'skipped', awaiting_until: FAR_AHEAD }],
  ['awaiting_input', { status: 'escalated', awaiting_until: FAR_AHEAD }],
  ['stopped', { status: 'escalated', awaiting_until: LONG_AGO }],
  ['stopped', { status: 'escalated' }],
  ['odd', { status: 'odd', integrated: true }],
];
const ASSESSMENTS = [null, ...DELIVERY_ASSESSMENTS, 'odd'];
const GOLDEN = new Map(
  GOLDEN_CELLS.map((cell) => [`${cell.lifecycle} ${cell.verification} ${cell.required}`, cell.row]),
);
/** By the table by hand; what stands in none of its cells, as the contract derives it. */
const judged = (lifecycle: string, verification: string, required: boolean, assessment: string | null) =>
  (assessment === null ? GOLDEN.get(`${lifecycle} ${verification} ${required}`)?.[0] : undefined) ??
  withDelivery(deriveJudgment(lifecycle, verification, required), assessment).outcome;

/** The judgment: every cell as the contract derives it, from nodes and from words. */
export function checkJudgments(bench: GraphBench): void {
  describe('the judgment', () => {
    it.each(LIVES)('is that of %s for %j, in TypeScript too', (lifecycle, { status = '', ...facts }) => {
      const { completion_reason = null, integrated = false, awaiting_until = null } = facts;
      const open_request = awaiting_until !== null && awaiting_until > NOW;
      expect(lifecycleOfOutcome({ status, completion_reason, integrated, open_request }) ?? 'odd').toBe(lifecycle);
    });

    it('of a node with any facts is the contract’s, also of words that nobody knows', async () => {
      const graph = await bench.ready();
      const random = randomFrom(81);
      const bare = { completion_reason: null, integrated: false, awaiting_until: null };
      const expected = new Map<string, string>();
      const outcomes = LIVES.flatMap(([lifecycle, facts]) =>
        [null, ...VERIFICATIONS, 'odd'].flatMap((verification) =>
          [true, false].flatMap((verification_required) =>
            ASSESSMENTS.map((assessment) => {
              const evidence = { verification, verification_required, assessment };
              const outcome = outcomeFrom(random, { ...bare, ...facts, ...evidence });
              const word = verification ?? (verification_required ? 'pending' : 'skipped');
              expected.set(outcome.outcome_id, judged(lifecycle, word, verification_required, assessment));
              return outcome;
            }),
          ),
        ),
      );
      await graph.write(batchAt(0, { outcomes }));
      const found = [
        ['MATCH (outcome:Outcome {tenant_id: $tenant_id})', { tenant_id: TENANT }],
        // By their key: computed wrongly by the embedded graph, were nothing between.
        ['UNWIND $ids AS id MATCH (outcome:Outcome {outcome_id: id})', { ids: [...expected.keys()] }],
      ] as const;
      const texts = [judgmentClauses(graph.kind), judgmentClauses('either')];
      for (const [[match, values], text] of found.flatMap((one) => texts.map((text) => [one, text] as const))) {
        const { rows } = await graph.query(
          `${match}\n${text}\nRETURN outcome.outcome_id AS id, judgment`,
          { ...values, ...(text.includes('$now') ? { now: NOW } : {}) },
          LIMITS,
        );
        expect(rows).toHaveLength(expected.size);
        const wrong = rows.filter((row) => row['judgment'] !== expected.get(row['id'] as string));
        const of = (id: unknown) => outcomes.find(({ outcome_id }) => outcome_id === id);
        expect(wrong.map((row) => ({ judgment: row['judgment'], ...of(row['id']) }))).toEqual([]);
      }
    });

    it('of any words on the axes is the contract’s: 140 cells, and those of unknown words', async () => {
      const graph = await bench.ready();
      const cells = [...LIFECYCLES, 'odd'].flatMap((lifecycle) =>
        [...VERIFICATIONS, 'odd'].flatMap((verification) =>
          [true, false].flatMap((required) =>
            // Of no assessment, as of an unknown one, nothing follows; a null would leave a list of maps without a type.
            ASSESSMENTS.map((assessment) => ({
              lifecycle,
              verification,
              required,
              assessment: assessment ?? 'none',
              expected: judged(lifecycle, verification, required, assessment),
            })),
          ),
        ),
      );
      const text = judgmentOf({
        lifecycle: 'cell.lifecycle',
        verification: 'cell.verification',
        required: 'cell.required',
        assessment: 'cell.assessment',
      });
      const { rows } = await graph.query(
        `UNWIND $cells AS cell WITH cell, ${text} AS judgment
         RETURN cell.lifecycle AS lifecycle, cell.verification AS verification, cell.required AS required, cell.assessment AS assessment,
           cell.expected AS expected, judgment`,
        { cells },
        LIMITS,
      );
      expect(rows).toHaveLength(cells.length);
      expect(rows.filter((row) => row['judgment'] !== row['expected'])).toEqual([]);
    });
  });
}
