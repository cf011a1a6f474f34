// The task success contract: one derived judgment, everywhere the same (task-success-contract.txt, design section 11).

export { deriveJudgment, standingVerification, verificationRequired, withDelivery } from './derive.ts';
export { lifecycleOfOpen, lifecycleOfOutcome } from './lifecycle.ts';
export { verificationOf } from './process-evidence.ts';
export { type JudgmentCell, judgmentTable } from './table.ts';
export {
  DELIVERY_ASSESSMENTS,
  JUDGMENTS,
  type JudgmentWord,
  LIFECYCLES,
  type Lifecycle,
  VERIFICATIONS,
  type Verification,
} from './words.ts';
