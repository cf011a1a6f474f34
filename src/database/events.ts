// OS events: registered by a running agent or received from outside, and reading all of them.
import type { Session } from './connection.ts';
import type { BatchItem, Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, text } from './statement.ts';

export function registerEvent(session: Session, event: unknown): Promise<Recorded> {
  return session.call('register_event', jsonb(event));
}

/** At most 100 items; answers in the order sent. */
export function registerEvents(session: Session, events: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('register_events', jsonb(events));
}

/** One event, or null. */
export function getEvent(session: Session, eventId: string): Promise<LedgerRecord | null> {
  return session.call('get_event', text(eventId));
}

export function listEvents(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_events', jsonb(filter));
}
