// The task success contract: one derived judgment, everywhere the same (task-success-contract.txt, design section 11).
export { deriveJudgment, verificationRequired, withDelivery } from './derive.ts';
export { type JudgmentCell, judgmentTable } from './table.ts';
