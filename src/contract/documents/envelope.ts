import * as z from 'zod';
import {
  anyText,
  count,
  errorCode,
  flag,
  freeObject,
  idText,
  name,
  outcomeVersion,
  policyDecisionWord,
  quorum,
  score,
  semver,
  sourceType,
  status,
  time,
  uuid4,
} from '../scalars/index.ts';
import { timing } from './parts.ts';

/** What an error entry says; `field` and `source_agent_id` point at the part that failed. */
export const errorEntry = z.strictObject({
  code: errorCode,
  message: name,
  field: anyText.nullish(),
  source_agent_id: idText.nullish(),
  recoverable: flag,
  retry_after_ms: count.nullish(),
});

export const quality = z.strictObject({
  confidence: score.nullish(),
  critique_notes: anyText.nullish(),
  iterations_used: count.nullish(),
  groundedness_score: score.nullish(),
  evaluator_agent_id: idText.nullish(),
});

export const escalation = z.strictObject({
  reason: name,
  escalation_target: idText,
  escalation_path_id: idText,
  policy_rule_triggered: name.nullish(),
  hitl_request_id: idText.nullish(),
});

export const policy = z.strictObject({
  decision: policyDecisionWord,
  policy_rule_triggered: name.nullish(),
  risk_score: score,
  requires_hitl: flag,
  evaluated_at: time,
});

export const executionContext = z.strictObject({
  execution_pattern: idText,
  quorum_achieved: quorum.nullish(),
  branches_taken: z.array(name).nullish(),
  sub_workflow_outcomes: z.array(uuid4).nullish(),
  parallel_task_count: count.nullish(),
  partial_failure_count: count.nullish(),
});

/** The canonical outcome envelope, version 1.0 (spec "Canonical outcome envelope schema", design section 5). */
export const envelopeSchema = z.strictObject({
  outcome_id: uuid4.nullish(),
  outcome_version: outcomeVersion,
  status,
  correlation_id: idText,
  causation_id: idText,
  source: z.strictObject({ type: sourceType, id: idText, version: semver, domain: idText }),
  result: freeObject.nullish(),
  quality: quality.nullish(),
  errors: z.array(errorEntry).nullish(),
  escalation: escalation.nullish(),
  policy: policy.nullish(),
  timing,
  execution_context: executionContext.nullish(),
});
