// Traffic for the advisors, which call an index unused that no query has used: a small ledger, and every question that
// can be asked of it. So small a table is best read whole, which the questions forbid themselves; what stays unused then
// is an index that none of the ledger's own queries can use.
import { randomUUID } from 'node:crypto';
import type { TransactionSql } from 'postgres';
import type { TestDatabase } from './database.ts';
import {
  type Document,
  declaredLink,
  envelopeFor,
  event,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
  sourceDefinition,
  toolCall,
  verification,
} from './envelopes.ts';
import { conclusion } from './phase-rows.ts';

// Several tenants, so that an index that begins with the tenant is worth more than one that does not.
const TENANTS = 4;
const EXECUTIONS = 4;
const INVOCATIONS_EACH = 50;
const WORKFLOW = 'WF-ART-003-EDITION-ALLOCATION';
const AGENT = 'art-agt-003';

export async function playTraffic(database: TestDatabase): Promise<void> {
  const ledgers: Ledger[] = [];
  for (let number = 0; number < TENANTS; number += 1) ledgers.push(await fillTenant(database));
  for (const { tenantId } of ledgers) await purge(database, tenantId);
  await database.admin`analyze`;
  for (const { tenantId, executions, outcomes } of ledgers) {
    await database.as({ tenantId, role: 'orchestrator', actorId: 'orchestrator-1' }, (sql) =>
      askEverything(sql, executions[2] ?? {}, outcomes[100] ?? ''),
    );
    await askAsOwner(database);
  }
  await database.asRole('ledger_sync', async (sql) => {
    await sql`select * from public.feed(0, '0', 0, 1000)`;
    await sql`select * from public.feed_lag()`;
    await sql`select * from ledger_internal.outcome_facts_after(null, 1000)`;
    await sql`select * from ledger_internal.link_sources_after(null, 1000)`;
    await sql`select count(*) from ledger_internal.sync_quarantine where mirror = 'none'`;
  });
  await relay(database);
  await database.asRole('ledger_sweep', (sql) => sql`select public.sweep_overdue(100)`);
  // What a session used is counted a second after it came to rest.
  await new Promise((resolve) => setTimeout(resolve, 1500));
}

/** Takes what waits for the webhooks, says that it failed, and looks again. */
async function relay(database: TestDatabase): Promise<void> {
  const token = randomUUID();
  await database.asRole('ledger_relay', async (sql) => {
    const [row] = await sql`select ledger_internal.relay_take(${token}, 10, 100, 60000, 10000) as said`;
    const failed = { result: 'failed', status: 500, error: 'http_status', retry_in_ms: 0 };
    for (const { tenant_id, webhook_id, due } of row?.['said'].turns ?? []) {
      const results = due.map(({ event_id }: Document) => ({ ...failed, event_id }));
      await sql`select ledger_internal.relay_settle(${tenant_id}, ${webhook_id}, ${token}, ${sql.json(results)}, 0, 60000, true)`;
    }
  });
  await database.asRole('ledger_relay', async (sql) => {
    await sql`select ledger_internal.relay_take(${token}, 10, 100, 60000, 10000)`;
    await sql`select ledger_internal.relay_status()`;
  });
}

interface Ledger {
  tenantId: string;
  executions: Document[];
  outcomes: string[];
}

