/** The tables of design section 4 that exist, by what is done with them. SQL lists are generated from these. */

/** What the feed reads, in no order: rows carry (epoch, xid, seq). */
export const FEED_TABLES = [
  'source_definitions',
  'workflow_executions',
  'agent_invocations',
  'agent_tool_calls',
  'policy_decisions',
  'os_events',
  'agent_invocation_outcomes',
  'workflow_outcomes',
  'late_outcomes',
  'agent_lineage_links',
  'tombstones',
] as const;

/** Every append-only table: those of the feed, the register of ids, and what positions and tombstones rest on. */
export const LEDGER_TABLES = [...FEED_TABLES, 'outcome_ids', 'retention_policies', 'epochs'] as const;

/** What a retention policy may name. Ids, starts and decisions stay. */
export const PURGEABLE_TABLES = [
  'agent_tool_calls',
  'os_events',
  'late_outcomes',
  'agent_lineage_links',
  'agent_invocation_outcomes',
  'workflow_outcomes',
] as const satisfies readonly (typeof FEED_TABLES)[number][];
