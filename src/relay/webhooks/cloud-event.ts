import type { OsEvent } from '../ledger.ts';

export const CLOUD_EVENT_TYPE = 'application/cloudevents+json; charset=utf-8';

/** A CloudEvent 1.0 in its structured JSON form; the last two are extension attributes. */
export interface CloudEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject?: string;
  time: string;
  datacontenttype: 'application/json';
  data: Record<string, unknown>;
  correlationid?: string;
  causationid?: string;
}

/** @param ledger a URI reference that names this ledger, without a slash at its end */
export function cloudEventOf(id: string, event: OsEvent, tenantId: string, ledger: string): CloudEvent {
  const data = event.data ?? {};
  const subject = event.outcome_id ?? data['hitl_request_id'];
  return {
    specversion: '1.0',
    id,
    source: `${ledger}/tenants/${tenantId}/sources/${encodeURIComponent(event.source)}`,
    type: event.type,
    ...(typeof subject === 'string' ? { subject } : {}),
    time: event.occurred_at,
    datacontenttype: 'application/json',
    data,
    ...(event.correlation_id === null ? {} : { correlationid: event.correlation_id }),
    ...(event.causation_id === null ? {} : { causationid: event.causation_id }),
  };
}
