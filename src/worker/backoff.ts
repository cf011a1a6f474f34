/** Waits that double, are capped, and lie between half and all of that, so that many who failed together do not come back together. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor(firstMs: number, longestMs: number, random: () => number = Math.random) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#random = random;
  }

  /** The wait after one more failure, in ms. */
  next(): number {
    const whole = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return whole * (0.5 + this.#random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
