import type { ExecutionContextPart, ExecutionRecord, InvocationRecord, Policy, Quality } from './documents.ts';
import type { NestedExecutionStart, NestedInvocationStart } from './nested.ts';
import type { InvocationOptions, Run, RunOptions } from './run-options.ts';
import type { GoverningDecision } from './run-state.ts';
import type { ToolCallOptions } from './tool-call.ts';
import type { Verdict, Verdicts } from './verdict.ts';

/** What an invocation's function gives: its result, or what one of the context's verdicts gave. */
export type InvocationReturn<T extends object> = T | Verdict<T> | Verdict<never>;
export type InvocationFunction<T extends object> = (
  ctx: InvocationContext,
) => InvocationReturn<T> | Promise<InvocationReturn<T>>;

/** What an execution's function gives: its result and what it says about how it ran, or a verdict. */
export interface ExecutionReturn<T extends object> {
  result: T;
  /** Overrides what was counted; adds what only the workflow knows (`quorum_achieved`, `branches_taken`). */
  execution_context?: ExecutionContextPart;
  quality?: Quality;
}
export type ExecutionFunction<T extends object> = (
  ctx: ExecutionContext,
) => ExecutionReturn<T> | Verdict<T> | Verdict<never> | Promise<ExecutionReturn<T> | Verdict<T> | Verdict<never>>;

interface RunContext extends Verdicts {
  readonly correlationId: string;
  /** Aborted when the run is to stop. Pass it on to `fetch` and the like. */
  readonly signal: AbortSignal;
  /** Ends this run as failure `CANCELED`. */
  abort(reason?: unknown): void;
  /** Says how good the result is; members given later are added. */
  quality(quality: Quality): void;
  /** The guard's decision about this subject: the envelope must repeat it exactly. */
  governedBy(decision: GoverningDecision): void;
  readonly policyDecision: Policy | null;
  /** Runs another agent, caused by this one: same correlation, same execution. Follows this run's abort. */
  invocation<T extends object>(
    start: NestedInvocationStart,
    fn: InvocationFunction<T>,
    options?: InvocationOptions,
  ): Promise<Run<T>>;
  /** Runs a workflow, caused by this run. */
  execution<T extends object>(
    start: NestedExecutionStart,
    fn: ExecutionFunction<T>,
    options?: RunOptions,
  ): Promise<Run<T>>;
  /** Registers an event; gives its id, which may be the `causation_id` of what it causes. */
  emit(type: string, data?: object | null): Promise<string>;
}

export interface InvocationContext extends RunContext {
  readonly invocationId: string;
  readonly executionId: string | null;
  /** The start row as the ledger holds it. */
  readonly start: InvocationRecord;
  /** Runs a tool and records the call. */
  toolCall<Output>(
    name: string,
    input: object | null,
    tool: () => Output | Promise<Output>,
    options?: ToolCallOptions<Output>,
  ): Promise<Output>;
}

export interface ExecutionContext extends RunContext {
  readonly executionId: string;
  readonly start: ExecutionRecord;
}
