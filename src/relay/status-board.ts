import type { FeedHolder } from '../database/index.ts';
import { Standing } from '../worker/standing.ts';
import { heldTooLong } from './reasons.ts';
import type { RelayLog, RelayQueue, RelayReason, RelayStatus, TraceStatus } from './types.ts';
import type { Verdict } from './webhooks/verdict.ts';

/** The same words are said again so often. */
const REPEAT_MS = 60_000;

/** Keeps a relay's state for whoever asks, and logs what changes in it. */
export class StatusBoard {
  readonly standing: Standing;
  readonly #status: Omit<RelayStatus, 'state' | 'since' | 'reason' | 'degraded_by'>;
  readonly #log: RelayLog;
  readonly #now: () => number;
  readonly #notedAt = new Map<string, number>();

  constructor(tracesTo: string | null, log: RelayLog, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
    this.standing = new Standing('relay', log, now);
    const traces: TraceStatus | null =
      tracesTo === null ? null : { endpoint: tracesTo, state: 'starting', reason: null, exported: 0, rejected: 0 };
    this.#status = {
      queue: null,
      held_back_by: [],
      serving: 0,
      delivered: 0,
      failed: {},
      dead_lettered: 0,
      traces,
      last_pass_at: null,
      last_error: null,
    };
  }

  read(): RelayStatus {
    const { traces, held_back_by } = this.#status;
    const { state, since, reason, trouble } = this.standing;
    const degraded = [trouble, heldTooLong(held_back_by), traces?.state === 'waiting' ? traces.reason : null].filter(
      (one) => one !== null,
    );
    return structuredClone({ state, since, reason, ...this.#status, degraded_by: degraded });
  }

  passed(): void {
    this.#status.last_pass_at = this.#time();
    this.standing.enter('active');
  }

  serving(turns: number): void {
    this.#status.serving = turns;
  }

  failed(code: string, message: string): void {
    this.#status.last_error = { code, message, at: this.#time() };
  }

  measured(queue: Omit<RelayQueue, 'measured_at'>, heldBackBy: FeedHolder[]): void {
    this.#status.queue = { ...queue, measured_at: this.#time() };
    this.#status.held_back_by = heldBackBy;
  }

  /** What is known of the ledger is old once it does not answer. */
  forgetQueue(): void {
    this.#status.queue = null;
    this.#status.held_back_by = [];
  }

  verdict(webhookId: string, { result, code }: Verdict): void {
    if (code === null) {
      this.#status.delivered += 1;
      return;
    }
    this.#status.failed[code] = (this.#status.failed[code] ?? 0) + 1;
    const about = { webhook_id: webhookId, event_id: result.event_id, code, error: result.error };
    if (result.result === 'dead') {
      this.#status.dead_lettered += 1;
      this.note('warn', `gave up an event for webhook ${webhookId}`, about);
    } else if (result.result === 'gone') {
      this.note('warn', `webhook ${webhookId} is gone and was disabled`, about);
    } else {
      this.note('info', `webhook ${webhookId} fails`, about);
    }
  }

  traces(state: TraceStatus['state'], reason: RelayReason | null = null): void {
    const { traces } = this.#status;
    if (!traces) return;
    const changed = traces.state !== state || traces.reason?.code !== reason?.code;
    traces.state = state;
    traces.reason = reason;
    if (!changed && reason === null) return;
    const level = state === 'waiting' ? 'warn' : 'info';
    const details = reason ? { code: reason.code, remedy: reason.remedy } : {};
    if (changed) this.#log({ level, message: `traces ${state}${reason ? `: ${reason.message}` : ''}`, details });
    else this.note(level, `traces ${state}: ${reason?.message}`, details);
  }

  exported(spans: number, rejected: number): void {
    const { traces } = this.#status;
    if (!traces) return;
    traces.exported += spans;
    traces.rejected += rejected;
    if (rejected > 0) this.note('warn', 'the traces’ endpoint refused spans', { rejected });
  }

  /** Says something beside the state; the same words at most once a minute. */
  note(level: 'info' | 'warn', message: string, details: Record<string, unknown> = {}): void {
    if (this.#now() - (this.#notedAt.get(message) ?? 0) < REPEAT_MS) return;
    if (this.#notedAt.size > 1000) this.#notedAt.clear();
    this.#notedAt.set(message, this.#now());
    this.#log({ level, message, details });
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
