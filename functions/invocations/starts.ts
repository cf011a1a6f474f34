// Starting invocations, one or many.
import { type Recorded, Refusal, startInvocation, startInvocations, toRefusal } from '../../src/database/index.ts';
import { itemAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import { runBatch } from '../_shared/batch.ts';
import { readItems } from '../_shared/batch-body.ts';
import { readObject, requireObject } from '../_shared/body.ts';
import { requireDocument, withId } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { batchBody, batchSchema, ref, START_ERRORS } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';

const ERRORS = [...START_ERRORS, 'invocation_conflict', 'attempt_conflict'] as const;

export const start: Endpoint = endpoint({
  method: 'post',
  path: '/',
  operationId: 'startInvocation',
  summary: 'Start an invocation',
  description:
    'Writes the start row of an agent invocation, before the agent runs. Without `invocation_id` the server names one; ' +
    'with one, sending the same start again answers the recorded row.',
  body: {
    schema: ref('InvocationStart'),
    description: 'Exactly one of `causation_id` and `trigger`; at most one of `deadline_at` and `deadline_in_ms`.',
    example: EXAMPLES.invocation,
  },
  answers: {
    201: { description: 'Started.', schema: ref('Invocation') },
    200: { description: 'Started before with the same content.', schema: ref('Invocation'), replay: true },
  },
  errors: [...ERRORS],
  handle: async ({ request, session }) => {
    const document = requireDocument('invocation_start', withId(await readObject(request), 'invocation_id'));
    const recorded: Recorded = await startInvocation(session, document);
    return recordedAnswer(recorded, KINDS.invocation);
  },
});

export const startBatch: Endpoint = endpoint({
  method: 'post',
  path: '/batch',
  operationId: 'startInvocations',
  summary: 'Start many invocations',
  description:
    'Up to 1,000 starts, in transactions of at most 100; each is answered for itself, in the order sent, and one that is ' +
    'refused harms no other.',
  body: batchBody('InvocationStart', [EXAMPLES.invocation]),
  answers: { 200: { description: 'An answer for every item.', schema: batchSchema('invocation', 'Invocation') } },
  errors: [...ERRORS],
  handle: async ({ request, session, requestId }) => {
    const items = (await readItems(request, 1000, 0)).map((item) => {
      if (!item.ok) return item.refusal;
      try {
        return requireDocument('invocation_start', withId(requireObject(item.value), 'invocation_id')) as object;
      } catch (error) {
        return error instanceof Refusal ? error : toRefusal(error);
      }
    });
    const answers = await runBatch(items, (chunk) => startInvocations(session, chunk));
    return { status: 200, body: { items: answers.map((answer) => itemAnswer(answer, KINDS.invocation, requestId)) } };
  },
});
