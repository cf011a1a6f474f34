import type { OutcomeStatus } from '../contract/index.ts';
import type { WorkState } from './documents.ts';
import type { JudgmentWord, LifecycleWord, VerificationWord } from './judgment-documents.ts';

/** Members that every list understands. */
export interface PageFilter {
  /** Items on a page, 1 to 1,000. Default 100. */
  limit?: number;
  /** `next_cursor` of an earlier page; stays good while new rows arrive. */
  cursor?: string | null;
  /** `desc` (newest first, the default) or `asc`, by when the ledger recorded them. */
  order?: 'asc' | 'desc';
  /** Recorded at or after this time (RFC 3339). */
  from?: string;
  /** Recorded before this time (RFC 3339). */
  to?: string;
}

export interface OutcomeFilter extends PageFilter {
  correlation_id?: string;
  causation_id?: string;
  invocation_id?: string;
  execution_id?: string;
  status?: OutcomeStatus;
  source_type?: 'agent' | 'workflow';
  source_id?: string;
  domain?: string;
}

export interface InvocationFilter extends PageFilter {
  state?: WorkState;
  source_id?: string;
  domain?: string;
  correlation_id?: string;
  execution_id?: string;
}

export interface ExecutionFilter extends PageFilter {
  state?: WorkState;
  source_id?: string;
  domain?: string;
  correlation_id?: string;
}

export interface FailureRateFilter {
  source_id?: string;
  source_version?: string;
  domain?: string;
  /** Concluded at or after this time (RFC 3339). */
  from?: string;
  /** Concluded before this time (RFC 3339). */
  to?: string;
}

/** `from` and `to` are about the start. */
export interface JudgmentFilter extends PageFilter {
  judgment?: JudgmentWord;
  lifecycle?: LifecycleWord;
  verification?: VerificationWord;
  source_type?: 'agent' | 'workflow';
  source_id?: string;
  source_version?: string;
  domain?: string;
  correlation_id?: string;
}

export interface JudgmentStatisticsFilter {
  source_type?: 'agent' | 'workflow';
  source_id?: string;
  source_version?: string;
  domain?: string;
  /** Recorded at or after this time (RFC 3339). */
  from?: string;
  /** Recorded before this time (RFC 3339). */
  to?: string;
}

export interface EventFilter extends PageFilter {
  type?: string;
  correlation_id?: string;
  invocation_id?: string;
  outcome_id?: string;
}

export interface HitlFilter extends PageFilter {
  state?: 'open' | 'approved' | 'rejected' | 'expired' | 'closed';
  correlation_id?: string;
  source_id?: string;
  invocation_id?: string;
  execution_id?: string;
  outcome_id?: string;
}
