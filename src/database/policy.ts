// Policy decisions: the guard's binding word about an invocation or execution.
import type { Session } from './connection.ts';
import type { BatchItem, Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, text } from './statement.ts';

export function recordPolicyDecision(session: Session, decision: unknown): Promise<Recorded> {
  return session.call('record_policy_decision', jsonb(decision));
}

/** At most 100 items; answers in the order sent. */
export function recordPolicyDecisions(session: Session, decisions: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('record_policy_decisions', jsonb(decisions));
}

/** Stores one version of the tenant's policies; `checkedHash` is the hash of the very set that was validated. */
export function putPolicySet(session: Session, set: unknown, checkedHash: string): Promise<Recorded> {
  return session.call('put_policy_set', jsonb(set), text(checkedHash));
}

/** A version, or without one the set in force; null when there is none. */
export function getPolicySet(session: Session, version: string | null): Promise<LedgerRecord | null> {
  return session.call('get_policy_set', text(version));
}

export function listPolicySets(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_policy_sets', jsonb(filter));
}

/** Who is decided about, by {invocation_id | execution_id}. */
export interface PolicySubject {
  subject_type: 'invocation' | 'execution';
  subject_id: string;
  source: { type: 'agent' | 'workflow'; id: string; version: string; domain: string };
  governance_class: string;
  /** The decision that stands, if any. */
  decision: LedgerRecord | null;
  /** The policy set in force, if any. */
  policy_set: { version: string; content_hash: string; mask: string[] } | null;
}

export function policySubject(session: Session, subject: unknown): Promise<PolicySubject> {
  return session.call('policy_subject', jsonb(subject));
}

/** A decision of the ledger's own guard, with the guard's invocation and outcome, in one transaction. */
export function recordEvaluation(session: Session, decision: unknown, guard: unknown): Promise<Recorded> {
  return session.call('record_evaluation', jsonb(decision), jsonb(guard));
}
