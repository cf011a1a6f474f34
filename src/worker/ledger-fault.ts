import { toRefusal } from '../database/index.ts';

/** Why a worker waits or is refused. */
export interface WorkerReason {
  /** Stable: a code of docs/errors.md. */
  code: string;
  message: string;
  /** What to do; null when it passes by itself. */
  remedy: string | null;
}

/** What needs somebody's hand, and is looked at again slowly. */
const REFUSED = new Set(['schema_outdated', 'epoch_unsettled', 'not_permitted', 'internal_error', 'request_invalid']);

/** What a fault of the ledger means for the worker that logs in as `login`. */
export function verdictOnLedger(error: unknown, login: string): { state: 'waiting' | 'refused'; reason: WorkerReason } {
  const { code, detail, hint } = toRefusal(error);
  const cause = causeOf(error);
  const message = cause === '' || code === cause ? detail : `${detail} (${cause})`;
  if (!REFUSED.has(code)) return { state: 'waiting', reason: { code, message, remedy: null } };
  const remedy =
    code === 'not_permitted'
      ? `Connect as ${login}: \`outcome-ledger roles password ${login}\` gives the login a password.`
      : hint;
  return { state: 'refused', reason: { code, message, remedy } };
}

/** The driver's or the server's own code; never its words, which may hold a connection string. */
function causeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !/^PT\d{3}$/.test(code) ? code : '';
}