async function fillTenant(database: TestDatabase): Promise<Ledger> {
  const tenantId = await database.tenant(true);
  const actor = (role: 'orchestrator' | 'policy_guard' | 'operator') => ({ tenantId, role, actorId: `${role}-1` });
  const call = (role: Parameters<typeof actor>[0], name: string, ...args: (Document | string)[]) =>
    database.as(actor(role), (sql) => callFunction(sql, name, args));

  await call('operator', 'put_source_definition', sourceDefinition());
  await call('operator', 'register_webhook', { url: 'https://receiver.example.com/events' });
  const executions: Document[] = [];
  const outcomes: string[] = [];
  for (let number = 0; number < EXECUTIONS; number += 1) {
    const parent = executions.at(-1)?.['execution_id'];
    const execution = executionStart({
      correlation_id: `corr-${number}`,
      causation_id: parent ?? 'event-of-another-system',
      parent_execution_id: parent,
      resumed_from_execution_id: parent,
    });
    await call('orchestrator', 'start_execution', execution);
    executions.push(execution);
    const starts = Array.from({ length: INVOCATIONS_EACH }, (_, step) =>
      invocationStart({
        execution_id: execution['execution_id'],
        step_id: `allocate-${step}`,
        correlation_id: `corr-${number}-${step % 10}`,
        causation_id: outcomes[(number * 7 + step) % (outcomes.length || 1)] ?? `event-${number}-${step}`,
        governance_class: step % 5 ? 'autonomous' : 'supervised',
        ...(step % 3 ? {} : { deadline_in_ms: 1000 }),
      }),
    );
    await call('orchestrator', 'start_invocations', starts);
    await call(
      'orchestrator',
      'record_tool_calls',
      starts.map((start) => toolCall(start['invocation_id'])),
    );
    await call(
      'orchestrator',
      'register_events',
      starts.map((start) => event(start['invocation_id'])),
    );
    const concluded = invocationStart({ execution_id: execution['execution_id'], step_id: 'concluded' });
    await call('orchestrator', 'start_invocation', concluded);
    await call('orchestrator', 'conclude_invocation', concluded['invocation_id'], conclusion());
    // One in five stays open; every ended one is reported twice, in two versions.
    const ended = starts.filter((_, step) => step % 5 !== 4);
    await call(
      'policy_guard',
      'record_policy_decisions',
      ended.map((start) => policyDecision({ invocation_id: start['invocation_id'] })),
    );
    const items = ended.map((start) => ({
      invocation_id: start['invocation_id'],
      outcome: envelopeFor(start, 'success', { policy: policyMember() }),
    }));
    const answers = (await call('orchestrator', 'record_outcomes', items)) as unknown as Document[];
    outcomes.push(...answers.map((answer) => answer['record'].outcome_id as string));
    await call(
      'orchestrator',
      'record_outcomes',
      items.map((item) => ({ ...item, outcome: { ...item.outcome, result: { late: true } } })),
    );
  }
  // A few outcomes are verified twice, assessed and merged, and what is open says what it does.
  for (const id of outcomes.slice(0, 20)) {
    await call('orchestrator', 'record_verification', verification(id, { verification_id: undefined }));
    await call('orchestrator', 'record_verification', verification(id));
    await call('orchestrator', 'assess_delivery', { outcome_id: id, assessment: 'delivered' });
    await call('operator', 'record_integration', { outcome_id: id, reference: '0c0ffee' });
  }
  for (const execution of executions) {
    const execution_id = execution['execution_id'];
    await call('orchestrator', 'record_lifecycle', { execution_id, lifecycle: 'waiting' });
    const open = invocationStart({ execution_id });
    await call('orchestrator', 'start_invocation', open);
    await call('orchestrator', 'record_lifecycle', { invocation_id: open['invocation_id'], lifecycle: 'running' });
  }
  // Half of what is open is put before a human, and a few are answered.
  for (const [number, execution] of executions.entries()) {
    const asked = { hitl_request_id: `ask-${number}`, execution_id: execution['execution_id'], reason: 'may it?' };
    await call('orchestrator', 'open_hitl_request', asked);
    if (number % 2) continue;
    await call('operator', 'resolve_hitl_request', {
      hitl_request_id: `ask-${number}`,
      resolution: 'approved',
      reason: 'it may',
    });
  }
  // A failed phase ends a sequential execution.
  const line = executionStart({ execution_pattern: 'sequential' });
  await call('orchestrator', 'start_execution', line);
  const failing = invocationStart({ execution_id: line['execution_id'], step_id: 'first' });
  await call('orchestrator', 'start_invocation', failing);
  await call('orchestrator', 'record_agent_outcome', failing['invocation_id'], envelopeFor(failing, 'failure'));
  const again = invocationStart({ execution_id: line['execution_id'], step_id: 'first', attempt: 2 });
  await call('orchestrator', 'start_invocation', again);
  await call('orchestrator', 'declare_link', declaredLink(outcomes[0] ?? '', outcomes[5] ?? ''));
  for (const execution of executions.slice(0, -2)) {
    await call('orchestrator', 'record_workflow_outcome', execution['execution_id'], envelopeFor(execution, 'partial'));
  }
  return { tenantId, executions, outcomes };
}

async function callFunction(sql: TransactionSql, name: string, args: (Document | string)[]): Promise<Document> {
  const types = args.map((arg, index) => `$${index + 1}::${typeof arg === 'string' ? 'uuid' : 'jsonb'}`);
  const values = args.map((arg) => (typeof arg === 'string' ? arg : sql.json(arg)));
  const [row] = await sql.unsafe(`select public.${name}(${types.join(', ')}) as answer`, values as never[]);
  const answer = row?.['answer'] as Document | Document[];
  const refused = Array.isArray(answer) ? answer.find((item) => item['result'] === 'refused') : undefined;
  if (refused) throw new Error(`${name}: ${JSON.stringify(refused)}`);
  return answer;
}

