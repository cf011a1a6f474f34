import { QueryRefused } from '../fault.ts';

/** The library looks at the clock between steps alone: so long after its limit a query may still end by itself. */
const GRACE_MS = 2_000;
/** Bytes that queries may take beside the buffer pool: a list that is doubled again and again takes the whole machine's. */
const MOST_GROWTH = 1.5 * 2 ** 30;
const LOOK_MS = 100;

/** Told once of a query that nothing in this process can end, so that the process should; its asker has the refusal. */
export type OnOverrun = (refusal: QueryRefused, text: string) => void;

/** What is seen of the process, and what is too much. */
interface Measure {
  resident(): number;
  mostGrowth: number;
  graceMs: number;
}

const MEASURE: Measure = { resident: () => process.memoryUsage.rss(), mostGrowth: MOST_GROWTH, graceMs: GRACE_MS };

/** Limits the queries of one open graph: in time, and in the memory that the process takes while they run. */
export class OverrunWatch {
  readonly #measure: Measure;
  readonly #mostResident: number;
  readonly #onOverrun: OnOverrun;

  /** To be made when the graph is opened: memory counts from there, and the buffer pool fills later. */
  constructor(bufferPool: number, onOverrun: OnOverrun = () => undefined, measure: Partial<Measure> = {}) {
    this.#measure = { ...MEASURE, ...measure };
    this.#mostResident = this.#measure.resident() + bufferPool + this.#measure.mostGrowth;
    this.#onOverrun = onOverrun;
  }

  /**
   * Limits a query. What overruns goes on without an asker, and `onOverrun` is told.
   *
   * @param run calls `began` when it is this query's turn: what still waits at the limit holds nobody up
   * @throws QueryRefused `query_timeout`, `query_unbounded`
   */
  async limit<T>(text: string, timeoutMs: number, run: (began: () => void) => Promise<T>): Promise<T> {
    const limitAt = Date.now() + timeoutMs;
    let running = false;
    let timer: ReturnType<typeof setInterval> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        const refusal = running ? this.#overrun(limitAt, timeoutMs) : waited(limitAt, timeoutMs);
        if (!refusal) return;
        clearInterval(timer);
        reject(refusal);
        if (running) this.#onOverrun(refusal, text);
      }, LOOK_MS);
    });
    try {
      const working = run(() => {
        running = true;
      });
      return await Promise.race([working, late]);
    } finally {
      clearInterval(timer);
    }
  }

  #overrun(limitAt: number, timeoutMs: number): QueryRefused | undefined {
    const { resident, graceMs } = this.#measure;
    if (resident() > this.#mostResident) {
      const bound = Math.round(this.#mostResident / 2 ** 20);
      return new QueryRefused(
        'query_unbounded',
        `while the query ran, the process of the graph took more than ${bound} MiB of memory: what it makes (lists above all) must be smaller`,
      );
    }
    return Date.now() > limitAt + graceMs ? tooLong(timeoutMs) : undefined;
  }
}

function waited(limitAt: number, timeoutMs: number): QueryRefused | undefined {
  return Date.now() > limitAt ? tooLong(timeoutMs) : undefined;
}

export function tooLong(timeoutMs: number, options?: ErrorOptions): QueryRefused {
  return new QueryRefused(
    'query_timeout',
    `the query did not end within ${timeoutMs} ms: narrow it, or allow it more time`,
    options,
  );
}
