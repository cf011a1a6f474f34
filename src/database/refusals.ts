// What a database error means for a caller. Database text never goes outward: either the ledger raised the refusal in
// its own words (SQLSTATE PTnnn), or the SQLSTATE alone decides.
import { ERRORS, type ErrorCode, isErrorCode, type Violation } from '../contract/index.ts';

/** What a refusal may carry besides its code. */
export interface RefusalParts {
  /** One sentence about this case; the table's sentence when absent. */
  detail?: string | undefined;
  violations?: Violation[] | undefined;
  /** Members a caller can act on, such as the winning `outcome_id`. */
  extra?: Record<string, unknown> | undefined;
  /** What to do about it; the table's remedy when absent. */
  hint?: string | undefined;
  /** Seconds after which trying again makes sense (503 only). */
  retryAfter?: number | undefined;
  /** Kept for the log, never sent. */
  cause?: unknown;
}

/** A refusal with a stable code of `docs/errors.md`; what every layer throws. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly violations: Violation[];
  readonly extra: Record<string, unknown>;
  readonly hint: string;
  readonly retryAfter: number | null;

  constructor(code: ErrorCode, parts: RefusalParts = {}) {
    const row = ERRORS[code];
    super(`${code}: ${parts.detail ?? row.detail}`, { cause: parts.cause });
    this.name = 'Refusal';
    this.code = code;
    this.status = row.status;
    this.detail = parts.detail ?? row.detail;
    this.violations = parts.violations ?? [];
    this.extra = parts.extra ?? {};
    this.hint = parts.hint ?? row.remedy;
    this.retryAfter = row.status === 503 ? (parts.retryAfter ?? 1) : null;
  }
}

/** The fields of a driver's error that are read here. */
interface DatabaseError {
  code?: unknown;
  message?: unknown;
  detail?: unknown;
  hint?: unknown;
}

/** The SQLSTATE or driver code of an error, or ''. */
export function codeOf(error: unknown): string {
  const code = (error as DatabaseError | null)?.code;
  return typeof code === 'string' ? code : '';
}

const SQLSTATES: readonly (readonly [pattern: RegExp, code: ErrorCode])[] = [
  [/^42501$/, 'not_permitted'],
  // A function or table the gateway knows is missing: another schema than this code was made for.
  [/^(42883|42P01|42703|3F000)$/, 'schema_outdated'],
  // A value the contract let through and the database cannot hold.
  [/^22/, 'request_invalid'],
  // Short of something, shutting down, starting up, read-only, cancelled by a timeout, not reachable, not let in.
  [/^(40...|53...|55P03|57...|08...|25006|25P0[1-4]|26000|0A000|28...|3D000)$/, 'database_unavailable'],
  [/^(CONNECTION_.*|CONNECT_TIMEOUT|EAI_AGAIN|E[A-Z]+)$/, 'database_unavailable'],
];

/** The refusal a thrown thing means; a refusal stays itself. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const state = codeOf(error);
  if (/^PT\d{3}$/.test(state)) return raised(error as DatabaseError);
  const known = SQLSTATES.find(([pattern]) => pattern.test(state));
  return new Refusal(known?.[1] ?? 'internal_error', { cause: error });
}

/** What the SQL side raises: message = code, detail = JSON text, hint = remedy. */
function raised(error: DatabaseError): Refusal {
  const code = String(error.message);
  if (!isErrorCode(code)) return new Refusal('internal_error', { cause: error });
  return refusalOf({ ...parsed(error.detail), code, hint: error.hint });
}

/** A refusal from the JSON form batches answer with: `{code, detail?, violations?, extra?, hint?}`. */
export function refusalOf(form: Record<string, unknown>): Refusal {
  const code = String(form['code']);
  if (!isErrorCode(code)) return new Refusal('internal_error', { cause: form });
  return new Refusal(code, {
    detail: string(form['detail']),
    violations: Array.isArray(form['violations']) ? (form['violations'] as Violation[]) : undefined,
    extra: isRecord(form['extra']) ? form['extra'] : undefined,
    hint: string(form['hint']),
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parsed(detail: unknown): Record<string, unknown> {
  if (typeof detail !== 'string') return {};
  try {
    const value: unknown = JSON.parse(detail);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
