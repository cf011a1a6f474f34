/** Every append-only table of the ledger (design section 4): the layers of protection are looked for on each. */
export const LEDGER_TABLES = [
  'source_definitions',
  'agent_invocations',
  'agent_tool_calls',
  'agent_invocation_outcomes',
  'workflow_executions',
  'workflow_outcomes',
  'outcome_ids',
  'policy_decisions',
  'agent_lineage_links',
  'os_events',
  'late_outcomes',
  'tombstones',
] as const;
