/**
 * Who may write what. The row-level security policies, the column grants and the ownership check of the accept
 * triggers are generated from these tables; a test walks the whole matrix in SQL and over HTTP.
 */

import type { GateFlag } from './judgment/words.ts';

/** `app_metadata.ledger_role` of a token. */
export const ROLES = ['agent', 'worker', 'orchestrator', 'policy_guard', 'operator', 'auditor'] as const;
export type LedgerRole = (typeof ROLES)[number];

/**
 * How far a role's right to write reaches: `any` row of its tenant; `own_source`: the source id equals its actor_id;
 * `own_subject`: the subject it started itself (or that runs in an execution it started); `others_source`: the source id is
 * not its actor_id, because nobody decides about its own work, or concludes it; `own_subject_of_others`: both of the last; `none`.
 */
export type Scope = 'any' | 'own_source' | 'own_subject' | 'others_source' | 'own_subject_of_others' | 'none';

/** Who may give an open subject up (design section 3): a call, not a write to a table. */
export const CANCELING_ROLES = ['orchestrator', 'operator'] as const satisfies readonly LedgerRole[];

/** Who may pass a gate that does not open by itself (design section 11), by the flag it needs; never for its own work. */
export const GATE_FLAG_ROLES = {
  allow_unverified: ['orchestrator', 'operator'],
  override_broken: ['operator'],
} as const satisfies Record<GateFlag, readonly LedgerRole[]>;

/** Who registers webhooks, reads them, rotates their secrets and sends again what died. */
export const WEBHOOK_ROLES = ['operator'] as const satisfies readonly LedgerRole[];

/** The tables a token may write to, and the columns it may set. Everything else is set by the accept triggers. */
export const WRITABLE_COLUMNS = {
  source_definitions: [
    'tenant_id',
    'source_type',
    'source_id',
    'version',
    'domain',
    'governance_class',
    'verify',
    'output_schema',
    'confidence_schema',
    'execution_pattern',
    'default_deadline_ms',
  ],
  workflow_executions: [
    'tenant_id',
    'execution_id',
    'source_id',
    'source_version',
    'domain',
    'governance_class',
    'correlation_id',
    'causation_id',
    'execution_pattern',
    'parent_execution_id',
    'resumed_from_execution_id',
    'verify',
    'deadline_at',
    'traceparent',
    'attributes',
  ],
  agent_invocations: [
    'tenant_id',
    'invocation_id',
    'source_id',
    'source_version',
    'domain',
    'governance_class',
    'correlation_id',
    'causation_id',
    'execution_id',
    'step_id',
    'step_name',
    'attempt',
    'surfaces',
    'verify',
    'recovery_mode',
    'deadline_at',
    'traceparent',
    'attributes',
  ],
  agent_tool_calls: [
    'tenant_id',
    'invocation_id',
    'tool_call_id',
    'tool_name',
    'status',
    'input',
    'output',
    'error',
    'timing',
  ],
  agent_invocation_outcomes: [
    'tenant_id',
    'invocation_id',
    'outcome_envelope',
    'result_schema_hash',
    'confidence_schema_hash',
  ],
  workflow_outcomes: ['tenant_id', 'execution_id', 'outcome_envelope', 'result_schema_hash', 'confidence_schema_hash'],
  late_outcomes: ['tenant_id', 'invocation_id', 'execution_id', 'outcome_envelope'],
  policy_decisions: [
    'tenant_id',
    'invocation_id',
    'execution_id',
    'decision',
    'policy_rule_triggered',
    'risk_score',
    'requires_hitl',
    'evaluated_at',
    'guard_invocation_id',
    'evaluation',
  ],
  policy_sets: ['tenant_id', 'version', 'policies', 'schema', 'mask', 'note', 'checked_hash'],
  hitl_requests: [
    'tenant_id',
    'hitl_request_id',
    'invocation_id',
    'execution_id',
    'outcome_id',
    'reason',
    'expires_at',
  ],
  hitl_resolutions: ['tenant_id', 'hitl_request_id', 'resolution', 'reason'],
  phase_reports: [
    'tenant_id',
    'invocation_id',
    'report_state',
    'claims',
    'claims_total',
    'stands',
    'warnings',
    'observation',
    'phase_status',
    'failure_classification',
    'reported_failure_reason',
    'reported_side_effects',
    'deliverable_recovered',
    'error',
    'conclusion_digest',
  ],
  artifacts: [
    'tenant_id',
    'artifact_id',
    'invocation_id',
    'path',
    'title',
    'type',
    'content',
    'content_bytes',
    'object_key',
    'size_bytes',
    'sha256',
    'recovered',
    'is_primary',
  ],
  outcome_verifications: [
    'tenant_id',
    'verification_id',
    'outcome_id',
    'verification',
    'started',
    'timed_out',
    'system_fault',
    'signal',
    'exit_code',
    'command',
    'duration_ms',
    'output_sha256',
    'output_bytes',
    'output_excerpt',
    'resolved_verify',
  ],
  delivery_assessments: ['tenant_id', 'assessment_id', 'outcome_id', 'assessment', 'reason'],
  outcome_integrations: ['tenant_id', 'outcome_id', 'reference', 'gate_flag', 'gate_reason'],
  lifecycle_events: ['tenant_id', 'lifecycle_event_id', 'invocation_id', 'execution_id', 'lifecycle', 'reason'],
  os_events: ['tenant_id', 'event_id', 'type', 'source', 'invocation_id', 'correlation_id', 'occurred_at', 'data'],
  agent_lineage_links: ['tenant_id', 'source_outcome_id', 'target_outcome_id', 'relation'],
} as const;
export type WriteTable = keyof typeof WRITABLE_COLUMNS;
export const WRITE_TABLES = Object.keys(WRITABLE_COLUMNS) as WriteTable[];

