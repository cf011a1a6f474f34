// broken-impact: what the outcomes judged broken in a window contributed to: themselves at depth 0, then their effects, each once.
// Broken: it was claimed a success, and the latest verification says that it failed. Cause to effect runs as in impact.
// broken_outcome_id: the broken outcome nearest to it, of several the least id. judgment: its own; null where it is gone.
// truncated: it has effects that the depth cut off.
//
// Parameters (in Neo4j Browser: `:params {…}` first):
//   $tenant_id UUID, required; the tenant whose outcomes are seen
//   $from_time time (RFC 3339), default null; broken outcomes completed then or later; null: no bound
//   $to_time   time (RFC 3339), default null; broken outcomes completed before then; null: no bound
//   $max_depth integer from 0 to 64, default 20; links to follow at most
// Columns: depth, outcome_id, broken_outcome_id, source_type, source_id, source_version, domain, status, judgment,
//   correlation_id, completed_at, truncated.
MATCH (outcome:Outcome {tenant_id: $tenant_id})
WHERE outcome.completed_at >= datetime(coalesce($from_time, '1970-01-01T00:00:00Z'))
  AND outcome.completed_at < datetime(coalesce($to_time, '+10000-01-01T00:00:00Z'))
// The judgment of outcome (from src/contract/judgment by `npm run generate`):
WITH outcome, coalesce(outcome.verification, CASE
  WHEN outcome.verification_required THEN 'pending'
  ELSE 'skipped'
END) AS verification, CASE
  WHEN outcome.status IN ['success', 'partial'] AND outcome.integrated THEN 'merged'
  WHEN outcome.status IN ['success', 'partial'] THEN 'done'
  WHEN outcome.completion_reason IN ['canceled', 'interrupted'] THEN 'stopped'
  WHEN outcome.status IN ['failure', 'timeout'] THEN 'failed'
  WHEN outcome.status IN ['blocked', 'skipped'] THEN 'skipped'
  WHEN outcome.status IN ['escalated'] AND outcome.awaiting_until > datetime() THEN 'awaiting_input'
  WHEN outcome.status IN ['escalated'] THEN 'stopped'
  ELSE null
END AS lifecycle
WITH outcome, CASE
  WHEN lifecycle IN ['waiting', 'pending', 'running', 'awaiting_input', 'stalled'] THEN 'in_progress'
  WHEN lifecycle IN ['failed'] THEN 'failed'
  WHEN lifecycle IN ['stopped'] THEN 'stopped'
  WHEN lifecycle IN ['skipped'] THEN 'skipped'
  WHEN lifecycle IN ['done', 'merged'] THEN CASE
    WHEN verification IN ['passed'] THEN CASE
      WHEN outcome.assessment IN ['hollow', 'missing_deliverable'] THEN 'failed'
      ELSE 'verified'
    END
    WHEN verification IN ['failed'] THEN 'broken'
    WHEN verification IN ['timed_out'] THEN 'unverified'
    WHEN verification IN ['infrastructure_failure'] THEN 'unverified'
    WHEN verification IN ['unobserved'] THEN 'unverified'
    WHEN verification IN ['skipped', 'pending'] AND outcome.verification_required THEN 'unverified'
    WHEN verification IN ['skipped', 'pending'] AND NOT outcome.verification_required THEN CASE
      WHEN outcome.assessment IN ['hollow', 'missing_deliverable'] THEN 'failed'
      ELSE 'delivered'
    END
    ELSE 'unverified'
  END
  ELSE 'unverified'
