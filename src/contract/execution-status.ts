import type { OutcomeStatus } from './statuses.ts';

/** `GET /executions/{id}.status` (design section 1). */
export const EXECUTION_STATUSES = ['running', 'completed', 'failed', 'cancelled', 'interrupted'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** The word an execution's outcome gives it; without an outcome it is running. */
export const EXECUTION_STATUS_OF: Readonly<Record<OutcomeStatus, ExecutionStatus>> = {
  success: 'completed',
  partial: 'completed',
  failure: 'failed',
  timeout: 'failed',
  blocked: 'cancelled',
  skipped: 'cancelled',
  escalated: 'interrupted',
};

/** A completion reason that says more than the outcome's status, unless the execution completed. */
export const EXECUTION_STATUS_OF_REASON = { canceled: 'cancelled', interrupted: 'interrupted' } as const;
