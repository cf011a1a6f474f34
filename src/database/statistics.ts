// Statistics over what was concluded.
import type { Session } from './connection.ts';
import type { Filter, LedgerRecord } from './recorded.ts';
import { jsonb } from './statement.ts';

/** How outcomes are judged, by source, version and domain. */
export function judgmentStatistics(session: Session, filter: Filter): Promise<{ items: LedgerRecord[] }> {
  return session.call('judgment_statistics', jsonb(filter));
}

/** Concluded phases by agent, version and domain; a rate over nothing is null. */
export function failureRates(session: Session, filter: Filter): Promise<{ items: LedgerRecord[] }> {
  return session.call('failure_rates', jsonb(filter));
}
