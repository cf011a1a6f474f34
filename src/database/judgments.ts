// Evidence about outcomes, the gate, and the judgments that follow.
import type { Session } from './connection.ts';
import type { Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, uuid } from './statement.ts';

export function recordVerification(session: Session, verification: unknown): Promise<Recorded> {
  return session.call('record_verification', jsonb(verification));
}

export function assessDelivery(session: Session, assessment: unknown): Promise<Recorded> {
  return session.call('assess_delivery', jsonb(assessment));
}

export function recordIntegration(session: Session, integration: unknown): Promise<Recorded> {
  return session.call('record_integration', jsonb(integration));
}

export function recordLifecycle(session: Session, event: unknown): Promise<Recorded> {
  return session.call('record_lifecycle', jsonb(event));
}

/** Refused `gate_refused` unless all pass. */
export function passGate(session: Session, request: unknown): Promise<{ items: LedgerRecord[] }> {
  return session.call('pass_gate', jsonb(request));
}

export function getJudgment(session: Session, id: string): Promise<LedgerRecord | null> {
  return session.call('get_judgment', uuid(id));
}

export function listJudgments(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_judgments', jsonb(filter));
}
