import type { Lag, Ledger, QuarantinedRow } from '../feed/ledger.ts';
import type { FaultKind } from '../graph/fault.ts';
import type { Graph, Position } from '../graph/graph.ts';

/** A graph that can be opened: named without opening it, because a worker that stands by must not touch its files. */
export interface GraphSource {
  readonly kind: Graph['kind'];
  /** The same text as the opened graph's `address`: no credentials. */
  readonly address: string;
  /** The one tenant this graph mirrors, or null for all. */
  readonly tenantId: string | null;
  /** Opens it anew at every call; who opened it closes it. */
  open(): Promise<Graph>;
}

/** What can be told of a mirror from outside its worker. */
export interface StatusReport {
  mirror: string;
  graph: { kind: Graph['kind']; address: string };
  tenant_id: string | null;
  /** Does a worker hold the lock of this mirror? */
  worker_active: boolean;
  position: Position | null;
  lag: MeasuredLag;
  held_back_by: Lag['held_back_by'];
  quarantined: number;
  /** A hundred at most, oldest first. */
  quarantine: QuarantinedRow[];
}

/** Both sides of a mirror, by how they are opened. */
export interface Mirror {
  /** Opens one session of the ledger, filtered by the graph's tenant; who opened it closes it. */
  openLedger(): Promise<Ledger>;
  graph: GraphSource;
}

/** What a worker does at the moment. */
export type SyncState =
  /** Opening the ledger and the graph for the first time. */
  | 'starting'
  /** Another worker has the lock of this mirror; this one takes over when that one's session ends. */
  | 'standby'
  /** Mirrors, or has nothing to mirror. */
  | 'active'
  /** A fault of the ledger or of the graph that says nothing about any row; tried again and again. */
  | 'waiting'
  /** This graph and this ledger must not meet before somebody has acted; looked at again every few seconds. */
  | 'refused'
  | 'stopped';

/** Why a worker waits, is refused, or is degraded. */
export interface SyncReason {
  /** Stable: a code of `LedgerRefused`, `GraphRefused` or `GraphFault`, or `ledger_unreachable`, `rows_all_refused`, `feed_held_back`. */
  code: string;
  message: string;
  /** What to do; null when it passes by itself. */
  remedy: string | null;
}

/** A lag as it was at one moment. */
export interface MeasuredLag extends Pick<Lag, 'rows' | 'rows_capped' | 'seconds'> {
  measured_at: string;
}

/** The state of a worker as a JSON document. Times are RFC 3339 in UTC. */
export interface SyncStatus {
  mirror: string;
  graph: { kind: Graph['kind']; address: string };
  tenant_id: string | null;
  state: SyncState;
  /** When it came into this state, or into this reason of it. */
  since: string;
  reason: SyncReason | null;
  /** How far the graph has come; null before it was read, and for an empty graph. */
  position: Position | null;
  /** Null until it was measured; a worker that stands by measures nothing. */
  lag: MeasuredLag | null;
  held_back_by: Lag['held_back_by'];
  /** Rows in the quarantine; null until they were counted. */
  quarantined: number | null;
  /** What is not as it should be: the reason of `waiting` or `refused`, the transaction that holds the feed back for over 30 s. Empty = healthy. */
  degraded_by: SyncReason[];
  /** All four since this worker started. */
  rows_written: number;
  batches_written: number;
  rows_parked: number;
  faults: SyncFaults;
  /** When a pass last came to its end. */
  last_pass_at: string | null;
  last_error: { code: string; message: string; at: string } | null;
}

/** Faults by kind: those of the graph, and lost sessions of the ledger. */
export type SyncFaults = Record<FaultKind | 'ledger', number>;

/** One line of a worker's log; `details` are JSON. */
export interface SyncLogEntry {
  level: 'info' | 'warn' | 'error';
  message: string;
  details: Record<string, unknown>;
}
export type SyncLog = (entry: SyncLogEntry) => void;

/** Waits, in milliseconds. The defaults are those of the design; tests shorten them. */
export interface SyncPace {
  /** Between two passes while rows came in during the last two seconds. Default 50. */
  busyMs: number;
  /** Between two passes otherwise. Default 1,000. */
  idleMs: number;
  /** Between two tries for the lock. Default 1,000. */
  standbyMs: number;
  /** Between two looks at what was refused. Default 5,000. */
  refusedMs: number;
  /** First and longest wait after a fault. Defaults 100 and 10,000. */
  backoffMs: number;
  backoffMaxMs: number;
  /** Between two measurements of the lag; longer where one takes long. Default 1,000. */
  lagMs: number;
  /** Between two tries of the quarantined rows by the worker itself. Default 15 minutes. */
  quarantineMs: number;
}

export interface SyncOptions extends Mirror {
  log?: SyncLog;
  pace?: Partial<SyncPace>;
  /** Of the waits' jitter; a seeded one makes them repeatable. */
  random?: () => number;
}

/** A running worker. */
export interface SyncWorker {
  /** Names the lock and the quarantine. */
  readonly mirror: string;
  status(): SyncStatus;
  /** The graph while this worker has it open; it may be closed at any moment, unlike within `withGraph`. */
  graph(): Graph | null;
  /** Works with the graph, e.g. asks it a query; it is not closed before that has ended. Throws `SyncRefused` `not_active`. */
  withGraph<T>(work: (graph: Graph) => Promise<T>): Promise<T>;
  /** `reconcile` over this worker's graph and a ledger session of its own. Refuses `not_active` while it has no graph open. */
  reconcile(options?: ReconcileOptions): Promise<ReconcileReport>;
  /** `retryQuarantined` likewise. */
  retryQuarantined(): Promise<RetryReport>;
  /** Finishes the batch in hand and closes both sides. */
  stop(): Promise<void>;
}

/** What `syncOnce` did until it came to the feed's end. */
export interface OnceReport {
  mirror: string;
  rows: number;
  batches: number;
  /** Rows it put into the quarantine. */
  quarantined: number;
  position: Position | null;
  held_back_by: Lag['held_back_by'];
}

export interface ReconcileOptions {
  /** Compares and counts, and changes nothing. */
  dryRun?: boolean;
  /** Ids in one page. Default 500. */
  pageSize?: number;
  signal?: AbortSignal;
}

export interface Compared {
  checked: number;
  missing: number;
  different: number;
  surplus: number;
}

export interface ReconcileReport {
  outcomes: Compared;
  links: Compared;
  /** Rows written to or taken from the graph; 0 on a dry run. */
  repaired: number;
  /** Rows that the graph did not take: what the quarantine holds, if the worker met them. */
  refused: number;
  /** What came of the quarantine; null on a dry run. */
  quarantine: RetryReport | null;
  /** The row the graph's position rested on is gone from the ledger, so the position was forgotten: the next pass reads the feed from its start. */
  position_reset: boolean;
}

export interface RetryReport {
  /** Went through. */
  repaired: number;
  /** No longer in the ledger, and therefore not in the quarantine either. */
  gone: number;
  /** Still refused by the graph. */
  kept: number;
}

/** A command over a mirror could not be done; `remedy` says what to do. */
export class SyncRefused extends Error {
  /**
   * `another_active`: another worker has the lock. `not_active`: this worker has no graph open. `position_gone`: the row
   * that the graph's position rests on is not in this ledger any more, which was set back to an older state.
   */
  readonly code: 'another_active' | 'not_active' | 'position_gone';
  readonly remedy: string;

  constructor(code: SyncRefused['code'], message: string, remedy: string) {
    super(message);
    this.name = 'SyncRefused';
    this.code = code;
    this.remedy = remedy;
  }
}
