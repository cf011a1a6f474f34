// Giving an open invocation up.
import { z } from '@hono/zod-openapi';
import { cancelInvocation } from '../../src/database/index.ts';
import { KINDS, NOTHING_CANCELED, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { uuidParameter } from '../_shared/parameters.ts';

export const cancel: Endpoint = endpoint({
  method: 'post',
  path: '/{invocation_id}/cancel',
  operationId: 'cancelInvocation',
  summary: 'Cancel an invocation',
  description:
    'An operator or orchestrator ends an open invocation: a `failure` with code CANCELED and the reason as its message, or ' +
    '`blocked` where the policy blocked it. A result that comes later is kept beside it.',
  params: z.strictObject({ invocation_id: uuidParameter('The invocation.') }),
  body: { schema: ref('Cancellation'), description: 'Why.', example: EXAMPLES.cancellation },
  answers: {
    201: { description: 'Ended.', schema: ref('Envelope') },
    200: { description: 'Canceled before, for the same reason.', schema: ref('Envelope'), replay: true },
  },
  errors: ['unknown_invocation', 'invocation_closed', 'outcome_conflict'],
  handle: async ({ request, params, session }) => {
    const { reason } = requireDocument('cancellation', await readObject(request));
    return recordedAnswer(
      await cancelInvocation(session, params.invocation_id, reason),
      KINDS.outcome,
      NOTHING_CANCELED,
    );
  },
});
