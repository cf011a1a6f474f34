import type { JudgmentWord, Lifecycle, RecordedVerification, UnverifiedReason, Verification } from './words.ts';
import { ANSWERS, LIFECYCLES, NOT_DELIVERED, VERIFICATIONS } from './words.ts';

/** What may be said of an outcome. */
export interface Judgment {
  outcome: JudgmentWord;
  /** Of `unverified` alone. */
  reason: UnverifiedReason | null;
}

const plain = (outcome: JudgmentWord): Judgment => ({ outcome, reason: null });
const unverified = (reason: UnverifiedReason): Judgment => ({ outcome: 'unverified', reason });

/** Lifecycles that are judged by themselves; null: verification decides. A new word does not compile until it is decided. */
export const BY_LIFECYCLE: Readonly<Record<Lifecycle, JudgmentWord | null>> = {
  waiting: 'in_progress',
  pending: 'in_progress',
  running: 'in_progress',
  awaiting_input: 'in_progress',
  stalled: 'in_progress',
  done: null,
  merged: null,
  failed: 'failed',
  stopped: 'stopped',
  skipped: 'skipped',
};

/** What verification makes of what was delivered, where it was required and where not. */
export const BY_VERIFICATION: Readonly<Record<Verification, Readonly<Record<'required' | 'free', Judgment>>>> = {
  passed: { required: plain('verified'), free: plain('verified') },
  failed: { required: plain('broken'), free: plain('broken') },
  timed_out: { required: unverified('timed_out'), free: unverified('timed_out') },
  infrastructure_failure: { required: unverified('infrastructure'), free: unverified('infrastructure') },
  unobserved: { required: unverified('no_result'), free: unverified('no_result') },
  skipped: { required: unverified('no_result'), free: plain('delivered') },
  pending: { required: unverified('no_result'), free: plain('delivered') },
};

/** An unknown word on either axis: never a success, and it says so. */
export const UNKNOWN: Judgment = unverified('no_result');

const isLifecycle = (word: string): word is Lifecycle => (LIFECYCLES as readonly string[]).includes(word);
const isVerification = (word: string): word is Verification => (VERIFICATIONS as readonly string[]).includes(word);

/** Total: every word on either axis, known or not, gives a judgment (task-success-contract-tables.md). */
export function deriveJudgment(lifecycle: string, verification: string, required: boolean): Judgment {
  if (!isLifecycle(lifecycle)) return UNKNOWN;
  const judged = BY_LIFECYCLE[lifecycle];
  if (judged !== null) return plain(judged);
  return isVerification(verification) ? BY_VERIFICATION[verification][required ? 'required' : 'free'] : UNKNOWN;
}

/**
 * What verification says after one more of them. A no stands until another verification answers: who could not tell, or was
 * stopped, takes nothing back.
 */
export function standingVerification(
  before: RecordedVerification | null,
  next: RecordedVerification,
): RecordedVerification {
  return before === 'failed' && !ANSWERS.includes(next) ? before : next;
}

/** A delivery that is none turns what counts as a success into a failure; broken and unverified stay. */
export function withDelivery(judgment: Judgment, assessment: string | null): Judgment {
  return (NOT_DELIVERED as readonly (string | null)[]).includes(assessment) && COUNTS_AS_SUCCESS[judgment.outcome]
    ? plain('failed')
    : judgment;
}

/** The allowlist. */
export const COUNTS_AS_SUCCESS: Readonly<Record<JudgmentWord, boolean>> = {
  verified: true,
  delivered: true,
  unverified: false,
  broken: false,
  failed: false,
  stopped: false,
  skipped: false,
  in_progress: false,
};

// White space as ASCII knows it: a no-break space is no padding.
const PADDING = /^[\t-\r ]+|[\t-\r ]+$/g;
export const NOT_REQUIRED = ['', 'none', 'false', 'skip'];

/** Whether a `verify` asks for a verification; `auto` does. */
export function verificationRequired(verify: string | null | undefined): boolean {
  return !NOT_REQUIRED.includes((verify ?? '').replace(PADDING, ''));
}
