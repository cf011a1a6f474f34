// Requests to humans and their answers.
import type { Session } from './connection.ts';
import type { Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, text } from './statement.ts';

export function openHitlRequest(session: Session, request: unknown): Promise<Recorded> {
  return session.call('open_hitl_request', jsonb(request));
}

export function resolveHitlRequest(session: Session, resolution: unknown): Promise<Recorded> {
  return session.call('resolve_hitl_request', jsonb(resolution));
}

export function getHitlRequest(session: Session, id: string): Promise<LedgerRecord | null> {
  return session.call('get_hitl_request', text(id));
}

export function listHitlRequests(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_hitl_requests', jsonb(filter));
}
