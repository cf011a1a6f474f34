import { type FeedHolder, toRefusal } from '../database/index.ts';
import type { RelayReason, RelayState } from './types.ts';

/** What needs somebody's hand, and is looked at again slowly. */
const REFUSED = new Set(['schema_outdated', 'epoch_unsettled', 'not_permitted', 'internal_error', 'request_invalid']);

/** What a fault of the ledger means for the relay. */
export function verdictOnLedger(error: unknown): { state: RelayState; reason: RelayReason } {
  const { code, detail, hint } = toRefusal(error);
  const cause = causeOf(error);
  const message = cause === '' || code === cause ? detail : `${detail} (${cause})`;
  if (!REFUSED.has(code)) return { state: 'waiting', reason: { code, message, remedy: null } };
  const remedy =
    code === 'not_permitted'
      ? 'Connect as ledger_relay: `outcome-ledger roles password ledger_relay` gives the login a password.'
      : hint;
  return { state: 'refused', reason: { code, message, remedy } };
}

/** The driver's or the server's own code; never its words, which may hold a connection string. */
function causeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !/^PT\d{3}$/.test(code) ? code : '';
}

/** From this age on a transaction that holds the feed back degrades the relay, as in `ledger_health()`. */
const HELD_TOO_LONG_S = 30;

export function heldTooLong(holders: readonly FeedHolder[]): RelayReason | null {
  const [oldest] = holders.filter((holder) => holder.age_s > HELD_TOO_LONG_S).sort((a, b) => b.age_s - a.age_s);
  if (!oldest) return null;
  return {
    code: 'feed_held_back',
    message: `a transaction of ${oldest.user} in database ${oldest.database} (pid ${oldest.pid ?? 'prepared'}) has been open for ${oldest.age_s} s and holds events back`,
    remedy: 'End it; `select * from public.ledger_health()` names it.',
  };
}