async function askEverything(sql: TransactionSql, execution: Document, outcome: string): Promise<void> {
  await sql`set local enable_seqscan = off`;
  const executionId = execution['execution_id'] as string;
  const correlation = `${execution['correlation_id']}-4`;
  const span = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', limit: 10 };
  const [row] = await sql`select invocation_id from public.agent_invocations limit 1`;
  const invocation = row?.['invocation_id'] as string;
  const filters: Record<string, Document[]> = {
    list_outcomes: [
      {},
      span,
      { order: 'asc' },
      { correlation_id: correlation },
      { causation_id: outcome },
      { execution_id: executionId },
      { invocation_id: invocation },
      { status: 'success' },
      { source_type: 'agent', source_id: AGENT },
      { domain: 'art' },
    ],
    list_invocations: [
      {},
      span,
      { state: 'running' },
      { state: 'stalled' },
      { state: 'overdue' },
      { state: 'ended' },
      { correlation_id: correlation },
      { execution_id: executionId },
      { source_id: AGENT },
      { domain: 'art' },
    ],
    list_executions: [
      {},
      span,
      { state: 'running' },
      { correlation_id: execution['correlation_id'] },
      { source_id: WORKFLOW },
    ],
    list_hitl_requests: [
      {},
      span,
      { state: 'open' },
      { state: 'approved' },
      { invocation_id: invocation },
      { execution_id: executionId },
    ],
    list_policy_sets: [{}, span],
    list_judgments: [
      {},
      span,
      { judgment: 'verified' },
      { lifecycle: 'waiting' },
      { correlation_id: correlation },
      { source_type: 'agent', source_id: AGENT },
      { domain: 'art' },
    ],
    judgment_statistics: [
      {},
      { source_id: AGENT },
      { source_id: WORKFLOW },
      { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' },
    ],
    list_events: [
      {},
      span,
      { type: 'os.outcome.partial' },
      { correlation_id: correlation },
      { invocation_id: invocation },
      { outcome_id: outcome },
    ],
  };
  for (const [list, asked] of Object.entries(filters)) {
    for (const filter of asked) await callFunction(sql, list, [filter]);
  }
  await callFunction(sql, 'get_invocation', [invocation]);
  await callFunction(sql, 'begin_conclusion', [invocation]);
  await callFunction(sql, 'list_inputs', [invocation]);
  const [left] = await sql`select artifact_id from public.artifacts limit 1`;
  await callFunction(sql, 'get_artifact', [left?.['artifact_id'] as string]);
  await callFunction(sql, 'failure_rates', [{ source_id: AGENT, source_version: '1.4.2', domain: 'art' }]);
  await callFunction(sql, 'get_execution', [executionId]);
  await callFunction(sql, 'get_outcome', [outcome]);
  await callFunction(sql, 'get_judgment', [outcome]);
  await callFunction(sql, 'pass_gate', [{ ids: [outcome] }]);
  await sql`select public.get_event(${outcome})`;
  await sql`select public.get_source_definition('agent', ${AGENT}, '1.1.0')`;
  await sql`select * from public.lineage_why(${outcome}, 20)`;
  await sql`select * from public.lineage_impact(${outcome}, 20)`;
  await sql`select * from public.lineage_correlation(${correlation})`;
  await sql`select * from public.lineage_path(${outcome}, ${outcome})`;
  await sql`select * from public.lineage_governed(${outcome})`;
  await sql`select * from public.lineage_root_causes(null, null)`;
  await sql`select * from public.lineage_broken_impact(null, null)`;
  await sql`select public.lineage_document('why', ${outcome}, 20)`;
  await sql`select public.lineage_correlation_document(${correlation})`;
  await sql`select public.lineage_gaps_document(null, 100)`;
  await sql`select public.ledger_health()`;
}

// Retention.
async function purge(database: TestDatabase, tenantId: string): Promise<void> {
  const [policy] = await database.sql`
    insert into public.retention_policies (tenant_id, table_name, keep_for, reason)
    values (${tenantId}, 'late_outcomes', '1 microsecond', 'a rehearsal of retention') returning policy_id`;
  await database.sql`select ledger_internal.purge(${policy?.['policy_id'] as string}, 10000)`;
}

// What only the owner asks: what went under a policy; what is past its deadline.
async function askAsOwner(database: TestDatabase): Promise<void> {
  await database.sql.begin(async (sql) => {
    await sql`set local enable_seqscan = off`;
    await sql`select * from public.tombstones where policy_id = (select max(policy_id::text)::uuid from public.retention_policies)`;
    // The question of every sweep, across tenants.
    await sql`select * from ledger_internal.open_work where deadline_at < clock_timestamp() order by deadline_at limit 100`;
  });
}
