/** Rows in one batch: few when little is waiting, so that they land soon; many when a backlog is, because that is faster. */
export const SMALLEST_BATCH = 1_000;
export const LARGEST_BATCH = 5_000;
/** Below this a batch is not cut further by faults of the graph. */
const SMALLEST_AFTER_FAULTS = 100;
/** So many times in a row a batch fails before smaller ones are tried: it may be the batch that the graph is too small for. */
const FAULTS_BEFORE_CUT = 3;
/** So much of a cut is taken back with every batch that the graph takes. */
const RECOVERY = 1.1;

/** Chooses how many rows the next page has from what came of those before. */
export class BatchSize {
  #next = SMALLEST_BATCH;
  #ceiling = LARGEST_BATCH;
  #faults = 0;

  get next(): number {
    return Math.min(this.#next, this.#ceiling);
  }

  /** A page arrived; a full one means that more is waiting. */
  arrived(rows: number): void {
    this.#next = rows >= this.next ? Math.min(LARGEST_BATCH, this.next * 2) : SMALLEST_BATCH;
  }

  /** The graph took a batch. */
  taken(): void {
    this.#faults = 0;
    this.#ceiling = Math.min(LARGEST_BATCH, Math.ceil(this.#ceiling * RECOVERY));
  }

  /** The graph did not take a batch of so many rows for a passing reason: the same again, and after some times a smaller one. */
  failed(rows: number): void {
    this.#faults += 1;
    this.#next = Math.max(rows, SMALLEST_BATCH);
    if (this.#faults >= FAULTS_BEFORE_CUT) this.#ceiling = Math.max(SMALLEST_AFTER_FAULTS, Math.floor(rows / 2));
  }
}
