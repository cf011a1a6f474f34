// failed-causes: every failure of the tenant with each failure that caused it and came before it. "Came before" compares two
// outcomes, which no recursive pattern of this graph can; so root-causes walks over this list.
// Parameters: $tenant_id.
// Columns: near (the effect), far (the cause).
MATCH (cause:Outcome {tenant_id: $tenant_id})-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNS {tenant_id: $tenant_id}]->(effect:Outcome {tenant_id: $tenant_id})
WHERE cause.status IN ['failure', 'timeout'] AND effect.status IN ['failure', 'timeout']
  AND (cause.completed_at < effect.completed_at OR cause.completed_at = effect.completed_at
    AND (cause.recorded_at < effect.recorded_at OR cause.recorded_at = effect.recorded_at
      AND cause.outcome_id < effect.outcome_id))
RETURN effect.outcome_id AS near, cause.outcome_id AS far
