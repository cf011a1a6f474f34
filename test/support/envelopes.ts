import { createHash, randomUUID } from 'node:crypto';
import type { OutcomeStatus } from '../../src/contract/statuses.ts';

/** A JSON document under test: members may be added, overwritten or deleted freely, also wrongly. */
// biome-ignore lint/suspicious/noExplicitAny: tests break documents on purpose
export type Document = Record<string, any>;

export const AGENT_ID = 'art-agt-003';
export const WORKFLOW_ID = 'WF-ART-003-EDITION-ALLOCATION';
export const VERSION = '1.1.0';
export const DOMAIN = 'art';

export const TIMING = {
  started_at: '2026-05-20T10:00:00.000Z',
  completed_at: '2026-05-20T10:00:01.850Z',
  duration_ms: 1850,
};

const ERROR_ENTRY = {
  code: 'PARTIAL_ALLOCATION_FAILURE',
  message: '5 editions could not be allocated due to inventory lock',
  field: 'edition_ids[45:50]',
  source_agent_id: AGENT_ID,
  recoverable: true,
  retry_after_ms: 5000,
};

export function policyMember(decision: 'allow' | 'block' | 'escalate' = 'allow'): Document {
  return {
    decision,
    policy_rule_triggered: null,
    risk_score: 0.08,
    requires_hitl: false,
    evaluated_at: '2026-05-20T10:00:00.100Z',
  };
}

// What each status demands besides what every envelope has.
const BY_STATUS: Record<OutcomeStatus, () => Document> = {
  success: () => ({ result: { allocated_editions: 50 }, errors: [] }),
  partial: () => ({ result: { allocated_editions: 45, skipped_editions: 5 }, errors: [{ ...ERROR_ENTRY }] }),
  failure: () => ({ errors: [{ code: 'VALIDATION_FAILED', message: 'no such edition', recoverable: false }] }),
  blocked: () => ({
    errors: [{ code: 'POLICY_BLOCKED', message: 'blocked by the policy guard', recoverable: false }],
    policy: policyMember('block'),
  }),
  escalated: () => ({
    errors: [],
    escalation: {
      reason: 'confidence below threshold',
      escalation_target: 'os-agt-004',
      escalation_path_id: 'path-1',
      policy_rule_triggered: null,
      hitl_request_id: null,
    },
  }),
  timeout: () => ({ errors: [{ code: 'TIMEOUT', message: 'no result in time', recoverable: true }] }),
  skipped: () => ({ errors: [] }),
};

/** A good agent envelope of the given status; `over` overwrites top-level members. */
export function agentEnvelope(status: OutcomeStatus = 'success', over: Document = {}): Document {
  return { ...commonMembers(status, 'agent', AGENT_ID), ...BY_STATUS[status](), ...over };
}

/** A good workflow envelope of the given status, fan-out-fan-in as in the spec's example. */
export function workflowEnvelope(status: OutcomeStatus = 'partial', over: Document = {}): Document {
  const execution_context = {
    execution_pattern: 'fan-out-fan-in',
    parallel_task_count: 10,
    partial_failure_count: status === 'partial' ? 5 : 0,
    sub_workflow_outcomes: null,
  };
  return { ...commonMembers(status, 'workflow', WORKFLOW_ID), ...BY_STATUS[status](), execution_context, ...over };
}

function commonMembers(status: OutcomeStatus, type: 'agent' | 'workflow', id: string): Document {
  return {
    outcome_version: '1.0',
    status,
    correlation_id: 'corr-xyz',
    causation_id: 'event-abc',
    source: { type, id, version: VERSION, domain: DOMAIN },
    result: null,
    quality: null,
    errors: [],
    escalation: null,
    policy: null,
    timing: { ...TIMING },
    execution_context: null,
  };
}

/** A good start of an agent's invocation, caused by an outside event of unknown origin. */
export function invocationStart(over: Document = {}): Document {
  return {
    invocation_id: randomUUID(),
    source: { id: AGENT_ID, version: VERSION, domain: DOMAIN },
    correlation_id: 'corr-xyz',
    causation_id: 'event-abc',
    ...over,
  };
}

/** A good start of a workflow's execution. */
export function executionStart(over: Document = {}): Document {
  return {
    execution_id: randomUUID(),
    source: { id: WORKFLOW_ID, version: VERSION, domain: DOMAIN },
    execution_pattern: 'fan-out-fan-in',
    correlation_id: 'corr-xyz',
    causation_id: 'event-abc',
    ...over,
  };
}

/** The envelope that ends `start`: its correlation, cause and source taken over. */
export function envelopeFor(start: Document, status: OutcomeStatus = 'success', over: Document = {}): Document {
  const workflow = 'execution_pattern' in start;
  const make = workflow ? workflowEnvelope : agentEnvelope;
  return make(status, {
    correlation_id: start['correlation_id'],
    causation_id: start['causation_id'] ?? start['trigger']?.event_id,
    source: { type: workflow ? 'workflow' : 'agent', ...start['source'] },
    ...over,
  });
}

export function toolCall(invocationId: string, over: Document = {}): Document {
  return {
    invocation_id: invocationId,
    tool_call_id: `call-${randomUUID()}`,
    tool_name: 'inventory.reserve',
    status: 'succeeded',
    input: { edition: 7 },
    output: { reserved: true },
    timing: { ...TIMING },
    ...over,
  };
}

/** A decision about an invocation (`{ invocation_id }`) or an execution (`{ execution_id }`). */
export function policyDecision(subject: Document, over: Document = {}): Document {
  return { ...subject, ...policyMember(), ...over };
}

/** A verification that passed. */
export function verification(outcomeId: string, over: Document = {}): Document {
  const process = { started: true, timed_out: false, system_fault: false, exit_code: 0 };
  return {
    verification_id: randomUUID(),
    outcome_id: outcomeId,
    verification: 'passed',
    process,
    command: 'npm test',
    ...over,
  };
}

/** An event registered by an agent for its open invocation, or, without one, received from outside. */
export function event(invocationId?: string, over: Document = {}): Document {
  const about = invocationId ? { invocation_id: invocationId } : { source: 'shop', correlation_id: 'corr-xyz' };
  return { event_id: `event-${randomUUID()}`, type: 'art.edition.requested', ...about, data: { edition: 7 }, ...over };
}

export function sourceDefinition(over: Document = {}): Document {
  return {
    source_type: 'agent',
    source_id: AGENT_ID,
    version: VERSION,
    domain: DOMAIN,
    governance_class: 'autonomous',
    ...over,
  };
}

/** An explicit lineage link between two recorded outcomes. */
export function declaredLink(sourceOutcomeId: string, targetOutcomeId: string, relation = 'invoked'): Document {
  return { source_outcome_id: sourceOutcomeId, target_outcome_id: targetOutcomeId, relation };
}

/** A policy set that lets everything pass. */
export function policySet(over: Document = {}): Document {
  return { version: '1.0.0', policies: 'permit (principal, action, resource);', ...over };
}

/** What `checkPolicySet` answers for its texts, computed apart from it. */
export function policySetHash({ policies, schema }: Document): string {
  const sha256 = (words: string) => createHash('sha256').update(words).digest('hex');
  return sha256(`cedar policy set 1\n${sha256(policies)}\n${schema ? sha256(schema) : 'none'}\n`);
}
