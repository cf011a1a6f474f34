// governed: what a guard's outcome governed.
// Parameters: $tenant_id, $guard_outcome.
// Columns: outcome (all properties).
MATCH (guard:Outcome {outcome_id: $guard_outcome})
WHERE guard.tenant_id = $tenant_id
MATCH (guard)<-[link:GOVERNED_BY]-(outcome:Outcome)
WHERE link.tenant_id = $tenant_id AND outcome.tenant_id = $tenant_id
RETURN outcome
