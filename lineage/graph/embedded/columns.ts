import type { Relation } from '../../../src/contract/relations.ts';
import type { EvidenceFacts, LinkFacts, OutcomeFacts } from '../graph.ts';

export type ColumnType = 'STRING' | 'INT64' | 'BOOLEAN';

/** What of an outcome changes after it was recorded. */
export const EVIDENCE_COLUMNS = {
  verification: 'STRING',
  verification_required: 'BOOLEAN',
  assessment: 'STRING',
  integrated: 'BOOLEAN',
  awaiting_until: 'STRING',
} as const satisfies Record<keyof EvidenceFacts, ColumnType>;

/**
 * The columns of an outcome, its key first. Times are kept as the text they come in, RFC 3339 in UTC with six decimals: as
 * text they sort, compare and come back exactly, while the library's own timestamps reach JavaScript without microseconds.
 */
export const OUTCOME_COLUMNS = {
  outcome_id: 'STRING',
  tenant_id: 'STRING',
  source_type: 'STRING',
  source_id: 'STRING',
  source_version: 'STRING',
  domain: 'STRING',
  governance_class: 'STRING',
  status: 'STRING',
  invocation_id: 'STRING',
  execution_id: 'STRING',
  correlation_id: 'STRING',
  causation_id: 'STRING',
  decision: 'STRING',
  escalation_target: 'STRING',
  origin: 'STRING',
  completion_reason: 'STRING',
  started_at: 'STRING',
  completed_at: 'STRING',
  recorded_at: 'STRING',
  duration_ms: 'INT64',
  ...EVIDENCE_COLUMNS,
} as const satisfies Record<keyof OutcomeFacts, ColumnType>;

/** What a stub lacks. */
export const FACT_NAMES = namesOf(OUTCOME_COLUMNS).filter((name) => name !== 'outcome_id' && name !== 'tenant_id');

/** A link's columns; its ends and its relation are the relationship itself. */
export const LINK_COLUMNS = {
  link_id: 'STRING',
  tenant_id: 'STRING',
  origin: 'STRING',
  declared_by: 'STRING',
  recorded_at: 'STRING',
} as const satisfies Partial<Record<keyof LinkFacts, ColumnType>>;

/** The relationship's type for each relation. */
export const TYPE_OF = {
  invoked: 'INVOKED',
  'contributed-to': 'CONTRIBUTED_TO',
  'escalated-to': 'ESCALATED_TO',
  'governed-by': 'GOVERNED_BY',
} as const satisfies Record<Relation, string>;

/**
 * GOVERNED_BY turned round, from the guard's outcome to what it governed. Cause and effect run along every link but that one
 * (design section 8), and one recursive pattern cannot mix directions here; over this table instead they all run along the arrow.
 */
export const TURNED = 'GOVERNS';

export type LinkType = (typeof TYPE_OF)[Relation] | typeof TURNED;

export function namesOf<T extends object>(columns: T): Extract<keyof T, string>[] {
  return Object.keys(columns) as Extract<keyof T, string>[];
}
