import type { ErrorEntry, Escalation, ExecutionContextPart } from './documents.ts';
import { misuse } from './errors.ts';
import { errorEntry } from './thrown.ts';

/** An error entry as callers write it: everything but the message has a default. */
export type ErrorInput = Partial<ErrorEntry> & { message: string };

export interface FailOptions {
  /** Whether a retry is due. Default: the start's `recovery_mode` is not `manual`. */
  recoverable?: boolean;
  field?: string;
  source_agent_id?: string;
  retry_after_ms?: number;
  /** Further entries, after the first. */
  also?: ErrorInput[];
}

/** The part of an envelope that says how the work ended. Made by `ctx`, returned by your function. */
export interface Verdict<T = unknown> {
  readonly status: 'partial' | 'failure' | 'blocked' | 'escalated' | 'timeout' | 'skipped';
  readonly result: T | null;
  readonly errors: readonly ErrorEntry[];
  readonly escalation: Escalation | null;
  readonly reason: string | undefined;
  readonly executionContext: ExecutionContextPart | undefined;
}

/** How a function may end without a success. Return what they give: `return ctx.skip('branch not taken')`. */
export interface Verdicts {
  /** A result with one or more non-fatal errors (at least one). */
  partial<T extends object>(result: T, errors: ErrorInput[], context?: ExecutionContextPart): Verdict<T>;
  /** A failure without an exception; the run resolves. */
  fail(code: string, message: string, options?: FailOptions): Verdict<never>;
  /** The work ran out of its own time; the first entry has code `TIMEOUT`. */
  timeout(message?: string, options?: FailOptions): Verdict<never>;
  /** The guard said no. Needs a governing decision `block`. */
  blocked(message?: string, options?: FailOptions): Verdict<never>;
  /** Not executed, since a prerequisite was not met. The envelope has no room for a reason: it becomes an event. */
  skip(reason?: string): Verdict<never>;
  /** Routed to a higher authority. */
  escalate(escalation: Escalation): Verdict<never>;
}

/** The verdicts made in one run, so that one which was made but not returned is never passed over. */
export class VerdictBook implements Verdicts {
  readonly made: Verdict[] = [];
  readonly #recoverable: boolean;

  constructor(recoverable: boolean) {
    this.#recoverable = recoverable;
  }

  partial<T extends object>(result: T, errors: ErrorInput[], context?: ExecutionContextPart): Verdict<T> {
    if (!Array.isArray(errors) || errors.length === 0) throw misuse('partial needs at least one error');
    const entries = errors.map((error) => errorEntry(error, this.#recoverable));
    return this.#make<T>({ status: 'partial', result, errors: entries, executionContext: context });
  }

  fail(code: string, message: string, options: FailOptions = {}): Verdict<never> {
    return this.#make<never>({ status: 'failure', errors: this.#entries(code, message, options) });
  }

  timeout(message = 'the work ran out of time', options: FailOptions = {}): Verdict<never> {
    return this.#make<never>({ status: 'timeout', errors: this.#entries('TIMEOUT', message, options) });
  }

  blocked(message = 'blocked by policy', options: FailOptions = {}): Verdict<never> {
    const entries = this.#entries('POLICY_BLOCKED', message, { recoverable: false, ...options });
    return this.#make<never>({ status: 'blocked', errors: entries });
  }

  skip(reason?: string): Verdict<never> {
    return this.#make<never>({ status: 'skipped', reason });
  }

  escalate(escalation: Escalation): Verdict<never> {
    return this.#make<never>({ status: 'escalated', escalation });
  }

  isMine(value: unknown): value is Verdict {
    return this.made.includes(value as Verdict);
  }

  #entries(code: string, message: string, { also = [], ...options }: FailOptions): ErrorEntry[] {
    return [{ ...options, code, message }, ...also].map((entry) => errorEntry(entry, this.#recoverable));
  }

  #make<T>(parts: Partial<Verdict<T>> & Pick<Verdict<T>, 'status'>): Verdict<T> {
    const verdict: Verdict<T> = Object.freeze({
      result: null,
      errors: [],
      escalation: null,
      reason: undefined,
      executionContext: undefined,
      ...parts,
    });
    this.made.push(verdict);
    return verdict;
  }
}
