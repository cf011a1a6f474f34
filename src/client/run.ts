import { startStopwatch } from './clock.ts';
import { conclude, type Returned } from './conclusion.ts';
import type {
  Envelope,
  ExecutionContextMembers,
  ExecutionContextPart,
  OutcomeRequest,
  RecordedEnvelope,
  RecordedOutcome,
} from './documents.ts';
import { runToEnd } from './ending.ts';
import { type Run, type RunOptions, runOf } from './run-options.ts';
import type { RunState } from './run-state.ts';
import { settle } from './settle.ts';

/** What both kinds of subject give to a run. */
export interface RunPlan {
  subject: { invocation_id: string } | { execution_id: string };
  /** Of the recorded start row: the envelope repeats it. */
  identity: Pick<Envelope, 'correlation_id' | 'causation_id' | 'source'>;
  state: RunState;
  options: RunOptions;
  work(): unknown;
  unpack(value: unknown): Returned | string;
  executionContext(status: Envelope['status'], said: ExecutionContextPart): ExecutionContextMembers | null;
  /** Registers why the work was skipped. */
  tellReason(reason: string): Promise<unknown>;
  record(request: OutcomeRequest): Promise<RecordedOutcome>;
  /** Called when the function has ended, before the outcome is recorded. */
  onEnd(): void;
}

const DEFAULT_GRACE_MS = 1_000;

/** Runs the function of a subject whose start row stands, and records exactly one outcome of it. */
export async function run<T>(plan: RunPlan): Promise<Run<T>> {
  const { state } = plan;
  const watch = startStopwatch();
  const ending = await runToEnd(plan.work, state.signal, plan.options.abortGraceMs ?? DEFAULT_GRACE_MS, (value) =>
    state.isVerdict(value),
  );
  const timing = watch.stop();
  state.end();
  plan.onEnd();
  const conclusion = conclude(ending, state, plan.unpack);
  const envelope: Envelope = {
    outcome_version: '1.0',
    status: conclusion.status,
    ...plan.identity,
    result: conclusion.result,
    quality: conclusion.quality,
    errors: conclusion.errors,
    escalation: conclusion.escalation,
    policy: state.policy,
    timing,
    execution_context: plan.executionContext(conclusion.status, conclusion.executionContext),
  };
  if (conclusion.reason !== undefined) {
    try {
      await plan.tellReason(conclusion.reason);
    } catch (error) {
      conclusion.toThrow ??= { error };
    }
  }
  return settle<T>({ subject: plan.subject, envelope, conclusion, record: plan.record });
}

/** The run of a subject that had its outcome before this call: the function is not run a second time. */
export function replayedRun<T>(outcome: RecordedEnvelope): Run<T> {
  return runOf(outcome, outcome.result as T | null, true);
}
