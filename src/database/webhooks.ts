// Webhooks: where a tenant's own events go. For operators.
import type { Session } from './connection.ts';
import type { Filter, LedgerRecord, Page, Recorded } from './recorded.ts';
import { jsonb, text, uuid } from './statement.ts';

/** `minted` is the secret of a webhook whose document has none; the record of a new one carries the secret, once. */
export function registerWebhook(session: Session, webhook: unknown, minted: string): Promise<Recorded> {
  return session.call('register_webhook', jsonb(webhook), text(minted));
}

export function rotateWebhook(session: Session, id: string, rotation: unknown, minted: string): Promise<Recorded> {
  return session.call('rotate_webhook', uuid(id), jsonb(rotation), text(minted));
}

export function enableWebhook(session: Session, id: string): Promise<LedgerRecord> {
  return session.call('enable_webhook', uuid(id));
}

export function disableWebhook(session: Session, id: string): Promise<LedgerRecord> {
  return session.call('disable_webhook', uuid(id));
}

/** One webhook without its secrets, or null. */
export function getWebhook(session: Session, id: string): Promise<LedgerRecord | null> {
  return session.call('get_webhook', uuid(id));
}

export function listWebhooks(session: Session, filter: Filter): Promise<Page> {
  return session.call('list_webhooks', jsonb(filter));
}

export function listWebhookDeadLetters(session: Session, id: string, filter: Filter): Promise<Page> {
  return session.call('list_webhook_dead_letters', uuid(id), jsonb(filter));
}

/** Puts dead letters back: `{event_id}` or `{all: true}`. */
export function redeliverWebhook(session: Session, id: string, redelivery: unknown): Promise<LedgerRecord> {
  return session.call('redeliver_webhook', uuid(id), jsonb(redelivery));
}
