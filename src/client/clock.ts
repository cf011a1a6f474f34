import type { Timing } from './documents.ts';

/** Where the two readings come from; replaced in tests. Both in milliseconds. */
export interface ClockSource {
  wall(): number;
  monotonic(): number;
}

const systemClock: ClockSource = { wall: () => Date.now(), monotonic: () => performance.now() };

/** A running measurement. `stop()` may be called more than once: each call measures to its own moment. */
export interface Stopwatch {
  readonly startedAt: string;
  stop(): Timing;
}

/**
 * Starts measuring.
 *
 * The wall clock is read once; the end is the start plus what the monotonic clock counted. A wall clock that is set
 * back while the work runs therefore gives neither a negative duration nor a `completed_at` before `started_at`
 * (which the ledger refuses), and the three members of `timing` always agree to the millisecond.
 */
export function startStopwatch(source: ClockSource = systemClock): Stopwatch {
  const wall = Math.round(source.wall());
  const from = source.monotonic();
  return {
    startedAt: new Date(wall).toISOString(),
    stop() {
      const elapsed = Math.max(0, Math.round(source.monotonic() - from));
      return {
        started_at: new Date(wall).toISOString(),
        completed_at: new Date(wall + elapsed).toISOString(),
        duration_ms: elapsed,
      };
    },
  };
}
