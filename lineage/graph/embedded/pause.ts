/** Tells when a run of events has paused: calls `work` once so long after the last one. It keeps no process alive. */
export class Pause {
  readonly #ms: number;
  readonly #work: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, work: () => void) {
    this.#ms = ms;
    this.#work = work;
  }

  /** Another event: the pause starts anew. */
  restart(): void {
    this.stop();
    this.#timer = setTimeout(this.#work, this.#ms);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
