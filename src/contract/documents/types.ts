import type * as z from 'zod';
import type { Normalised } from '../normalise.ts';
import type { envelopeSchema, errorEntry, escalation, executionContext, policy, quality } from './envelope.ts';
import type { eventSchema } from './event.ts';
import type {
  deliveryAssessmentSchema,
  gateSchema,
  integrationSchema,
  lifecycleEventSchema,
  verificationSchema,
} from './evidence.ts';
import type { hitlRequestSchema, hitlResolutionSchema } from './hitl.ts';
import type { linkSchema } from './link.ts';
import type { timing } from './parts.ts';
import type { policyDecisionSchema } from './policy-decision.ts';
import type { policyEvaluationSchema } from './policy-evaluation.ts';
import type { policySetSchema } from './policy-set.ts';
import type { sourceDefinitionSchema } from './source-definition.ts';
import type { executionStartSchema, invocationStartSchema } from './starts.ts';
import type { toolCallSchema } from './tool-call.ts';

// What a caller sends: optional members may be absent or null.
export type EnvelopeInput = z.input<typeof envelopeSchema>;
export type InvocationStart = z.input<typeof invocationStartSchema>;
export type ExecutionStart = z.input<typeof executionStartSchema>;
export type ToolCall = z.input<typeof toolCallSchema>;
export type PolicyDecision = z.input<typeof policyDecisionSchema>;
export type PolicyEvaluation = z.input<typeof policyEvaluationSchema>;
export type PolicySet = z.input<typeof policySetSchema>;
export type HitlRequest = z.input<typeof hitlRequestSchema>;
export type HitlResolution = z.input<typeof hitlResolutionSchema>;
export type Verification = z.input<typeof verificationSchema>;
export type DeliveryAssessment = z.input<typeof deliveryAssessmentSchema>;
export type Integration = z.input<typeof integrationSchema>;
export type LifecycleEvent = z.input<typeof lifecycleEventSchema>;
export type GateRequest = z.input<typeof gateSchema>;
export type EventDocument = z.input<typeof eventSchema>;
export type Link = z.input<typeof linkSchema>;
export type SourceDefinition = z.input<typeof sourceDefinitionSchema>;
export type ErrorEntry = z.input<typeof errorEntry>;
export type Timing = z.input<typeof timing>;
export type Quality = z.input<typeof quality>;
export type Escalation = z.input<typeof escalation>;
export type Policy = z.input<typeof policy>;
export type ExecutionContext = z.input<typeof executionContext>;

/** A recorded envelope: nothing absent, and the id the ledger minted. */
export type OutcomeEnvelope = Normalised<EnvelopeInput> & { outcome_id: string };
