/** What `lineage_gaps` lists (design section 8): each word names what is missing. */
export const GAPS = [
  'unresolved_causation',
  'past_deadline',
  'missing_contribution',
  'policy_missing',
  'hitl_missing',
  'undefined_source',
  'decision_unended',
  'decision_unguarded',
  'escalation_unasked',
  'hitl_expired',
] as const;
export type Gap = (typeof GAPS)[number];
