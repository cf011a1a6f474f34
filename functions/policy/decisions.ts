// The guard's binding word, recorded before the outcome it governs.
import { recordPolicyDecision } from '../../src/database/index.ts';
import { KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';

export const decide: Endpoint = endpoint({
  method: 'post',
  path: '/decisions',
  operationId: 'recordDecision',
  summary: 'Record a policy decision',
  description:
    'One decision about an open invocation or execution, by a policy guard; at most one each. The outcome must then ' +
    'carry it, unchanged, as its `policy`. The same decision again is a replay, another one a conflict. A decision that ' +
    'requires a human opens the request with the decision’s id.',
  body: {
    schema: ref('PolicyDecision'),
    description: 'Exactly one of `invocation_id` and `execution_id`.',
    example: EXAMPLES.decision,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('PolicyDecisionRecord') },
    200: { description: 'Recorded before with the same content.', schema: ref('PolicyDecisionRecord'), replay: true },
  },
  errors: ['unknown_invocation', 'unknown_execution', 'invocation_closed', 'execution_closed', 'decision_conflict'],
  handle: async ({ request, session }) => {
    const document = requireDocument('policy_decision', await readObject(request));
    return recordedAnswer(await recordPolicyDecision(session, document), KINDS.decision);
  },
});
