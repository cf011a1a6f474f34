import { LedgerConflictError } from './errors.ts';
import { letGo } from './timers.ts';

export interface HeartbeatOptions {
  /** Pause between heartbeats in ms. Default 15,000. */
  everyMs?: number;
  /** Told about a heartbeat that failed. Heartbeats are advisory: a fault never reaches the work. */
  onFault?: (error: unknown) => void;
}

const DEFAULT_HEARTBEAT_MS = 15_000;

/**
 * Beats until stopped. One beat at a time: a slow ledger gets fewer, never a pile. Ends by itself when the ledger says
 * that the invocation is closed. The timer does not keep the process alive.
 */
export function startHeartbeat(beat: () => Promise<unknown>, options: HeartbeatOptions = {}): { stop(): void } {
  const everyMs = Math.max(1, options.everyMs ?? DEFAULT_HEARTBEAT_MS);
  let stopped = false;
  let timer: unknown;

  function schedule(): void {
    if (stopped) return;
    const next = setTimeout(() => void once(), everyMs);
    letGo(next);
    timer = next;
  }

  async function once(): Promise<void> {
    try {
      await beat();
    } catch (error) {
      if (!stopped) tell(options.onFault, error);
      if (error instanceof LedgerConflictError) return;
    }
    schedule();
  }

  schedule();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer as never);
    },
  };
}

function tell(listener: ((error: unknown) => void) | undefined, error: unknown): void {
  try {
    listener?.(error);
  } catch {
    // A listener's own fault is as advisory as the heartbeat.
  }
}
