// governed: what a guard’s outcome governed: every outcome whose governed-by link leads to it.
//
// Parameters (in Neo4j Browser: `:params {…}` first):
//   $tenant_id     UUID, required; the tenant whose outcomes are seen
//   $guard_outcome UUID, required; the outcome of the guard’s invocation
// Columns: outcome_id, source_type, source_id, source_version, domain, status, decision, governance_class,
//   correlation_id, completed_at.
MATCH (:Outcome {outcome_id: $guard_outcome, tenant_id: $tenant_id})<-[:GOVERNED_BY]-(outcome:Outcome {tenant_id: $tenant_id})
RETURN outcome.outcome_id AS outcome_id,
  outcome.source_type AS source_type, outcome.source_id AS source_id, outcome.source_version AS source_version,
  outcome.domain AS domain, outcome.status AS status, outcome.decision AS decision,
  outcome.governance_class AS governance_class, outcome.correlation_id AS correlation_id,
  outcome.completed_at AS completed_at
ORDER BY completed_at, outcome_id
