// Policy decisions: the guard's binding word about an invocation or execution.
import type { Session } from './connection.ts';
import type { BatchItem, Recorded } from './recorded.ts';
import { jsonb } from './statement.ts';

export function recordPolicyDecision(session: Session, decision: unknown): Promise<Recorded> {
  return session.call('record_policy_decision', jsonb(decision));
}

/** At most 100 items; answers in the order sent. */
export function recordPolicyDecisions(session: Session, decisions: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('record_policy_decisions', jsonb(decisions));
}
