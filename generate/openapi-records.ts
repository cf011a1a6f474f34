// What the ledger answers with, as JSON Schema: start rows, outcomes, lineage. Loose where a record may gain members.
import { ERROR_CODES, GOVERNANCE_CLASSES, STATUSES } from '../src/contract/index.ts';
import { JUDGMENTS, VERIFICATIONS } from '../src/contract/judgment/index.ts';
import { flag, id, integer, type Json, list, orNull, record, recorded, ref, text, time, word } from './json-schema.ts';
import { EXECUTION_PHASES } from './openapi-phases.ts';

const source = record('Who ran.', { type: { enum: ['agent', 'workflow'] }, id: text, version: text, domain: text });
const state: Json = { enum: ['running', 'stalled', 'overdue', 'ended'] };

const started = {
  source,
  governance_class: { enum: [...GOVERNANCE_CLASSES] },
  correlation_id: text,
  causation_id: text,
};
const standing = {
  verify: orNull(text),
  deadline_at: time,
  traceparent: orNull(text),
  attributes: { type: ['object', 'null'] },
  started_at: time,
  recorded_by: text,
  defined: { type: 'boolean', description: 'Whether the source had a definition.' },
  state,
  heartbeat_at: orNull(time),
  outcome_id: orNull(id),
  outcome: orNull(ref('Envelope')),
};
const webhook = {
  webhook_id: id,
  url: text,
  event_types: list(text),
  description: orNull(text),
  state: { enum: ['active', 'disabled'] },
  disabled_reason: orNull({ type: 'string', enum: ['operator', 'gone', 'position_gone', null] }),
  previous_secret_until: orNull(time),
  created_at: time,
  created_by: text,
  updated_at: time,
  updated_by: text,
  waiting: { type: 'integer', description: 'Events read for it and not delivered yet.' },
  dead_letters: integer,
  consecutive_failures: integer,
  last_delivered_at: orNull(time),
  last_failed_at: orNull(time),
  last_status: orNull(integer),
  last_error: orNull(text),
  paused_until: orNull(time),
};
const late = record('An envelope that came too late.', {
  outcome: ref('Envelope'),
  received_at: time,
  received_by: text,
});
const node = record('An outcome in the lineage.', {
  depth: integer,
  outcome_id: id,
  relation: orNull(text),
  via_outcome_id: orNull(id),
  source_type: { enum: ['agent', 'workflow'] },
  source_id: text,
  source_version: text,
  domain: text,
  status: { enum: [...STATUSES] },
  correlation_id: text,
  completed_at: time,
  truncated: flag,
});
const edge = record('A link: source and target as the relation reads.', {
  link_id: text,
  source_outcome_id: id,
  target_outcome_id: id,
  relation: { enum: ['invoked', 'contributed-to', 'escalated-to', 'governed-by'] },
});

