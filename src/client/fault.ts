import type { Problem } from '../contract/index.ts';
import { LedgerConflictError, LedgerError, LedgerUnreachableError } from './errors.ts';
import { readRetryAfter } from './retry.ts';

/** What one failed attempt means. */
export interface Fault {
  error: LedgerError;
  /** Trying the same request again may help. */
  again: boolean;
  retryAfterMs?: number | undefined;
}

/** Statuses of proxies and platforms that have nothing to do with the request itself (546: a worker's limit). */
const PASSING = new Set([408, 425, 429, 502, 503, 504, 546]);

export function isPassing(status: number): boolean {
  return PASSING.has(status);
}

/** Reads an answer that is not 2xx. Never throws: an unreadable body is a fault of its own, told with its status. */
export async function faultOfResponse(response: Response, attempts: number): Promise<Fault> {
  const text = await response.text().catch(() => '');
  const problem = readProblem(text);
  const requestId = problem?.request_id ?? response.headers.get('x-request-id') ?? undefined;
  return faultOfProblem(response.status, problem, {
    attempts,
    requestId,
    retryAfter: response.headers.get('retry-after'),
  });
}

/** The same for a refusal that came inside a batch's answer. */
export function faultOfProblem(
  status: number,
  problem: Problem | undefined,
  context: { attempts: number; requestId?: string | undefined; retryAfter?: string | null },
): Fault {
  const code = problem?.code ?? (isPassing(status) ? 'ledger_unreachable' : 'reply_unreadable');
  const details = { code, status, problem, requestId: context.requestId };
  const message = problem ? inWords(problem) : `the ledger answered ${status} without saying why`;
  if (status === 409) return { error: new LedgerConflictError(message, details), again: false };
  // A 500 with a problem document is the ledger's own fault and would be the same again; one without comes from the
  // platform in front of it.
  if (isPassing(status) || (status === 500 && !problem)) {
    const error = new LedgerUnreachableError(message, { ...details, attempts: context.attempts });
    return { error, again: true, retryAfterMs: readRetryAfter(context.retryAfter ?? null) };
  }
  return { error: new LedgerError(message, details), again: false };
}

/** No answer, or only part of one: connection refused, reset, timed out, cut in the middle. */
export function faultOfNetwork(cause: unknown, attempts: number): Fault {
  const message = `the ledger did not answer (${reasonOf(cause)})`;
  return { error: new LedgerUnreachableError(message, { code: 'ledger_unreachable', cause, attempts }), again: true };
}

/** A 2xx that is not JSON: some other server answered, and would do so again. */
export function faultOfReply(status: number, attempts: number): Fault {
  const message = `the answer (${status}) is not the ledger's; is the url right?`;
  return { error: new LedgerUnreachableError(message, { code: 'reply_unreadable', status, attempts }), again: false };
}

function inWords({ code, title, detail, violations }: Problem): string {
  const first = violations?.[0];
  return `${code}: ${detail ?? title}${first ? ` (${first.path || 'the whole'} ${first.message})` : ''}`;
}

function readProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string') {
      return value as Problem;
    }
  } catch {
    // Not JSON: some other server answered.
  }
  return undefined;
}

/** The innermost thing a failed request says, with its code. */
export function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return String(inner);
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : '';
  return [code, inner.message].filter(Boolean).join(': ') || inner.name;
}
