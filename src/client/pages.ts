/** One page of a list. `next_cursor` is null on the last one; pages neither repeat nor skip rows. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/**
 * A list that has not been read yet. `await` gives the first page; `for await` gives every item of every page;
 * `pages()` gives page after page. Each use asks the ledger anew.
 */
export interface Listing<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {
  pages(): AsyncIterable<Page<T>>;
  /** Every item at once; stops with an error beyond `limit` (default 10,000) instead of cutting silently. */
  toArray(options?: { limit?: number }): Promise<T[]>;
}

export function listing<T>(fetchPage: (cursor: string | null) => Promise<Page<T>>, from: string | null): Listing<T> {
  async function* pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor = from;
    do {
      const page = await fetchPage(cursor);
      yield page;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  async function* items(): AsyncGenerator<T, void, undefined> {
    for await (const page of pages()) yield* page.items;
  }

  return {
    // biome-ignore lint/suspicious/noThenProperty: awaiting a list for its first page is the interface
    then: (onPage, onError) => fetchPage(from).then(onPage, onError),
    [Symbol.asyncIterator]: items,
    pages,
    async toArray({ limit = 10_000 } = {}) {
      const all: T[] = [];
      for await (const item of items()) {
        if (all.length === limit) throw new RangeError(`the list holds more than ${limit} items`);
        all.push(item);
      }
      return all;
    },
  };
}
