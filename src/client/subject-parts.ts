import type { ExecutionFunction, InvocationFunction } from './contexts.ts';
import type { Envelope, ExecutionRecord, ExecutionStart, InvocationRecord, InvocationStart } from './documents.ts';
import type { Events } from './groups/events.ts';
import type { Executions } from './groups/executions.ts';
import type { Invocations } from './groups/invocations.ts';
import type { Outcomes } from './groups/outcomes.ts';
import type { NestedExecutionStart, NestedInvocationStart, Parent } from './nested.ts';
import { nestedExecution, nestedInvocation } from './nested.ts';
import type { InvocationOptions, Run, RunOptions } from './run-options.ts';

/** What runs need of the ledger. `invocation` and `execution` are here so that runs can nest. */
export interface RunLedger {
  invocations: Invocations;
  executions: Executions;
  outcomes: Outcomes;
  events: Events;
  invocation<T extends object>(
    start: InvocationStart,
    fn: InvocationFunction<T>,
    options?: InvocationOptions,
    parentSignal?: AbortSignal,
  ): Promise<Run<T>>;
  execution<T extends object>(
    start: ExecutionStart,
    fn: ExecutionFunction<T>,
    options?: RunOptions,
    parentSignal?: AbortSignal,
  ): Promise<Run<T>>;
}

/** The members of a context that start something below it. */
export function nesting(ledger: RunLedger, parent: Parent, signal: AbortSignal) {
  return {
    invocation: <T extends object>(
      start: NestedInvocationStart,
      fn: InvocationFunction<T>,
      options?: InvocationOptions,
    ) => ledger.invocation(nestedInvocation(start, parent), fn, options, signal),
    execution: <T extends object>(start: NestedExecutionStart, fn: ExecutionFunction<T>, options?: RunOptions) =>
      ledger.execution(nestedExecution(start, parent), fn, options, signal),
  };
}

/** The members of the envelope that repeat the start row. */
export function identityOf(
  record: InvocationRecord | ExecutionRecord,
): Pick<Envelope, 'correlation_id' | 'causation_id' | 'source'> {
  return { correlation_id: record.correlation_id, causation_id: record.causation_id, source: record.source };
}
