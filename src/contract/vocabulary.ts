/** How much supervision a source needs, in rising order: a start may go up from its definition, never down. */
export const GOVERNANCE_CLASSES = ['autonomous', 'supervised', 'restricted'] as const;
export type GovernanceClass = (typeof GOVERNANCE_CLASSES)[number];

/** What may be done about an attempt whose process is gone; `reset` when a start says nothing. */
export const RECOVERY_MODES = ['reset', 'inspect', 'manual'] as const;
export type RecoveryMode = (typeof RECOVERY_MODES)[number];

export const SOURCE_TYPES = ['agent', 'workflow'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

export const POLICY_DECISIONS = ['allow', 'block', 'escalate'] as const;
export type PolicyDecisionWord = (typeof POLICY_DECISIONS)[number];

/** A human's answer to a request. */
export const HITL_RESOLUTIONS = ['approved', 'rejected'] as const;

export const TOOL_CALL_STATUSES = ['succeeded', 'failed'] as const;
export type ToolCallStatus = (typeof TOOL_CALL_STATUSES)[number];
