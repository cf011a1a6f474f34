import type { FeedHolder } from '../database/index.ts';
import type { WorkerReason } from '../worker/ledger-fault.ts';
import type { WorkerLog, WorkerState } from '../worker/standing.ts';

/** Why a relay waits, is refused, or is degraded: besides codes of docs/errors.md `feed_held_back` and `traces_refused`. */
export type RelayReason = WorkerReason;

/** What waits at the ledger, as it was at one moment. */
export interface RelayQueue {
  webhooks: { active: number; disabled: number; failing: number };
  /** Events read for a webhook and not delivered yet. */
  waiting: number;
  /** Age of the oldest of them, in seconds. */
  oldest_waiting_s: number;
  dead_letters: number;
  measured_at: string;
}

/** The exporter of traces. */
export interface TraceStatus {
  endpoint: string;
  /** `standby`: another relay exports to this endpoint. */
  state: 'starting' | 'active' | 'standby' | 'waiting' | 'stopped';
  reason: RelayReason | null;
  /** Spans the endpoint took, and spans it refused for good; both since this relay started. */
  exported: number;
  rejected: number;
}

/** The state of a relay as a JSON document. Times are RFC 3339 in UTC. */
export interface RelayStatus {
  state: WorkerState;
  /** When it came into this state, or into this reason of it. */
  since: string;
  reason: RelayReason | null;
  /** Null until it was asked for. */
  queue: RelayQueue | null;
  held_back_by: FeedHolder[];
  /** Webhooks it serves right now. */
  serving: number;
  /** Messages taken by receivers, attempts that failed by code, and events given up; all since this relay started. */
  delivered: number;
  failed: Record<string, number>;
  dead_lettered: number;
  /** Null where no endpoint is configured. */
  traces: TraceStatus | null;
  /** What is not as it should be. Empty = healthy. A receiver that fails is its webhook's matter and not named here. */
  degraded_by: RelayReason[];
  last_pass_at: string | null;
  last_error: { code: string; message: string; at: string } | null;
}

export type RelayLog = WorkerLog;

/** Waits and limits, in milliseconds unless said otherwise. Tests shorten them. */
export interface RelayPace {
  /** Between two looks while events came in during the last two seconds. Default 50. */
  busyMs: number;
  /** Between two looks otherwise. Default 1,000. */
  idleMs: number;
  /** Between two looks at a ledger that refused. Default 5,000. */
  refusedMs: number;
  /** First and longest wait after a fault of the ledger, and of the traces' endpoint. Defaults 100 and 10,000. */
  backoffMs: number;
  backoffMaxMs: number;
  /** How long a relay that says nothing keeps its webhooks; more than twice `timeoutMs`. Default 60,000. */
  leaseMs: number;
  /** Between two measurements of what waits. Default 10,000. */
  measureMs: number;
  /** For one attempt from the look-up of the name to the end of the answer. Default 10,000. */
  timeoutMs: number;
}

/** How often a message is attempted, and after which waits. */
export interface RetrySchedule {
  /** Then it is given up. Default 20. */
  maxAttempts: number;
  /** The wait after attempt n is random between 0 and `baseMs` × 2^(n-1), at most `capMs`. Defaults 5 s and 6 h: a day in the mean. */
  baseMs: number;
  capMs: number;
  /** A receiver's Retry-After counts up to this long. Default 1 h. */
  retryAfterCapMs: number;
}

export interface RelayOptions {
  /** Connection string of the `ledger_relay` login; a pooler of any kind will do. */
  url: string;
  /** Begins `source` of every CloudEvent: a URI of this ledger. Default `/outcome-ledger`. */
  source?: string;
  /** Lets receivers on this machine be called, also by plain HTTP: for a local stack and tests. Default false. */
  allowLoopback?: boolean;
  /** PEM of certificate authorities to trust instead of Node's own. */
  ca?: string;
  /** Messages under way to one webhook at once. Default 8. */
  concurrency?: number;
  /** Webhooks served at once. Default 64. */
  maxTurns?: number;
  /** Where `OTEL_EXPORTER_OTLP_*` are read from. Default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  retry?: Partial<RetrySchedule>;
  pace?: Partial<RelayPace>;
  log?: RelayLog;
  /** Of the waits' jitter; a seeded one makes them repeatable. */
  random?: () => number;
}

/** A running relay. */
export interface RelayWorker {
  status(): RelayStatus;
  /** Finishes the messages under way, records what became of them, and gives its webhooks back. */
  stop(): Promise<void>;
}

/** The options name something that cannot be used. */
export class RelayMisconfigured extends Error {
  readonly code = 'relay_misconfigured';
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'RelayMisconfigured';
    this.remedy = remedy;
  }
}
