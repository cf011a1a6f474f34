import { pause } from './timers.ts';

/** How requests are repeated. Every creating request carries a client-made id, so a repetition is the same call. */
export interface RetryOptions {
  /** Attempts in all, the first included. Default 8 (about 15 seconds of waiting). */
  attempts?: number;
  /** Wait before the second attempt, in ms; doubled each time. Default 100. */
  baseDelayMs?: number;
  /** Longest computed wait, in ms. Default 5,000. */
  maxDelayMs?: number;
  /** Longest wait taken from a `Retry-After` header, in ms. Default 60,000. */
  maxRetryAfterMs?: number;
  /** One attempt's time limit, reply included, in ms. Default 30,000. */
  requestTimeoutMs?: number;
}

export const DEFAULT_RETRY: Required<RetryOptions> = {
  attempts: 8,
  baseDelayMs: 100,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 60_000,
  requestTimeoutMs: 30_000,
};

/** What one attempt came to: an answer, or a fault and whether trying again may help. */
export type Attempt<T> =
  | { done: true; value: T }
  | { done: false; error: Error; again: boolean; retryAfterMs?: number | undefined; immediately?: boolean };

/**
 * The wait before attempt `next` (2, 3, …): exponential, capped, and between half and all of it, so that many callers
 * that failed together do not come back together. A `Retry-After` of the server is a lower bound.
 */
export function delayBefore(
  next: number,
  options: Required<RetryOptions>,
  retryAfterMs?: number,
  random: () => number = Math.random,
): number {
  const exponential = Math.min(options.maxDelayMs, options.baseDelayMs * 2 ** Math.max(0, next - 2));
  const jittered = exponential * (0.5 + random() / 2);
  if (retryAfterMs === undefined) return jittered;
  return Math.min(options.maxRetryAfterMs, retryAfterMs) + jittered * random();
}

/** `Retry-After` in ms: seconds or an HTTP date; undefined when absent or unreadable. */
export function readRetryAfter(value: string | null, now: number = Date.now()): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/**
 * Runs `attempt` until it is done, says that trying again is useless, or the attempts are used up; then throws the
 * last error. An abort ends the waiting between attempts at once.
 */
export async function withRetry<T>(
  attempt: (number: number) => Promise<Attempt<T>>,
  options: Required<RetryOptions>,
  signal?: AbortSignal,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    const outcome = await attempt(number);
    if (outcome.done) return outcome.value;
    if (!outcome.again || number >= options.attempts) throw outcome.error;
    if (!outcome.immediately) await pause(delayBefore(number + 1, options, outcome.retryAfterMs), signal);
  }
}
