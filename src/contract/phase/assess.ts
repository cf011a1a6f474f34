import {
  type FailureReason,
  type PhaseReport,
  type ReportState,
  readMessages,
  type SideEffects,
} from '../phase-report/index.ts';
import { deliver, type Kept, keep, type PhaseArtifact } from './artifacts.ts';
import { failureWords } from './failure-words.ts';
import { OUTPUT_DIRECTORY, type ReadPhaseInput, readPhaseInput } from './input.ts';
import { type FailureClass, NOTHING_DELIVERED, type PhaseStatus, type VerdictFacts, verdictOf } from './verdicts.ts';

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

/**
 * The same for messages that were read as they came.
 *
 * @param noRoom why files cannot be kept, by their paths: a phase that will not complete leaves them out, with a warning
 */
export function assess(
  input: ReadPhaseInput,
  report: PhaseReport,
  noRoom: ReadonlyMap<string, string> = new Map(),
): PhaseAssessment {
  const { observation, phase } = input;
  const parts = { ...input, lastMessage: lastMessageOf(input.messages) };
  const warnings = report.claims.flatMap((claim) => claim.warnings);
  const outside = input.files.length - input.files.filter(({ path }) => path.startsWith(OUTPUT_DIRECTORY)).length;
  if (outside > 0) warnings.push(`${outside} files outside artifacts/output/ are not collected`);
  const base = { report_state: report.state };
  const keepAs = (marker: Parameters<typeof keep>[1]) => kept(keep(parts, marker, noRoom), warnings);
  const verdict = verdictOf(factsOf(observation, report));
  if (verdict.phase_status === 'failed') {
    return {
      ...base,
      ...keepAs('kept from a failed phase'),
      ...verdict,
      // Of a run that did not end cleanly the word would be read as the reason; it is in the error's text.
      reported_failure_reason:
        verdict.failure_classification === 'platform' ? null : (report.stands?.failure_reason ?? null),
      reported_side_effects: null,
      error: failureWords(report, observation, phase.name),
    };
  }
  if (verdict.phase_status !== 'completed') return { ...base, ...nothingFailed, ...keepAs('partial'), ...verdict };
  const delivered = deliver(parts);
  if (delivered.missing !== null) {
    const left = keepAs('kept from a failed phase');
    return { ...base, ...nothingFailed, ...left, ...NOTHING_DELIVERED, error: delivered.missing };
  }
  const { artifacts } = delivered;
  return {
    ...base,
    ...nothingFailed,
    ...kept({ artifacts, warnings: [] }, warnings),
    ...verdict,
    reported_side_effects: report.stands?.side_effects ?? null,
    deliverable_recovered: artifacts.some((artifact) => artifact.recovered),
  };
}

const nothingFailed = {
  reported_failure_reason: null,
  reported_side_effects: null,
  error: null,
} as const;
const kept = ({ artifacts, warnings }: Kept, before: readonly string[]) => ({
  warnings: [...before, ...warnings],
  deliverable_recovered: false,
  artifacts,
  artifact_paths: artifacts.map(({ path }) => path),
});

/** The last that says anything. */
function lastMessageOf(messages: readonly string[]): string {
  return messages.findLast((message) => message.trim() !== '') ?? '';
}

function factsOf(observation: ReadPhaseInput['observation'], report: PhaseReport): VerdictFacts {
  return {
    cancelled: observation.cancelled,
    interrupted: observation.interrupted,
    timed_out: observation.timed_out,
    exit_zero: observation.exit_code === 0,
    stream_intact: observation.stream_intact,
    report_state: report.state,
    failure_reason: report.stands?.failure_reason ?? null,
  };
}