/** Every schema that is no document; `documents` are the contract's, by their names here. */
export function recordSchemas(documents: Json): Json {
  return {
    OutcomeSubmission: {
      type: 'object',
      description: 'Exactly one of `invocation_id` and `execution_id`.',
      additionalProperties: false,
      required: ['outcome'],
      properties: { invocation_id: id, execution_id: id, outcome: ref('Envelope') },
      oneOf: [{ required: ['invocation_id'] }, { required: ['execution_id'] }],
    },
    Outcome: recorded(documents['Envelope'], 'The recorded envelope, with what the ledger knows about it.', {
      invocation_id: orNull(id),
      execution_id: orNull(id),
      recorded_at: time,
      recorded_by: text,
      origin: { enum: ['recorded', 'concluded', 'swept', 'canceled', 'run'] },
      completion_reason: orNull(text),
      timing_drift_ms: { type: 'number', description: '`duration_ms` minus what the two times say.' },
      late: orNull(list(late)),
      judgment: {
        ...word(JUDGMENTS),
        description: 'Whether it succeeded: `verified` and `delivered` say yes, no other word does.',
      },
      verification: { ...word(VERIFICATIONS), description: 'What verification says of it.' },
    }),
    Invocation: record(
      'An invocation: its start row and where it stands.',
      {
        invocation_id: id,
        ...started,
        execution_id: orNull(id),
        step_id: orNull(text),
        step_name: orNull(text),
        attempt: orNull(integer),
        surfaces: orNull(list(text)),
        recovery_mode: { enum: ['reset', 'inspect', 'manual'] },
        ...standing,
        tool_calls: list(ref('ToolCallRecord')),
      },
      ['tool_calls', 'outcome'],
    ),
    Execution: record(
      'An execution: its start row and where it stands.',
      {
        execution_id: id,
        ...started,
        execution_pattern: orNull(text),
        parent_execution_id: orNull(id),
        resumed_from_execution_id: orNull(id),
        ...standing,
        status: { enum: ['running', 'completed', 'failed', 'cancelled', 'interrupted'] },
        ...EXECUTION_PHASES,
      },
      ['outcome', 'status', ...Object.keys(EXECUTION_PHASES)],
    ),
    ToolCallRecord: recorded(documents['ToolCall'], 'A recorded tool call.'),
    Heartbeat: record('A noted heartbeat.', { invocation_id: id, heartbeat_at: time, deadline_at: time }),
    EventRecord: record(
      'An event: emitted by an outcome, registered by an agent, or received.',
      {
        event_id: text,
        type: text,
        source: orNull(text),
        invocation_id: orNull(id),
        correlation_id: orNull(text),
        occurred_at: orNull(time),
        data: { type: ['object', 'null'] },
      },
      ['source', 'invocation_id', 'correlation_id', 'occurred_at', 'data'],
    ),
    PolicyDecisionRecord: recorded(documents['PolicyDecision'], 'A recorded decision.'),
    PolicySetRecord: recorded(documents['PolicySet'], 'A stored policy set; the newest one is in force.', {
      content_hash: text,
    }),
    HitlRequestRecord: record('A request to a human.', {
      hitl_request_id: text,
      state: { enum: ['open', 'approved', 'rejected', 'expired'] },
      subject_type: { enum: ['invocation', 'execution'] },
      invocation_id: orNull(id),
      execution_id: orNull(id),
      opened_from: { enum: ['decision', 'outcome', 'orchestrator'] },
      decision_id: orNull(id),
      outcome_id: orNull(id),
      source_id: text,
      correlation_id: text,
      reason: text,
      expires_at: time,
      requested_at: time,
      requested_by: text,
      age_s: integer,
      resolution: orNull(ref('HitlResolutionRecord')),
    }),
    HitlResolutionRecord: record('A human’s answer, with the HITL gateway’s own invocation and outcome.', {
      hitl_request_id: text,
      resolution: { enum: ['approved', 'rejected'] },
      reason: text,
      resolved_by: text,
      resolved_at: time,
      gateway_invocation_id: id,
      gateway_outcome_id: orNull(id),
    }),
    SourceDefinitionRecord: recorded(
      documents['SourceDefinition'],
      'A recorded definition; the hashes are SHA-256 of its schemas as stored.',
      { output_schema_hash: orNull(text), confidence_schema_hash: orNull(text) },
    ),
    WebhookRecord: record('A webhook, without its secrets.', webhook),
    WebhookWithSecret: record('A webhook with its new secret, which is told this once.', {
      ...webhook,
      secret: { type: 'string', description: '`whsec_` and base64, as Standard Webhooks spells secrets.' },
    }),
    WebhookDeadLetter: record('An event that a webhook’s receiver never took.', {
      event_id: text,
      type: orNull(text),
      correlation_id: text,
      attempts: integer,
      first_tried_at: orNull(time),
      last_tried_at: orNull(time),
      last_status: orNull(integer),
      last_error: orNull(text),
      dead_at: time,
    }),
    WebhookRedelivered: record('What a redelivery put back.', { redelivered: integer, remaining: integer }),
    LinkRecord: edge,
    Lineage: record('Causes or effects of an outcome.', {
      outcome_id: id,
      direction: { enum: ['why', 'impact'] },
      max_depth: integer,
      truncated: { type: 'boolean', description: 'There is more below the depth asked for.' },
      nodes: list(node),
      links: list(edge),
    }),
    Correlation: record('All of one business transaction.', {
      correlation_id: text,
      nodes: list({ type: 'object', properties: { outcome_id: id, source_id: text, status: { enum: [...STATUSES] } } }),
      links: list(edge),
      open: list(
        record('Work without an outcome.', {
          subject_type: { enum: ['invocation', 'execution'] },
          subject_id: id,
          source_id: text,
          state,
          started_at: time,
          deadline_at: time,
        }),
      ),
    }),
    Gaps: record('What is missing.', {
      items: list(
        record('A gap.', {
          gap: text,
          subject_type: text,
          subject_id: text,
          outcome_id: orNull(id),
          since: time,
          detail: { type: ['object', 'null'] },
        }),
      ),
      next_cursor: { type: 'null' },
      truncated: flag,
    }),
    Validation: record('The judgment of a dry run.', { valid: flag, violations: list(ref('Violation')) }),
    Violation: record('One thing that is wrong.', {
      path: { type: 'string', description: 'JSON Pointer into the document; `/query/…` or `/path/…` for parameters.' },
      rule: text,
      message: text,
    }),
    Problem: record(
      'A refusal (RFC 9457). More members may say what to act on, such as the `outcome_id` that won.',
      {
        type: { type: 'string', format: 'uri-reference', description: 'The documentation of the code.' },
        title: text,
        status: integer,
        code: { enum: [...ERROR_CODES] },
        detail: text,
        remedy: text,
        violations: list(ref('Violation')),
        request_id: text,
      },
      ['remedy'],
    ),
    Health: record('Whether a function is fit to record.', {
      status: { type: 'string', description: '`ok`, `degraded`, or the code of the refusal every request meets.' },
      fingerprint: orNull(text),
      expected_fingerprint: text,
      epoch: orNull(integer),
      feed: orNull({ type: 'object', properties: { held_back_by: list({ type: 'object' }), degraded: flag } }),
    }),
  };
}
