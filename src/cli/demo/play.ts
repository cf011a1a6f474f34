import { setTimeout as work } from 'node:timers/promises';
import type { PolicyDecisionRecord, RecordedEnvelope } from '../../client/documents.ts';
import type { Cast } from './cast.ts';
import {
  ALLOCATOR,
  BATCHES,
  type Batch,
  GUARD,
  PARTIAL_ERROR,
  PATTERN,
  REPORT_ID,
  RISK_SCORE,
  STRAY,
  WORKFLOW,
} from './story.ts';

export interface Played {
  workflow: RecordedEnvelope;
  executionId: string;
  guard: RecordedEnvelope;
  /** One closed invocation of an allocation agent. */
  invocationId: string;
}

/**
 * Plays the workflow: a trigger, the guard's decision, ten agents in parallel of which five fail, one partial outcome.
 *
 * @param halfway is called once, when half of the agents have their outcomes
 */
export async function play(cast: Cast, halfway: () => Promise<unknown>): Promise<Played> {
  let recorded = 0;
  const onRecorded = async () => {
    recorded += 1;
    if (recorded === BATCHES.length / 2) await halfway();
  };
  let guard: RecordedEnvelope | undefined;
  let invocationId = '';
  let executionId = '';
  const trigger = { type: 'art.edition.released', source: 'webshop', event_id: cast.eventId, data: { editions: 50 } };
  const run = await cast.orchestrator.execution(
    { source: WORKFLOW, correlation_id: cast.correlationId, trigger, execution_pattern: PATTERN },
    async (ctx) => {
      executionId = ctx.executionId;
      const judged = await judge(cast, executionId);
      guard = judged.outcome;
      ctx.governedBy(judged.decision);
      const cause = judged.outcome.outcome_id;
      const allocations = await Promise.all(
        BATCHES.map(async (batch) => {
          const allocation = await allocate(cast, executionId, cause, batch);
          await onRecorded();
          return allocation;
        }),
      );
      invocationId = allocations[0]?.invocationId ?? '';
      const allocated = allocations.reduce((sum, item) => sum + item.editions, 0);
      const failed = allocations.filter((item) => item.status === 'failure').length;
      const result = {
        allocated_editions: allocated,
        skipped_editions: 50 - allocated,
        allocation_report_id: REPORT_ID,
      };
      return ctx.partial(result, [PARTIAL_ERROR], {
        parallel_task_count: BATCHES.length,
        partial_failure_count: failed,
      });
    },
  );
  if (!guard) throw new Error('the guard was never asked');
  await leaveGaps(cast);
  return { workflow: run.outcome, executionId, guard, invocationId };
}

/** The Policy Guard is an agent too: its evaluation is an invocation with an outcome, and its decision names it. */
async function judge(
  cast: Cast,
  execution_id: string,
): Promise<{ decision: PolicyDecisionRecord; outcome: RecordedEnvelope }> {
  let guardInvocation = '';
  let evaluatedAt = '';
  const verdict = { decision: 'allow' as const, policy_rule_triggered: null, risk_score: RISK_SCORE };
  const run = await cast.guard.invocation(
    { source: GUARD, correlation_id: cast.correlationId, causation_id: cast.eventId },
    async (ctx) => {
      guardInvocation = ctx.invocationId;
      await work(20);
      evaluatedAt = new Date().toISOString();
      return verdict;
    },
  );
  const { record } = await cast.guard.policy.decide({
    ...verdict,
    execution_id,
    requires_hitl: false,
    evaluated_at: evaluatedAt,
    guard_invocation_id: guardInvocation,
  });
  return { decision: record, outcome: run.outcome };
}

async function allocate(cast: Cast, execution_id: string, cause: string, batch: Batch) {
  let invocationId = '';
  const run = await cast.allocator.invocation(
    {
      source: ALLOCATOR,
      correlation_id: cast.correlationId,
      causation_id: cause,
      execution_id,
      step_id: batch.step,
    },
    async (ctx) => {
      invocationId = ctx.invocationId;
      await ctx.toolCall('inventory.reserve', { editions: batch.editions }, async () => {
        await work(30 + 10 * batch.editions);
        return { reserved: batch.locked ? 0 : batch.editions };
      });
      if (batch.locked)
        return ctx.fail('INVENTORY_LOCKED', 'inventory lock', { recoverable: true, retry_after_ms: 5000 });
      return { allocated_editions: batch.editions };
    },
  );
  return { invocationId, status: run.status, editions: batch.locked ? 0 : batch.editions };
}

async function leaveGaps(cast: Cast): Promise<void> {
  const start = { source: STRAY, correlation_id: cast.correlationId, causation_id: 'evt-nobody-recorded' };
  await cast.stray.invocation(start, async () => ({ notified: true }));
}
