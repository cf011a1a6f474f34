// outcomes: the facts of outcomes by their ids.
// Parameters: $tenant_id, $ids (a list of outcome ids).
// Columns: outcome (all properties).
UNWIND $ids AS id
MATCH (outcome:Outcome {outcome_id: id})
WHERE outcome.tenant_id = $tenant_id
RETURN outcome
