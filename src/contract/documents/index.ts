import type * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { cancellationRules, cancellationSchema } from './cancellation.ts';
import { envelopeSchema } from './envelope.ts';
import { envelopeRules } from './envelope-rules.ts';
import { eventRules, eventSchema } from './event.ts';
import {
  deliveryAssessmentRules,
  deliveryAssessmentSchema,
  gateRules,
  gateSchema,
  integrationRules,
  integrationSchema,
  lifecycleEventRules,
  lifecycleEventSchema,
  verificationRules,
  verificationSchema,
} from './evidence.ts';
import { hitlRequestRules, hitlRequestSchema, hitlResolutionRules, hitlResolutionSchema } from './hitl.ts';
import { linkRules, linkSchema } from './link.ts';
import { artifactRules, artifactSchema, phaseReportRules, phaseReportSchema } from './phase-report.ts';
import { policyDecisionRules, policyDecisionSchema } from './policy-decision.ts';
import { policyEvaluationRules, policyEvaluationSchema } from './policy-evaluation.ts';
import { policySetRules, policySetSchema } from './policy-set.ts';
import { sourceDefinitionRules, sourceDefinitionSchema } from './source-definition.ts';
import { executionStartRules, executionStartSchema, invocationStartRules, invocationStartSchema } from './starts.ts';
import { toolCallRules, toolCallSchema } from './tool-call.ts';
import {
  webhookRedeliveryRules,
  webhookRedeliverySchema,
  webhookRotationRules,
  webhookRotationSchema,
  webhookRules,
  webhookSchema,
} from './webhook.ts';

interface Document {
  readonly schema: z.ZodType;
  readonly rules: readonly Rule[];
}

/** Every document a caller can send; each is checked here and, by functions generated from this table, in SQL. */
export const DOCUMENTS = {
  envelope: { schema: envelopeSchema, rules: envelopeRules },
  invocation_start: { schema: invocationStartSchema, rules: invocationStartRules },
  execution_start: { schema: executionStartSchema, rules: executionStartRules },
  tool_call: { schema: toolCallSchema, rules: toolCallRules },
  policy_decision: { schema: policyDecisionSchema, rules: policyDecisionRules },
  policy_evaluation: { schema: policyEvaluationSchema, rules: policyEvaluationRules },
  policy_set: { schema: policySetSchema, rules: policySetRules },
  hitl_request: { schema: hitlRequestSchema, rules: hitlRequestRules },
  hitl_resolution: { schema: hitlResolutionSchema, rules: hitlResolutionRules },
  phase_report: { schema: phaseReportSchema, rules: phaseReportRules },
  artifact: { schema: artifactSchema, rules: artifactRules },
  verification: { schema: verificationSchema, rules: verificationRules },
  delivery_assessment: { schema: deliveryAssessmentSchema, rules: deliveryAssessmentRules },
  integration: { schema: integrationSchema, rules: integrationRules },
  lifecycle_event: { schema: lifecycleEventSchema, rules: lifecycleEventRules },
  gate: { schema: gateSchema, rules: gateRules },
  cancellation: { schema: cancellationSchema, rules: cancellationRules },
  event: { schema: eventSchema, rules: eventRules },
  link: { schema: linkSchema, rules: linkRules },
  webhook: { schema: webhookSchema, rules: webhookRules },
  webhook_rotation: { schema: webhookRotationSchema, rules: webhookRotationRules },
  webhook_redelivery: { schema: webhookRedeliverySchema, rules: webhookRedeliveryRules },
  source_definition: { schema: sourceDefinitionSchema, rules: sourceDefinitionRules },
} as const satisfies Record<string, Document>;

export type DocumentName = keyof typeof DOCUMENTS;
export const DOCUMENT_NAMES = Object.keys(DOCUMENTS) as DocumentName[];
