import type { RecordedEnvelope } from './documents.ts';
import type { HeartbeatOptions } from './heartbeat.ts';

export interface RunOptions {
  /** Aborting it aborts `ctx.signal` and ends the run as failure `CANCELED`. */
  signal?: AbortSignal;
  /** After an abort, how long the function may still clean up before the run is recorded, in ms. Default 1,000. */
  abortGraceMs?: number;
}

export interface InvocationOptions extends RunOptions {
  /** Heartbeats while the function runs; `false` for none. Default: every 15 seconds. */
  heartbeat?: HeartbeatOptions | false;
}

interface RunEnd {
  /** What the ledger recorded. */
  outcome: RecordedEnvelope;
  /** True when this call found the outcome already recorded: the function was not run. */
  replayed: boolean;
}

/** How a run ended, with the recorded envelope beside the result. */
export type Run<T> =
  | (RunEnd & { status: 'success' | 'partial'; result: T })
  | (RunEnd & { status: 'failure' | 'blocked' | 'escalated' | 'timeout' | 'skipped'; result: null });

export function runOf<T>(outcome: RecordedEnvelope, result: T | null, replayed: boolean): Run<T> {
  return { status: outcome.status, result, outcome, replayed } as Run<T>;
}
