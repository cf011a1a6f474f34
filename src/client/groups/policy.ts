import type {
  HitlRequest,
  HitlRequestRecord,
  HitlResolution,
  HitlResolutionRecord,
  PolicyDecision,
  PolicyDecisionRecord,
  PolicyEvaluation,
  PolicySet,
  PolicySetRecord,
  Recorded,
} from '../documents.ts';
import type { HitlFilter } from '../filters.ts';
import { newId } from '../identity.ts';
import type { Listing } from '../pages.ts';
import { prepared } from '../prepared.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readList, readOne } from './read.ts';

export interface PolicyGroup {
  /** Records the guard's binding decision about an open invocation or execution; at most one each. */
  decide(decision: PolicyDecision): Promise<Recorded<PolicyDecisionRecord>>;
  /** Lets the tenant's policies decide, and records it with the guard's own outcome (policy guards). */
  evaluate(question: PolicyEvaluation): Promise<Recorded<PolicyDecisionRecord>>;
  /** Stores a policy set as the one in force (policy guards). */
  put(set: PolicySet): Promise<Recorded<PolicySetRecord>>;
  /** One version of the policies. */
  set(version: string): Promise<PolicySetRecord>;
  hitl: HitlGroup;
}

export interface HitlGroup {
  /** Puts an open subject, or an escalated outcome, before a human (orchestrators). */
  open(request: HitlRequest): Promise<Recorded<HitlRequestRecord>>;
  get(id: string): Promise<HitlRequestRecord>;
  list(filter?: HitlFilter): Listing<HitlRequestRecord>;
  /** Answers a request, once (operators, never their own). */
  resolve(id: string, answer: Omit<HitlResolution, 'hitl_request_id'>): Promise<Recorded<HitlResolutionRecord>>;
}

export function policy(transport: Transport): PolicyGroup {
  const post = async <T>(path: string, document: object, what: string): Promise<Recorded<T>> => {
    const answer = await transport.call<T>({ method: 'POST', path, body: prepared(document, what) });
    return { record: answer.data, replayed: answer.replayed };
  };
  return {
    decide: (decision) => post('policy/decisions', decision, 'the decision'),
    evaluate: (question) => post('policy/evaluate', question, 'the question'),
    put: (set) => post('policy/sets', set, 'the policy set'),
    set: (version) => readOne(transport, `policy/sets/${segment(version)}`),
    hitl: {
      open: (request) =>
        post('policy/hitl', { ...request, hitl_request_id: request.hitl_request_id ?? newId() }, 'the request'),
      get: (id) => readOne(transport, `policy/hitl/${segment(id)}`),
      list: (filter) => readList(transport, 'policy/hitl', filter),
      resolve: (id, answer) => post(`policy/hitl/${segment(id)}/resolution`, answer, 'the answer'),
    },
  };
}
