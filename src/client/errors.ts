import type { Problem, Violation } from '../contract/index.ts';
import type { OutcomeRequest, RecordedEnvelope } from './documents.ts';

/** Codes the client itself gives; every other code is the ledger's own (docs/errors.md). */
export type ClientErrorCode =
  | 'ledger_unreachable'
  | 'reply_unreadable'
  | 'access_token_failed'
  | 'auth_unreachable'
  | 'credentials_refused'
  | 'actor_disabled'
  | 'not_storable'
  | 'misused'
  | 'batcher_closed'
  | 'queue_full';

export interface LedgerErrorDetails {
  code: string;
  status?: number | undefined;
  problem?: Problem | undefined;
  requestId?: string | undefined;
  violations?: Violation[] | undefined;
  cause?: unknown;
}

/**
 * Any refusal or fault of the ledger, or of the way to it. Nothing is swallowed: whatever goes wrong in this client
 * arrives as one of these, or, from `ledger.invocation` and `ledger.execution`, as the error your function threw.
 */
export class LedgerError extends Error {
  /** Stable, machine-readable: `not_permitted`, `policy_required`, `ledger_unreachable`, … */
  readonly code: string;
  /** HTTP status of the answer; 0 when there was none. */
  readonly status: number;
  /** The answer's problem document (RFC 9457), when it was one. */
  readonly problem: Problem | undefined;
  /** Names this request in the ledger's logs. */
  readonly requestId: string | undefined;
  /** What is wrong with the document and where (JSON Pointers); empty when the refusal is about something else. */
  readonly violations: readonly Violation[];
  /** From a run or a tool call whose record was refused: what your function returned. It is not lost. */
  result?: unknown;
  /** From a run whose outcome is not in the ledger: what to hand to `ledger.outcomes.record` when it can be. */
  unrecorded?: OutcomeRequest;
  /** From a run whose function ended in a way that cannot stand (`RESULT_NOT_OBJECT`, …): what was recorded instead. */
  declare outcome?: RecordedEnvelope;

  constructor(message: string, details: LedgerErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'LedgerError';
    this.code = details.code;
    this.status = details.status ?? 0;
    this.problem = details.problem;
    this.requestId = details.requestId ?? details.problem?.request_id;
    this.violations = details.violations ?? details.problem?.violations ?? [];
  }
}

/** The subject already holds something else (HTTP 409): another outcome, another start, or it is closed. */
export class LedgerConflictError extends LedgerError {
  /** The winning outcome, when the conflict is about one. A late envelope is kept by the ledger beside it. */
  readonly outcomeId: string | undefined;

  constructor(message: string, details: LedgerErrorDetails) {
    super(message, details);
    this.name = 'LedgerConflictError';
    const winner = (details.problem as { outcome_id?: unknown } | undefined)?.outcome_id;
    this.outcomeId = typeof winner === 'string' ? winner : undefined;
  }
}

/** The ledger could not be reached, or kept answering that it cannot work (502, 503, 504), until attempts ran out. The message names the request. */
export class LedgerUnreachableError extends LedgerError {
  /** How many attempts were made. */
  readonly attempts: number;

  constructor(message: string, details: LedgerErrorDetails & { attempts: number }) {
    super(message, details);
    this.name = 'LedgerUnreachableError';
    this.attempts = details.attempts;
  }
}

/** Gives an error another message. Runtimes show the stack, which begins with the old one. */
export function retell<E extends Error>(error: E, message: string): E {
  const { message: before, stack } = error;
  error.message = message;
  if (typeof stack === 'string') error.stack = stack.replace(before, () => message);
  return error;
}

/** A copy of an error that is about to be given to several callers, each of whom may have something added to it. */
export function separate<E>(error: E): E {
  if (!(error instanceof LedgerError)) return error;
  return Object.create(Object.getPrototypeOf(error), Object.getOwnPropertyDescriptors(error)) as E;
}

/** A mistake in the calling code, found before anything was sent. */
export function misuse(message: string, violations?: Violation[]): LedgerError {
  return new LedgerError(message, { code: violations ? 'not_storable' : 'misused', violations });
}
