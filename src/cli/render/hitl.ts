import type { HitlRequestRecord } from '../../client/documents.ts';
import type { Colour } from './colour.ts';
import { renderFields, renderTable } from './table.ts';
import { showTime } from './time.ts';

/** Requests as a table, or one line that says there are none. */
export function renderHitlRequests(items: readonly HitlRequestRecord[], state: string, colour: Colour): string {
  if (items.length === 0) return colour.dim(state === 'all' ? 'no requests' : `no ${state} requests`);
  return renderTable(
    items,
    [
      { title: 'request', value: (one) => one.hitl_request_id },
      { title: 'state', value: (one) => one.state, paint: (text, one) => paintOf(one, colour)(text) },
      { title: 'age', value: (one) => ageOf(one.age_s), align: 'right' },
      { title: 'expires', value: (one) => showTime(one.expires_at) },
      { title: 'source', value: (one) => one.source_id },
      { title: 'reason', value: (one) => one.reason },
    ],
    colour,
  );
}

export function renderHitlRequest(one: HitlRequestRecord, colour: Colour): string {
  return renderFields(
    [
      ['request', one.hitl_request_id],
      ['state', one.state],
      ['reason', one.reason],
      [one.subject_type, one.invocation_id ?? one.execution_id],
      ['source', one.source_id],
      ['correlation', one.correlation_id],
      ['opened from', one.opened_from],
      ['requested by', one.requested_by],
      ['requested at', one.requested_at],
      ['expires at', one.expires_at],
      ['decision', one.decision_id],
      ['outcome', one.outcome_id],
      ['answered by', one.resolution?.resolved_by],
      ['answered at', one.resolution?.resolved_at],
      ['answer', one.resolution?.reason],
      ['gateway outcome', one.resolution?.gateway_outcome_id],
    ],
    colour,
  );
}

function paintOf(one: HitlRequestRecord, colour: Colour): (text: string) => string {
  return { open: colour.warn, approved: colour.good, rejected: colour.bad, expired: colour.bad, closed: colour.dim }[
    one.state
  ];
}

/** In the largest unit that is at least one: seconds, minutes, hours, days. */
export function ageOf(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
  ];
  const fit = units.find(([size]) => seconds >= size);
  return fit ? `${Math.floor(seconds / fit[0])}${fit[1]}` : `${seconds}s`;
}
