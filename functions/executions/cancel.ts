// Giving an open execution up.
import { z } from '@hono/zod-openapi';
import { cancelExecution } from '../../src/database/index.ts';
import { KINDS, NOTHING_CANCELED, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { uuidParameter } from '../_shared/parameters.ts';

export const cancel: Endpoint = endpoint({
  method: 'post',
  path: '/{execution_id}/cancel',
  operationId: 'cancelExecution',
  summary: 'Cancel an execution',
  description:
    'An operator or orchestrator ends an open execution: a `failure` with code CANCELED and the reason as its message, or ' +
    '`blocked` where the policy blocked it. A result that comes later is kept beside it.',
  params: z.strictObject({ execution_id: uuidParameter('The execution.') }),
  body: { schema: ref('Cancellation'), description: 'Why.', example: EXAMPLES.cancellation },
  answers: {
    201: { description: 'Ended.', schema: ref('Envelope') },
    200: { description: 'Canceled before, for the same reason.', schema: ref('Envelope'), replay: true },
  },
  errors: ['unknown_execution', 'execution_closed', 'outcome_conflict'],
  handle: async ({ request, params, session }) => {
    const { reason } = requireDocument('cancellation', await readObject(request));
    return recordedAnswer(await cancelExecution(session, params.execution_id, reason), KINDS.outcome, NOTHING_CANCELED);
  },
});
