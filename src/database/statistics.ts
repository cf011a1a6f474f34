// Statistics over what was concluded.
import type { Session } from './connection.ts';
import type { Filter, LedgerRecord } from './recorded.ts';
import { jsonb } from './statement.ts';

/** Concluded phases by agent, version and domain; a rate over nothing is null. */
export function failureRates(session: Session, filter: Filter): Promise<{ items: LedgerRecord[] }> {
  return session.call('failure_rates', jsonb(filter));
}
