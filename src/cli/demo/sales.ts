import { setTimeout as wait } from 'node:timers/promises';
import type {
  HitlResolutionRecord,
  OutcomeRecord,
  PolicyDecisionRecord,
  RecordedEnvelope,
} from '../../client/documents.ts';
import type { Cast } from './cast.ts';
import { GATEWAY, SELLER } from './story.ts';

/** What became of three sales. */
export interface Sales {
  /** Nothing sealed is sold: the policy said no. */
  blocked: RecordedEnvelope;
  /** The policy was not sure; a human was, and the sale went on from there. */
  escalated: RecordedEnvelope;
  answer: HitlResolutionRecord;
  released: RecordedEnvelope;
  /** The agent went silent, and its deadline passed; null when nothing swept it in time. */
  timedOut: OutcomeRecord | null;
}

/** Within this time the stack's own worker sweeps what is overdue; it looks every second. */
const SWEPT_WITHIN_MS = 20_000;
const LOOK_AGAIN_MS = 50;

/** Three sales under a policy set: one is forbidden, one needs a human, one is never heard of again. */
export async function sell(cast: Cast): Promise<Sales> {
  const silent = await cast.orchestrator.invocations.start({ ...start(cast), deadline_in_ms: 100 });
  const { outcome: blocked } = await cast.seller.invocation(start(cast), async (ctx) => {
    ctx.governedBy(await decide(cast, ctx.invocationId, { editions: 1, sealed: true }));
    return ctx.blocked('edition 45 is sealed');
  });
  const large = { editions: 45, sealed: false };
  let request = '';
  const { outcome: escalated } = await cast.seller.invocation(start(cast), async (ctx) => {
    const decision = await decide(cast, ctx.invocationId, large);
    request = decision.decision_id;
    ctx.governedBy(decision);
    return ctx.escalate({
      reason: 'more editions than an agent sells by itself',
      escalation_target: GATEWAY,
      escalation_path_id: 'large-sales',
      policy_rule_triggered: decision.policy_rule_triggered,
      hitl_request_id: request,
    });
  });
  const { record: answer } = await cast.operator.policy.hitl.resolve(request, {
    resolution: 'approved',
    reason: 'a known gallery',
  });
  const cause = answer.gateway_outcome_id ?? escalated.outcome_id;
  const { outcome: released } = await cast.seller.invocation(start(cast, cause), async (ctx) => {
    ctx.governedBy(await decide(cast, ctx.invocationId, { editions: 40, sealed: false }));
    return { sold_editions: 40 };
  });
  return { blocked, escalated, answer, released, timedOut: await swept(cast, silent.record.invocation_id) };
}

function start(cast: Cast, causation_id = cast.eventId) {
  return { source: SELLER, correlation_id: cast.salesId, causation_id };
}

async function decide(
  cast: Cast,
  invocation_id: string,
  context: { editions: number; sealed: boolean },
): Promise<PolicyDecisionRecord> {
  const resource = { type: 'Edition', id: '45' };
  return (await cast.guard.policy.evaluate({ invocation_id, action: 'sell', resource, context })).record;
}

async function swept(cast: Cast, invocation_id: string): Promise<OutcomeRecord | null> {
  for (const end = Date.now() + SWEPT_WITHIN_MS; Date.now() < end; await wait(LOOK_AGAIN_MS)) {
    const [outcome] = await cast.auditor.outcomes.list({ invocation_id }).toArray();
    if (outcome) return outcome;
  }
  return null;
}
