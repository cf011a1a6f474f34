import type { Problem } from '../contract/index.ts';
import { LedgerError, separate } from './errors.ts';
import { faultOfProblem } from './fault.ts';
import { DEFAULT_RETRY, delayBefore, type RetryOptions } from './retry.ts';
import { pause } from './timers.ts';

/** What the ledger says about one item of a batch. */
export interface BatchAnswer {
  status: number;
  replayed?: boolean;
  problem?: Problem;
}

export interface BatchTarget<Item, Answer extends BatchAnswer, Result> {
  /** The item as JSON. Throws when it has no JSON form; made when the item is handed over, so that it cannot change. */
  serialise(item: Item): string;
  /** Sends `{"items":[…]}`; answers in the order sent. Retries lost replies itself. */
  send(body: string): Promise<Answer[]>;
  /** The result of an item that was accepted. */
  accept(answer: Answer): Result;
  retry?: RetryOptions | undefined;
}

/** One call that waits for its answer. */
export interface Entry<Result> {
  text: string;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Statuses that blame the body as a whole: some item of it may be at fault, and the others need not suffer. */
const BLAMES_THE_BODY = new Set([400, 413, 422]);

/**
 * Sends a batch and answers every entry of it. Never throws. A lost reply is the target's business (the whole batch is
 * sent again); items that a passing fault left undone are sent again alone; a body that is refused as a whole is halved
 * until the bad item stands alone.
 */
export async function deliver<Item, Answer extends BatchAnswer, Result>(
  target: BatchTarget<Item, Answer, Result>,
  batch: Entry<Result>[],
): Promise<void> {
  const retry = { ...DEFAULT_RETRY, ...target.retry };
  let rest = batch;
  for (let round = 1; rest.length > 0; round += 1) {
    let answers: Answer[];
    try {
      answers = await target.send(`{"items":[${rest.map((entry) => entry.text).join(',')}]}`);
    } catch (error) {
      if (error instanceof LedgerError && BLAMES_THE_BODY.has(error.status) && rest.length > 1) {
        const half = rest.length >> 1;
        await deliver(target, rest.slice(0, half));
        await deliver(target, rest.slice(half));
      } else {
        for (const entry of rest) entry.reject(separate(error));
      }
      return;
    }
    rest = settle(target, rest, answers, round, round < retry.attempts);
    if (rest.length > 0) await pause(delayBefore(round + 1, retry));
  }
}

/** Answers each entry; gives back those that a passing fault of the ledger left undone. */
function settle<Item, Answer extends BatchAnswer, Result>(
  target: BatchTarget<Item, Answer, Result>,
  entries: Entry<Result>[],
  answers: Answer[],
  attempts: number,
  mayTryAgain: boolean,
): Entry<Result>[] {
  return entries.filter((entry, index) => {
    const answer = answers[index];
    if (answer && answer.status >= 200 && answer.status < 300) {
      try {
        entry.resolve(target.accept(answer));
      } catch (error) {
        entry.reject(error);
      }
      return false;
    }
    const fault = faultOfProblem(answer?.status ?? 0, answer?.problem, { attempts });
    if (fault.again && mayTryAgain) return true;
    entry.reject(fault.error);
    return false;
  });
}
