import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GOLDEN_CELLS } from '../../../test/support/judgment-golden.ts';
import { deriveJudgment, judgmentTable, verificationRequired, withDelivery } from './index.ts';
import { LIFECYCLES, VERIFICATIONS } from './words.ts';

describe('the derivation', () => {
  it('gives every cell what the table by hand says, and there are 140', () => {
    const cells = judgmentTable().map(({ lifecycle, verification, required, ...cell }) => {
      const { outcome, reason, tag, gate, counts_as_success, in_success_base, in_agent_score } = cell;
      const row = [outcome, reason, tag, gate, counts_as_success, in_success_base, in_agent_score];
      return { lifecycle, verification, required, row };
    });
    expect(cells).toHaveLength(140);
    expect(cells).toEqual(GOLDEN_CELLS);
  });

  it('makes no unknown word on either axis a success', () => {
    const word = fc.oneof(fc.string(), fc.constantFrom(...LIFECYCLES, ...VERIFICATIONS, '__proto__', 'constructor'));
    fc.assert(
      fc.property(word, word, fc.boolean(), (lifecycle, verification, required) => {
        const { outcome } = deriveJudgment(lifecycle, verification, required);
        const known =
          (LIFECYCLES as readonly string[]).includes(lifecycle) &&
          (VERIFICATIONS as readonly string[]).includes(verification);
        expect(known || !['verified', 'delivered'].includes(outcome)).toBe(true);
      }),
      { seed: 20261201 },
    );
  });
});

describe('a delivery that is none', () => {
  it('turns a success into a failure and leaves everything else', () => {
    for (const { outcome, reason, counts_as_success } of judgmentTable()) {
      for (const assessment of ['hollow', 'missing_deliverable']) {
        const judged = withDelivery({ outcome, reason }, assessment);
        expect(judged).toEqual(counts_as_success ? { outcome: 'failed', reason: null } : { outcome, reason });
      }
      for (const assessment of [null, 'delivered', 'odd']) {
        expect(withDelivery({ outcome, reason }, assessment)).toEqual({ outcome, reason });
      }
    }
  });
});

it.each([
  [null, false],
  [undefined, false],
  ['', false],
  [' \t\r\n', false],
  ['none', false],
  [' none ', false],
  ['false', false],
  ['skip', false],
  ['None', true],
  ['FALSE', true],
  ['\u00a0', true],
  ['skip it', true],
  ['auto', true],
  ['npm test', true],
])('verify %j requires a verification: %s', (verify, required) => {
  expect(verificationRequired(verify)).toBe(required);
});
