import { baseContext } from './base-context.ts';
import type { InvocationContext, InvocationFunction } from './contexts.ts';
import type { InvocationRecord, InvocationStart } from './documents.ts';
import { misuse } from './errors.ts';
import { startHeartbeat } from './heartbeat.ts';
import { newId } from './identity.ts';
import { notRun } from './not-run.ts';
import { replayedRun, run } from './run.ts';
import type { InvocationOptions, Run } from './run-options.ts';
import { RunState } from './run-state.ts';
import { identityOf, nesting, type RunLedger } from './subject-parts.ts';
import { runTool } from './tool-call.ts';

/** Events by which a skip says why: the envelope of a skip has no room for a reason. */
const SKIP_EVENT = 'invocation.skipped';

/** The whole life of an invocation: start row, function, heartbeats, exactly one outcome. */
export async function runInvocation<T extends object>(
  ledger: RunLedger,
  start: InvocationStart,
  fn: InvocationFunction<T>,
  options: InvocationOptions = {},
  parentSignal?: AbortSignal,
): Promise<Run<T>> {
  // Before anything is written: a start row would only end in a failure that nobody meant.
  if (typeof fn !== 'function') throw misuse('invocation(start, fn): fn must be a function');
  options.signal?.throwIfAborted();
  parentSignal?.throwIfAborted();
  const starting = ledger.invocations.start({ ...start, invocation_id: start.invocation_id ?? newId() });
  const { record } = await starting.catch(notRun);
  if (record.state === 'ended') return replayed(ledger, record);

  const id = record.invocation_id;
  const state = new RunState(record.recovery_mode !== 'manual', options.signal, parentSignal);
  const context = invocationContext(ledger, record, state);
  const heartbeat =
    options.heartbeat === false ? undefined : startHeartbeat(() => ledger.invocations.heartbeat(id), options.heartbeat);
  return run<T>({
    subject: { invocation_id: id },
    identity: identityOf(record),
    state,
    options,
    work: () => fn(context),
    unpack: (value) => ({ result: value }),
    executionContext: () => null,
    tellReason: (reason) => context.emit(SKIP_EVENT, { reason }),
    record: (request) => ledger.outcomes.record(request),
    onEnd: () => heartbeat?.stop(),
  });
}

async function replayed<T extends object>(ledger: RunLedger, record: InvocationRecord): Promise<Run<T>> {
  const outcome = record.outcome ?? (await ledger.invocations.get(record.invocation_id)).outcome;
  if (outcome === null) throw new Error(`invocation ${record.invocation_id} has ended without an outcome`);
  return replayedRun<T>(outcome);
}

function invocationContext(ledger: RunLedger, record: InvocationRecord, state: RunState): InvocationContext {
  const { invocation_id: id, correlation_id: correlationId, execution_id: executionId } = record;
  const parent = { correlationId, subjectId: id, executionId };
  return Object.assign(baseContext(state), nesting(ledger, parent, state.signal), {
    start: record,
    invocationId: id,
    executionId,
    correlationId,
    emit: async (type: string, data: object | null = null) => {
      const event = { event_id: newId(), type, invocation_id: id, correlation_id: correlationId, data: data as never };
      return (await ledger.events.register(event)).record.event_id;
    },
    toolCall: ((name, input, tool, toolOptions) =>
      runTool(
        name,
        input,
        tool,
        (call) => ledger.invocations.toolCall(id, call),
        toolOptions,
      )) as InvocationContext['toolCall'],
  });
}
