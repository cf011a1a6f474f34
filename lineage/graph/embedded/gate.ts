/** Lets many works run side by side, and one alone when it must be: reads and writes beside each other, a checkpoint by itself. */
export class Gate {
  #inside = 0;
  #alone: Promise<void> | null = null;
  #idle: (() => void)[] = [];

  /** Is nothing at work? */
  get quiet(): boolean {
    return this.#inside === 0 && this.#alone === null;
  }

  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.#alone) await this.#alone;
    this.#inside += 1;
    try {
      return await work();
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) for (const wake of this.#idle.splice(0)) wake();
    }
  }

  /**
   * Waits until nothing else is at work and keeps it so; what comes later waits. Where what runs does not end within
   * `patienceMs`, the later ones go on, and this does not happen.
   *
   * @returns whether `work` was done
   */
  async alone(work: () => Promise<void>, patienceMs?: number): Promise<boolean> {
    while (this.#alone) await this.#alone;
    let done = () => {};
    this.#alone = new Promise((resolve) => {
      done = resolve;
    });
    try {
      if (this.#inside > 0 && !(await this.#emptied(patienceMs))) return false;
      await work();
      return true;
    } finally {
      this.#alone = null;
      done();
    }
  }

  #emptied(patienceMs: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = patienceMs === undefined ? undefined : setTimeout(() => resolve(false), patienceMs);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}

/** One work after the other, in the order they came. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** So many works at once; further ones wait for a place, in the order they came. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
