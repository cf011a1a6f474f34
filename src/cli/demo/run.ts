import { causesOf } from '../causes.ts';
import type { LocalStack } from '../local-stack.ts';
import type { Progress } from '../render/progress.ts';
import { hire } from './cast.ts';
import type { Seen } from './checks.ts';
import { define } from './definitions.ts';
import { killWorker, seeGraph, untilMirrored } from './graph.ts';
import { play } from './play.ts';
import { tryForbidden } from './refusals.ts';
import { sell } from './sales.ts';
import { BATCHES } from './story.ts';

/** Steps that `runDemo` reports. */
export const DEMO_STEPS = 7;

/** Plays the whole story on a running stack, in a tenant of its own, and reads back what the ledger made of it. */
export async function runDemo(stack: LocalStack, progress: Progress): Promise<Seen> {
  progress.step('tenants and tokens');
  const cast = await hire(stack);
  progress.step('defining the workflow and its agents');
  await define(cast);
  progress.step(`allocating editions with ${BATCHES.length} agents`);
  const mirrored = stack.graph !== 'none';
  if (mirrored) await untilMirrored(stack);
  let killed: number | null = null;
  const played = await play(cast, async () => {
    if (mirrored) killed = await killWorker(stack);
  });
  progress.step('selling: one blocked, one escalated, one silent');
  const sales = await sell(cast);
  progress.step('waiting for the graph');
  const outcomeId = played.workflow.outcome_id;
  const graph = mirrored ? await seeGraph(stack, { tenantId: cast.tenantId, outcomeId, killed }) : null;
  progress.step('trying what must be refused');
  const refusals = await tryForbidden(stack, cast, played);
  progress.step('asking why');
  const [page, why, gaps] = await Promise.all([
    cast.auditor.outcomes.list({ correlation_id: cast.correlationId, order: 'asc' }).toArray(),
    cast.auditor.lineage.why(played.workflow.outcome_id),
    cast.auditor.lineage.gaps(),
  ]);
  const reader = {
    functionsUrl: stack.functionsUrl,
    token: await stack.mintToken({ tenantId: cast.tenantId, role: 'auditor', actorId: 'demo-auditor' }),
  };
  const { causes } = await causesOf(reader, why);
  return { cast, played, sales, outcomes: page, why: { ...why, causes }, gaps, refusals, graph };
}
