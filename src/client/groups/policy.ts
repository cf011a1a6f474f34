import type { PolicyDecision, PolicyDecisionRecord, Recorded } from '../documents.ts';
import { prepared } from '../prepared.ts';
import type { Transport } from '../transport.ts';

export interface PolicyGroup {
  /** Records the guard's binding decision about an open invocation or execution; at most one each. */
  decide(decision: PolicyDecision): Promise<Recorded<PolicyDecisionRecord>>;
}

export function policy(transport: Transport): PolicyGroup {
  return {
    async decide(decision) {
      const body = prepared(decision, 'the decision');
      const answer = await transport.call<PolicyDecisionRecord>({ method: 'POST', path: 'policy/decisions', body });
      return { record: answer.data, replayed: answer.replayed };
    },
  };
}
