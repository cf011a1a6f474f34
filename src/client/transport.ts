import { createClient, FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from '@supabase/supabase-js';
import { type AccessToken, AccessTokenError, currentToken, requireAccessToken } from './access-token.ts';
import { LedgerUnreachableError, retell } from './errors.ts';
import { type Fault, faultOfNetwork, faultOfReply, faultOfResponse } from './fault.ts';
import { type Attempt, DEFAULT_RETRY, type RetryOptions, withRetry } from './retry.ts';
import { queryString, toProjectUrl } from './url.ts';

export interface TransportOptions {
  url: string;
  apiKey?: string | undefined;
  accessToken: AccessToken;
  fetch?: typeof fetch | undefined;
  retry?: RetryOptions | undefined;
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  /** Below `/functions/v1/`, segments already escaped. */
  path: string;
  query?: object | undefined;
  /** Sent as JSON. A string is sent as it stands. */
  body?: unknown;
  retry?: RetryOptions | undefined;
  /** A status that carries an answer although it is no success, such as the 503 of an unfit ledger's health. */
  alsoAnswers?: number | undefined;
  /** Ends the waiting between attempts; a request under way is never cut, since it may have been written. */
  signal?: AbortSignal | undefined;
}

export interface Answer<T> {
  data: T;
  status: number;
  /** The ledger had this already (`Idempotent-Replayed: true`, or 200 where a new record gives 201). */
  replayed: boolean;
}

export interface Transport {
  call<T>(call: Call): Promise<Answer<T>>;
}

/** Realtime is not used here; without a transport of its own supabase-js refuses to load on Node 20. */
class NoRealtime {
  constructor() {
    throw new Error('the ledger client opens no sockets');
  }
}

/**
 * Requests to the edge functions through supabase-js, with retries. Throws `LedgerError`s only; a fixed token that is
 * empty is refused here, before any request.
 */
export function createTransport(options: TransportOptions): Transport {
  requireAccessToken(options.accessToken);
  const project = toProjectUrl(options.url);
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const renewable = typeof options.accessToken === 'function';
  let constructed = false;
  const supabase = createClient(project, options.apiKey ?? 'outcome-ledger', {
    // Every request brings its own token, so that a refused one can be named; this keeps supabase-js from having
    // sessions of its own. It asks once while being constructed, for Realtime; that question is left open.
    accessToken: () => (constructed ? Promise.resolve(null) : new Promise<null>(() => {})),
    realtime: { transport: NoRealtime as never },
    ...(options.fetch ? { global: { fetch: options.fetch } } : {}),
  });
  constructed = true;
  const functions = supabase.functions;

  return {
    call<T>(call: Call): Promise<Answer<T>> {
      const path = call.path + queryString(call.query ?? {});
      // Made once: every attempt sends the same bytes.
      const body = call.body === undefined || typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
      const type: { [name: string]: string } = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const limits = { ...retry, ...call.retry };
      let refused: string | undefined;
      // A ledger that is not there is mostly a wrong address: the message shows which was asked.
      const named = <A extends Attempt<unknown>>(attempt: A): A => {
        if (!attempt.done && attempt.error instanceof LedgerUnreachableError) {
          retell(attempt.error, `${call.method} ${project}/functions/v1/${path}: ${attempt.error.message}`);
        }
        return attempt;
      };

      return withRetry<Answer<T>>(
        async (number): Promise<Attempt<Answer<T>>> => {
          const had = await tokenOr(options.accessToken, refused);
          if (had instanceof AccessTokenError) return { done: false, error: had, again: !had.final };
          const limit = new AbortController();
          const timer = setTimeout(
            () => limit.abort(new Error(`no complete answer within ${limits.requestTimeoutMs} ms`)),
            limits.requestTimeoutMs,
          );
          try {
            const reply = await functions.invoke<unknown>(path, {
              method: call.method,
              signal: limit.signal,
              headers: { ...type, Authorization: `Bearer ${had}` },
              ...(body === undefined ? {} : { body }),
            });
            if (reply.error === null) return named(readReply<T>(reply.data, reply.response, number));
            if (reply.response && reply.response.status === call.alsoAnswers) {
              const data: unknown = await reply.response.json().catch(() => undefined);
              return named(readReply<T>(data, reply.response, number));
            }
            // The token ran out while the work went on: a function may have a newer one.
            if (reply.response?.status === 401 && renewable && refused === undefined) {
              refused = had;
              return { ...toAttempt(await faultOfResponse(reply.response, number)), again: true, immediately: true };
            }
            return named(toAttempt(await faultOf(reply.error, limit.signal, number)));
          } finally {
            clearTimeout(timer);
          }
        },
        limits,
        call.signal,
      );
    },
  };
}

function tokenOr(accessToken: AccessToken, refused: string | undefined): Promise<string | AccessTokenError> {
  return currentToken(accessToken, refused).catch((error: unknown) => {
    if (error instanceof AccessTokenError) return error;
    throw error;
  });
}

function readReply<T>(data: unknown, response: Response | undefined, attempt: number): Attempt<Answer<T>> {
  const status = response?.status ?? 200;
  if (typeof data !== 'object' || data === null || data instanceof Blob)
    return toAttempt(faultOfReply(status, attempt));
  const replayed = response?.headers.get('idempotent-replayed') === 'true';
  return { done: true, value: { data: data as T, status, replayed } };
}

async function faultOf(error: unknown, limit: AbortSignal, attempts: number): Promise<Fault> {
  if (error instanceof FunctionsHttpError) return faultOfResponse(error.context as Response, attempts);
  if (error instanceof FunctionsRelayError) return { ...faultOfNetwork(error, attempts), again: true };
  const cause = error instanceof FunctionsFetchError ? (error.context as unknown) : error;
  return faultOfNetwork(limit.aborted ? limit.reason : cause, attempts);
}

function toAttempt(fault: Fault): Attempt<never> & { done: false } {
  return { done: false, error: fault.error, again: fault.again, retryAfterMs: fault.retryAfterMs };
}
