// Reading outcomes.
import { z } from '@hono/zod-openapi';
import { STATUSES } from '../../src/contract/index.ts';
import { getOutcome, listOutcomes } from '../../src/database/index.ts';
import { foundAnswer } from '../_shared/answers.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref } from '../_shared/endpoint-docs.ts';
import { CORRELATION_PARAMETER, filterOf, PAGE_PARAMETERS, SOURCE_PARAMETERS } from '../_shared/lists.ts';
import { nameParameter, uuidParameter, wordParameter } from '../_shared/parameters.ts';

export const read: Endpoint = endpoint({
  method: 'get',
  path: '/{outcome_id}',
  operationId: 'getOutcome',
  summary: 'Read an outcome',
  description:
    'The envelope, whose it is, and when and by whom it was recorded. `late` holds envelopes that lost the race to it; ' +
    '`judgment` says whether it succeeded, derived when it is read (GET /judgments/{id} says why); `verification` is what it rests on.',
  params: z.strictObject({ outcome_id: uuidParameter('The outcome.') }),
  answers: { 200: { description: 'The outcome.', schema: ref('Outcome') } },
  errors: ['unknown_outcome'],
  handle: async ({ params, session }) => foundAnswer(await getOutcome(session, params.outcome_id), 'unknown_outcome'),
});

export const list: Endpoint = endpoint({
  method: 'get',
  path: '/',
  operationId: 'listOutcomes',
  summary: 'List outcomes',
  description: 'Newest first.',
  query: z.strictObject({
    correlation_id: CORRELATION_PARAMETER,
    causation_id: nameParameter('What caused it: an outcome, event, invocation or execution id.').optional(),
    invocation_id: uuidParameter('The invocation it ended.').optional(),
    execution_id: uuidParameter('The execution it ended, or whose steps’ outcomes are asked for.').optional(),
    status: wordParameter('The status.', STATUSES).optional(),
    source_type: wordParameter('What ended.', ['agent', 'workflow']).optional(),
    ...SOURCE_PARAMETERS,
    ...PAGE_PARAMETERS,
  }),
  answers: { 200: { description: 'A page.', schema: pageSchema('Outcome') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listOutcomes(session, filterOf(query)) }),
});
