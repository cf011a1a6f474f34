import type { Ended } from '../ledger.ts';
import { attributesOf, isError, spanName } from './attributes.ts';
import { parsedTraceparent, placeOf, type SpanPlace } from './ids.ts';

/** A span in the JSON form of OTLP. Times are nanoseconds since 1970, in digits. */
export interface Span extends SpanPlace {
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  links?: SpanPlace[];
  status: { code?: number; message?: string };
}
export interface KeyValue {
  key: string;
  value: { stringValue: string };
}

const SPAN_KIND_INTERNAL = 1;
const STATUS_CODE_ERROR = 2;

/**
 * The span of an invocation or execution. Its parent is what its `traceparent` names; else the span of its cause, or of the
 * execution around it, in the same trace. A cause in another trace is linked.
 */
export function spanOf(ended: Ended): Span {
  const own = placeOf(ended.tenant_id, ended);
  const named = parsedTraceparent(ended.traceparent);
  const cause = originOf(ended, ended.cause);
  const around = originOf(ended, ended.around);
  const parent = named ?? [cause, around].find((place) => place?.traceId === own.traceId);
  const link = cause && cause.spanId !== parent?.spanId ? cause : null;
  return {
    ...own,
    ...(parent ? { parentSpanId: parent.spanId } : {}),
    name: spanName(ended),
    kind: SPAN_KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(ended.started_at),
    endTimeUnixNano: nanoseconds(ended.completed_at),
    attributes: keyValues(attributesOf(ended)),
    ...(link ? { links: [link] } : {}),
    status: isError(ended) ? { code: STATUS_CODE_ERROR, message: ended.error_code ?? ended.status } : {},
  };
}

export function keyValues(attributes: Record<string, string>): KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } }));
}

function originOf({ tenant_id, subject_id }: Ended, origin: Ended['cause']): SpanPlace | null {
  return origin === null || origin.subject_id === subject_id ? null : placeOf(tenant_id, origin);
}

/** Of an RFC 3339 time in UTC with up to nine decimals, all of which count. */
function nanoseconds(time: string): string {
  const fraction = /\.(\d{1,9})/.exec(time)?.[1] ?? '';
  const seconds = Math.floor(Date.parse(time.replace(/\.\d+/, '')) / 1000);
  return `${seconds}${fraction.padEnd(9, '0')}`.replace(/^0+(?=\d)/, '');
}
