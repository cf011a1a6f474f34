// What a span says, and under which names. The `gen_ai.*` names are those of OpenTelemetry's GenAI conventions (agent and
// workflow spans, status Development); should they change, they change here.
import type { Ended } from '../ledger.ts';

export const SCOPE = 'outcome-ledger';
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0';

const OPERATIONS = { agent: 'invoke_agent', workflow: 'invoke_workflow' } as const;

/** Only these two failed; a policy that blocks, a human who is asked, a step that is skipped are how it is meant to go. */
const ERROR_STATUSES = new Set(['failure', 'timeout']);

export function spanName({ source_type, source_id }: Ended): string {
  return `${OPERATIONS[source_type]} ${source_id}`;
}

export function isError({ status }: Ended): boolean {
  return ERROR_STATUSES.has(status);
}

export function attributesOf(ended: Ended): Record<string, string> {
  const { source_type } = ended;
  const all: Record<string, string | null> = {
    'gen_ai.operation.name': OPERATIONS[source_type],
    'gen_ai.agent.id': source_type === 'agent' ? ended.source_id : null,
    'gen_ai.agent.name': source_type === 'agent' ? ended.source_id : null,
    'gen_ai.agent.version': source_type === 'agent' ? ended.source_version : null,
    'gen_ai.workflow.name': source_type === 'workflow' ? ended.source_id : null,
    'error.type': isError(ended) ? (ended.error_code ?? '_OTHER') : null,
    'outcome_ledger.tenant.id': ended.tenant_id,
    'outcome_ledger.invocation.id': source_type === 'agent' ? ended.subject_id : null,
    'outcome_ledger.execution.id': source_type === 'workflow' ? ended.subject_id : ended.execution_id,
    'outcome_ledger.parent_execution.id': source_type === 'workflow' ? ended.execution_id : null,
    'outcome_ledger.outcome.id': ended.outcome_id,
    'outcome_ledger.outcome.status': ended.status,
    'outcome_ledger.outcome.origin': ended.origin,
    'outcome_ledger.correlation.id': ended.correlation_id,
    'outcome_ledger.causation.id': ended.causation_id,
    'outcome_ledger.source.version': ended.source_version,
    'outcome_ledger.domain': ended.domain,
    'outcome_ledger.governance_class': ended.governance_class,
    'outcome_ledger.policy.decision': ended.decision,
  };
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null));
}
