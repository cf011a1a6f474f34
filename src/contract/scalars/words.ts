import * as z from 'zod';
import { DELIVERY_ASSESSMENTS, LIFECYCLE_EVENTS, RECORDED_VERIFICATIONS } from '../judgment/words.ts';
import { FAILURE_CLASSES, PHASE_STATUSES } from '../phase/verdicts.ts';
import { FAILURE_REASONS, REPORT_STATES, SIDE_EFFECTS } from '../phase-report/words.ts';
import { DECLARED_RELATIONS } from '../relations.ts';
import { STATUSES } from '../statuses.ts';
import {
  GOVERNANCE_CLASSES,
  HITL_RESOLUTIONS,
  POLICY_DECISIONS,
  RECOVERY_MODES,
  SOURCE_TYPES,
  TOOL_CALL_STATUSES,
} from '../vocabulary.ts';
import { isPlainObject, type Kind, scalarKinds, word } from './kind.ts';

export const outcomeVersion = word('outcome_version', ['1.0']);
export const status = word('status', STATUSES);
export const sourceType = word('source_type', SOURCE_TYPES);
export const governanceClass = word('governance_class', GOVERNANCE_CLASSES);
export const recoveryMode = word('recovery_mode', RECOVERY_MODES);
export const policyDecisionWord = word('policy_decision', POLICY_DECISIONS);
export const hitlResolutionWord = word('hitl_resolution', HITL_RESOLUTIONS);
export const toolCallStatus = word('tool_call_status', TOOL_CALL_STATUSES);
export const reportState = word('report_state', REPORT_STATES);
export const phaseStatus = word('phase_status', PHASE_STATUSES);
export const failureClass = word('failure_classification', FAILURE_CLASSES);
export const failureReason = word('failure_reason', FAILURE_REASONS);
export const sideEffects = word('side_effects', SIDE_EFFECTS);
export const verificationWord = word('verification', RECORDED_VERIFICATIONS);
export const deliveryAssessment = word('delivery_assessment', DELIVERY_ASSESSMENTS);
export const lifecycleEvent = word('lifecycle_event', LIFECYCLE_EVENTS);
export const declaredRelation = word('relation', DECLARED_RELATIONS);

const BOOLEAN: Kind = { rule: 'boolean', base: 'boolean', expected: 'true or false' };
export const flag = z.boolean().meta({ description: BOOLEAN.expected }).register(scalarKinds, BOOLEAN);

const OBJECT: Kind = { rule: 'object', base: 'object', expected: 'a JSON object' };
/** An object whose members are nobody's business here. Not `z.record`, which drops a member named `__proto__`. */
export const freeObject = z
  .custom<Record<string, unknown>>(isPlainObject)
  .meta({ description: OBJECT.expected, type: 'object', additionalProperties: true })
  .register(scalarKinds, OBJECT);

const ANY: Kind = { rule: 'json', base: 'any', expected: 'any JSON value' };
export const anyJson = z.unknown().meta({ description: ANY.expected }).register(scalarKinds, ANY);
