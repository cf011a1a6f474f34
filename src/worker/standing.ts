import type { WorkerReason } from './ledger-fault.ts';

/** The states that every worker has. */
export const WORKER_STATES = ['starting', 'active', 'waiting', 'refused', 'stopped'] as const;
export type WorkerState = (typeof WORKER_STATES)[number];

/** One line of a worker's log; `details` are JSON and hold no secret. */
export interface WorkerLogEntry {
  level: 'info' | 'warn' | 'error';
  message: string;
  details: Record<string, unknown>;
}
export type WorkerLog = (entry: WorkerLogEntry) => void;

/** What goes on is said again so often. */
const REPEAT_MS = 60_000;
const LEVELS = { starting: 'info', active: 'info', waiting: 'warn', refused: 'error', stopped: 'info' } as const;

/** A worker's state, since when and why; logged when it changes, then once a minute while there is a reason. */
export class Standing {
  state: WorkerState = 'starting';
  /** RFC 3339 in UTC. */
  since: string;
  reason: WorkerReason | null = null;
  readonly #worker: string;
  readonly #log: WorkerLog;
  readonly #now: () => number;
  #saidAt = 0;

  constructor(worker: string, log: WorkerLog, now: () => number) {
    this.#worker = worker;
    this.#log = log;
    this.#now = now;
    this.since = new Date(now()).toISOString();
  }

  /** What keeps it from its work; null when nothing does. */
  get trouble(): WorkerReason | null {
    return this.state === 'waiting' || this.state === 'refused' ? this.reason : null;
  }

  enter(state: WorkerState, reason: WorkerReason | null = null): void {
    const changed = this.state !== state || this.reason?.code !== reason?.code;
    if (changed) this.since = new Date(this.#now()).toISOString();
    this.state = state;
    this.reason = reason;
    const repeat = reason !== null && this.#now() - this.#saidAt >= REPEAT_MS;
    if (!changed && !repeat) return;
    this.#saidAt = this.#now();
    const details = { state, ...(reason ? { code: reason.code, remedy: reason.remedy } : {}) };
    const message = `${this.#worker} ${state}${reason ? `: ${reason.message}` : ''}`;
    this.#log({ level: LEVELS[state], message, details });
  }
}
