// How what the ledger did becomes an answer: 201 recorded, 200 replayed, 409 with the winner's id.
import type { ErrorCode, Problem } from '../../src/contract/index.ts';
import { type BatchItem, type LedgerRecord, type Recorded, Refusal, refusalOf } from '../../src/database/index.ts';
import type { Answer } from './endpoint.ts';
import { problemOf } from './problem.ts';

/** A kind of record: its name in batch answers, the members that name one, its conflict. */
export interface RecordKind {
  member: string;
  ids: readonly string[];
  conflict: ErrorCode;
}

export const KINDS = {
  definition: { member: 'definition', ids: ['source_type', 'source_id', 'version'], conflict: 'definition_conflict' },
  invocation: { member: 'invocation', ids: ['invocation_id'], conflict: 'invocation_conflict' },
  execution: { member: 'execution', ids: ['execution_id'], conflict: 'execution_conflict' },
  toolCall: { member: 'tool_call', ids: ['invocation_id', 'tool_call_id'], conflict: 'tool_call_conflict' },
  outcome: { member: 'outcome', ids: ['outcome_id'], conflict: 'outcome_conflict' },
  event: { member: 'event', ids: ['event_id'], conflict: 'event_conflict' },
  decision: {
    member: 'decision',
    ids: ['decision_id', 'invocation_id', 'execution_id'],
    conflict: 'decision_conflict',
  },
  policySet: { member: 'policy_set', ids: ['version'], conflict: 'policy_set_conflict' },
  hitlRequest: { member: 'request', ids: ['hitl_request_id'], conflict: 'hitl_request_conflict' },
  hitlResolution: { member: 'resolution', ids: ['hitl_request_id', 'resolution'], conflict: 'hitl_conflict' },
  webhook: { member: 'webhook', ids: ['webhook_id'], conflict: 'webhook_conflict' },
  verification: { member: 'verification', ids: ['verification_id', 'outcome_id'], conflict: 'evidence_conflict' },
  delivery: { member: 'assessment', ids: ['assessment_id', 'outcome_id'], conflict: 'evidence_conflict' },
  integration: { member: 'integration', ids: ['outcome_id'], conflict: 'evidence_conflict' },
  lifecycle: { member: 'event', ids: ['lifecycle_event_id'], conflict: 'evidence_conflict' },
  link: { member: 'link', ids: ['link_id'], conflict: 'link_conflict' },
} as const satisfies Record<string, RecordKind>;

/**
 * The answer of a single; throws the conflict.
 *
 * @param conflict what that means here, where the code's own words would say something else
 */
export function recordedAnswer(recorded: Recorded, kind: RecordKind, conflict?: string): Answer {
  if (recorded.result === 'conflict') throw conflictOf(recorded, kind, conflict);
  if (recorded.result === 'recorded') return { status: 201, body: recorded.record };
  return { status: 200, body: recorded.record, headers: { 'idempotent-replayed': 'true' } };
}

/** One item of a batch's answer. */
export interface ItemAnswer {
  status: number;
  replayed: boolean;
  problem?: Problem;
  [member: string]: unknown;
}

export function itemAnswer(item: BatchItem | Refusal, kind: RecordKind, requestId: string): ItemAnswer {
  const refusal = refusalOfItem(item, kind);
  if (refusal) return { status: refusal.status, replayed: false, problem: problemOf(refusal, requestId) };
  const { result, record } = item as Recorded;
  return { status: result === 'recorded' ? 201 : 200, replayed: result === 'replayed', [kind.member]: record };
}

function refusalOfItem(item: BatchItem | Refusal, kind: RecordKind): Refusal | null {
  if (item instanceof Refusal) return item;
  if (item.result === 'refused') return refusalOf(item.refusal);
  return item.result === 'conflict' ? conflictOf(item, kind) : null;
}

function conflictOf(recorded: Recorded, kind: RecordKind, detail?: string): Refusal {
  const winner: LedgerRecord = recorded.record ?? {};
  const ids = kind.ids.filter((id) => winner[id] !== undefined && winner[id] !== null);
  return new Refusal(recorded.code ?? kind.conflict, {
    ...(detail === undefined ? {} : { detail }),
    extra: Object.fromEntries(ids.map((id) => [id, winner[id]])),
  });
}

/** Of a cancel that came too late. */
export const NOTHING_CANCELED = 'It had ended already; nothing was canceled, and what it ended as stands.';

/** The record, or the refusal of an id nothing of this tenant has. */
export function foundAnswer(record: unknown, code: ErrorCode): Answer {
  if (record === null || record === undefined) throw new Refusal(code);
  return { status: 200, body: record };
}
