import type { DocumentName } from '../../src/contract/index.ts';

const ID = '0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1';
const OTHER_ID = '5f1d7a52-52a7-4f0e-8a55-3f2b6f7f1c11';
const timing = { started_at: '2026-05-20T10:00:00.000Z', completed_at: '2026-05-20T10:00:01.850Z', duration_ms: 1850 };
const policy = {
  decision: 'allow',
  policy_rule_triggered: null,
  risk_score: 0.08,
  requires_hitl: false,
  evaluated_at: '2026-05-20T10:00:00.100Z',
};
const agent = { type: 'agent', id: 'art-agt-003', version: '1.4.2', domain: 'art' };
const workflow = { type: 'workflow', id: 'WF-ART-003-EDITION-ALLOCATION', version: '1.1.0', domain: 'art' };
const base = { outcome_version: '1.0', correlation_id: 'corr-xyz', causation_id: 'event-abc', timing };
const error = { code: 'TOOL_TIMEOUT', message: 'the tool did not answer', recoverable: true, retry_after_ms: 5000 };
const timeout = { code: 'TIMEOUT', message: 'past the deadline', recoverable: false };
const escalation = { reason: 'policy conflict', escalation_target: 'os-agt-004', escalation_path_id: 'path-1' };
const fanOut = {
  execution_pattern: 'fan-out-fan-in',
  parallel_task_count: 10,
  partial_failure_count: 5,
  sub_workflow_outcomes: null,
};
const source = { id: 'art-agt-003', version: '1.4.2', domain: 'art' };
const cause = { correlation_id: 'corr-xyz', causation_id: 'event-abc' };
const trigger = { type: 'order.received', source: 'shop', data: { order: 7 }, event_id: 'evt-1' };

