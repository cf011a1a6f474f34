// Workflow executions: starts and their reads.
import type { Session } from './connection.ts';
import type { BatchItem, Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, uuid } from './statement.ts';

export function startExecution(session: Session, execution: unknown): Promise<Recorded> {
  return session.call('start_execution', jsonb(execution));
}

/** At most 100 items; answers in the order sent. */
export function startExecutions(session: Session, executions: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('start_executions', jsonb(executions));
}

/** One execution with its status and outcome, or null. */
export function getExecution(session: Session, executionId: string): Promise<LedgerRecord | null> {
  return session.call('get_execution', uuid(executionId));
}

export function listExecutions(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_executions', jsonb(filter));
}
