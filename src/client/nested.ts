import type { ExecutionStart, InvocationStart } from './documents.ts';

type Inherited = 'correlation_id' | 'causation_id' | 'trigger';

/** A start below another one: correlation, cause and execution are the parent's unless named. */
export type NestedInvocationStart = Omit<InvocationStart, Inherited> & Partial<Pick<InvocationStart, Inherited>>;
export type NestedExecutionStart = Omit<ExecutionStart, Inherited> & Partial<Pick<ExecutionStart, Inherited>>;

/** What a child takes over from what is running. */
export interface Parent {
  correlationId: string;
  /** The invocation or execution that runs; its start is the event that causes the child. */
  subjectId: string;
  executionId: string | null;
}

export function nestedInvocation(start: NestedInvocationStart, parent: Parent): InvocationStart {
  return { ...inherited(start, parent), execution_id: start.execution_id ?? parent.executionId } as InvocationStart;
}

export function nestedExecution(start: NestedExecutionStart, parent: Parent): ExecutionStart {
  return {
    ...inherited(start, parent),
    parent_execution_id: start.parent_execution_id ?? parent.executionId,
  } as ExecutionStart;
}

function inherited<S extends NestedInvocationStart | NestedExecutionStart>(start: S, parent: Parent): S {
  const caused = start.causation_id != null || start.trigger != null;
  return {
    ...start,
    correlation_id: start.correlation_id ?? parent.correlationId,
    ...(caused ? {} : { causation_id: parent.subjectId }),
  };
}
