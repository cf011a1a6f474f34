// path: one shortest chain between two outcomes, read from cause to effect.
// direction: forward when it leads from the first to the second, else backward; no rows when no chain leads either way.
// Of several shortest chains the one with the least ids. relation: of the link from the outcome before it.
//
// Parameters (in Neo4j Browser: `:params {…}` first):
//   $tenant_id    UUID, required; the tenant whose outcomes are seen
//   $from_outcome UUID, required; one end
//   $to_outcome   UUID, required; the other end
//   $max_depth    integer from 0 to 64, default 20; links to follow at most
// Columns: position, outcome_id, relation, direction, source_type, source_id, source_version, domain, status,
//   correlation_id, completed_at.
MATCH (start:Outcome {outcome_id: $from_outcome, tenant_id: $tenant_id})
MATCH (finish:Outcome {outcome_id: $to_outcome, tenant_id: $tenant_id})
WITH start, finish, CASE WHEN $max_depth < 64 THEN $max_depth ELSE 64 END AS cap
UNWIND [
  {direction: 'forward', first: start, last: finish},
  {direction: 'backward', first: finish, last: start}
] AS way
// From the effect back to the cause, a level a turn: level n holds what is n links away from the effect.
WITH way, reduce(levels = [[way.last]], turn IN range(1, cap) | levels + [COLLECT {
  WITH last(levels) AS frontier, reduce(all = [], level IN levels | all + level) AS reached, way.first AS first
  WHERE NOT first IN frontier
  UNWIND frontier AS effect
  CALL (effect) {
    MATCH (effect)<-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]-(cause:Outcome {tenant_id: $tenant_id})
    RETURN cause
    UNION ALL
    MATCH (effect)-[:GOVERNED_BY]->(cause:Outcome {tenant_id: $tenant_id})
    RETURN cause
  }
  WITH cause, reached
  WHERE NOT cause IN reached
  RETURN DISTINCT cause
}]) AS levels
WITH way, [level IN levels WHERE level <> []] AS levels
WHERE way.first IN last(levels)
ORDER BY way.direction DESC
LIMIT 1
// From the cause on, each next step is the least id a level nearer.
WITH way.direction AS direction, size(levels) - 1 AS links, levels, way
WITH direction, links, reduce(chain = [{outcome: way.first, relation: null}], turn IN range(1, links) | chain + COLLECT {
  WITH last(chain).outcome AS cause, levels[links - turn] AS nearer
  CALL (cause) {
    MATCH (cause)-[link:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]->(effect:Outcome {tenant_id: $tenant_id})
    RETURN type(link) AS relation, effect
    UNION ALL
    MATCH (cause)<-[:GOVERNED_BY]-(effect:Outcome {tenant_id: $tenant_id})
    RETURN 'GOVERNED_BY' AS relation, effect
  }
  WITH relation, effect, nearer
  WHERE effect IN nearer
  RETURN {outcome: effect, relation: relation}
  ORDER BY effect.outcome_id, relation
  LIMIT 1
}) AS chain
UNWIND range(0, links) AS position
WITH position, direction, chain[position].relation AS relation, chain[position].outcome AS outcome
RETURN position, outcome.outcome_id AS outcome_id, toLower(replace(relation, '_', '-')) AS relation, direction,
  outcome.source_type AS source_type, outcome.source_id AS source_id, outcome.source_version AS source_version,
  outcome.domain AS domain, outcome.status AS status, outcome.correlation_id AS correlation_id,
  outcome.completed_at AS completed_at
ORDER BY position
