import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveJudgment, judgmentTable, verificationRequired, withDelivery } from './index.ts';
import { LIFECYCLES, VERIFICATIONS } from './words.ts';

// Written by hand from task-success-contract-tables.md: outcome, reason, tag, gate, success, base, score.
const VERIFIED = ['verified', null, null, 'proceed', true, true, true];
const DELIVERED = ['delivered', null, null, 'proceed', true, true, true];
const BROKEN = ['broken', null, 'VFAIL', 'refuse_override', false, true, true];
const TIMED_OUT = ['unverified', 'timed_out', 'VTIMEOUT', 'warn', false, true, false];
const INFRASTRUCTURE = ['unverified', 'infrastructure', 'VINFRA', 'warn', false, true, false];
const NO_RESULT = ['unverified', 'no_result', 'VNORESULT', 'warn', false, true, false];
const FAILED = ['failed', null, null, 'refuse', false, true, true];
const STOPPED = ['stopped', null, null, 'refuse', false, true, false];
const SKIPPED = ['skipped', null, null, 'refuse', false, true, false];
const IN_PROGRESS = ['in_progress', null, null, 'refuse', false, false, false];

// Columns: passed, failed, timed_out, infrastructure_failure, skipped, unobserved, pending.
const same = (row: unknown[]) => Array.from({ length: 7 }, () => row);
const GOLDEN: Record<string, Record<'required' | 'free', unknown[][]>> = {
  waiting: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  pending: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  running: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  awaiting_input: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  stalled: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  done: {
    required: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, NO_RESULT, NO_RESULT, NO_RESULT],
    free: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, DELIVERED, NO_RESULT, DELIVERED],
  },
  merged: {
    required: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, NO_RESULT, NO_RESULT, NO_RESULT],
    free: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, DELIVERED, NO_RESULT, DELIVERED],
  },
  failed: { required: same(FAILED), free: same(FAILED) },
  stopped: { required: same(STOPPED), free: same(STOPPED) },
  skipped: { required: same(SKIPPED), free: same(SKIPPED) },
};

describe('the derivation', () => {
  it('gives every cell what the table by hand says, and there are 140', () => {
    const cells = judgmentTable();
    expect(cells).toHaveLength(140);
    expect(Object.keys(GOLDEN)).toEqual([...LIFECYCLES]);
    for (const cell of cells) {
      const row =
        GOLDEN[cell.lifecycle]?.[cell.required ? 'required' : 'free'][VERIFICATIONS.indexOf(cell.verification)];
      const { outcome, reason, tag, gate, counts_as_success, in_success_base, in_agent_score } = cell;
      const found = [outcome, reason, tag, gate, counts_as_success, in_success_base, in_agent_score];
      expect(found, `${cell.lifecycle} ${cell.verification} ${cell.required}`).toEqual(row);
    }
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
