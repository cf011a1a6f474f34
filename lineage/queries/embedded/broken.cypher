// broken: the outcomes judged broken that completed in a window.
// Parameters: $tenant_id, $from_time, $to_time, $now (RFC 3339 in UTC with six decimals; times are kept as text and compare as text).
// Columns: outcome_id.
MATCH (outcome:Outcome {tenant_id: $tenant_id})
WHERE outcome.completed_at >= $from_time AND outcome.completed_at < $to_time
// The judgment of outcome (from src/contract/judgment by `npm run generate`):
WITH DISTINCT outcome
WITH outcome, coalesce(outcome.verification, CASE
  WHEN outcome.verification_required THEN 'pending'
  ELSE 'skipped'
END) AS verification, CASE
  WHEN outcome.status IN ['success', 'partial'] AND outcome.integrated THEN 'merged'
  WHEN outcome.status IN ['success', 'partial'] THEN 'done'
  WHEN outcome.completion_reason IN ['canceled', 'interrupted'] THEN 'stopped'
  WHEN outcome.status IN ['failure', 'timeout'] THEN 'failed'
  WHEN outcome.status IN ['blocked', 'skipped'] THEN 'skipped'
  WHEN outcome.status IN ['escalated'] AND outcome.awaiting_until > $now THEN 'awaiting_input'
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
RETURN outcome.outcome_id AS outcome_id
