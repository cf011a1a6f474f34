import { HELD_TOO_LONG_S } from '../../src/contract/limits.ts';
import type { FeedRow, Lag } from '../feed/ledger.ts';
import type { GraphFault } from '../graph/fault.ts';
import type { Position } from '../graph/graph.ts';
import { messageOf } from './guards.ts';
import { mirrorName } from './mirror-name.ts';
import type { PassListener } from './pass.ts';
import type { GraphSource, SyncFaults, SyncLog, SyncReason, SyncState, SyncStatus } from './types.ts';

/** What goes on is said again so often. */
const REPEAT_MS = 60_000;
const LEVELS = {
  starting: 'info',
  standby: 'info',
  active: 'info',
  waiting: 'warn',
  refused: 'error',
  stopped: 'info',
} as const;

/** Keeps a worker's state for whoever asks, and logs what changes in it: once at the change, then once a minute while it is bad. */
export class StatusBoard implements PassListener {
  readonly #status: SyncStatus;
  readonly #log: SyncLog;
  readonly #now: () => number;
  #placed = false;
  #saidAt = 0;
  #heldSaidAt = 0;
  readonly #notedAt = new Map<string, number>();

  constructor(graph: GraphSource, log: SyncLog, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
    this.#status = {
      mirror: mirrorName(graph),
      graph: { kind: graph.kind, address: graph.address },
      tenant_id: graph.tenantId,
      state: 'starting',
      since: this.#time(),
      reason: null,
      position: null,
      lag: null,
      held_back_by: [],
      quarantined: null,
      degraded_by: [],
      rows_written: 0,
      batches_written: 0,
      rows_parked: 0,
      faults: { passing: 0, whole: 0, row: 0, ledger: 0 },
      last_pass_at: null,
      last_error: null,
    };
  }

  get mirror(): string {
    return this.#status.mirror;
  }

  get rows(): number {
    return this.#status.rows_written;
  }

  get position(): Position | null {
    return this.#status.position;
  }

  /** Has the graph said where it stands? Until then the lag is not known either. */
  get placed(): boolean {
    return this.#placed;
  }

  read(): SyncStatus {
    const { reason, state } = this.#status;
    const degraded_by = reason && (state === 'waiting' || state === 'refused') ? [reason] : [];
    const held = heldTooLong(this.#status.held_back_by);
    return structuredClone({ ...this.#status, degraded_by: held ? [...degraded_by, held] : degraded_by });
  }

  enter(state: SyncState, reason: SyncReason | null = null): void {
    const changed = this.#status.state !== state || this.#status.reason?.code !== reason?.code;
    if (changed) this.#status.since = this.#time();
    this.#status.state = state;
    this.#status.reason = reason;
    const repeat = reason !== null && this.#now() - this.#saidAt >= REPEAT_MS;
    if (!changed && !repeat) return;
    this.#saidAt = this.#now();
    this.#say(LEVELS[state], `mirror ${state}${reason ? `: ${reason.message}` : ''}`, {
      state,
      since: this.#status.since,
      ...(reason ? { code: reason.code, remedy: reason.remedy } : {}),
    });
  }

  failed(kind: keyof SyncFaults | null, code: string, error: unknown): void {
    if (kind) this.#status.faults[kind] += 1;
    this.#status.last_error = { code, message: messageOf(error), at: this.#time() };
  }

  began(at: Position | null): void {
    this.#placed = true;
    this.#status.position = at;
  }

  wrote(rows: number, at: Position): void {
    this.#status.position = at;
    this.#status.rows_written += rows;
    this.#status.batches_written += 1;
    this.enter('active');
  }

  parked(row: FeedRow, fault: GraphFault): void {
    this.#status.rows_parked += 1;
    this.failed('row', fault.code, fault);
    this.#say('error', `row quarantined: ${fault.message}`, {
      code: fault.code,
      kind: row.kind,
      seq: row.seq,
      tenant_id: row.tenant_id,
    });
  }

  /** A pass came to the feed's end. */
  passed(): void {
    this.#status.last_pass_at = this.#time();
    this.enter('active');
  }

  quarantined(rows: number): void {
    this.#status.quarantined = rows;
  }

  lag({ held_back_by, rows, rows_capped, seconds }: Lag): void {
    this.#status.lag = { rows, rows_capped, seconds, measured_at: this.#time() };
    this.#status.held_back_by = held_back_by;
    const held = heldTooLong(held_back_by);
    if (!held) this.#heldSaidAt = 0;
    else if (this.#now() - this.#heldSaidAt >= REPEAT_MS) {
      this.#heldSaidAt = this.#now();
      this.#say('warn', held.message, { code: held.code, held_back_by });
    }
  }

  /** What is known of the ledger is old once its session is lost. */
  forgetLag(): void {
    this.#status.lag = null;
    this.#status.held_back_by = [];
  }

  /** Says something beside the state; the same words at most once a minute. */
  note(level: 'info' | 'warn', message: string, details: Record<string, unknown> = {}): void {
    if (this.#now() - (this.#notedAt.get(message) ?? 0) < REPEAT_MS) return;
    this.#notedAt.set(message, this.#now());
    this.#say(level, message, details);
  }

  #say(level: 'info' | 'warn' | 'error', message: string, details: Record<string, unknown>): void {
    this.#log({ level, message, details: { mirror: this.#status.mirror, ...details } });
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

function heldTooLong(holders: Lag['held_back_by']): SyncReason | null {
  const [oldest] = [...holders].filter((holder) => holder.age_s > HELD_TOO_LONG_S).sort((a, b) => b.age_s - a.age_s);
  if (!oldest) return null;
  const session = oldest.pid === null ? `the prepared transaction ${oldest.prepared}` : `the session ${oldest.pid}`;
  return {
    code: 'feed_held_back',
    message: `${session} of ${oldest.user} in database ${oldest.database} has a transaction open for ${oldest.age_s} s, which holds the feed back`,
    remedy:
      oldest.pid === null
        ? `End it: \`commit prepared\` or \`rollback prepared '${oldest.prepared}'\` in that database.`
        : `Let it end its transaction, or end it: \`select pg_terminate_backend(${oldest.pid})\`.`,
  };
}
