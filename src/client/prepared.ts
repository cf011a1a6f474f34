import { misuse } from './errors.ts';
import { newId } from './identity.ts';
import { type Json, toPlainJson } from './plain-json.ts';

/** A plain copy of a document that will be sent, or a `not_storable` error naming what JSON would lose. */
export function prepared<T>(document: T, what: string): T {
  const plain = toPlainJson(document);
  if (!plain.ok)
    throw misuse(
      `${what} cannot be stored: ${plain.violations[0]?.message} (at ${plain.violations[0]?.path})`,
      plain.violations,
    );
  return plain.value as Json & T;
}

/**
 * A start with its own id, and with an id for the event of its trigger: without them a retry after a lost reply would
 * be a second start and a second event. The event's id follows from the start's, so that the same start sent by another
 * process is still the same.
 */
export function preparedStart<T extends { trigger?: { event_id?: string | null } | null }>(
  start: T,
  idMember: 'invocation_id' | 'execution_id',
): T {
  const document = prepared(start, 'the start') as T & { [member: string]: unknown };
  const id = document[idMember] ?? newId();
  const { trigger } = document;
  return {
    ...document,
    [idMember]: id,
    ...(trigger ? { trigger: { ...trigger, event_id: trigger.event_id ?? `trigger:${id}` } } : {}),
  };
}
