import { randomUUID } from 'node:crypto';
import { Backoff } from '../../worker/backoff.ts';
import { pause } from '../../worker/pause.ts';
import type { Ended, RelayLedger, TracePlace } from '../ledger.ts';
import { BUSY_FOR_MS } from '../pace.ts';
import { verdictForRelay } from '../reasons.ts';
import type { StatusBoard } from '../status-board.ts';
import type { RelayPace } from '../types.ts';
import type { TraceExporter } from './exporter.ts';
import { spanOf } from './span.ts';

export interface TraceParts {
  ledger: Pick<RelayLedger, 'takeEnded' | 'settleEnded'>;
  exporter: TraceExporter;
  /** Names the position: the endpoint. */
  name: string;
  board: StatusBoard;
  pace: RelayPace;
  random: () => number;
  stop: AbortSignal;
}

/** Exports what has ended, one page after the other; the position moves when a page was taken. One relay does, others stand by. */
export class TraceLoop {
  readonly #parts: TraceParts;
  readonly #backoff: Backoff;
  readonly #token = randomUUID();
  #busyUntil = 0;
  #leased = false;

  constructor(parts: TraceParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.pace.backoffMs, parts.pace.backoffMaxMs, parts.random);
  }

  async run(): Promise<void> {
    const { board, pace, stop } = this.#parts;
    while (!stop.aborted) {
      try {
        const wait = await this.#page();
        await pause(wait, stop);
      } catch (error) {
        board.traces('waiting', verdictForRelay(error).reason);
        await pause(Math.max(this.#backoff.next(), pace.busyMs), stop);
      }
    }
    await this.#giveBack();
    board.traces('stopped');
  }

  /** The wait until the next one, in ms. */
  async #page(): Promise<number> {
    const { ledger, name, board, pace } = this.#parts;
    const taken = await ledger.takeEnded(name, this.#token);
    this.#leased = taken !== null;
    if (taken === null) {
      board.traces('standby');
      return pace.refusedMs;
    }
    if (taken.ended.length > 0) return this.#export(taken.ended, taken.position);
    board.traces('active');
    return Date.now() < this.#busyUntil ? pace.busyMs : pace.idleMs;
  }

  async #export(ended: Ended[], position: TracePlace | null): Promise<number> {
    const { ledger, exporter, name, board, pace } = this.#parts;
    const came = await exporter.export(ended.map(spanOf));
    if (!came.done) {
      board.traces('waiting', came.reason);
      return Math.max(this.#backoff.next(), Math.min(came.retryAfterMs ?? 0, pace.leaseMs / 2));
    }
    // Not moved: another relay has taken over, and sends them again.
    if (!(await ledger.settleEnded(name, this.#token, position, false))) return pace.refusedMs;
    this.#backoff.reset();
    this.#busyUntil = Date.now() + BUSY_FOR_MS;
    board.exported(came.exported, came.rejected);
    board.traces('active');
    return 0;
  }

  async #giveBack(): Promise<void> {
    const { ledger, name } = this.#parts;
    // Without it the lease runs out by itself.
    if (this.#leased) await ledger.settleEnded(name, this.#token, null, true).catch(() => undefined);
  }
}
