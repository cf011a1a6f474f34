import { QueryRefused } from '../fault.ts';

/** About so many bytes of JSON. An answer becomes several times that on its way to the asker. */
const MOST_BYTES = 64 * 2 ** 20;
const A_VALUE = 8;

/** Adds up an answer while it is read, so that a few rows of long lists do not fill the process. */
export class AnswerSize {
  #bytes = 0;

  /** @throws QueryRefused `query_unbounded` */
  add(row: unknown): void {
    this.#weigh(row);
    if (this.#bytes <= MOST_BYTES) return;
    throw new QueryRefused(
      'query_unbounded',
      `the answer is larger than ${MOST_BYTES / 2 ** 20} MiB: return less, e.g. the size of a list instead of the list`,
    );
  }

  #weigh(value: unknown): void {
    if (typeof value === 'string') this.#bytes += value.length;
    else if (Array.isArray(value)) for (const element of value) this.#weigh(element);
    else if (typeof value === 'object' && value !== null)
      for (const element of Object.values(value)) this.#weigh(element);
    this.#bytes += A_VALUE;
  }
}
