/** The three axes (task-success-contract.txt section 3): did it end, what did verification say, may it count as a success. */

export const LIFECYCLES = [
  'waiting',
  'pending',
  'running',
  'awaiting_input',
  'stalled',
  'done',
  'merged',
  'failed',
  'stopped',
  'skipped',
] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

/** `skipped`: no result was recorded; `pending`: one is expected and has not arrived; `unobserved`: nobody watched it end. */
export const VERIFICATIONS = [
  'passed',
  'failed',
  'timed_out',
  'infrastructure_failure',
  'skipped',
  'unobserved',
  'pending',
] as const;
export type Verification = (typeof VERIFICATIONS)[number];

/** Derived, never stored; the only thing that may be asked "did this succeed". */
export const JUDGMENTS = [
  'verified',
  'delivered',
  'unverified',
  'broken',
  'failed',
  'stopped',
  'skipped',
  'in_progress',
] as const;
export type JudgmentWord = (typeof JUDGMENTS)[number];

/** Why verification could not answer. */
export const UNVERIFIED_REASONS = ['timed_out', 'infrastructure', 'no_result'] as const;
export type UnverifiedReason = (typeof UNVERIFIED_REASONS)[number];
