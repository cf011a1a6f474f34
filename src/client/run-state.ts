import type { ExecutionContextPart, Policy, Quality } from './documents.ts';
import { type Verdict, VerdictBook } from './verdict.ts';

/** What a decision looks like in an envelope; a recorded decision has more members, which are left out. */
export type GoverningDecision = Policy;

/** What a running function has said so far, and the signal it is told to stop by. */
export class RunState {
  readonly verdicts: VerdictBook;
  /** Outside a run of the ledger's own, a retry is due unless the start's `recovery_mode` is `manual`. */
  readonly recoverable: boolean;
  quality: Quality | null = null;
  policy: Policy | null = null;
  executionContext: ExecutionContextPart = {};
  readonly #controller = new AbortController();
  #unlink: () => void = () => {};

  constructor(recoverable: boolean, ...outer: (AbortSignal | undefined)[]) {
    this.recoverable = recoverable;
    this.verdicts = new VerdictBook(recoverable);
    for (const signal of outer) if (signal) this.#follow(signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  isVerdict(value: unknown): value is Verdict {
    return this.verdicts.isMine(value);
  }

  governedBy(decision: GoverningDecision): void {
    this.policy = {
      decision: decision.decision,
      policy_rule_triggered: decision.policy_rule_triggered ?? null,
      risk_score: decision.risk_score,
      requires_hitl: decision.requires_hitl,
      evaluated_at: decision.evaluated_at,
    };
  }

  /** Lets go of outer signals, which may live much longer than this run. */
  end(): void {
    this.#unlink();
  }

  #follow(signal: AbortSignal): void {
    if (signal.aborted) {
      this.abort(signal.reason);
      return;
    }
    const onAbort = () => this.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const earlier = this.#unlink;
    this.#unlink = () => {
      earlier();
      signal.removeEventListener('abort', onAbort);
    };
  }
}
