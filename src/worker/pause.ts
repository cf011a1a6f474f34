/** Waits, or ends at once when the signal comes; never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** A wait that can be cut short from elsewhere. */
export class Wake {
  #pending = false;
  #ring: (() => void) | null = null;

  ring(): void {
    this.#pending = true;
    this.#ring?.();
  }

  /** Ends after `ms`, at a ring (also one that came before), or at the signal. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#pending) {
      const rung = new AbortController();
      const ring = () => rung.abort();
      this.#ring = ring;
      // Not `AbortSignal.any`: over a signal that lives as long as the process, Node 20 keeps every one that was ever made.
      signal.addEventListener('abort', ring, { once: true });
      if (signal.aborted) ring();
      await pause(ms, rung.signal);
      signal.removeEventListener('abort', ring);
      this.#ring = null;
    }
    this.#pending = false;
  }
}
