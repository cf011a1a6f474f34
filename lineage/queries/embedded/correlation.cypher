// correlation: every outcome of a business transaction, once for each link that leads out of it, or once without any.
// Parameters: $tenant_id, $correlation_id.
// Columns: outcome (all properties), type and target_outcome_id (of the link).
MATCH (outcome:Outcome {correlation_id: $correlation_id, tenant_id: $tenant_id})
OPTIONAL MATCH (outcome)-[link:INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNED_BY {tenant_id: $tenant_id}]->(target:Outcome {tenant_id: $tenant_id})
RETURN outcome, label(link) AS type, target.outcome_id AS target_outcome_id
ORDER BY outcome.recorded_at, outcome.outcome_id, link.recorded_at, target_outcome_id
