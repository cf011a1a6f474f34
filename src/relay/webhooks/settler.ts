import { Backoff } from '../../worker/backoff.ts';
import { pause } from '../../worker/pause.ts';
import type { RelayLedger, Result, TurnOrder } from '../ledger.ts';
import type { RelayPace } from '../types.ts';

export interface SettlerParts {
  ledger: Pick<RelayLedger, 'settle'>;
  turn: TurnOrder;
  token: string;
  pace: RelayPace;
  /** When the lease was asked for, on the monotonic clock. */
  leasedAt: number;
  random: () => number;
  onFault(error: unknown): void;
}

const NEVER = new AbortController().signal;
const now = () => performance.now();

/**
 * Records what became of a turn's attempts while others are under way: whatever has come together since the last record goes
 * in one. It holds the turn's lease, and tells when that is lost.
 */
export class Settler {
  readonly #parts: SettlerParts;
  readonly #backoff: Backoff;
  #waiting: Result[] = [];
  #pauseMs = 0;
  #leasedAt: number;
  #running: Promise<void> | null = null;
  #lost = false;
  #faulty = false;

  constructor(parts: SettlerParts) {
    this.#parts = parts;
    this.#leasedAt = parts.leasedAt;
    this.#backoff = new Backoff(parts.pace.backoffMs, parts.pace.backoffMaxMs, parts.random);
  }

  add(result: Result, pauseMs: number): void {
    this.#waiting.push(result);
    this.#pauseMs = Math.max(this.#pauseMs, pauseMs);
    this.#running ??= this.#record();
  }

  /** May another message be sent? Renews the lease when it has grown old; no, while nothing can be recorded. */
  async ready(): Promise<boolean> {
    if (!this.#lost && now() - this.#leasedAt > this.#parts.pace.leaseMs / 2) {
      this.#running ??= this.#record(true);
      await this.#running;
    }
    return !this.#lost && !this.#faulty;
  }

  /** Records the rest and gives the webhook back. */
  async finish(): Promise<void> {
    await this.#running;
    if (this.#lost) return;
    const { ledger, turn, token, onFault } = this.#parts;
    // Without it the lease runs out by itself.
    await ledger.settle(turn, token, { results: [], pauseMs: 0, release: true }).catch(onFault);
  }

  async #record(renew = false): Promise<void> {
    let wanted = renew;
    while (!this.#lost && (wanted || this.#waiting.length > 0)) {
      wanted = false;
      await this.#recordOnce();
    }
    this.#running = null;
  }

  async #recordOnce(): Promise<void> {
    const { ledger, turn, token, pace, onFault } = this.#parts;
    const results = this.#waiting.splice(0);
    const pauseMs = this.#pauseMs;
    const asked = now();
    try {
      const held = await ledger.settle(turn, token, { results, pauseMs, release: false });
      this.#faulty = false;
      this.#pauseMs = 0;
      this.#backoff.reset();
      if (held) this.#leasedAt = asked;
      else this.#lost = true;
    } catch (error) {
      onFault(error);
      this.#faulty = true;
      this.#waiting.unshift(...results);
      await pause(this.#backoff.next(), NEVER);
      // Then another relay has begun, and what could not be recorded is sent again.
      if (now() - this.#leasedAt > pace.leaseMs) this.#lost = true;
    }
  }
}
