// Invocations: starts, tool calls, heartbeats and their reads.
import type { Session } from './connection.ts';
import type { BatchItem, Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, uuid } from './statement.ts';

/** `heartbeat_at` and `deadline_at` are RFC 3339 on the database's clock. */
export interface Heartbeat {
  invocation_id: string;
  heartbeat_at: string;
  deadline_at: string;
}

export function startInvocation(session: Session, invocation: unknown): Promise<Recorded> {
  return session.call('start_invocation', jsonb(invocation));
}

/** At most 100 items; answers in the order sent. */
export function startInvocations(session: Session, invocations: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('start_invocations', jsonb(invocations));
}

export function recordToolCall(session: Session, toolCall: unknown): Promise<Recorded> {
  return session.call('record_tool_call', jsonb(toolCall));
}

/** At most 100 items; answers in the order sent. */
export function recordToolCalls(session: Session, toolCalls: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('record_tool_calls', jsonb(toolCalls));
}

export function heartbeat(session: Session, invocationId: string): Promise<Heartbeat> {
  return session.call('heartbeat', uuid(invocationId));
}

/** One invocation with its tool calls and outcome, or null. */
export function getInvocation(session: Session, invocationId: string): Promise<LedgerRecord | null> {
  return session.call('get_invocation', uuid(invocationId));
}

export function listInvocations(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_invocations', jsonb(filter));
}
