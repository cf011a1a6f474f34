// causes: every direct cause of an outcome, and of each outcome that it comes from: what the walks of why and path read.
// Parameters: $tenant_id, $outcome_id. 20 in `1..20` is where the depth goes (1 to 64): it cannot be a parameter.
// Columns: near (where the walk stands), type (of the link), far (one link further).
// GOVERNS is GOVERNED_BY turned round, so that all four lead from cause to effect. MATCH behind WHERE, because the graph then
// looks the links of what it has reached up, instead of reading all links.
MATCH (effect:Outcome {outcome_id: $outcome_id})
WHERE effect.tenant_id = $tenant_id
MATCH (effect)<-[link:INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNS]-(cause:Outcome)
WHERE link.tenant_id = $tenant_id AND cause.tenant_id = $tenant_id
RETURN effect.outcome_id AS near, label(link) AS type, cause.outcome_id AS far
UNION ALL
MATCH (asked:Outcome {outcome_id: $outcome_id})<-[way:INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNS* SHORTEST 1..20 {tenant_id: $tenant_id}]-(effect:Outcome {tenant_id: $tenant_id})
WHERE asked.tenant_id = $tenant_id AND length(way) > 0
MATCH (effect)<-[link:INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNS]-(cause:Outcome)
WHERE link.tenant_id = $tenant_id AND cause.tenant_id = $tenant_id
RETURN effect.outcome_id AS near, label(link) AS type, cause.outcome_id AS far
