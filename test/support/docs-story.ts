import { createLedger, type Ledger } from '../../src/client/index.ts';
import type { LedgerRole } from '../../src/stack/index.ts';
import type { TestStack } from './stack.ts';

const WORKFLOW = { id: 'WF-ART-003-EDITION-ALLOCATION', version: '1.1.0', domain: 'art' };
const ALLOCATOR = { id: 'art-agt-003', version: '1.1.0', domain: 'art' };
const GUARD = { id: 'os-agt-002', version: '1.0.0', domain: 'synedrix-os' };
const HUMAN_DESK = { id: 'os-agt-004', version: '1.0.0', domain: 'synedrix-os' };
const PATTERN = 'fan-out-fan-in';

/** The ids that the documents' queries ask for, by the names of their variables. */
export type Story = Record<
  'outcome_id' | 'guard_outcome_id' | 'invocation_id' | 'execution_id' | 'step_id' | 'correlation_id' | 'domain',
  string
>;

/**
 * A little of everything an auditor may ask about: a governed workflow with a retried step, tool calls, events, an
 * escalation, evidence, a late envelope, gaps of several kinds, a purged row. `mark` stands in every name of this tenant.
 */
export async function tellStory(stack: TestStack, tenantId: string, mark: string): Promise<Story> {
  const as = async (role: LedgerRole, actorId: string): Promise<Ledger> =>
    createLedger({ url: stack.functionsUrl, accessToken: await stack.mintToken({ tenantId, role, actorId }) });
  const [operator, orchestrator, guard] = await Promise.all([
    as('operator', `olga-${mark}`),
    as('orchestrator', `orc-${mark}`),
    as('policy_guard', GUARD.id),
  ]);
  const correlation_id = `corr-${mark}`;
  const event_id = `order-${mark}`;
  const { domain } = ALLOCATOR;
  await operator.definitions.put({
    source_type: 'workflow',
    source_id: WORKFLOW.id,
    version: WORKFLOW.version,
    domain,
    governance_class: 'supervised',
    execution_pattern: PATTERN,
  });
  for (const { id, version, domain } of [ALLOCATOR, GUARD]) {
    await operator.definitions.put({ source_type: 'agent', source_id: id, version, domain });
  }

  const step_id = 'allocate';
  let executionId = '';
  let invocationId = '';
  let guardOutcome = '';
  let broken = '';
  const run = await orchestrator.execution(
    {
      source: WORKFLOW,
      correlation_id,
      execution_pattern: PATTERN,
      trigger: { type: 'art.order', source: 'webshop', event_id },
    },
    async (ctx) => {
      executionId = ctx.executionId;
      const evaluation = { decision: 'allow' as const, policy_rule_triggered: 'edition-limit', risk_score: 0.08 };
      let guardInvocation = '';
      const judged = await guard.invocation({ source: GUARD, correlation_id, causation_id: event_id }, async (own) => {
        guardInvocation = own.invocationId;
        return evaluation;
      });
      guardOutcome = judged.outcome.outcome_id;
      const { record } = await guard.policy.decide({
        ...evaluation,
        execution_id: executionId,
        requires_hitl: false,
        evaluated_at: new Date().toISOString(),
        guard_invocation_id: guardInvocation,
      });
      ctx.governedBy(record);
      for (const attempt of [1, 2]) {
        const { outcome } = await ctx.invocation(
          { source: ALLOCATOR, step_id, attempt, causation_id: guardOutcome },
          async (own) => {
            invocationId = own.invocationId;
            await own.toolCall('inventory.lock', { attempt }, async () => ({ locked: attempt === 2 }));
            await own.toolCall('inventory.reserve', { attempt }, async () => ({ reserved: attempt - 1 }));
            await own.emit('art.edition.touched', { attempt });
            return attempt === 1 ? own.fail('INVENTORY_LOCKED', `locked: ${mark}`) : { allocated_editions: 45 };
          },
        );
        broken = outcome.outcome_id;
      }
      const escalation = { reason: 'low confidence', escalation_target: HUMAN_DESK.id, escalation_path_id: 'p-1' };
      const asked = await ctx.invocation({ source: ALLOCATOR, step_id: 'approve' }, async (own) =>
        own.escalate(escalation),
      );
      await ctx.invocation({ source: HUMAN_DESK, causation_id: asked.outcome.outcome_id }, async () => ({
        seen: true,
      }));
      return ctx.partial({ allocated_editions: 45 }, [{ code: 'PARTIAL_ALLOCATION_FAILURE', message: '5 left' }]);
    },
  );

  const ended = { started: true, timed_out: false, system_fault: false };
  const command = 'npm test';
  await orchestrator.judgments.verify(broken, { verification: 'failed', process: { ...ended, exit_code: 1 }, command });
  await orchestrator.judgments.verify(run.outcome.outcome_id, {
    verification: 'passed',
    process: { ...ended, exit_code: 0 },
    command,
  });
  await orchestrator.judgments.assess(run.outcome.outcome_id, { assessment: 'delivered' });
  await operator.judgments.integrate(broken, { reference: '0c0ffee', override_broken: `a known flake: ${mark}` });

  const { outcome_id: _, ...late } = run.outcome;
  const other = { ...late, result: { allocated_editions: 50 } };
  await orchestrator.outcomes.record({ execution_id: executionId, outcome: other }).catch(() => undefined);
  await orchestrator.invocations.start({
    source: ALLOCATOR,
    correlation_id,
    causation_id: `nobody-knows-${mark}`,
    deadline_in_ms: 1,
  });
  await purgeOne(stack, tenantId);
  return {
    outcome_id: run.outcome.outcome_id,
    guard_outcome_id: guardOutcome,
    invocation_id: invocationId,
    execution_id: executionId,
    step_id,
    correlation_id,
    domain,
  };
}

/** Retention, as an operator of the database does it: a reason on record, then the purge under it. */
async function purgeOne(stack: TestStack, tenantId: string): Promise<void> {
  const { sql } = stack.database;
  const [policy] = await sql<{ policy_id: string }[]>`
    insert into public.retention_policies (tenant_id, table_name, keep_for, reason)
    values (${tenantId}, 'agent_tool_calls', '1 microsecond', 'a test') returning policy_id`;
  await sql`select ledger_internal.purge(${policy?.policy_id ?? ''}, 1)`;
}
