import type { RelayPace, RetrySchedule } from './types.ts';

export const PACE: Readonly<RelayPace> = {
  busyMs: 50,
  idleMs: 1_000,
  refusedMs: 5_000,
  backoffMs: 100,
  backoffMaxMs: 10_000,
  leaseMs: 60_000,
  measureMs: 10_000,
  timeoutMs: 10_000,
};

export const RETRIES: Readonly<RetrySchedule> = {
  maxAttempts: 20,
  baseMs: 5_000,
  capMs: 6 * 60 * 60_000,
  retryAfterCapMs: 60 * 60_000,
};

/** So long after the last event a relay looks as if more were coming. */
export const BUSY_FOR_MS = 2_000;
