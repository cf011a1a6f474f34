import { randomUUID } from 'node:crypto';
import { LedgerError } from '../../client/index.ts';
import { withDatabase } from '../database.ts';
import type { CliProblem } from '../failure.ts';
import type { LocalStack } from '../local-stack.ts';
import type { Cast } from './cast.ts';
import type { Played } from './play.ts';
import { ALLOCATOR } from './story.ts';

export interface Refusal {
  attempt: string;
  /** The code that has to come back. */
  expected: string;
  /** What the caller got; null when, wrongly, nothing was refused. */
  seen: CliProblem | null;
}

/** Tries what must not work, and keeps each refusal as the caller sees it. */
export async function tryForbidden(stack: LocalStack, cast: Cast, played: Played): Promise<Refusal[]> {
  const { workflow } = played;
  const { outcome_id, ...envelope } = workflow;
  const other = { ...envelope, result: { ...envelope.result, allocated_editions: 50, skipped_editions: 0 } };
  const late = { source: ALLOCATOR, correlation_id: cast.correlationId, causation_id: outcome_id };
  const attempts: [string, string, () => Promise<unknown>][] = [
    ['the tenant rewrites its outcome in SQL', '42501', () => rewrite(stack, cast, outcome_id)],
    [
      'the orchestrator records another outcome for the same execution',
      'outcome_conflict',
      () => cast.orchestrator.outcomes.record({ execution_id: played.executionId, outcome: other }),
    ],
    ['another tenant reads the outcome', 'unknown_outcome', () => cast.foreigner.outcomes.get(outcome_id)],
    ['somebody reads an id that never was', 'unknown_outcome', () => cast.auditor.outcomes.get(randomUUID())],
    [
      'an agent starts in an execution that has ended',
      'execution_closed',
      () => cast.allocator.invocations.start({ ...late, execution_id: played.executionId }),
    ],
    [
      'an agent adds a tool call to an invocation that has ended',
      'invocation_closed',
      () => cast.allocator.invocations.toolCall(played.invocationId, lateToolCall()),
    ],
    [
      'an agent starts work in the name of another',
      'not_permitted',
      () => cast.stray.invocations.start({ ...late, causation_id: outcome_id }),
    ],
  ];
  const refusals: Refusal[] = [];
  for (const [attempt, expected, make] of attempts) refusals.push({ attempt, expected, seen: await problemOf(make) });
  return refusals;
}

/** What the Data API does for a tenant: its role, its claims, then the statement. */
async function rewrite(stack: LocalStack, cast: Cast, outcomeId: string): Promise<void> {
  const claims = {
    sub: 'orchestrator-1',
    role: 'authenticated',
    app_metadata: { tenant_id: cast.tenantId, ledger_role: 'orchestrator', actor_id: 'orchestrator-1' },
  };
  await withDatabase(stack.gatewayUrl, (sql) =>
    sql.begin(async (tx) => {
      await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
      await tx`update public.workflow_outcomes set outcome_envelope = '{}' where outcome_id = ${outcomeId}`;
    }),
  );
}

function lateToolCall() {
  const now = new Date().toISOString();
  const timing = { started_at: now, completed_at: now, duration_ms: 0 };
  return { tool_name: 'inventory.reserve', status: 'succeeded' as const, timing };
}

async function problemOf(attempt: () => Promise<unknown>): Promise<CliProblem | null> {
  try {
    await attempt();
    return null;
  } catch (error) {
    if (error instanceof LedgerError) {
      return {
        ...error.problem,
        status: error.status,
        code: error.code,
        detail: error.problem?.detail ?? error.message,
      };
    }
    const { code, message } = error as { code?: string; message: string };
    return { code: code ?? 'unexpected', detail: message };
  }
}
