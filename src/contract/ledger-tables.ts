/** The tables of design section 4 that exist, by what is done with them. SQL lists are generated from these. */

/** What the feed reads, in no order: rows carry (epoch, xid, seq). */
export const FEED_TABLES = [
  'source_definitions',
  'workflow_executions',
  'agent_invocations',
  'agent_tool_calls',
  'policy_sets',
  'policy_decisions',
  'hitl_requests',
  'hitl_resolutions',
  'phase_reports',
  'artifacts',
  'os_events',
  'agent_invocation_outcomes',
  'workflow_outcomes',
  'outcome_verifications',
  'delivery_assessments',
  'outcome_integrations',
  'lifecycle_events',
  'late_outcomes',
  'agent_lineage_links',
  'tombstones',
] as const;

/** What lineage is made of, and what judgments of it rest on: the kinds of feed row that a graph mirrors. */
export const LINEAGE_TABLES = [
  'agent_invocation_outcomes',
  'workflow_outcomes',
  'outcome_verifications',
  'delivery_assessments',
  'outcome_integrations',
  'hitl_requests',
  'hitl_resolutions',
  'agent_lineage_links',
  'tombstones',
] as const satisfies readonly (typeof FEED_TABLES)[number][];

/**
 * Documents and free words, by table: what a reader of facts goes without. They may be as large as an envelope, and a graph
 * must not carry them. Every other column of a feed table is a fact.
 */
export const DOCUMENT_COLUMNS: Readonly<Partial<Record<(typeof FEED_TABLES)[number], readonly string[]>>> = {
  source_definitions: ['output_schema', 'confidence_schema'],
  workflow_executions: ['attributes'],
  agent_invocations: ['surfaces', 'attributes'],
  agent_tool_calls: ['input', 'output', 'error', 'timing'],
  policy_sets: ['policies', 'schema', 'mask', 'note'],
  policy_decisions: ['evaluation'],
  hitl_requests: ['reason'],
  hitl_resolutions: ['reason'],
  phase_reports: ['claims', 'warnings', 'observation', 'error'],
  artifacts: ['title', 'content', 'content_bytes'],
  os_events: ['data'],
  outcome_verifications: ['command', 'output_excerpt'],
  delivery_assessments: ['reason'],
  outcome_integrations: ['reference', 'gate_reason'],
  lifecycle_events: ['reason'],
  agent_invocation_outcomes: ['outcome_envelope'],
  workflow_outcomes: ['outcome_envelope', 'verdict_detail'],
  late_outcomes: ['outcome_envelope'],
};

/** Every append-only table: those of the feed, the register of ids, and what positions and tombstones rest on. */
export const LEDGER_TABLES = [...FEED_TABLES, 'outcome_ids', 'retention_policies', 'epochs'] as const;

/** What a retention policy may name. Ids, starts and decisions stay. */
export const PURGEABLE_TABLES = [
  'agent_tool_calls',
  'os_events',
  'late_outcomes',
  'artifacts',
  'agent_lineage_links',
  'agent_invocation_outcomes',
  'workflow_outcomes',
] as const satisfies readonly (typeof FEED_TABLES)[number][];
