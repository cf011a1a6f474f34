// impact: what an outcome caused: itself at depth 0, then its effects, nearest first, each once.
// Cause to effect runs along INVOKED, CONTRIBUTED_TO and ESCALATED_TO, and against GOVERNED_BY, because the guard came first.
// truncated: it has effects that the depth cut off. via_outcome_id: the outcome a level nearer that leads to it, by relation.
//
// Parameters (in Neo4j Browser: `:params {…}` first):
//   $tenant_id  UUID, required; the tenant whose outcomes are seen
//   $outcome_id UUID, required; the outcome that is asked about
//   $max_depth  integer from 0 to 64, default 20; links to follow at most
// Columns: depth, outcome_id, relation, via_outcome_id, source_type, source_id, source_version, domain, status,
//   correlation_id, completed_at, truncated.
MATCH (asked:Outcome {outcome_id: $outcome_id, tenant_id: $tenant_id})
WITH asked, CASE WHEN $max_depth < 64 THEN $max_depth ELSE 64 END AS cap
// A level a turn: the effects of the last level that no level holds yet. One turn more than asked says where there is more.
WITH cap, reduce(levels = [[asked]], turn IN range(0, cap) | levels + [COLLECT {
  WITH last(levels) AS frontier, reduce(all = [], level IN levels | all + level) AS reached
  UNWIND frontier AS cause
  CALL (cause) {
    MATCH (cause)-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]->(effect:Outcome {tenant_id: $tenant_id})
    RETURN effect
    UNION ALL
    MATCH (cause)<-[:GOVERNED_BY]-(effect:Outcome {tenant_id: $tenant_id})
    RETURN effect
  }
  WITH effect, reached
  WHERE NOT effect IN reached
  RETURN DISTINCT effect
}]) AS levels
UNWIND range(0, cap) AS depth
// How each was reached: of several links the least by relation, then by the outcome it leads to.
CALL (levels, depth) {
  WITH levels, depth
  WHERE depth = 0
  RETURN head(levels[0]) AS outcome, null AS nearest
  UNION ALL
  WITH levels, depth
  WHERE depth > 0
  UNWIND levels[depth - 1] AS cause
  CALL (cause) {
    MATCH (cause)-[link:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]->(effect:Outcome {tenant_id: $tenant_id})
    RETURN type(link) AS relation, effect
    UNION ALL
    MATCH (cause)<-[:GOVERNED_BY]-(effect:Outcome {tenant_id: $tenant_id})
    RETURN 'GOVERNED_BY' AS relation, effect
  }
  WITH cause, relation, effect, levels[depth] AS level
  WHERE effect IN level
  RETURN effect AS outcome, min([relation, cause.outcome_id]) AS nearest
}
WITH depth, outcome, nearest, CASE depth WHEN cap THEN last(levels) ELSE [] END AS beyond
RETURN depth, outcome.outcome_id AS outcome_id,
  toLower(replace(nearest[0], '_', '-')) AS relation, nearest[1] AS via_outcome_id,
  outcome.source_type AS source_type, outcome.source_id AS source_id, outcome.source_version AS source_version,
  outcome.domain AS domain, outcome.status AS status, outcome.correlation_id AS correlation_id,
  outcome.completed_at AS completed_at,
  EXISTS { (outcome)-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]->(effect:Outcome {tenant_id: $tenant_id}) WHERE effect IN beyond }
    OR EXISTS { (outcome)<-[:GOVERNED_BY]-(effect:Outcome {tenant_id: $tenant_id}) WHERE effect IN beyond } AS truncated
ORDER BY depth, outcome_id
