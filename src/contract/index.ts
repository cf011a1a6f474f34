export {
  type Checked,
  type CheckedEnvelope,
  checkDocument,
  checkEnvelope,
  type DocumentOf,
  type Envelope,
  violationsOf,
} from './check.ts';
export { envelopeSchema } from './documents/envelope.ts';
export { PATTERN_MEMBERS } from './documents/envelope-rules.ts';
export { eventSchema } from './documents/event.ts';
export { DOCUMENT_NAMES, DOCUMENTS, type DocumentName } from './documents/index.ts';
export { linkSchema } from './documents/link.ts';
export { ATTRIBUTES_MAX_BYTES, DATA_MAX_BYTES, DOCUMENT_MAX_BYTES } from './documents/parts.ts';
export { policyDecisionSchema } from './documents/policy-decision.ts';
export { sourceDefinitionSchema } from './documents/source-definition.ts';
export { executionStartSchema, invocationStartSchema } from './documents/starts.ts';
export { toolCallSchema } from './documents/tool-call.ts';
export type {
  DeliveryAssessment,
  EnvelopeInput,
  ErrorEntry as EnvelopeError,
  Escalation,
  EventDocument,
  ExecutionContext,
  ExecutionStart,
  GateRequest,
  HitlRequest,
  HitlResolution,
  Integration,
  InvocationStart,
  LifecycleEvent,
  Link,
  OutcomeEnvelope,
  Policy,
  PolicyDecision,
  PolicyEvaluation,
  PolicySet,
  Quality,
  SourceDefinition,
  Timing,
  ToolCall,
  Verification,
} from './documents/types.ts';
export { ERROR_CODES, ERRORS, type ErrorCode, type ErrorEntry, errorPage, isErrorCode } from './errors.ts';
export {
  EXECUTION_STATUS_OF,
  EXECUTION_STATUS_OF_REASON,
  EXECUTION_STATUSES,
  type ExecutionStatus,
} from './execution-status.ts';
export { GAPS, type Gap } from './gaps.ts';
export { readStrictJson, type StrictJson, type StrictJsonOptions } from './json/strict-reader.ts';
export { FEED_TABLES, LEDGER_TABLES, PURGEABLE_TABLES } from './ledger-tables.ts';
export { DEFAULT_DEADLINE_MS, HEARTBEAT_LAPSE_MS, LONGEST_DEADLINE_MS } from './limits.ts';
export type { Problem } from './problem.ts';
export { DECLARED_RELATIONS, RELATIONS, type Relation } from './relations.ts';
export * from './roles.ts';
export { sameContent } from './same-content.ts';
export { THIRTY_DAYS_MS, timeOrderKey } from './scalars/index.ts';
export { EVENT_TYPE_OF_STATUS, type OutcomeStatus, STATUS_TABLE, STATUSES, type StatusRow } from './statuses.ts';
export { MAX_NESTING } from './storable.ts';
export { storedSize } from './stored-size.ts';
export { MAX_VIOLATIONS, pointer, type Violation } from './violation.ts';
export {
  GOVERNANCE_CLASSES,
  type GovernanceClass,
  POLICY_DECISIONS,
  type PolicyDecisionWord,
  RECOVERY_MODES,
  type RecoveryMode,
  SOURCE_TYPES,
  type SourceType,
  TOOL_CALL_STATUSES,
  type ToolCallStatus,
} from './vocabulary.ts';
