import type { LinkFacts, OutcomeFacts } from '../graph/graph.ts';
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
/** The facts of a row, by column. */
export type Content = Record<string, unknown>;

const OUTCOME_KINDS = ['agent_invocation_outcomes', 'workflow_outcomes'];
const LINK_KIND = 'agent_lineage_links';

export function feedRow(row: RawRow): FeedRow {
  const { epoch, xid, kind, tenant_id } = row;
  return { kind, epoch, xid, seq: Number(row.seq), tenant_id, change: changeOf(row) };
}

function changeOf({ kind, tenant_id, content }: RawRow): FeedChange {
  if (kind === 'tombstones') return deletionOf(tenant_id, content);
  if (kind === LINK_KIND) return { type: 'link', facts: linkFacts(tenant_id, content) };
  return { type: 'outcome', facts: outcomeFacts(kind, tenant_id, content) };
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

export function outcomeFacts(kind: string, tenant_id: string, content: Content): OutcomeFacts {
  const c = content as unknown as OutcomeFacts;
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
  const { source_outcome_id, target_outcome_id, relation } = change.type === 'link' ? change.facts : change.key;
  return { source_outcome_id, target_outcome_id, relation };
}
