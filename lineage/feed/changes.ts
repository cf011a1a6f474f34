import type { EvidenceFacts, LinkFacts, OutcomeEvidence, OutcomeFacts } from '../graph/graph.ts';
import { type Content, type Evidence, saysOfOutcome, saysOfRequest, withoutEvidence } from './evidence.ts';
import type { FeedChange, FeedRow } from './ledger.ts';

/** A row as `public.feed` gives it with `facts`. */
export interface RawRow {
  epoch: number;
  xid: string;
  seq: string;
  tenant_id: string;
  kind: string;
  content: Content;
}

const OUTCOME_KINDS = ['agent_invocation_outcomes', 'workflow_outcomes'];
const LINK_KIND = 'agent_lineage_links';

export function feedRow(row: RawRow, evidence: Evidence): FeedRow {
  const { epoch, xid, kind, tenant_id } = row;
  return { kind, epoch, xid, seq: Number(row.seq), tenant_id, change: changeOf(row, evidence) };
}

function changeOf({ kind, tenant_id, content }: RawRow, evidence: Evidence): FeedChange {
  if (kind === 'tombstones') return deletionOf(tenant_id, content);
  if (kind === LINK_KIND) return { type: 'link', facts: linkFacts(tenant_id, content) };
  if (saysOfRequest(kind)) {
    const { hitl_request_id } = content as { hitl_request_id: string };
    return evidenceChange({ hitl_request_id }, evidence.ofRequest(tenant_id, hitl_request_id));
  }
  const { outcome_id } = content as { outcome_id: string };
  const found = saysOfOutcome(kind) ? evidence.ofOutcome(tenant_id, outcome_id) : undefined;
  if (!OUTCOME_KINDS.includes(kind)) return evidenceChange({ outcome_id }, found);
  return { type: 'outcome', facts: outcomeFacts(kind, tenant_id, content, found) };
}

/** Of an outcome that was purged since, and of a request that is about none, there is nothing to tell. */
function evidenceChange(key: Record<string, string>, facts: OutcomeEvidence | undefined): FeedChange {
  return { type: 'evidence', key, facts: facts ?? null };
}

function deletionOf(tenant_id: string, content: Content): FeedChange {
  const key = content['row_key'] as Content;
  if (OUTCOME_KINDS.includes(content['table_name'] as string)) {
    return { type: 'outcome_deleted', key: { outcome_id: key['outcome_id'] as string, tenant_id } };
  }
  return {
    type: 'link_deleted',
    key: {
      tenant_id,
      source_outcome_id: key['source_outcome_id'] as string,
      target_outcome_id: key['target_outcome_id'] as string,
      relation: key['relation'] as LinkFacts['relation'],
    },
  };
}

export function outcomeFacts(
  kind: string,
  tenant_id: string,
  content: Content,
  evidence: EvidenceFacts = withoutEvidence(content),
): OutcomeFacts {
  const c = content as unknown as OutcomeFacts;
  const { verification, verification_required, assessment, integrated, awaiting_until } = evidence;
  return {
    outcome_id: c.outcome_id,
    tenant_id,
    source_type: c.source_type,
    source_id: c.source_id,
    source_version: c.source_version,
    domain: c.domain,
    governance_class: c.governance_class,
    status: c.status,
    invocation_id: kind === 'workflow_outcomes' ? null : c.invocation_id,
    execution_id: c.execution_id,
    correlation_id: c.correlation_id,
    causation_id: c.causation_id,
    decision: c.decision,
    escalation_target: c.escalation_target,
    origin: c.origin,
    completion_reason: c.completion_reason,
    started_at: c.started_at,
    completed_at: c.completed_at,
    recorded_at: c.recorded_at,
    duration_ms: c.duration_ms,
    verification,
    verification_required,
    assessment,
    integrated,
    awaiting_until,
  };
}

export function linkFacts(tenant_id: string, content: Content): LinkFacts {
  const c = content as unknown as LinkFacts;
  return {
    link_id: c.link_id,
    tenant_id,
    source_outcome_id: c.source_outcome_id,
    target_outcome_id: c.target_outcome_id,
    relation: c.relation,
    origin: c.origin,
    declared_by: c.declared_by,
    recorded_at: c.recorded_at,
  };
}

/** The ids of a row, no content: what the quarantine keeps. */
export function keyOf({ change }: FeedRow): Record<string, string> {
  if (change.type === 'outcome') return { outcome_id: change.facts.outcome_id };
  if (change.type === 'outcome_deleted') return { outcome_id: change.key.outcome_id };
  if (change.type === 'evidence') return change.key;
  const { source_outcome_id, target_outcome_id, relation } = change.type === 'link' ? change.facts : change.key;
  return { source_outcome_id, target_outcome_id, relation };
}
