import { randomUUID } from 'node:crypto';
import { Backoff } from '../../worker/backoff.ts';
import { pause, Wake } from '../../worker/pause.ts';
import type { Sender } from '../http/sender.ts';
import type { RelayLedger, TurnOrder } from '../ledger.ts';
import { BUSY_FOR_MS } from '../pace.ts';
import { verdictForRelay } from '../reasons.ts';
import type { StatusBoard } from '../status-board.ts';
import type { RelayPace, RetrySchedule } from '../types.ts';
import { serveTurn } from './turn.ts';

export interface LoopParts {
  ledger: RelayLedger;
  sender: Sender;
  board: StatusBoard;
  source: string;
  concurrency: number;
  maxTurns: number;
  pace: RelayPace;
  schedule: RetrySchedule;
  random: () => number;
  stop: AbortSignal;
}

/** The schema is compared again so often: a migration may run under a relay. */
const CHECK_MS = 60_000;

/** Takes webhooks that have something to send and serves each in a turn of its own, until it is stopped. */
export class WebhookLoop {
  readonly #parts: LoopParts;
  readonly #backoff: Backoff;
  readonly #turns = new Set<Promise<void>>();
  readonly #wake = new Wake();
  #busyUntil = 0;
  #checkAt = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.pace.backoffMs, parts.pace.backoffMaxMs, parts.random);
  }

  async run(): Promise<void> {
    const { board, pace, stop } = this.#parts;
    while (!stop.aborted) {
      try {
        await this.#check();
        const more = await this.#take();
        board.passed();
        this.#backoff.reset();
        if (!more) await this.#wake.wait(Date.now() < this.#busyUntil ? pace.busyMs : pace.idleMs, stop);
      } catch (error) {
        this.#checkAt = 0;
        const { state, reason } = verdictForRelay(error);
        board.failed(reason.code, reason.message);
        board.forgetQueue();
        board.standing.enter(state, reason);
        await pause(state === 'refused' ? pace.refusedMs : this.#backoff.next(), stop);
      }
    }
    await Promise.all(this.#turns);
  }

  async #check(): Promise<void> {
    if (Date.now() < this.#checkAt) return;
    await this.#parts.ledger.check();
    this.#checkAt = Date.now() + CHECK_MS;
  }

  /** True when there may be more to take at once. */
  async #take(): Promise<boolean> {
    const { ledger, maxTurns } = this.#parts;
    const free = maxTurns - this.#turns.size;
    if (free === 0) return false;
    const token = randomUUID();
    const leasedAt = performance.now();
    const { turns, moved } = await ledger.take(token, free);
    for (const turn of turns) this.#serve(turn, token, leasedAt);
    if (turns.length > 0 || moved > 0) this.#busyUntil = Date.now() + BUSY_FOR_MS;
    return turns.length === free || (turns.length === 0 && moved > 0);
  }

  #serve(order: TurnOrder, token: string, leasedAt: number): void {
    const { board } = this.#parts;
    const onFault = (error: unknown) => {
      const { reason } = verdictForRelay(error);
      board.failed(reason.code, reason.message);
    };
    const turn = serveTurn(order, token, leasedAt, {
      ...this.#parts,
      onVerdict: ({ webhook_id }, verdict) => board.verdict(webhook_id, verdict),
      onFault,
    })
      .catch(onFault)
      .finally(() => {
        this.#turns.delete(turn);
        board.serving(this.#turns.size);
        // There may be more for this webhook, and room for another.
        this.#wake.ring();
      });
    this.#turns.add(turn);
    board.serving(this.#turns.size);
  }
}
