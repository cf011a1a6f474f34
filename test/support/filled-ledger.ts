import { jsonb, text, uuid } from '../../src/database/statement.ts';
import type { TestDatabase } from './database.ts';
import {
  type Document,
  envelopeFor,
  event,
  policyDecision,
  policyMember,
  policySet,
  policySetHash,
  sourceDefinition,
  toolCall,
  verification,
} from './envelopes.ts';
import { conclusion } from './phase-rows.ts';
import { GUARD, OPERATOR, ORCHESTRATOR, sqlLedger } from './sql-ledger.ts';

/** Every append-only table. A table that is made one later must be named here too: the suite compares with the catalogue. */
export const LEDGER_TABLES = [
  'agent_invocation_outcomes',
  'agent_invocations',
  'agent_lineage_links',
  'agent_tool_calls',
  'artifacts',
  'delivery_assessments',
  'hitl_requests',
  'hitl_resolutions',
  'late_outcomes',
  'lifecycle_events',
  'os_events',
  'outcome_ids',
  'outcome_integrations',
  'outcome_verifications',
  'phase_reports',
  'policy_decisions',
  'policy_sets',
  'source_definitions',
  'tombstones',
  'workflow_executions',
  'workflow_outcomes',
] as const;

export interface FilledLedger {
  tenantId: string;
  execution: Document;
  invocation: Document;
  invocationOutcome: string;
  executionOutcome: string;
  /** The invocation whose tool call was purged. */
  purged: Document;
}

/** At least one row in every ledger table of a new tenant. */
export async function fillLedger(database: Pick<TestDatabase, 'as' | 'sql' | 'tenant'>): Promise<FilledLedger> {
  const tenantId = await database.tenant();
  const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  const guard = sqlLedger(database, { tenantId, ...GUARD });
  await sqlLedger(database, { tenantId, ...OPERATOR }).define(sourceDefinition());
  const execution = await ledger.startExecution();
  const purged = await ledger.start({ execution_id: execution['execution_id'] });
  await ledger.toolCall(toolCall(purged['invocation_id']));
  await purgeTable(database, tenantId, 'agent_tool_calls');
  const invocation = await ledger.start({ execution_id: execution['execution_id'] });
  await ledger.toolCall(toolCall(invocation['invocation_id']));
  await ledger.event(event(invocation['invocation_id']));
  await guard.decide(policyDecision({ invocation_id: invocation['invocation_id'] }));
  await guard.ask('put_policy_set', jsonb(policySet()), text(policySetHash(policySet())));
  const asked = await ledger.ask(
    'open_hitl_request',
    jsonb({ invocation_id: invocation['invocation_id'], reason: 'may it?' }),
  );
  await sqlLedger(database, { tenantId, ...OPERATOR }).ask(
    'resolve_hitl_request',
    jsonb({ hitl_request_id: asked.record['hitl_request_id'], resolution: 'approved', reason: 'it may' }),
  );
  await ledger.ask(
    'record_lifecycle',
    jsonb({ invocation_id: invocation['invocation_id'], lifecycle: 'waiting', reason: 'for its inputs' }),
  );
  const invocationOutcome = await ledger.end(invocation, 'success', { policy: policyMember() });
  await ledger.record(invocation, envelopeFor(invocation, 'failure', { policy: policyMember() }));
  await ledger.ask('record_verification', jsonb(verification(invocationOutcome)));
  await ledger.ask('assess_delivery', jsonb({ outcome_id: invocationOutcome, assessment: 'delivered' }));
  await sqlLedger(database, { tenantId, ...OPERATOR }).ask(
    'record_integration',
    jsonb({ outcome_id: invocationOutcome, reference: '0c0ffee' }),
  );
  const concluded = await ledger.start({ execution_id: execution['execution_id'], step_id: 'draft' });
  await ledger.ask('conclude_invocation', uuid(concluded['invocation_id']), jsonb(conclusion()));
  const executionOutcome = await ledger.end(execution, 'partial');
  return { tenantId, execution, invocation, invocationOutcome, executionOutcome, purged };
}

/** States a policy that keeps nothing older than `keepFor`, as an operator of the database would. */
export async function statePolicy(
  database: Pick<TestDatabase, 'sql'>,
  tenantId: string,
  table: string,
  keepFor = '1 microsecond',
) {
  const [policy] = await database.sql<{ policy_id: string }[]>`
    insert into public.retention_policies (tenant_id, table_name, keep_for, reason)
    values (${tenantId}, ${table}, ${keepFor}::text::interval, 'a test''s ground') returning policy_id`;
  return policy?.policy_id as string;
}

/** Purges a whole table of a tenant under a policy of its own; gives the number of rows and the policy. */
export async function purgeTable(database: Pick<TestDatabase, 'sql'>, tenantId: string, table: string) {
  const policyId = await statePolicy(database, tenantId, table);
  const [row] = await database.sql<{ deleted: number }[]>`select ledger_internal.purge(${policyId}) as deleted`;
  return { policyId, deleted: row?.deleted };
}

/** What stands in the ledger tables: one digest and count each. */
export async function fingerprintOf(database: Pick<TestDatabase, 'admin'>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of LEDGER_TABLES) {
    const [row] = await database.admin.unsafe(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from public.${table} t`,
    );
    found[table] = row?.['digest'];
  }
  return found;
}