END AS judgment
// End of the judgment.
WITH outcome, judgment
WHERE judgment = 'broken'
WITH collect({outcome: outcome, broken: outcome.outcome_id}) AS start, CASE WHEN $max_depth < 64 THEN $max_depth ELSE 64 END AS cap
// A level a turn: the effects of the last level that no level holds yet, each with the least of what its causes on that level
// have. One turn more than asked says where there is more.
WITH cap, reduce(levels = [start], turn IN range(0, cap) | levels + [COLLECT {
  WITH last(levels) AS frontier, reduce(all = [], level IN levels | all + [one IN level | one.outcome]) AS reached
  CALL (frontier, reached) {
    UNWIND frontier AS near
    WITH near.outcome AS cause, reached
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
  }
  RETURN {outcome: effect, broken: head(COLLECT {
    CALL (effect) {
      MATCH (effect)<-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]-(cause:Outcome {tenant_id: $tenant_id})
      RETURN cause
      UNION ALL
      MATCH (effect)-[:GOVERNED_BY]->(cause:Outcome {tenant_id: $tenant_id})
      RETURN cause
    }
    UNWIND [near IN frontier WHERE near.outcome = cause | near.broken] AS broken
    RETURN broken
    ORDER BY broken
    LIMIT 1
  })}
}]) AS levels
UNWIND range(0, cap) AS depth
UNWIND levels[depth] AS one
WITH depth, one.outcome AS outcome, one.broken AS broken, CASE depth WHEN cap THEN [more IN last(levels) | more.outcome] ELSE [] END AS beyond
CALL (outcome) {
  // The judgment of outcome (from src/contract/judgment by `npm run generate`):
  WITH outcome, coalesce(outcome.verification, CASE
    WHEN outcome.verification_required THEN 'pending'
    ELSE 'skipped'
  END) AS verification, CASE
    WHEN outcome.status IN ['success', 'partial'] AND outcome.integrated THEN 'merged'
    WHEN outcome.status IN ['success', 'partial'] THEN 'done'
    WHEN outcome.completion_reason IN ['canceled', 'interrupted'] THEN 'stopped'
    WHEN outcome.status IN ['failure', 'timeout'] THEN 'failed'
    WHEN outcome.status IN ['blocked', 'skipped'] THEN 'skipped'
    WHEN outcome.status IN ['escalated'] AND outcome.awaiting_until > datetime() THEN 'awaiting_input'
    WHEN outcome.status IN ['escalated'] THEN 'stopped'
    ELSE null
  END AS lifecycle
  WITH outcome, CASE
    WHEN lifecycle IN ['waiting', 'pending', 'running', 'awaiting_input', 'stalled'] THEN 'in_progress'
    WHEN lifecycle IN ['failed'] THEN 'failed'
    WHEN lifecycle IN ['stopped'] THEN 'stopped'
    WHEN lifecycle IN ['skipped'] THEN 'skipped'
    WHEN lifecycle IN ['done', 'merged'] THEN CASE
      WHEN verification IN ['passed'] THEN CASE
        WHEN outcome.assessment IN ['hollow', 'missing_deliverable'] THEN 'failed'
        ELSE 'verified'
      END
      WHEN verification IN ['failed'] THEN 'broken'
      WHEN verification IN ['timed_out'] THEN 'unverified'
      WHEN verification IN ['infrastructure_failure'] THEN 'unverified'
      WHEN verification IN ['unobserved'] THEN 'unverified'
      WHEN verification IN ['skipped', 'pending'] AND outcome.verification_required THEN 'unverified'
      WHEN verification IN ['skipped', 'pending'] AND NOT outcome.verification_required THEN CASE
        WHEN outcome.assessment IN ['hollow', 'missing_deliverable'] THEN 'failed'
        ELSE 'delivered'
      END
      ELSE 'unverified'
    END
    ELSE 'unverified'
  END AS judgment
  // End of the judgment.
  RETURN judgment
}
RETURN depth, outcome.outcome_id AS outcome_id, broken AS broken_outcome_id,
  outcome.source_type AS source_type, outcome.source_id AS source_id, outcome.source_version AS source_version,
  outcome.domain AS domain, outcome.status AS status,
  CASE WHEN outcome.recorded_at IS NULL THEN null ELSE judgment END AS judgment,
  outcome.correlation_id AS correlation_id, outcome.completed_at AS completed_at,
  EXISTS { (outcome)-[:INVOKED|CONTRIBUTED_TO|ESCALATED_TO]->(effect:Outcome {tenant_id: $tenant_id}) WHERE effect IN beyond }
    OR EXISTS { (outcome)<-[:GOVERNED_BY]-(effect:Outcome {tenant_id: $tenant_id}) WHERE effect IN beyond } AS truncated
ORDER BY depth, outcome_id
