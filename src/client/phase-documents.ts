import type { ExecutionStatus } from '../contract/execution-status.ts';
import type { FailureClass, PhaseStatus } from '../contract/phase/index.ts';
import type { PhaseObservation } from '../contract/phase/input.ts';
import type { Claim } from '../contract/phase-report/claim.ts';
import type { FailureReason, ReportState, SideEffects } from '../contract/phase-report/index.ts';
import type { Quality, RecordedEnvelope, Timing } from './documents.ts';

export type { FailureClass, FailureReason, PhaseObservation, PhaseStatus, ReportState, SideEffects };

/** One report of an agent about its run, as it was read; `text` is how it stood. */
export type PhaseClaim = Claim;

/** What an agent said, as text, or of anybody with their role: those of `agent` and `assistant` count. */
export type PhaseMessage = string | { role: string; text: string };

/** Text, or bytes: as they are, or in base64. */
export type PhaseContent = string | Uint8Array | { base64: string };

/** What `invocations.conclude` takes (docs/phase-outcomes.md). */
export interface PhaseConclusion {
  /** All that the agent said in this run, in order. */
  messages: readonly PhaseMessage[];
  /** What was seen of the run, whatever its agent says. */
  observation: PhaseObservation;
  /** What it left; what lies below `artifacts/output/` is collected. */
  files: readonly { path: string; content: PhaseContent }[] | { readonly [path: string]: PhaseContent };
  phase?: {
    /** Stands in titles and errors; default: the start's `step_name`, else its `step_id`, else its source. */
    name?: string;
    /** What the phase was to produce; the first is the type of its artifacts. */
    output_types?: readonly string[];
    /** Where its work stands in git, for a recovered deliverable. */
    branch_report?: string;
  };
  /** The envelope's result when the phase completed; default `{comments, artifacts: [{path, sha256}], deliverable_recovered}`. */
  result?: object;
  quality?: Quality;
  /** Default: from the start row to now. */
  timing?: Timing;
}

/** One artifact of a concluded phase. `sha256` in hex, of its bytes. */
export interface PhaseArtifactRecord {
  artifact_id: string;
  path: string;
  title: string;
  type: string;
  size_bytes: number;
  sha256: string;
  /** The agent's last message, in place of a file. */
  recovered: boolean;
  /** The deliverable that the next phase gets as one file. */
  primary: boolean;
  /** Where its bytes are: in the ledger's table, or in an object store. */
  stored: 'table' | 'object';
}

/** A phase as it was concluded: the measurement, and beside it the agent's words. */
export interface ConcludedPhase {
  invocation_id: string;
  execution_id: string | null;
  outcome_id: string;
  report_state: ReportState;
  phase_status: PhaseStatus;
  /** What the ledger concluded of a failure; null where none failed. */
  failure_classification: FailureClass | null;
  /** The agent's own word for its failure: a quotation. */
  reported_failure_reason: FailureReason | null;
  /** Of a completed phase, the agent's own word. */
  reported_side_effects: SideEffects | null;
  deliverable_recovered: boolean;
  /** Why the phase failed, for people. */
  error: string | null;
  warnings: string[];
  claims: PhaseClaim[];
  /** The one of `claims` that stands. */
  stands: number | null;
  observation: Required<PhaseObservation>;
  /** It came after the invocation had its outcome: kept as evidence. */
  late: boolean;
  artifacts: PhaseArtifactRecord[];
  outcome: RecordedEnvelope;
}

/** An artifact read back. */
export interface ArtifactRecord extends PhaseArtifactRecord {
  invocation_id: string;
  execution_id: string | null;
  /** Null while the invocation has none. */
  outcome_id: string | null;
  /** Null when its bytes are an object: `url` gives them. */
  content: string | { base64: string } | null;
  /** Signed, for an hour. */
  url: string | null;
  recorded_at: string;
  recorded_by: string;
}

/** What an execution's phases came to. What is `reported_` is an agent's word, a quotation. */
export interface ExecutionResult {
  /** Of the phase that failed; `platform` where nobody concluded it. Null unless the execution failed. */
  failure_classification: FailureClass | null;
  reported_failure_reason: FailureReason | null;
  /** A completed or failed phase has an artifact, whatever the execution's status. */
  deliverable_produced: boolean;
  /** The most severe over its completed phases. */
  reported_side_effects: SideEffects | null;
  /** One for each step, in the order they started: its latest attempt. */
  phases: ExecutionPhase[];
}

export interface ExecutionPhase {
  name: string;
  /** Null: an invocation that is a phase by itself. */
  step_id: string | null;
  status: ExecutionStatus;
  failure_classification: FailureClass | null;
  reported_failure_reason: FailureReason | null;
  deliverable_recovered: boolean;
  reported_side_effects: SideEffects | null;
  attempts: {
    invocation_id: string;
    attempt: number;
    status: ExecutionStatus;
    failure_classification: FailureClass | null;
    outcome_id: string | null;
    /** Null when nobody concluded it. */
    report_state: ReportState | null;
  }[];
}

/** What the earlier phases of an execution left for an invocation. */
export interface PhaseInputs {
  items: {
    /** `artifacts/input/<step>/…`; and `artifacts/input/<step>.md` for the primary artifact of that step. */
    path: string;
    artifact_id: string;
    /** Null: an invocation that is a phase by itself. */
    step_id: string | null;
    execution_id: string;
    size_bytes: number;
    sha256: string;
    primary: boolean;
    recovered: boolean;
  }[];
  /** Artifacts that got no path, and why. */
  omitted: { artifact_id: string; path: string; reason: string }[];
}

/** One agent's version in one domain. Rates over `completed + failed`, from 0 to 1; null when there are none. */
export interface FailureRate {
  source_id: string;
  source_version: string;
  domain: string;
  concluded: number;
  completed: number;
  failed: number;
  cancelled: number;
  interrupted: number;
  platform: number;
  correct_refusal: number;
  unclassified: number;
  failure_rate: number | null;
  platform_rate: number | null;
}

export interface FailureRates {
  items: FailureRate[];
}