const NOTHING: Record<WriteTable, Scope> = {
  source_definitions: 'none',
  workflow_executions: 'none',
  agent_invocations: 'none',
  agent_tool_calls: 'none',
  agent_invocation_outcomes: 'none',
  workflow_outcomes: 'none',
  late_outcomes: 'none',
  policy_decisions: 'none',
  policy_sets: 'none',
  hitl_requests: 'none',
  hitl_resolutions: 'none',
  phase_reports: 'none',
  artifacts: 'none',
  outcome_verifications: 'none',
  delivery_assessments: 'none',
  outcome_integrations: 'none',
  lifecycle_events: 'none',
  os_events: 'none',
  agent_lineage_links: 'none',
};

const OWN_INVOCATIONS = {
  agent_invocations: 'own_source',
  agent_tool_calls: 'own_source',
  agent_invocation_outcomes: 'own_source',
  late_outcomes: 'own_source',
  os_events: 'own_source',
} as const;

/** Role × table → scope. An event received from outside (a trigger) has no subject, so any role that may write events may receive one. */
export const ROLE_MATRIX: Record<LedgerRole, Record<WriteTable, Scope>> = {
  agent: { ...NOTHING, ...OWN_INVOCATIONS },
  worker: {
    ...NOTHING,
    workflow_executions: 'any',
    agent_invocations: 'own_subject',
    agent_tool_calls: 'own_subject',
    agent_invocation_outcomes: 'own_subject',
    workflow_outcomes: 'own_subject',
    late_outcomes: 'own_subject',
    phase_reports: 'own_subject_of_others',
    artifacts: 'own_subject_of_others',
    outcome_verifications: 'others_source',
    delivery_assessments: 'others_source',
    lifecycle_events: 'own_subject_of_others',
    os_events: 'own_subject',
  },
  orchestrator: {
    ...NOTHING,
    workflow_executions: 'any',
    agent_invocations: 'any',
    agent_tool_calls: 'any',
    agent_invocation_outcomes: 'any',
    workflow_outcomes: 'any',
    late_outcomes: 'any',
    os_events: 'any',
    agent_lineage_links: 'any',
    hitl_requests: 'any',
    phase_reports: 'others_source',
    artifacts: 'others_source',
    outcome_verifications: 'others_source',
    delivery_assessments: 'others_source',
    lifecycle_events: 'others_source',
  },
  policy_guard: { ...NOTHING, ...OWN_INVOCATIONS, policy_decisions: 'others_source', policy_sets: 'any' },
  operator: {
    ...NOTHING,
    source_definitions: 'any',
    hitl_resolutions: 'others_source',
    outcome_integrations: 'others_source',
  },
  auditor: { ...NOTHING },
};
