// next-effects: the direct effects of outcomes: a step of a walk that begins at many.
// Parameters: $tenant_id, $ids (a list of outcome ids).
// Columns: near (where the walk stands), far (one link further).
// GOVERNS is GOVERNED_BY turned round, so that all four lead from cause to effect. MATCH behind WHERE, as in effects.
UNWIND $ids AS id
MATCH (cause:Outcome {outcome_id: id})
WHERE cause.tenant_id = $tenant_id
MATCH (cause)-[link:INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNS]->(effect:Outcome)
WHERE link.tenant_id = $tenant_id AND effect.tenant_id = $tenant_id
RETURN DISTINCT cause.outcome_id AS near, effect.outcome_id AS far
