import {
  type FailureReason,
  type PhaseReport,
  type ReportState,
  readMessages,
  type SideEffects,
} from '../phase-report/index.ts';
import { deliver, keep, type PhaseArtifact } from './artifacts.ts';
import { OUTPUT_DIRECTORY, type ReadPhaseInput, readPhaseInput } from './input.ts';

export const PHASE_STATUSES = ['completed', 'failed', 'cancelled', 'interrupted'] as const;
export type PhaseStatus = (typeof PHASE_STATUSES)[number];

/** What the ledger concludes of a failure; failure rates are computed from it alone. */
export const FAILURE_CLASSES = ['platform', 'correct_refusal', 'unclassified'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** A phase as it is concluded: the measurement, and beside it the agent's words. */
export interface PhaseAssessment {
  report_state: ReportState;
  phase_status: PhaseStatus;
  failure_classification: FailureClass | null;
  /** The agent's own word for its failure: a quotation. */
  reported_failure_reason: FailureReason | null;
  /** Of a completed phase, the agent's own word. */
  reported_side_effects: SideEffects | null;
  deliverable_recovered: boolean;
  artifacts: PhaseArtifact[];
  artifact_paths: string[];
  /** Why the phase failed, for people; null when it did not. */
  error: string | null;
  warnings: string[];
}

/**
 * Weighs what an agent said of its run against what was observed of it and what it left (phase-outcomes.txt,
 * phase-outcomes-rules.md sections 4 to 8). Cancelled beats interrupted beats timed out beats the exit code.
 *
 * @throws PhaseInputRefused when the input is not of the form; anything that an agent may write or leave is
 */
export function assessPhase(document: unknown): PhaseAssessment {
  const input = readPhaseInput(document);
  return assess(input, readMessages(input.messages));
}

/** The same for messages that were read as they came. */
export function assess(input: ReadPhaseInput, report: PhaseReport): PhaseAssessment {
  const { observation, phase } = input;
  const parts = { ...input, lastMessage: lastMessageOf(input.messages) };
  const warnings = report.claims.flatMap((claim) => claim.warnings);
  const outside = input.files.length - input.files.filter(({ path }) => path.startsWith(OUTPUT_DIRECTORY)).length;
  if (outside > 0) warnings.push(`${outside} files outside artifacts/output/ are not collected`);
  const base = { report_state: report.state, warnings };
  if (observation.cancelled || observation.interrupted) {
    const status = observation.cancelled ? 'cancelled' : 'interrupted';
    return { ...base, ...kept(keep(parts, 'partial')), ...nothingFailed, phase_status: status };
  }
  const failure = failureOf(report, observation, phase.name);
  if (failure) return { ...base, ...kept(keep(parts, 'kept from a failed phase')), ...failed, ...failure };
  const delivered = deliver(parts);
  if (delivered.missing !== null) {
    const artifacts = keep(parts, 'kept from a failed phase');
    return { ...base, ...kept(artifacts), ...failed, ...platform, error: delivered.missing };
  }
  const { artifacts } = delivered;
  return {
    ...base,
    ...nothingFailed,
    ...kept(artifacts),
    phase_status: 'completed',
    reported_side_effects: report.stands?.side_effects ?? null,
    deliverable_recovered: artifacts.some((artifact) => artifact.recovered),
  };
}

type Failure = Pick<PhaseAssessment, 'failure_classification' | 'reported_failure_reason' | 'error'>;

const nothingFailed = {
  failure_classification: null,
  reported_failure_reason: null,
  reported_side_effects: null,
  error: null,
} as const;
const failed = { phase_status: 'failed', reported_side_effects: null } as const;
const platform = { failure_classification: 'platform', reported_failure_reason: null } as const;

const kept = (artifacts: PhaseArtifact[]) => ({
  deliverable_recovered: false,
  artifacts,
  artifact_paths: artifacts.map(({ path }) => path),
});

/** Run × report (phase-outcomes-tables.md); null: nothing stands against completing. */
function failureOf(
  report: PhaseReport,
  { exit_code, stream_intact, timed_out }: ReadPhaseInput['observation'],
  name: string | undefined,
): Failure | null {
  const reportedFailure = report.state === 'failure';
  const unclean = timed_out
    ? 'ran past its time'
    : exit_code === null
      ? 'left no exit code'
      : exit_code !== 0
        ? `ended with exit code ${exit_code}`
        : null;
  const broken = stream_intact ? null : 'broke off its output';
  const fault = unclean ?? (reportedFailure || report.state === 'unreadable' ? broken : null);
  const named = name === undefined ? 'the phase' : `phase "${name}"`;
  if (fault !== null) {
    const words = reportedFailure
      ? `; the agent reported a failure: ${quoted(report)}. A run that did not end cleanly counts as a failure of the platform, whatever it reported`
      : '';
    return { ...platform, error: `${named} ${fault}${words}` };
  }
  if (report.state === 'unreadable') {
    return { ...platform, error: `the report of ${named} could not be read: ${quoted(report)}` };
  }
  if (!reportedFailure) return null;
  const reason = report.stands?.failure_reason ?? null;
  return {
    failure_classification: reason === 'unknown' ? 'unclassified' : 'correct_refusal',
    reported_failure_reason: reason,
    error: `${named} reported a failure: ${quoted(report)}`,
  };
}

const LONGEST_QUOTE = 2_000;

/** The agent's words: its comments, else what shows how it spoke. */
function quoted({ stands }: PhaseReport): string {
  if (!stands) return 'nothing';
  const { state, comments, by_alias, text } = stands;
  const words =
    state === 'unreadable'
      ? text.replace(/\s+/g, ' ')
      : comments !== ''
        ? `${by_alias ? '("status": "failed") ' : ''}${comments}`
        : by_alias
          ? 'it wrote "status": "failed" where "success": false belongs, and no comments'
          : 'it gave no comments';
  const points = [...words];
  return points.length <= LONGEST_QUOTE ? words : `${points.slice(0, LONGEST_QUOTE).join('')}…`;
}

/** The last that says anything. */
function lastMessageOf(messages: readonly string[]): string {
  return messages.findLast((message) => message.trim() !== '') ?? '';
}
