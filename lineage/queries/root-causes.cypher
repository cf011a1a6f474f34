// root-causes: where the failures (failure, timeout) of a window come from, and how many come from each.
// Each failure is traced through causes that failed before it to those without such a cause. Without "before" a workflow that
// invokes its own steps would explain the very failures it failed of.
// failures: how many failures of the window end there, itself included. truncated: the depth ended the tracing.
//
// Parameters (in Neo4j Browser: `:params {…}` first):
//   $tenant_id UUID, required; the tenant whose outcomes are seen
//   $from_time time (RFC 3339), default null; failures completed then or later; null: no bound
//   $to_time   time (RFC 3339), default null; failures completed before then; null: no bound
//   $max_depth integer from 0 to 64, default 20; links to follow at most
// Columns: outcome_id, failures, source_type, source_id, source_version, domain, status, correlation_id,
//   completed_at, truncated.
MATCH (failure:Outcome {tenant_id: $tenant_id})
WHERE failure.status IN ['failure', 'timeout']
  AND failure.completed_at >= datetime(coalesce($from_time, '1970-01-01T00:00:00Z'))
  AND failure.completed_at < datetime(coalesce($to_time, '+10000-01-01T00:00:00Z'))
WITH failure, CASE WHEN $max_depth < 64 THEN $max_depth ELSE 64 END AS cap
// A level a turn: failed causes of the last level that came before what they explain.
WITH cap, reduce(levels = [[failure]], turn IN range(1, cap) | levels + [COLLECT {
  WITH last(levels) AS frontier, reduce(all = [], level IN levels | all + level) AS reached
  UNWIND frontier AS effect
  CALL (effect) {
    MATCH (effect)<-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]-(cause:Outcome {tenant_id: $tenant_id})
    RETURN cause
    UNION ALL
    MATCH (effect)-[:GOVERNED_BY]->(cause:Outcome {tenant_id: $tenant_id})
    RETURN cause
  }
  WITH effect, cause, reached
  WHERE NOT cause IN reached
    AND cause.status IN ['failure', 'timeout']
    AND [cause.completed_at, cause.recorded_at, cause.outcome_id] < [effect.completed_at, effect.recorded_at, effect.outcome_id]
  RETURN DISTINCT cause
}]) AS levels
UNWIND range(0, cap) AS depth
UNWIND levels[depth] AS outcome
WITH outcome, count(*) AS traced, sum(CASE depth WHEN cap THEN 1 ELSE 0 END) AS cut
// The ends of the chains: what nothing failed before, and what the depth cut off.
WITH outcome, traced, cut,
  EXISTS {
    (outcome)<-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]-(cause:Outcome {tenant_id: $tenant_id})
    WHERE cause.status IN ['failure', 'timeout']
      AND [cause.completed_at, cause.recorded_at, cause.outcome_id] < [outcome.completed_at, outcome.recorded_at, outcome.outcome_id]
  } OR EXISTS {
    (outcome)-[:GOVERNED_BY]->(cause:Outcome {tenant_id: $tenant_id})
    WHERE cause.status IN ['failure', 'timeout']
      AND [cause.completed_at, cause.recorded_at, cause.outcome_id] < [outcome.completed_at, outcome.recorded_at, outcome.outcome_id]
  } AS truncated
WHERE NOT truncated OR cut > 0
RETURN outcome.outcome_id AS outcome_id, CASE WHEN truncated THEN cut ELSE traced END AS failures,
  outcome.source_type AS source_type, outcome.source_id AS source_id, outcome.source_version AS source_version,
  outcome.domain AS domain, outcome.status AS status, outcome.correlation_id AS correlation_id,
  outcome.completed_at AS completed_at, truncated
ORDER BY failures DESC, completed_at, outcome_id
