// correlation: every outcome of a business transaction, as recorded, with the links that lead out of each.
//
// Parameters (in Neo4j Browser: `:params {…}` first):
//   $tenant_id      UUID, required; the tenant whose outcomes are seen
//   $correlation_id text, required; the business transaction
// Columns: outcome_id, source_type, source_id, source_version, domain, status, started_at, completed_at,
//   invocation_id, execution_id, causation_id, links.
MATCH (outcome:Outcome {correlation_id: $correlation_id, tenant_id: $tenant_id})
OPTIONAL MATCH (outcome)-[link:INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNED_BY]->(target:Outcome {tenant_id: $tenant_id})
WITH outcome, link, target
ORDER BY link.recorded_at, target.outcome_id
WITH outcome, collect({relation: toLower(replace(type(link), '_', '-')), target_outcome_id: target.outcome_id}) AS links
RETURN outcome.outcome_id AS outcome_id,
  outcome.source_type AS source_type, outcome.source_id AS source_id, outcome.source_version AS source_version,
  outcome.domain AS domain, outcome.status AS status, outcome.started_at AS started_at,
  outcome.completed_at AS completed_at, outcome.invocation_id AS invocation_id, outcome.execution_id AS execution_id,
  outcome.causation_id AS causation_id, [link IN links WHERE link.relation IS NOT NULL] AS links
ORDER BY outcome.recorded_at, outcome_id
