import { baseContext } from './base-context.ts';
import { kindOf, type Returned } from './conclusion.ts';
import type { ExecutionContext, ExecutionFunction } from './contexts.ts';
import type { ExecutionRecord, ExecutionStart } from './documents.ts';
import { misuse } from './errors.ts';
import { newId } from './identity.ts';
import { notRun } from './not-run.ts';
import { replayedRun, run } from './run.ts';
import type { Run, RunOptions } from './run-options.ts';
import { RunState } from './run-state.ts';
import { identityOf, nesting, type RunLedger } from './subject-parts.ts';
import { TaskCount } from './task-count.ts';

const SKIP_EVENT = 'execution.skipped';

/** The whole life of a workflow execution: start row, function, exactly one outcome with its execution context. */
export async function runExecution<T extends object>(
  ledger: RunLedger,
  start: ExecutionStart,
  fn: ExecutionFunction<T>,
  options: RunOptions = {},
  parentSignal?: AbortSignal,
): Promise<Run<T>> {
  // Before anything is written: a start row would only end in a failure that nobody meant.
  if (typeof fn !== 'function') throw misuse('execution(start, fn): fn must be a function');
  options.signal?.throwIfAborted();
  parentSignal?.throwIfAborted();
  const starting = ledger.executions.start({ ...start, execution_id: start.execution_id ?? newId() });
  const { record } = await starting.catch(notRun);
  if (record.state === 'ended') return replayed(ledger, record);

  // A workflow's retry is a new execution: by default an error says that one is worth while.
  const state = new RunState(true, options.signal, parentSignal);
  const tasks = new TaskCount();
  const context = executionContext(ledger, record, state, tasks);
  return run<T>({
    subject: { execution_id: record.execution_id },
    identity: identityOf(record),
    state,
    options,
    work: () => fn(context),
    unpack,
    executionContext: (status, said) => tasks.context(record.execution_pattern, status, said),
    tellReason: (reason) => context.emit(SKIP_EVENT, { reason }),
    record: (request) => ledger.outcomes.record(request),
    onEnd: () => {},
  });
}

function unpack(value: unknown): Returned | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('result' in value)) {
    const what =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? 'an object without it' : kindOf(value);
    return `an execution's function returns { result, … }, not ${what}`;
  }
  const { result, execution_context, quality } = value as {
    result: unknown;
    execution_context?: Returned['executionContext'];
    quality?: Returned['quality'];
  };
  return {
    result,
    ...(execution_context ? { executionContext: execution_context } : {}),
    ...(quality ? { quality } : {}),
  };
}

async function replayed<T extends object>(ledger: RunLedger, record: ExecutionRecord): Promise<Run<T>> {
  const outcome = record.outcome ?? (await ledger.executions.get(record.execution_id)).outcome;
  if (outcome === null) throw new Error(`execution ${record.execution_id} has ended without an outcome`);
  return replayedRun<T>(outcome);
}

function executionContext(
  ledger: RunLedger,
  record: ExecutionRecord,
  state: RunState,
  tasks: TaskCount,
): ExecutionContext {
  const { execution_id: id, correlation_id: correlationId } = record;
  const below = nesting(ledger, { correlationId, subjectId: id, executionId: id }, state.signal);
  return Object.assign(baseContext(state), {
    start: record,
    executionId: id,
    correlationId,
    invocation: ((start, fn, options) =>
      tasks.follow('invocation', () => below.invocation(start, fn, options))) as ExecutionContext['invocation'],
    execution: ((start, fn, options) =>
      tasks.follow('execution', () => below.execution(start, fn, options))) as ExecutionContext['execution'],
    emit: async (type: string, data: object | null = null) => {
      const event = {
        event_id: newId(),
        type,
        source: record.source.id,
        correlation_id: correlationId,
        data: data as never,
      };
      return (await ledger.events.register(event)).record.event_id;
    },
  });
}
