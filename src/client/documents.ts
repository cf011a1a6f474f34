import type { Gap as GapWord } from '../contract/gaps.ts';
import type {
  EnvelopeError,
  EnvelopeInput,
  Escalation,
  EventDocument,
  ExecutionContext as ExecutionContextMembers,
  ExecutionStart,
  GovernanceClass,
  HitlRequest,
  HitlResolution,
  InvocationStart,
  Link,
  OutcomeStatus,
  Policy,
  PolicyDecision,
  PolicyEvaluation,
  PolicySet,
  Quality,
  RecoveryMode,
  Relation,
  SourceDefinition,
  SourceType,
  Envelope as StoredEnvelope,
  Timing,
  ToolCall,
} from '../contract/index.ts';
import type { JudgmentWord, VerificationWord } from './judgment-documents.ts';
import type { ExecutionResult } from './phase-documents.ts';

export type {
  Escalation,
  ExecutionContextMembers,
  ExecutionStart,
  HitlRequest,
  HitlResolution,
  InvocationStart,
  OutcomeStatus,
  Policy,
  PolicyDecision,
  PolicyEvaluation,
  PolicySet,
  Quality,
  SourceDefinition,
  Timing,
  ToolCall,
};
/** An envelope as it is sent: optional members may be absent. */
export type Envelope = EnvelopeInput;
export type ErrorEntry = EnvelopeError;
export type EventInput = EventDocument;
export type LinkInput = Link;
/** What a workflow may say about how it ran; the pattern is the start's. */
export type ExecutionContextPart = Partial<ExecutionContextMembers>;

/** An envelope as the ledger holds it. */
export type RecordedEnvelope = StoredEnvelope & { outcome_id: string };

/** What `outcomes.record` takes: the subject, and its envelope without `outcome_id`. */
export type OutcomeRequest =
  | { invocation_id: string; execution_id?: never; outcome: Envelope }
  | { execution_id: string; invocation_id?: never; outcome: Envelope };

/** A recorded document, and whether the ledger had it before this call (a replay). */
export interface Recorded<T> {
  record: T;
  replayed: boolean;
}

/** A recorded outcome, and whether the ledger had it before this call (a replay). */
export interface RecordedOutcome {
  outcome: RecordedEnvelope;
  replayed: boolean;
}

/** An envelope that came after another had been recorded: kept, and never an outcome. */
export interface LateOutcome {
  outcome: Envelope;
  received_at: string;
  received_by: string;
}

/** An outcome read back: the envelope, and what the ledger knows about it. */
export type OutcomeRecord = RecordedEnvelope & {
  invocation_id: string | null;
  execution_id: string | null;
  recorded_at: string;
  recorded_by: string;
  origin: string;
  completion_reason: string | null;
  timing_drift_ms: number | null;
  /** Envelopes that lost the race to this one. */
  late: LateOutcome[] | null;
  /** Whether it succeeded: `verified` and `delivered` say yes, no other word does. */
  judgment: JudgmentWord;
  /** What verification says of it. */
  verification: VerificationWord;
};

/** `running`: open and in time · `stalled`: its heartbeat lapsed · `overdue`: past its deadline · `ended`. */
export type WorkState = 'running' | 'stalled' | 'overdue' | 'ended';

interface SubjectRecord {
  source: { type: SourceType; id: string; version: string; domain: string };
  governance_class: GovernanceClass;
  correlation_id: string;
  causation_id: string;
  verify: string | null;
  deadline_at: string;
  traceparent: string | null;
  attributes: { [member: string]: unknown } | null;
  started_at: string;
  recorded_by: string;
  /** False when no definition of this source version was in force. */
  defined: boolean;
  state: WorkState;
  heartbeat_at: string | null;
  outcome_id: string | null;
  outcome: RecordedEnvelope | null;
  /** Envelopes that lost the race to it, as with the outcome itself. */
  late: LateOutcome[] | null;
}

export interface InvocationRecord extends SubjectRecord {
  invocation_id: string;
  execution_id: string | null;
  step_id: string | null;
  step_name: string | null;
  attempt: number | null;
  surfaces: string[] | null;
  recovery_mode: RecoveryMode;
  /** Single reads only. */
  tool_calls?: ToolCallRecord[];
}

/** What its phases came to is told by single reads only. */
export interface ExecutionRecord extends SubjectRecord, Partial<ExecutionResult> {
  execution_id: string;
  /** The start's, else the definition's: one of them names it. */
  execution_pattern: string;
  parent_execution_id: string | null;
  resumed_from_execution_id: string | null;
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'interrupted';
}

