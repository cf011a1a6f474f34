import { ERRORS, isErrorCode } from '../../src/contract/errors.ts';
import { LedgerRefused } from './ledger.ts';

/**
 * The session with the ledger is gone, or the ledger cannot answer now: nothing is wrong with any row. Close what is left,
 * open another session and go on from the graph's position.
 */
export class LedgerUnreachable extends Error {
  /** An SQLSTATE or the driver's word, e.g. `57P01`, `ECONNREFUSED`, `CONNECTION_CLOSED`. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(`${message} (${code})`, options);
    this.name = 'LedgerUnreachable';
    this.code = code;
  }
}

interface ServerError {
  code?: unknown;
  message?: unknown;
  detail?: unknown;
  hint?: unknown;
}

const codeOf = (error: unknown): string => {
  const code = (error as ServerError | null)?.code;
  return typeof code === 'string' ? code : 'unknown';
};

/** What an error of the driver or the server means: a refusal with its remedy, or a passing fault. A fault stays itself. */
export function faultOf(error: unknown): LedgerRefused | LedgerUnreachable {
  if (error instanceof LedgerRefused || error instanceof LedgerUnreachable) return error;
  const code = codeOf(error);
  if (/^PT\d{3}$/.test(code)) return refusalOf(error as ServerError);
  const known = KNOWN.find(([pattern]) => pattern.test(code));
  if (known) return new LedgerRefused(known[1], `${known[2]} (${code})`, known[3], { cause: error });
  return new LedgerUnreachable(code, wordsFor(code), { cause: error });
}

// A database that lacks what this software asks for has another schema, or none.
const KNOWN: readonly (readonly [pattern: RegExp, code: string, message: string, remedy: string])[] = [
  [/^(42883|42P01|42703|3F000)$/, 'schema_outdated', ERRORS.schema_outdated.detail, ERRORS.schema_outdated.remedy],
  [
    /^42501$/,
    'not_permitted',
    'this login may not read the feed or keep the quarantine',
    'Connect as ledger_sync: `outcome-ledger roles password ledger_sync` gives it a password.',
  ],
  [
    /^28/,
    'not_permitted',
    'the database does not let this login in',
    'Check user and password of the connection string: `outcome-ledger roles password ledger_sync` gives the login a new one.',
  ],
  [
    /^3D000$/,
    'database_unavailable',
    'the server has no database of this name',
    'Check the last part of the connection string.',
  ],
];

function wordsFor(code: string): string {
  if (/^(CONNECT|E[A-Z]|57P0[123]|08|25P0)/.test(code))
    return 'the ledger’s database cannot be reached, or the session was ended';
  if (/^(53|55|57|40)/.test(code)) return 'the ledger’s database cannot answer now';
  return 'the ledger’s database answered with an error';
}

/** What the SQL side raises: message = code, detail = JSON text, hint = remedy. */
function refusalOf(error: ServerError): LedgerRefused {
  const code = String(error.message);
  const known = isErrorCode(code) ? ERRORS[code] : ERRORS.internal_error;
  const said = typeof error.detail === 'string' ? detailIn(error.detail) : undefined;
  const remedy = typeof error.hint === 'string' && error.hint !== '' ? error.hint : known.remedy;
  return new LedgerRefused(code, said ?? known.detail, remedy, { cause: error });
}

function detailIn(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}
