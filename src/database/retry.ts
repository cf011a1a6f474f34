// Which failures are worth another try. Every call of the gateway is idempotent (each creating call carries its
// natural key), so also a connection lost after the commit is simply asked again.
import { codeOf, Refusal, toRefusal } from './refusals.ts';

const TRANSIENT =
  /^(40001|40P01|53200|53300|53400|55P03|57P0[1-5]|57000|08...|26000|0A000|CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|EAI_AGAIN|E[A-Z]+)$/;

// Two writers of one key can meet below the advisory locks (a bare insert takes none): the second look finds the winner.
const COLLIDED = /^23505$/;

/** How often and how long to try: pauses grow by 2 from `firstPauseMs`, each with up to 100 % jitter. */
export interface RetryPolicy {
  attempts: number;
  firstPauseMs: number;
  /** No new try is begun after this long. */
  budgetMs: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 5, firstPauseMs: 15, budgetMs: 4000 };

/** Runs `work` until it succeeds, fails for good, or the policy is used up; throws a `Refusal`. */
export async function retrying<T>(work: () => Promise<T>, policy: RetryPolicy = DEFAULT_RETRIES): Promise<T> {
  const begun = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const transient = isTransient(error) || (COLLIDED.test(codeOf(error)) && attempt < 3);
      if (!transient || attempt >= policy.attempts || Date.now() - begun > policy.budgetMs) throw toRefusal(error);
      const pause = policy.firstPauseMs * 2 ** (attempt - 1);
      await new Promise((resolve) => setTimeout(resolve, pause * (1 + Math.random())));
    }
  }
}

function isTransient(error: unknown): boolean {
  return !(error instanceof Refusal) && TRANSIENT.test(codeOf(error));
}
