import type { OutcomeStatus } from '../statuses.ts';
import type { Lifecycle } from './words.ts';

/** One row of the first half of design section 11: the lifecycle of a subject that has its outcome. */
export interface OutcomeLifecycle {
  readonly statuses?: readonly OutcomeStatus[];
  readonly completion_reasons?: readonly string[];
  /** Something the ledger holds beside the outcome. */
  readonly also?: 'integrated' | 'open_request';
  readonly lifecycle: Lifecycle;
}

/** The first row that holds decides; a status that no row names has no lifecycle, and what has none is never a success. */
export const OUTCOME_LIFECYCLES: readonly OutcomeLifecycle[] = [
  { statuses: ['success', 'partial'], also: 'integrated', lifecycle: 'merged' },
  { statuses: ['success', 'partial'], lifecycle: 'done' },
  { completion_reasons: ['canceled', 'interrupted'], lifecycle: 'stopped' },
  { statuses: ['failure', 'timeout'], lifecycle: 'failed' },
  { statuses: ['blocked', 'skipped'], lifecycle: 'skipped' },
  { statuses: ['escalated'], also: 'open_request', lifecycle: 'awaiting_input' },
  { statuses: ['escalated'], lifecycle: 'stopped' },
];

/** Statuses of what ran: about the others no evidence is taken. */
export const RAN_STATUSES: readonly OutcomeStatus[] = ['success', 'partial', 'failure', 'timeout', 'escalated'];

export interface OutcomeFacts {
  status: string;
  completion_reason: string | null;
  integrated: boolean;
  /** A human has been asked about it and may still answer. */
  open_request: boolean;
}

/** The lifecycle of a subject that has its outcome; null for a status that nobody knows. */
export function lifecycleOfOutcome(facts: OutcomeFacts): Lifecycle | null {
  const holds = ({ statuses, completion_reasons, also }: OutcomeLifecycle) =>
    (statuses === undefined || (statuses as readonly string[]).includes(facts.status)) &&
    (completion_reasons === undefined || completion_reasons.includes(facts.completion_reason ?? '')) &&
    (also === undefined || facts[also]);
  return OUTCOME_LIFECYCLES.find(holds)?.lifecycle ?? null;
}

export interface OpenFacts {
  open_request: boolean;
  heartbeat_lapsed: boolean;
  /** The latest word a `lifecycle_events` row gave it, or null. */
  event: Lifecycle | null;
}

/** The lifecycle of a subject that has no outcome yet (the second half of design section 11). */
export function lifecycleOfOpen({ open_request, heartbeat_lapsed, event }: OpenFacts): Lifecycle {
  if (open_request) return 'awaiting_input';
  return heartbeat_lapsed ? 'stalled' : (event ?? 'running');
}
