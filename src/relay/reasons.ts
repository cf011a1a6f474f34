import { HELD_TOO_LONG_S } from '../contract/limits.ts';
import type { FeedHolder } from '../database/index.ts';
import { verdictOnLedger } from '../worker/ledger-fault.ts';
import type { RelayReason } from './types.ts';

/** What a fault of the ledger means for the relay. */
export function verdictForRelay(error: unknown): ReturnType<typeof verdictOnLedger> {
  return verdictOnLedger(error, 'ledger_relay');
}

export function heldTooLong(holders: readonly FeedHolder[]): RelayReason | null {
  const [oldest] = holders.filter((holder) => holder.age_s > HELD_TOO_LONG_S).sort((a, b) => b.age_s - a.age_s);
  if (!oldest) return null;
  return {
    code: 'feed_held_back',
    message: `a transaction of ${oldest.user} in database ${oldest.database} (pid ${oldest.pid ?? 'prepared'}) has been open for ${oldest.age_s} s and holds events back`,
    remedy: 'End it; `select * from public.ledger_health()` names it.',
  };
}
