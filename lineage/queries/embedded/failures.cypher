// failures: the failures (failure, timeout) that completed in a window.
// Parameters: $tenant_id, $from_time, $to_time (RFC 3339 in UTC with six decimals; times are kept as text and compare as text).
// Columns: outcome_id.
MATCH (failure:Outcome {tenant_id: $tenant_id})
WHERE failure.status IN ['failure', 'timeout'] AND failure.completed_at >= $from_time AND failure.completed_at < $to_time
RETURN failure.outcome_id AS outcome_id
