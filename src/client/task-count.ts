import type { Envelope, ExecutionContextMembers, ExecutionContextPart, OutcomeStatus } from './documents.ts';
import { recordedOutcomeOf } from './faults-of-runs.ts';

const FAILED: ReadonlySet<OutcomeStatus> = new Set(['failure', 'timeout', 'blocked']);

/** Counts what an execution started itself, for its `execution_context`. */
export class TaskCount {
  #started = 0;
  #failed = 0;
  readonly #executions: string[] = [];

  /** Follows one child to its end. A child that never started (refused, unreachable) is a failed task all the same. */
  async follow<R extends { status: OutcomeStatus; outcome: { outcome_id: string } }>(
    kind: 'invocation' | 'execution',
    child: () => Promise<R>,
  ): Promise<R> {
    this.#started += 1;
    try {
      const run = await child();
      if (FAILED.has(run.status)) this.#failed += 1;
      if (kind === 'execution') this.#executions.push(run.outcome.outcome_id);
      return run;
    } catch (error) {
      this.#failed += 1;
      const recorded = recordedOutcomeOf(error);
      if (kind === 'execution' && recorded) this.#executions.push(recorded.outcome_id);
      throw error;
    }
  }

  /**
   * The workflow's context: what was counted where the pattern asks for it, overridden by what the function said.
   * `partial_failure_count` stands on every partial, whatever the pattern.
   */
  context(pattern: string, status: Envelope['status'], said: ExecutionContextPart): ExecutionContextMembers {
    const parallel = pattern === 'parallel' || pattern === 'fan-out-fan-in';
    return {
      ...(parallel ? { parallel_task_count: this.#started } : {}),
      ...(pattern === 'hierarchical' ? { sub_workflow_outcomes: [...this.#executions] } : {}),
      ...(status === 'partial' ? { partial_failure_count: this.#failed } : {}),
      ...said,
      execution_pattern: pattern,
    };
  }
}
