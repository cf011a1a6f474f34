import type { EvidenceFacts, LinkFacts, OutcomeEvidence, OutcomeFacts, OutcomeKey } from '../graph.ts';
import { RELATION_OF } from './relationship-types.ts';
import { timeText } from './times.ts';

type Properties = Record<string, unknown>;

type Kind = 'text' | 'integer' | 'boolean' | 'time';

const EVIDENCE_FACTS: Record<keyof EvidenceFacts, Kind> = {
  verification: 'text',
  verification_required: 'boolean',
  assessment: 'text',
  integrated: 'boolean',
  awaiting_until: 'time',
};

/** How each fact stands in the graph. A null is no property at all. */
const OUTCOME_FACTS: Record<keyof OutcomeFacts, Kind> = {
  outcome_id: 'text',
  tenant_id: 'text',
  source_type: 'text',
  source_id: 'text',
  source_version: 'text',
  domain: 'text',
  governance_class: 'text',
  status: 'text',
  invocation_id: 'text',
  execution_id: 'text',
  correlation_id: 'text',
  causation_id: 'text',
  decision: 'text',
  escalation_target: 'text',
  origin: 'text',
  completion_reason: 'text',
  started_at: 'time',
  completed_at: 'time',
  recorded_at: 'time',
  duration_ms: 'integer',
  ...EVIDENCE_FACTS,
};

const NAMES = Object.keys(OUTCOME_FACTS) as (keyof OutcomeFacts)[];
const EVIDENCE_NAMES = Object.keys(EVIDENCE_FACTS) as (keyof EvidenceFacts)[];

/** Facts as an assignment each, from the values of a row behind its two ids. */
const assignments = (names: readonly (keyof OutcomeFacts)[]) =>
  names
    .map((name, n) => {
      const value = OUTCOME_FACTS[name] === 'time' ? `datetime(row[${n + 2}])` : `row[${n + 2}]`;
      return `outcome.${name} = ${value}`;
    })
    .join(', ');
export const OUTCOME_ASSIGNMENTS = assignments(NAMES.slice(2));
export const EVIDENCE_ASSIGNMENTS = assignments(EVIDENCE_NAMES);

/** The facts as a list in the order of `OUTCOME_ASSIGNMENTS`: half the bytes of a map, and no names to hash per row. */
export function outcomeValues(facts: OutcomeFacts): unknown[] {
  return NAMES.map((name) => (OUTCOME_FACTS[name] === 'integer' ? BigInt(facts[name] as number) : facts[name]));
}

export function evidenceValues(facts: OutcomeEvidence): unknown[] {
  return [facts.outcome_id, facts.tenant_id, ...EVIDENCE_NAMES.map((name) => facts[name])];
}

/** A node's properties as facts; null for a stub, which has its ids alone. */
export function outcomeOf(properties: Properties): { key: OutcomeKey; facts: OutcomeFacts | null } {
  const facts = Object.fromEntries(NAMES.map((name) => [name, factOf(properties[name], OUTCOME_FACTS[name])]));
  const { outcome_id, tenant_id, recorded_at } = facts as unknown as OutcomeFacts;
  return { key: { outcome_id, tenant_id }, facts: recorded_at === null ? null : (facts as unknown as OutcomeFacts) };
}

export const LINK_ASSIGNMENTS =
  'link.link_id = row[3], link.tenant_id = row[2], link.origin = row[4], link.declared_by = row[5], link.recorded_at = datetime(row[6])';

/** The link as a list: both ends, the tenant, then the rest in the order of `LINK_ASSIGNMENTS`. */
export function linkValues(link: LinkFacts): unknown[] {
  return [
    link.source_outcome_id,
    link.target_outcome_id,
    link.tenant_id,
    link.link_id,
    link.origin,
    link.declared_by,
    link.recorded_at,
  ];
}

export function linkOf(source: string, target: string, type: string, properties: Properties): LinkFacts {
  const text = (name: string) => factOf(properties[name], 'text');
  return {
    link_id: text('link_id'),
    tenant_id: text('tenant_id'),
    source_outcome_id: source,
    target_outcome_id: target,
    relation: RELATION_OF[type],
    origin: text('origin'),
    declared_by: text('declared_by'),
    recorded_at: factOf(properties['recorded_at'], 'time'),
  } as LinkFacts;
}

/** A property as a fact. What somebody else has changed to another type comes as it is, for `reconcile` to see. */
function factOf(value: unknown, kind: Kind): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'integer' && typeof value === 'bigint') return Number(value);
  if (kind === 'time') return timeText(value) ?? value;
  return value;
}