interface Recording {
  recorded_at: string;
  recorded_by: string;
}

export type ToolCallRecord = ToolCall & Recording & { tool_call_id: string };
export type EventRecord = EventInput &
  Recording & {
    event_id: string;
    /** `emitted` by an outcome, registered by an agent, or received from outside. */
    kind: string;
    outcome_id: string | null;
    causation_id: string | null;
  };
export type PolicyDecisionRecord = PolicyDecision & Recording & { decision_id: string };
export type LinkRecord = Link & {
  link_id: string;
  origin: 'derived' | 'declared';
  declared_by: string | null;
  recorded_at: string;
};
export type DefinitionRecord = SourceDefinition &
  Recording & {
    output_schema_hash: string | null;
    confidence_schema_hash: string | null;
  };

export interface Heartbeat {
  invocation_id: string;
  heartbeat_at: string;
  deadline_at: string;
}

/** One outcome in a lineage answer. The root has depth 0 and neither relation nor via. */
export interface LineageNode {
  depth: number;
  outcome_id: string;
  relation: Relation | null;
  via_outcome_id: string | null;
  source_type: SourceType;
  source_id: string;
  source_version: string;
  domain: string;
  status: OutcomeStatus;
  correlation_id: string;
  completed_at: string;
}

export interface LineageLink {
  link_id: string;
  source_outcome_id: string;
  target_outcome_id: string;
  relation: Relation;
}

export interface LineageDocument {
  outcome_id: string;
  direction: 'why' | 'impact';
  max_depth: number;
  /** True when nodes beyond `max_depth` were left out. */
  truncated: boolean;
  nodes: LineageNode[];
  links: LineageLink[];
}

export interface CorrelationDocument {
  correlation_id: string;
  nodes: {
    outcome_id: string;
    source_type: SourceType;
    source_id: string;
    source_version: string;
    domain: string;
    status: OutcomeStatus;
    started_at: string;
    completed_at: string;
    invocation_id: string | null;
    execution_id: string | null;
    causation_id: string;
    links: { relation: Relation; target_outcome_id: string }[];
  }[];
  links: LineageLink[];
  /** Work of this transaction that has no outcome yet. */
  open: {
    subject_type: string;
    subject_id: string;
    source_id: string;
    state: WorkState;
    started_at: string;
    deadline_at: string;
  }[];
}

export type GapKind = GapWord;

export interface Gap {
  gap: GapKind;
  subject_type: string;
  subject_id: string;
  outcome_id: string | null;
  since: string;
  detail: { [member: string]: unknown } | null;
}

export interface GapsDocument {
  items: Gap[];
  next_cursor: string | null;
  truncated?: boolean;
}

/** The ledger's word on whether it can record. */
export interface Health {
  /** `ok`; `degraded` (records, but the feed is held back); or the code of the refusal that every request meets. */
  status: string;
  /** Of the database's schema; null when it cannot be asked. */
  fingerprint: string | null;
  expected_fingerprint: string;
  epoch: number | null;
  feed: { degraded: boolean; held_back_by: { pid: number; user: string; database: string; age_s: number }[] } | null;
}

/** A stored policy set; the newest one is in force. */
export type PolicySetRecord = PolicySet & { content_hash: string; recorded_at: string; recorded_by: string };

/** A question to a human; `age_s` in seconds. */
export interface HitlRequestRecord {
  hitl_request_id: string;
  /** `closed`: its subject ended without an answer. */
  state: 'open' | 'approved' | 'rejected' | 'expired' | 'closed';
  subject_type: 'invocation' | 'execution';
  invocation_id: string | null;
  execution_id: string | null;
  opened_from: 'decision' | 'outcome' | 'orchestrator';
  decision_id: string | null;
  outcome_id: string | null;
  source_id: string;
  correlation_id: string;
  reason: string;
  expires_at: string;
  requested_at: string;
  requested_by: string;
  age_s: number;
  resolution: HitlResolutionRecord | null;
}

/** A human's one answer, with the HITL gateway's own invocation and outcome. */
export interface HitlResolutionRecord {
  hitl_request_id: string;
  resolution: 'approved' | 'rejected';
  reason: string;
  resolved_by: string;
  resolved_at: string;
  gateway_invocation_id: string;
  gateway_outcome_id: string | null;
}
