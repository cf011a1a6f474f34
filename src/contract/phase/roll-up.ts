/** What an execution's phases make of it (phase-outcomes-rules.md section 5, design sections 1 and 12). */
import { EXECUTION_STATUS_OF, EXECUTION_STATUS_OF_REASON, type ExecutionStatus } from '../execution-status.ts';
import { type FailureReason, SIDE_EFFECTS, type SideEffects } from '../phase-report/words.ts';
import type { OutcomeStatus } from '../statuses.ts';
import type { FailureClass, PhaseStatus } from './verdicts.ts';

/** An outcome as far as it decides a status. */
export interface Ending {
  status: OutcomeStatus;
  completion_reason: string | null;
}

/** One attempt at a phase; attempts are given in the order they started. */
export interface PhaseAttempt {
  /** The step; null: an invocation that is a phase by itself. */
  step_id: string | null;
  attempt: number;
  /** Null while it runs. `position` orders outcomes. */
  outcome: (Ending & { position: number }) | null;
  /** How it was concluded, with or after its outcome; null when nobody concluded it. */
  report: {
    phase_status: PhaseStatus;
    failure_classification: FailureClass | null;
    reported_failure_reason: FailureReason | null;
    reported_side_effects: SideEffects | null;
    deliverable_recovered: boolean;
    artifacts: number;
    late: boolean;
  } | null;
}

export interface ExecutionRollUp {
  status: ExecutionStatus;
  failure_classification: FailureClass | null;
  reported_failure_reason: FailureReason | null;
  deliverable_produced: boolean;
  reported_side_effects: SideEffects | null;
  phases: { step_id: string | null; status: ExecutionStatus; deliverable_recovered: boolean; attempts: number }[];
}

/** A completion reason says more than the status, unless the work completed. */
export function statusOf(ending: Ending | null): ExecutionStatus {
  if (ending === null) return 'running';
  const status = EXECUTION_STATUS_OF[ending.status];
  const reason = ending.completion_reason;
  if (status === 'completed' || (reason !== 'canceled' && reason !== 'interrupted')) return status;
  return EXECUTION_STATUS_OF_REASON[reason];
}

export function rollUpExecution(outcome: Ending | null, attempts: readonly PhaseAttempt[]): ExecutionRollUp {
  const phases = phasesOf(attempts).map((tries) => ({ tries, latest: latestOf(tries) }));
  const status = statusOf(outcome);
  const failed = phases
    .filter(({ latest }) => statusOf(latest.outcome) === 'failed')
    .sort((a, b) => (a.latest.outcome?.position ?? 0) - (b.latest.outcome?.position ?? 0))[0]?.latest;
  const reports = phases.map(({ latest }) => concluded(latest)).filter((report) => report !== null);
  const ranks = reports.map((report) => SIDE_EFFECTS.indexOf(report.reported_side_effects as SideEffects));
  return {
    status,
    // What failed and nobody concluded is the platform's: no agent's word may move it out of that count.
    failure_classification:
      status === 'failed' ? ((failed && concluded(failed)?.failure_classification) ?? 'platform') : null,
    reported_failure_reason:
      status === 'failed' ? ((failed && concluded(failed)?.reported_failure_reason) ?? null) : null,
    // Also what an earlier attempt left is there to be read.
    deliverable_produced: attempts
      .map(concluded)
      .some((report) => report && report.artifacts > 0 && /^(completed|failed)$/.test(report.phase_status)),
    reported_side_effects: SIDE_EFFECTS[Math.max(-1, ...ranks)] ?? null,
    phases: phases.map(({ tries, latest }) => ({
      step_id: latest.step_id,
      status: statusOf(latest.outcome),
      deliverable_recovered: concluded(latest)?.deliverable_recovered ?? false,
      attempts: tries.length,
    })),
  };
}

const concluded = ({ report }: PhaseAttempt) => (report?.late === false ? report : null);

const latestOf = (tries: PhaseAttempt[]): PhaseAttempt =>
  tries.reduce((latest, next) => (next.attempt >= latest.attempt ? next : latest));

/** The attempts of each phase, in the order the phases started. */
function phasesOf(attempts: readonly PhaseAttempt[]): PhaseAttempt[][] {
  const steps = new Map<string, PhaseAttempt[]>();
  const phases: PhaseAttempt[][] = [];
  for (const attempt of attempts) {
    const known = attempt.step_id === null ? undefined : steps.get(attempt.step_id);
    if (known) {
      known.push(attempt);
      continue;
    }
    const phase = [attempt];
    phases.push(phase);
    if (attempt.step_id !== null) steps.set(attempt.step_id, phase);
  }
  return phases;
}
