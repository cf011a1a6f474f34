import { type BatchAnswer, type BatchTarget, deliver, type Entry } from './batch-delivery.ts';
import { LedgerError } from './errors.ts';

export interface BatcherOptions {
  /** Items in one request. Default 100 (one transaction of the ledger); at most 1,000. */
  maxItems?: number;
  /** Characters of JSON in one request. Default 4,000,000. */
  maxCharacters?: number;
  /** Longest wait of the first item for company, in ms. Default 10. */
  maxDelayMs?: number;
  /** Requests under way at once. Default 2. */
  maxInFlight?: number;
  /** Items accepted and not yet answered. Default 5,000. */
  maxQueued?: number;
  /** Beyond `maxQueued`: `wait` for room (the default; await `record` or `room` and you are slowed), or `reject`. */
  overflow?: 'wait' | 'reject';
}

/** Gathers single calls into batches. Each call has its own promise; one bad item never harms another. */
export interface Batcher<Item, Result> {
  /** Settles when the ledger has answered for this item. */
  record(item: Item): Promise<Result>;
  /** Resolves when there is room for another item. */
  room(): Promise<void>;
  /** Sends what is waiting at once; resolves when everything handed over before has been answered, well or badly. */
  flush(): Promise<void>;
  /** Flushes; afterwards `record` is refused with `batcher_closed`. */
  close(): Promise<void>;
  /** Items handed over and not yet answered. */
  readonly pending: number;
}

export function createBatcher<Item, Answer extends BatchAnswer, Result>(
  target: BatchTarget<Item, Answer, Result>,
  options: BatcherOptions = {},
): Batcher<Item, Result> {
  const maxItems = Math.min(1_000, Math.max(1, options.maxItems ?? 100));
  const maxCharacters = Math.max(1, options.maxCharacters ?? 4_000_000);
  const maxDelayMs = Math.max(0, options.maxDelayMs ?? 10);
  const maxInFlight = Math.max(1, options.maxInFlight ?? 2);
  const maxQueued = Math.max(1, options.maxQueued ?? 5_000);

  const queue: Entry<Result>[] = [];
  const open = new Set<Promise<Result>>();
  const waiters: (() => void)[] = [];
  let accepted = 0;
  let inFlight = 0;
  let flushing = 0;
  let closed = false;
  let due = false;
  let waiting = false;

  async function enqueue(item: Item): Promise<Result> {
    if (closed) throw new LedgerError('the batcher is closed', { code: 'batcher_closed' });
    const text = target.serialise(item);
    if (accepted >= maxQueued && options.overflow === 'reject') {
      throw new LedgerError(`${accepted} items are waiting for the ledger`, { code: 'queue_full' });
    }
    await takePlace();
    try {
      return await new Promise<Result>((resolve, reject) => {
        queue.push({ text, resolve, reject });
        pump();
      });
    } finally {
      givePlace();
    }
  }

  async function takePlace(): Promise<void> {
    if (accepted < maxQueued) accepted += 1;
    else await new Promise<void>((resolve) => waiters.push(resolve));
  }

  /** A place is handed to whoever waits longest, so that newcomers do not overtake. */
  function givePlace(): void {
    const next = waiters.shift();
    if (next) next();
    else accepted -= 1;
  }

  function pump(): void {
    while (queue.length > 0 && inFlight < maxInFlight) {
      if (queue.length >= maxItems || flushing > 0 || due) dispatch();
      else {
        if (!waiting) setTimeout(onDelay, maxDelayMs);
        waiting = true;
        return;
      }
    }
  }

  function onDelay(): void {
    waiting = false;
    due = queue.length > 0;
    pump();
  }

  function dispatch(): void {
    const batch = takeBatch();
    due = false;
    inFlight += 1;
    void deliver(target, batch).finally(() => {
      inFlight -= 1;
      pump();
    });
  }

  function takeBatch(): Entry<Result>[] {
    let count = 0;
    let characters = 0;
    for (const entry of queue) {
      characters += entry.text.length + 1;
      if (count === maxItems || (count > 0 && characters > maxCharacters)) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function flush(): Promise<void> {
    const waitingFor = [...open];
    flushing += 1;
    pump();
    await Promise.allSettled(waitingFor);
    flushing -= 1;
  }

  return {
    record(item) {
      const promise = enqueue(item);
      open.add(promise);
      const forget = () => open.delete(promise);
      promise.then(forget, forget);
      return promise;
    },
    async room() {
      await takePlace();
      givePlace();
    },
    flush,
    async close() {
      closed = true;
      await flush();
    },
    get pending() {
      return open.size;
    },
  };
}
