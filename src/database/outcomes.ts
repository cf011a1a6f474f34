// Outcomes: recording the terminal envelope of an invocation or execution, and reading it.
import type { Session } from './connection.ts';
import type { BatchItem, Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, uuid } from './statement.ts';

/** Which registered schemas the caller has checked the envelope with: SHA-256, in hex, of each. */
export interface CheckedSchemas {
  result?: string;
  confidence?: string;
}

/** One item of `recordOutcomes`: exactly one of `invocation_id` and `execution_id`. */
export interface OutcomeItem {
  invocation_id?: string;
  execution_id?: string;
  outcome: unknown;
  checked_schemas?: CheckedSchemas | null;
}

export function recordAgentOutcome(
  session: Session,
  invocationId: string,
  outcome: unknown,
  checked: CheckedSchemas | null = null,
): Promise<Recorded> {
  return session.call('record_agent_outcome', uuid(invocationId), jsonb(outcome), jsonb(checked));
}

export function recordWorkflowOutcome(
  session: Session,
  executionId: string,
  outcome: unknown,
  checked: CheckedSchemas | null = null,
): Promise<Recorded> {
  return session.call('record_workflow_outcome', uuid(executionId), jsonb(outcome), jsonb(checked));
}

/** At most 100 items; answers in the order sent. */
export function recordOutcomes(session: Session, items: readonly OutcomeItem[]): Promise<BatchItem[]> {
  return session.call('record_outcomes', jsonb(items));
}

/** One outcome with its late rivals, or null. */
export function getOutcome(session: Session, outcomeId: string): Promise<LedgerRecord | null> {
  return session.call('get_outcome', uuid(outcomeId));
}

export function listOutcomes(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_outcomes', jsonb(filter));
}
