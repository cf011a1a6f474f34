import { Standing, type WorkerLog } from '../worker/standing.ts';
import type { SweepStatus } from './types.ts';

/** Keeps a sweep worker's state and counts for whoever asks. */
export class StatusBoard {
  readonly standing: Standing;
  readonly #log: WorkerLog;
  readonly #now: () => number;
  readonly #counts = { swept: 0, expired_requests: 0, skipped: 0 };
  #lastPassAt: string | null = null;

  constructor(log: WorkerLog, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
    this.standing = new Standing('sweep', log, now);
  }

  read(): SweepStatus {
    const { state, since, reason, trouble } = this.standing;
    const degraded = trouble === null ? [] : [trouble];
    return { state, since, reason, ...this.#counts, degraded_by: degraded, last_pass_at: this.#lastPassAt };
  }

  passed({ swept, skipped, expired_requests }: { swept: number; skipped: number; expired_requests: number }): void {
    this.#counts.swept += swept;
    this.#counts.expired_requests += expired_requests;
    this.#counts.skipped = skipped;
    this.#lastPassAt = new Date(this.#now()).toISOString();
    this.standing.enter('active');
    if (swept > 0 || expired_requests > 0) {
      this.#log({ level: 'info', message: 'swept', details: { swept, expired_requests } });
    }
  }
}
