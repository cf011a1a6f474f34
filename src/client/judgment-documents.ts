import type {
  DeliveryAssessment,
  GateRequest,
  Integration,
  LifecycleEvent,
  OutcomeStatus,
  Verification,
} from '../contract/index.ts';
import type { JudgmentWord, Lifecycle, Verification as VerificationWord } from '../contract/judgment/index.ts';
import type { GateFlag, UnverifiedReason } from '../contract/judgment/words.ts';

export type {
  DeliveryAssessment,
  GateRequest,
  Integration,
  JudgmentWord,
  LifecycleEvent,
  Verification,
  VerificationWord,
};
/** Where a run stands. */
export type LifecycleWord = Lifecycle;

interface Kept {
  recorded_at: string;
  recorded_by: string;
}

/** A verification as it was recorded; `verification_required` says whether the outcome needs one, as of this. */
export type VerificationRecord = Verification & Kept & { verification_id: string; verification_required: boolean };
export type DeliveryRecord = DeliveryAssessment & Kept & { assessment_id: string };
export type LifecycleRecord = LifecycleEvent & Kept & { lifecycle_event_id: string };

export interface IntegrationRecord extends Kept {
  outcome_id: string;
  reference: string;
  /** The flag that opened the gate, if one was needed. */
  gate_flag: GateFlag | null;
  gate_reason: string | null;
}

/** What an invocation or an execution is judged to be (docs/judgments.md). Derived when it is read, never stored. */
export interface Judgment {
  subject_type: 'invocation' | 'execution';
  invocation_id: string | null;
  execution_id: string | null;
  /** Null while it is open. */
  outcome_id: string | null;
  source: { type: 'agent' | 'workflow'; id: string; version: string; domain: string };
  correlation_id: string;
  /** What was claimed; null while it is open. */
  status: OutcomeStatus | null;
  lifecycle: LifecycleWord;
  verification: VerificationWord;
  /** Whether it needs a verification. */
  required: boolean;
  assessment: DeliveryAssessment['assessment'] | null;
  /** `verified` and `delivered` say that it succeeded, no other word does. */
  judgment: JudgmentWord;
  /** Why it is `unverified`. */
  reason: UnverifiedReason | null;
  tag: 'VFAIL' | 'VTIMEOUT' | 'VINFRA' | 'VNORESULT' | null;
  gate: 'proceed' | 'warn' | 'refuse_override' | 'refuse';
  counts_as_success: boolean;
  in_success_base: boolean;
  in_agent_score: boolean;
  /** When the outcome was recorded; of an open subject, its start. */
  recorded_at: string;
}

/** A judgment and the latest that it rests on, at most 100 of a kind, oldest first. */
export interface JudgmentWithEvidence extends Judgment {
  verifications: VerificationRecord[];
  verifications_total: number;
  assessments: DeliveryRecord[];
  assessments_total: number;
  integration: IntegrationRecord | null;
}

/** One that passed the gate, and with which flag. */
export interface GatePassage
  extends Pick<Judgment, 'outcome_id' | 'lifecycle' | 'verification' | 'judgment' | 'reason' | 'tag' | 'gate'> {
  /** As it was asked for. */
  id: string;
  gate_flag: GateFlag | null;
  gate_reason: string | null;
}

/** Wilson's interval at 95 %; null over nothing. */
export type Interval = { low: number; high: number } | null;

export interface JudgmentCount {
  source: Judgment['source'];
  outcomes: number;
  judgments: Record<JudgmentWord, number>;
  /** Judged outcomes that are not in progress. */
  success_base: number;
  successes: number;
  success_rate: number | null;
  success_interval: Interval;
  /** Verified, delivered, broken and failed: what says something about the agent. */
  agent_score_base: number;
  agent_score: number | null;
  agent_score_interval: Interval;
  /** Outcomes that say success; of those, what verification says no to, what delivered nothing, what nobody could verify. */
  claims: { success: number; contradicted: number; hollow: number; unverified: number };
  /** Of all outcomes. */
  shares: Record<'partial' | 'blocked' | 'skipped' | 'escalated', number | null>;
}

export interface JudgmentStatistics {
  items: JudgmentCount[];
}
