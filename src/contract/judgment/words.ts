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

/** What evidence may say; `pending` is what the lack of it reads as. */
export const RECORDED_VERIFICATIONS = [
  'passed',
  'failed',
  'timed_out',
  'infrastructure_failure',
  'skipped',
  'unobserved',
] as const satisfies readonly Verification[];
export type RecordedVerification = (typeof RECORDED_VERIFICATIONS)[number];

/** What answers the question; the other words say that nobody could, or that nobody asked. */
export const ANSWERS: readonly RecordedVerification[] = ['passed', 'failed'];

/** What a run delivered: `hollow` is no output on any channel and no change, `missing_deliverable` lacks its final one. */
export const DELIVERY_ASSESSMENTS = ['delivered', 'hollow', 'missing_deliverable'] as const;
export type DeliveryAssessment = (typeof DELIVERY_ASSESSMENTS)[number];

/** Assessments that turn a success into a failure. */
export const NOT_DELIVERED: readonly DeliveryAssessment[] = ['hollow', 'missing_deliverable'];

/** Words that a run may be given while it is open; the others follow from what the ledger holds. */
export const LIFECYCLE_EVENTS = ['waiting', 'pending', 'running'] as const satisfies readonly Lifecycle[];

/** How a gate is passed that does not open by itself; each needs a reason and is recorded. */
export const GATE_FLAGS = ['allow_unverified', 'override_broken'] as const;
export type GateFlag = (typeof GATE_FLAGS)[number];
