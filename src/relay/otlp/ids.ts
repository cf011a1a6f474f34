import { createHash } from 'node:crypto';
import type { SpanOrigin } from '../ledger.ts';

/** What of a span others refer to. Hexadecimal, as in `traceparent`. */
export interface SpanPlace {
  traceId: string;
  spanId: string;
}

/** The place of a subject's span: the same whoever computes it and whenever, so that effects find their causes. */
export function placeOf(tenantId: string, { subject_id, correlation_id, traceparent }: SpanOrigin): SpanPlace {
  return {
    traceId: parsedTraceparent(traceparent)?.traceId ?? digest(`trace:${tenantId}:${correlation_id}`, 16),
    spanId: digest(`span:${tenantId}:${subject_id}`, 8),
  };
}

/** The span that a `traceparent` names. */
export function parsedTraceparent(traceparent: string | null): SpanPlace | null {
  const [, traceId, spanId] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(traceparent ?? '') ?? [];
  return traceId !== undefined && spanId !== undefined ? { traceId, spanId } : null;
}

function digest(text: string, bytes: number): string {
  return createHash('sha256')
    .update(`outcome-ledger:${text}`)
    .digest('hex')
    .slice(0, 2 * bytes);
}
