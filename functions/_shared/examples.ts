// One good document of each kind, from the edition-allocation workflow: shown in the OpenAPI documents, and tested against
// the contract so that what is shown is accepted.

const source = { id: 'art-agt-003', version: '1.1.0', domain: 'art' };

export const EXAMPLES = {
  definition: {
    domain: 'art',
    governance_class: 'autonomous',
    output_schema: {
      type: 'object',
      required: ['allocated_editions'],
      properties: { allocated_editions: { type: 'integer', minimum: 0 } },
    },
    default_deadline_ms: 600_000,
  },
  invocation: {
    invocation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    source,
    correlation_id: 'corr-xyz',
    causation_id: 'event-abc',
    deadline_in_ms: 600_000,
  },
  execution: {
    execution_id: '16fd2706-8baf-433b-82eb-8c7fada847da',
    source: { id: 'WF-ART-003-EDITION-ALLOCATION', version: '1.1.0', domain: 'art' },
    correlation_id: 'corr-xyz',
    trigger: { type: 'art.edition.released', source: 'shop' },
    execution_pattern: 'fan-out-fan-in',
  },
  toolCall: {
    tool_name: 'inventory.lock',
    status: 'succeeded',
    input: { edition: 45 },
    output: { locked: true },
    timing: { started_at: '2026-05-20T10:00:00.010Z', completed_at: '2026-05-20T10:00:00.030Z', duration_ms: 20 },
  },
  outcome: {
    invocation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    outcome: {
      outcome_version: '1.0',
      status: 'success',
      correlation_id: 'corr-xyz',
      causation_id: 'event-abc',
      source: { type: 'agent', ...source },
      result: { allocated_editions: 5 },
      quality: null,
      errors: [],
      escalation: null,
      policy: null,
      timing: { started_at: '2026-05-20T10:00:00.000Z', completed_at: '2026-05-20T10:00:00.042Z', duration_ms: 42 },
      execution_context: null,
    },
  },
  event: {
    event_id: 'event-abc',
    type: 'art.edition.released',
    source: 'shop',
    correlation_id: 'corr-xyz',
    occurred_at: '2026-05-20T09:59:59.900Z',
    data: { edition: 45 },
  },
  decision: {
    invocation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    decision: 'allow',
    policy_rule_triggered: null,
    risk_score: 0.08,
    requires_hitl: false,
    evaluated_at: '2026-05-20T10:00:00.005Z',
  },
  policySet: {
    version: '1.0.0',
    policies:
      '@id("small-sales")\npermit (principal, action == Action::"allocate", resource) when { context.editions <= 40 };\n' +
      '@id("large-sales")\n@requires_hitl("true")\npermit (principal, action == Action::"allocate", resource) when { context.editions > 40 };\n',
    mask: ['/context/buyer'],
    note: 'first policies of the pack',
  },
  evaluation: {
    invocation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    action: 'allocate',
    resource: { type: 'Edition', id: '45' },
    context: { editions: 9, risk_score: 0.08 },
  },
  hitlRequest: {
    invocation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    reason: 'The buyer asks for more than the agent may sell alone.',
    expires_in_ms: 3_600_000,
  },
  hitlResolution: { resolution: 'approved', reason: 'Called the buyer; the order stands.' },
  conclusion: {
    messages: [
      'I compared both carriers and wrote the plan.\n\nTASK_RESULT: {"success": true, "side_effects": "none", "comments": "The plan names the cheaper carrier"}\nTASK_RESULT_END',
    ],
    observation: { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false },
    files: [{ path: 'artifacts/output/plan.md', content: '# Shipping plan\n\nCarrier B, from the second week on.\n' }],
  },
  verification: {
    verification: 'failed',
    process: { started: true, timed_out: false, system_fault: false, signal: null, exit_code: 1 },
    command: 'npm test',
    duration_ms: 8200,
    output_excerpt: '1 of 212 tests failed: editions are never sold twice',
  },
  delivery: { assessment: 'missing_deliverable', reason: 'The plan was asked for as artifacts/output/plan.md.' },
  integration: { reference: 'https://git.example.com/shop/pull/45' },
  lifecycle: {
    invocation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    lifecycle: 'waiting',
    reason: 'for the carrier’s price list',
  },
  gate: { ids: ['7d444840-9dc0-41d1-b245-5ffdce74fad2'], allow_unverified: 'The checks are down; read by hand.' },
  cancellation: { reason: 'The sale was withdrawn.' },
  webhook: {
    url: 'https://observability.example.com/ledger',
    event_types: ['os.outcome.*', 'os.hitl.requested'],
    description: 'dashboards',
  },
  webhookRotation: { previous_valid_ms: 3_600_000 },
  webhookRedelivery: { all: true },
  link: {
    source_outcome_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
    target_outcome_id: '9b2d2e4c-6f5f-4a39-8d8e-0f6f5c8a1c11',
    relation: 'invoked',
  },
} as const;
