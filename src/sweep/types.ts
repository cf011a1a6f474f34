import type { WorkerReason } from '../worker/ledger-fault.ts';
import type { WorkerLog, WorkerState } from '../worker/standing.ts';

/** The state of a sweep worker as a JSON document. Times are RFC 3339 in UTC. */
export interface SweepStatus {
  state: WorkerState;
  /** When it came into this state, or into this reason of it. */
  since: string;
  reason: WorkerReason | null;
  /** Timeouts written and expired requests announced; both since this worker started. */
  swept: number;
  expired_requests: number;
  /** Overdue, and left to those who write them, in the last pass. */
  skipped: number;
  /** What is not as it should be. Empty = healthy. */
  degraded_by: WorkerReason[];
  last_pass_at: string | null;
}

/** Waits in milliseconds. Tests shorten them. */
export interface SweepPace {
  /** Between two passes that left nothing. Default 1,000. */
  idleMs: number;
  /** Between two looks at a ledger that refused. Default 5,000. */
  refusedMs: number;
  /** First and longest wait after a fault of the ledger. Defaults 100 and 10,000. */
  backoffMs: number;
  backoffMaxMs: number;
}

export interface SweepOptions {
  /** Connection string of the `ledger_sweep` login; a pooler of any kind will do. */
  url: string;
  pace?: Partial<SweepPace>;
  log?: WorkerLog;
}

/** A running sweep worker. */
export interface SweepWorker {
  status(): SweepStatus;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}