/** Good documents of every kind, one for each branch of their rules. */
export const DOCUMENT_SEEDS: Readonly<Record<DocumentName, readonly object[]>> = {
  envelope: [
    { ...base, status: 'success', source: agent, result: { n: 1, deep: { list: [1, 'two', null] } }, policy },
    { ...base, status: 'success', source: agent, result: {}, quality: { confidence: 0.5 }, errors: [] },
    {
      ...base,
      status: 'success',
      source: agent,
      result: {},
      quality: {
        confidence: 1,
        critique_notes: '',
        iterations_used: 2,
        groundedness_score: 0,
        evaluator_agent_id: 'art-agt-009',
      },
      errors: [],
      policy: null,
    },
    { ...base, status: 'partial', source: agent, result: {}, errors: [error, timeout] },
    { ...base, status: 'failure', source: agent, errors: [error], outcome_id: ID },
    {
      ...base,
      status: 'blocked',
      source: agent,
      errors: [error],
      policy: { ...policy, decision: 'block', policy_rule_triggered: 'r' },
    },
    { ...base, status: 'escalated', source: agent, escalation },
    { ...base, status: 'timeout', source: agent, errors: [timeout], policy: { ...policy, decision: 'block' } },
    { ...base, status: 'skipped', source: workflow, execution_context: { execution_pattern: 'sequential' } },
    { ...base, status: 'partial', source: workflow, result: {}, errors: [error], policy, execution_context: fanOut },
    {
      ...base,
      status: 'success',
      source: workflow,
      result: {},
      execution_context: { execution_pattern: 'consensus', quorum_achieved: '5-of-7' },
    },
    {
      ...base,
      status: 'success',
      source: workflow,
      result: {},
      execution_context: { execution_pattern: 'conditional', branches_taken: ['left', 'right'] },
    },
    {
      ...base,
      status: 'success',
      source: workflow,
      result: {},
      execution_context: { execution_pattern: 'hierarchical', sub_workflow_outcomes: [ID, OTHER_ID] },
    },
  ],
  invocation_start: [
    { source, ...cause },
    {
      invocation_id: ID,
      source,
      governance_class: 'supervised',
      correlation_id: 'c',
      trigger,
      execution_id: OTHER_ID,
      step_id: 'allocate',
      step_name: 'Allocate',
      attempt: 2,
      surfaces: ['repo:main', 'mail'],
      verify: 'npm test',
      recovery_mode: 'inspect',
      deadline_in_ms: 60_000,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      attributes: { team: 'editions' },
    },
    { source, ...cause, deadline_at: '2026-05-21T10:00:00Z' },
  ],
  execution_start: [
    { source, ...cause, execution_pattern: 'fan-out-fan-in' },
    {
      execution_id: ID,
      source,
      correlation_id: 'c',
      trigger,
      parent_execution_id: OTHER_ID,
      resumed_from_execution_id: OTHER_ID,
      deadline_in_ms: 1,
      attributes: {},
    },
  ],
  tool_call: [
    { invocation_id: ID, tool_name: 'search', status: 'succeeded', input: { q: 'x' }, output: [1, 2], timing },
    {
      invocation_id: ID,
      tool_call_id: 'call-1',
      tool_name: 'search',
      status: 'failed',
      error: { code: 'HTTP_503', message: 'no' },
      timing,
    },
  ],
  policy_decision: [
    { invocation_id: ID, ...policy },
    { execution_id: ID, ...policy, decision: 'escalate', requires_hitl: true, guard_invocation_id: OTHER_ID },
  ],
  policy_evaluation: [
    { invocation_id: ID, action: 'allocate', resource: { type: 'Edition', id: '45' }, context: { risk_score: 0.2 } },
    { execution_id: ID, action: 'run', resource: { type: 'Flow', id: 'x' }, guard: { version: '1.0.0', domain: 'os' } },
  ],
  phase_report: [
    {
      invocation_id: ID,
      report_state: 'success',
      claims: [{ state: 'success', comments: 'opened #42', text: 'TASK_RESULT: {"success": true}' }],
      claims_total: 1,
      stands: 0,
      warnings: ['the report stood in a code fence'],
      observation: { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false, interrupted: false },
      phase_status: 'completed',
      reported_side_effects: 'denied',
      deliverable_recovered: true,
      conclusion_digest: 'a'.repeat(64),
    },
    {
      invocation_id: ID,
      report_state: 'failure',
      claims: [],
      claims_total: 0,
      warnings: [],
      observation: { exit_code: null, stream_intact: false, cancelled: false, timed_out: true, interrupted: false },
      phase_status: 'failed',
      failure_classification: 'unclassified',
      reported_failure_reason: 'unknown',
      deliverable_recovered: false,
      error: 'ran past its time',
      conclusion_digest: '0'.repeat(64),
    },
  ],
  artifact: [
    {
      invocation_id: ID,
      path: 'artifacts/output/report.md',
      title: 'draft: artifacts/output/report.md',
      type: 'text',
      recovered: false,
      primary: true,
      sha256: 'b'.repeat(64),
      size_bytes: 12,
    },
  ],
  policy_set: [
    { version: '1.0.0', policies: 'permit (principal, action, resource);' },
    {
      version: '1.1.0-rc.1',
      policies: 'permit (principal, action, resource);',
      schema: 'entity Agent;',
      mask: ['/context/email'],
      note: 'first',
    },
  ],
  hitl_request: [
    { invocation_id: ID, reason: 'sends money' },
    { hitl_request_id: 'ask-1', outcome_id: OTHER_ID, reason: 'escalated', expires_in_ms: 60000 },
  ],
  hitl_resolution: [{ hitl_request_id: 'ask-1', resolution: 'approved', reason: 'checked by hand' }],
  verification: [
    {
      outcome_id: ID,
      verification: 'failed',
      process: { started: true, timed_out: false, system_fault: false, signal: null, exit_code: 3 },
      command: 'npm test',
      duration_ms: 1200,
      output_sha256: 'c'.repeat(64),
      output_bytes: 42,
      output_excerpt: 'one test failed',
    },
    {
      verification_id: OTHER_ID,
      outcome_id: ID,
      verification: 'infrastructure_failure',
      process: { started: true, timed_out: false, system_fault: false, signal: 'SIGKILL' },
      command: 'make check',
    },
    { outcome_id: ID, verification: 'skipped', resolved_verify: 'skip' },
    { outcome_id: ID, verification: 'unobserved' },
  ],
  delivery_assessment: [
    { outcome_id: ID, assessment: 'delivered' },
    { assessment_id: OTHER_ID, outcome_id: ID, assessment: 'hollow', reason: 'no output on any channel, no change' },
  ],
  integration: [
    { outcome_id: ID, reference: 'https://git.example.com/shop/pull/42' },
    { outcome_id: ID, reference: '0c0ffee', allow_unverified: 'the checks are down', override_broken: 'known flake' },
  ],
  lifecycle_event: [
    { invocation_id: ID, lifecycle: 'waiting', reason: 'for its inputs' },
    { lifecycle_event_id: OTHER_ID, execution_id: ID, lifecycle: 'running' },
  ],
  gate: [{ ids: [ID] }, { ids: [ID, OTHER_ID], allow_unverified: 'no checks here' }],
  cancellation: [{ reason: 'no longer wanted' }],
  event: [
    { type: 'allocation.requested', source: 'shop', event_id: 'evt-1', data: { n: 1 } },
    { type: 'allocation.done', invocation_id: ID, correlation_id: 'c', occurred_at: '2026-05-20T10:00:00Z' },
  ],
  link: [{ source_outcome_id: ID, target_outcome_id: OTHER_ID, relation: 'invoked' }],
  webhook: [
    { url: 'https://hooks.example.com/ledger' },
    {
      webhook_id: ID,
      url: 'https://hooks.example.com:8443/a/b?tenant=7&x=%20',
      event_types: ['os.outcome.*', 'os.hitl.requested', 'os.*'],
      description: 'the observability layer',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    { url: 'http://127.0.0.1:8080/hook', event_types: [] },
    { url: 'https://[2001:db8::1]/' },
  ],
  webhook_rotation: [{}, { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', previous_valid_ms: 0 }],
  webhook_redelivery: [{ event_id: 'evt-1' }, { all: true }],
  source_definition: [
    {
      source_type: 'agent',
      source_id: 'art-agt-003',
      version: '1.4.2',
      domain: 'art',
      output_schema: { type: 'object' },
    },
    {
      source_type: 'workflow',
      source_id: 'WF-1',
      version: '1.0.0-rc.1+5',
      domain: 'art',
      governance_class: 'restricted',
      verify: 'auto',
      confidence_schema: { type: 'number' },
      execution_pattern: 'sequential',
      default_deadline_ms: 3_600_000,
    },
  ],
};
