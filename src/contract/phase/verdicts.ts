/**
 * Run × report → phase, class and outcome (phase-outcomes-rules.md section 4, design section 1), as tables: `assess`
 * reads them here, the database holds every phase report against functions generated from them.
 */
import type { FailureReason, ReportState } from '../phase-report/index.ts';

export const PHASE_STATUSES = ['completed', 'failed', 'cancelled', 'interrupted'] as const;
export type PhaseStatus = (typeof PHASE_STATUSES)[number];

/** What the ledger concludes of a failure; failure rates are computed from it alone. */
export const FAILURE_CLASSES = ['platform', 'correct_refusal', 'unclassified'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** What was observed of a run; of the agent's words only how it reported, and its word for a failure. */
export interface VerdictFacts {
  cancelled: boolean;
  interrupted: boolean;
  timed_out: boolean;
  /** The process left an exit code, and it is 0. */
  exit_zero: boolean;
  stream_intact: boolean;
  report_state: ReportState;
  failure_reason: FailureReason | null;
}

export interface Verdict {
  phase_status: PhaseStatus;
  failure_classification: FailureClass | null;
}

interface VerdictRow extends Verdict {
  /** All of these facts; a row without any holds for every run. */
  when: Partial<VerdictFacts>;
}

/** The first row whose facts hold decides. */
export const VERDICTS: readonly VerdictRow[] = [
  { when: { cancelled: true }, phase_status: 'cancelled', failure_classification: null },
  { when: { interrupted: true }, phase_status: 'interrupted', failure_classification: null },
  { when: { timed_out: true }, phase_status: 'failed', failure_classification: 'platform' },
  { when: { exit_zero: false }, phase_status: 'failed', failure_classification: 'platform' },
  { when: { report_state: 'unreadable' }, phase_status: 'failed', failure_classification: 'platform' },
  {
    when: { report_state: 'failure', stream_intact: false },
    phase_status: 'failed',
    failure_classification: 'platform',
  },
  {
    when: { report_state: 'failure', failure_reason: 'unknown' },
    phase_status: 'failed',
    failure_classification: 'unclassified',
  },
  { when: { report_state: 'failure' }, phase_status: 'failed', failure_classification: 'correct_refusal' },
  { when: {}, phase_status: 'completed', failure_classification: null },
];

/** What a phase that nothing stands against becomes when it left nothing to build on (section 6). */
export const NOTHING_DELIVERED: Verdict = { phase_status: 'failed', failure_classification: 'platform' };

export function verdictOf(facts: VerdictFacts): Verdict {
  const members = Object.keys(facts) as (keyof VerdictFacts)[];
  const row = VERDICTS.find(({ when }) =>
    members.every((member) => when[member] === undefined || when[member] === facts[member]),
  );
  if (!row) throw new Error('the last row holds for every run');
  return { phase_status: row.phase_status, failure_classification: row.failure_classification };
}

export interface PhaseOutcome {
  phase_status: PhaseStatus;
  failure_classification: FailureClass | null;
  timed_out: boolean;
  status: 'success' | 'failure' | 'timeout';
  /** The first error's code; null: no errors. */
  code: string | null;
  /** Whether a retry may be due: never, or unless the start's `recovery_mode` is `manual`. */
  recoverable: 'never' | 'by_recovery_mode';
  /** Server-set `completion_reason` of the outcome. */
  completion_reason: 'canceled' | 'interrupted' | null;
}

const END = { timed_out: false, failure_classification: null, completion_reason: null } as const;

/** The outcome a concluded phase is recorded as; the first row of its phase, class and time decides. */
export const PHASE_OUTCOMES: readonly PhaseOutcome[] = [
  { ...END, phase_status: 'completed', status: 'success', code: null, recoverable: 'never' },
  {
    ...END,
    phase_status: 'failed',
    failure_classification: 'correct_refusal',
    status: 'failure',
    code: 'CORRECT_REFUSAL',
    recoverable: 'never',
  },
  {
    ...END,
    phase_status: 'failed',
    failure_classification: 'unclassified',
    status: 'failure',
    code: 'UNCLASSIFIED',
    recoverable: 'never',
  },
  {
    ...END,
    phase_status: 'failed',
    failure_classification: 'platform',
    timed_out: true,
    status: 'timeout',
    code: 'TIMEOUT',
    recoverable: 'by_recovery_mode',
  },
  {
    ...END,
    phase_status: 'failed',
    failure_classification: 'platform',
    status: 'failure',
    code: 'PLATFORM_FAILURE',
    recoverable: 'by_recovery_mode',
  },
  {
    ...END,
    phase_status: 'cancelled',
    completion_reason: 'canceled',
    status: 'failure',
    code: 'CANCELED',
    recoverable: 'never',
  },
  {
    ...END,
    phase_status: 'interrupted',
    completion_reason: 'interrupted',
    status: 'failure',
    code: 'INTERRUPTED',
    recoverable: 'by_recovery_mode',
  },
];
