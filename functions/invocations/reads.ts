// Reading invocations.
import { z } from '@hono/zod-openapi';
import { getInvocation, listInvocations } from '../../src/database/index.ts';
import { foundAnswer } from '../_shared/answers.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref } from '../_shared/endpoint-docs.ts';
import {
  CORRELATION_PARAMETER,
  filterOf,
  PAGE_PARAMETERS,
  SOURCE_PARAMETERS,
  STATE_PARAMETER,
} from '../_shared/lists.ts';
import { uuidParameter } from '../_shared/parameters.ts';

export const read: Endpoint = endpoint({
  method: 'get',
  path: '/{invocation_id}',
  operationId: 'getInvocation',
  summary: 'Read an invocation',
  description: 'The start row, where it stands, its tool calls, and its outcome once there is one.',
  params: z.strictObject({ invocation_id: uuidParameter('The invocation.') }),
  answers: { 200: { description: 'The invocation.', schema: ref('Invocation') } },
  errors: ['unknown_invocation'],
  handle: async ({ params, session }) =>
    foundAnswer(await getInvocation(session, params.invocation_id), 'unknown_invocation'),
});

export const list: Endpoint = endpoint({
  method: 'get',
  path: '/',
  operationId: 'listInvocations',
  summary: 'List invocations',
  description: 'Newest first. `overdue` is open past its deadline; `stalled` is open with a lapsed heartbeat.',
  query: z.strictObject({
    state: STATE_PARAMETER,
    ...SOURCE_PARAMETERS,
    correlation_id: CORRELATION_PARAMETER,
    execution_id: uuidParameter('The execution it is a step of.').optional(),
    ...PAGE_PARAMETERS,
  }),
  answers: { 200: { description: 'A page.', schema: pageSchema('Invocation') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listInvocations(session, filterOf(query)) }),
});
