// The ledger's own guard: Cedar decides, and the decision is on disk before the answer.
import { sameContent } from '../../src/contract/index.ts';
import type { LedgerRecord, PolicySubject, Session } from '../../src/database/index.ts';
import { getPolicySet, policySubject, Refusal, recordEvaluation } from '../../src/database/index.ts';
import {
  type Evaluation,
  evaluate,
  maskErrors,
  maskInput,
  PolicyEngineError,
  type PolicyRequest,
  PolicyRequestInvalid,
  PolicySetInvalid,
  type PreparedPolicySet,
  preparedPolicySet,
  preparePolicySet,
  principalOf,
  undecided,
} from '../../src/policy/index.ts';
import { KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument } from '../_shared/documents.ts';
import { type Answer, type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';

const GUARD_SOURCE = { version: '1.0.0', domain: 'synedrix-os' };

export const evaluatePolicy: Endpoint = endpoint({
  method: 'post',
  path: '/evaluate',
  operationId: 'evaluatePolicy',
  summary: 'Let the tenant’s policies decide',
  description:
    'Evaluates the policy set in force about an open invocation or execution and records the decision, the guard’s own ' +
    'invocation and its outcome in one transaction. A fault of the evaluation is a recorded `escalate`, never an allow. ' +
    'The same question again answers with the recorded decision.',
  body: {
    schema: ref('PolicyEvaluation'),
    description: 'Exactly one of `invocation_id` and `execution_id`. Numbers with a fraction become Cedar decimals.',
    example: EXAMPLES.evaluation,
  },
  answers: {
    201: { description: 'Decided and recorded.', schema: ref('PolicyDecisionRecord') },
    200: { description: 'The same question was decided before.', schema: ref('PolicyDecisionRecord'), replay: true },
  },
  errors: [
    'unknown_invocation',
    'unknown_execution',
    'unknown_policy_set',
    'invocation_closed',
    'execution_closed',
    'decision_conflict',
  ],
  handle: async ({ request, session, caller }) => {
    const document = requireDocument('policy_evaluation', await readObject(request));
    const about = await policySubject(session, document);
    const input: PolicyRequest = {
      principal: principalOf({ ...about.source, governance_class: about.governance_class }),
      action: document.action,
      resource: document.resource as unknown as PolicyRequest['resource'],
      context: document.context ?? {},
    };
    // Anybody else is refused where it is recorded.
    const replay = caller.role === 'policy_guard' ? await replayed(session, about, input) : null;
    if (replay) return replay;
    const set = await setInForce(session, about);
    const started = new Date();
    const found = decided(set.prepared, input);
    const completed = new Date();
    const decision = {
      invocation_id: document.invocation_id,
      execution_id: document.execution_id,
      decision: found.decision,
      policy_rule_triggered: found.policy_rule_triggered,
      risk_score: found.risk_score,
      requires_hitl: found.requires_hitl,
      evaluated_at: completed.toISOString(),
      evaluation: {
        policy_set_version: set.version,
        policy_ids: found.determining,
        input: maskInput(input, set.mask),
        errors: maskErrors(found.errors, input, set.mask).map(({ code, message }) => `${code}: ${message}`),
        latency_us: found.latency_us,
      },
    };
    const timing = {
      started_at: started.toISOString(),
      completed_at: completed.toISOString(),
      duration_ms: completed.getTime() - started.getTime(),
    };
    const guard = { source: { id: caller.actorId, ...(document.guard ?? GUARD_SOURCE) }, timing };
    return recordedAnswer(await recordEvaluation(session, decision, guard), KINDS.decision);
  },
});

/**
 * The same question again, held to what was recorded then: its answer may have been lost, and the policies or their masks be
 * others by now. What is masked is not compared.
 */
async function replayed(session: Session, { decision }: PolicySubject, input: PolicyRequest): Promise<Answer | null> {
  const evaluation = decision?.['evaluation'] as { policy_set_version: string; input: unknown } | null | undefined;
  if (!decision || !evaluation) return null;
  const set = await getPolicySet(session, evaluation.policy_set_version);
  const masked = maskInput(input, (set?.['mask'] ?? []) as string[]);
  if (!sameContent(JSON.parse(JSON.stringify(masked)), evaluation.input)) return null;
  return recordedAnswer({ result: 'replayed', record: decision }, KINDS.decision);
}

interface SetInForce {
  version: string;
  mask: string[];
  /** Or why it cannot be asked: it was checked when it was stored, by an engine that is another by now, or that has failed. */
  prepared: PreparedPolicySet | Error;
}

/** Read from the database and parsed only when this process does not hold it. */
async function setInForce(session: Session, { policy_set }: PolicySubject): Promise<SetInForce> {
  if (!policy_set) throw new Refusal('unknown_policy_set', { detail: 'This tenant has no policy set yet.' });
  const { version, mask, content_hash } = policy_set;
  const held = preparedPolicySet(content_hash);
  if (held) return { version, mask, prepared: held };
  const stored = (await getPolicySet(session, version)) as LedgerRecord;
  const source = { policies: stored['policies'] as string, schema: stored['schema'] as string | null };
  const prepared = await preparePolicySet(source).catch((error: unknown) => {
    if (error instanceof PolicySetInvalid || error instanceof PolicyEngineError) return error;
    throw error;
  });
  return { version, mask, prepared };
}

function decided(set: PreparedPolicySet | Error, input: PolicyRequest): Evaluation {
  if (set instanceof Error) return undecided(set);
  try {
    return evaluate(set, input);
  } catch (error) {
    if (error instanceof PolicyRequestInvalid)
      throw new Refusal('request_invalid', { violations: [...error.violations] });
    throw error;
  }
}
