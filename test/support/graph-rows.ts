// Rows for graph stores: outcomes and links as the feed gives them, from seeded numbers, so that a failed run can be repeated.

import type {
  EvidenceFacts,
  GraphBatch,
  GraphChanges,
  LinkFacts,
  OutcomeFacts,
  OutcomeKey,
  Position,
} from '../../lineage/graph/graph.ts';
import { RELATIONS, type Relation } from '../../src/contract/relations.ts';

export const TENANT = '5f0c9a4e-1d2b-4c3a-9e8f-000000000001';
export const OTHER_TENANT = '5f0c9a4e-1d2b-4c3a-9e8f-000000000002';
export const LEDGER = '7b1f3c5d-2a4e-4b6c-8d9e-0000000000aa';
export const RELATION_WORDS = Object.keys(RELATIONS) as Relation[];

const hex = (random: () => number, digits: number) =>
  Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');

/** A UUID v4 in the form that the database prints. */
export function uuidFrom(random: () => number): string {
  const variant = '89ab'[Math.floor(random() * 4)];
  return `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-${variant}${hex(random, 3)}-${hex(random, 12)}`;
}

/** RFC 3339 in UTC with microseconds, as the database prints times. */
export function timeFrom(random: () => number): string {
  const seconds = new Date(Date.UTC(2026, 0, 1) + Math.floor(random() * 3e10)).toISOString().slice(0, 19);
  return `${seconds}.${String(Math.floor(random() * 1_000_000)).padStart(6, '0')}Z`;
}

export const NO_EVIDENCE: EvidenceFacts = {
  verification: null,
  verification_required: false,
  assessment: null,
  integrated: false,
  awaiting_until: null,
};

/** Evidence with every fact there. */
export const evidenceFrom = (random: () => number): EvidenceFacts => ({
  verification: ['passed', 'failed', 'timed_out'][Math.floor(random() * 3)] ?? null,
  verification_required: random() < 0.5,
  assessment: ['delivered', 'hollow'][Math.floor(random() * 2)] ?? null,
  integrated: random() < 0.5,
  awaiting_until: timeFrom(random),
});

/** Evidence about an outcome. */
export const evidenceOf = ({ outcome_id, tenant_id }: OutcomeKey, facts: EvidenceFacts) => ({
  outcome_id,
  tenant_id,
  ...facts,
});

/** An outcome with every fact there, or with every optional one null. */
export function outcomeFrom(random: () => number, over: Partial<OutcomeFacts> = {}): OutcomeFacts {
  const agent = random() < 0.7;
  const full = random() < 0.5;
  return {
    outcome_id: uuidFrom(random),
    tenant_id: TENANT,
    source_type: agent ? 'agent' : 'workflow',
    source_id: agent ? 'claims-triage' : 'claims-flow',
    source_version: '1.2.0-0beta',
    domain: 'claims',
    governance_class: 'supervised',
    status: full ? 'success' : 'failure',
    invocation_id: agent ? uuidFrom(random) : null,
    execution_id: full ? uuidFrom(random) : null,
    correlation_id: uuidFrom(random),
    causation_id: uuidFrom(random),
    decision: full ? 'approve — ‘übernommen’ 👍' : null,
    escalation_target: full ? 'human-reviewers' : null,
    origin: 'recorded',
    completion_reason: full ? 'success' : null,
    started_at: timeFrom(random),
    completed_at: timeFrom(random),
    recorded_at: timeFrom(random),
    duration_ms: Math.floor(random() * 1e9),
    ...NO_EVIDENCE,
    ...(full ? evidenceFrom(random) : {}),
    ...over,
  };
}

export function linkBetween(
  random: () => number,
  source: string,
  target: string,
  over: Partial<LinkFacts> = {},
): LinkFacts {
  const declared = random() < 0.5;
  return {
    link_id: uuidFrom(random),
    tenant_id: TENANT,
    source_outcome_id: source,
    target_outcome_id: target,
    relation: 'invoked',
    origin: declared ? 'declared' : 'derived',
    declared_by: declared ? 'orchestrator-7' : null,
    recorded_at: timeFrom(random),
    ...over,
  };
}

/** Changes with the lists given and the others empty. */
export const changes = (lists: Partial<GraphChanges>): GraphChanges => ({
  outcomes: [],
  evidence: [],
  links: [],
  deletedOutcomes: [],
  deletedLinks: [],
  ...lists,
});

/** The position after `step` batches; its transaction id is above 2^53. */
export const positionAt = (step: number, over: Partial<Position> = {}): Position => ({
  ledger_id: LEDGER,
  tenant_id: null,
  epoch: 1,
  xid: String(9_007_199_254_740_993n + BigInt(step)),
  seq: 9_007_199_000_000_000 + step,
  kind: 'agent_lineage_links',
  ...over,
});

/** The batch that moves a graph from step `n` to `n + 1`; step 0 is a graph without a position. */
export const batchAt = (step: number, lists: Partial<GraphChanges>): GraphBatch => ({
  changes: changes(lists),
  from: step === 0 ? null : positionAt(step),
  to: positionAt(step + 1),
});
