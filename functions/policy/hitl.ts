// Humans in the loop: asking, listing what waits, answering once.
import { z } from '@hono/zod-openapi';
import { getHitlRequest, listHitlRequests, openHitlRequest, resolveHitlRequest } from '../../src/database/index.ts';
import { foundAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument, withId, withPathMember } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { CORRELATION_PARAMETER, filterOf, PAGE_PARAMETERS, SOURCE_PARAMETERS } from '../_shared/lists.ts';
import { nameParameter, uuidParameter, wordParameter } from '../_shared/parameters.ts';

const PARAMS = z.strictObject({ hitl_request_id: nameParameter('The request.', 'hitl-1') });

export const ask: Endpoint = endpoint({
  method: 'post',
  path: '/hitl',
  operationId: 'openHitlRequest',
  summary: 'Put a question to a human',
  description:
    'An orchestrator puts an open invocation or execution, or an escalated outcome, before a human. Decisions that require a ' +
    'human and escalated outcomes that name a request open it themselves. A subject has at most one open request, and its ' +
    'deadline waits for it. Without an expiry it waits 24 hours.',
  body: {
    schema: ref('HitlRequest'),
    description: 'Exactly one of `invocation_id`, `execution_id` and `outcome_id`.',
    example: EXAMPLES.hitlRequest,
  },
  answers: {
    201: { description: 'Opened.', schema: ref('HitlRequestRecord') },
    200: { description: 'Opened before with the same content.', schema: ref('HitlRequestRecord'), replay: true },
  },
  errors: [
    'unknown_invocation',
    'unknown_execution',
    'unknown_outcome',
    'invocation_closed',
    'execution_closed',
    'hitl_request_conflict',
    'deadline_invalid',
  ],
  handle: async ({ request, session }) => {
    const document = requireDocument('hitl_request', withId(await readObject(request), 'hitl_request_id'));
    return recordedAnswer(await openHitlRequest(session, document), KINDS.hitlRequest);
  },
});

export const answerRequest: Endpoint = endpoint({
  method: 'post',
  path: '/hitl/{hitl_request_id}/resolution',
  operationId: 'resolveHitlRequest',
  summary: 'Answer a request',
  description:
    'An operator’s one answer, never to a request they opened themselves, and not after its expiry on the database’s clock. It ' +
    'writes the HITL gateway’s own outcome, which the subject’s outcome is then governed by.',
  params: PARAMS,
  body: {
    schema: ref('HitlResolution'),
    description: '`hitl_request_id` may be left to the path.',
    example: EXAMPLES.hitlResolution,
  },
  answers: {
    201: { description: 'Answered.', schema: ref('HitlResolutionRecord') },
    200: { description: 'The same answer again.', schema: ref('HitlResolutionRecord'), replay: true },
  },
  errors: ['unknown_hitl_request', 'hitl_conflict', 'hitl_expired', 'invocation_closed', 'execution_closed'],
  handle: async ({ request, params, session }) => {
    const body = withPathMember(await readObject(request), 'hitl_request_id', params.hitl_request_id);
    return recordedAnswer(
      await resolveHitlRequest(session, requireDocument('hitl_resolution', body)),
      KINDS.hitlResolution,
    );
  },
});

export const readRequest: Endpoint = endpoint({
  method: 'get',
  path: '/hitl/{hitl_request_id}',
  operationId: 'getHitlRequest',
  summary: 'Read a request',
  description: 'With its state, its age in seconds and its answer.',
  params: PARAMS,
  answers: { 200: { description: 'The request.', schema: ref('HitlRequestRecord') } },
  errors: ['unknown_hitl_request'],
  handle: async ({ params, session }) =>
    foundAnswer(await getHitlRequest(session, params.hitl_request_id), 'unknown_hitl_request'),
});

export const listRequests: Endpoint = endpoint({
  method: 'get',
  path: '/hitl',
  operationId: 'listHitlRequests',
  summary: 'List requests',
  description: 'Newest first; `state=open` is what waits for a human now.',
  query: z.strictObject({
    state: wordParameter('Where the request stands.', ['open', 'approved', 'rejected', 'expired', 'closed']).optional(),
    correlation_id: CORRELATION_PARAMETER,
    source_id: SOURCE_PARAMETERS.source_id,
    invocation_id: uuidParameter('The invocation it is about.').optional(),
    execution_id: uuidParameter('The execution it is about.').optional(),
    outcome_id: uuidParameter('The escalated outcome it is about.').optional(),
    ...PAGE_PARAMETERS,
  }),
  answers: { 200: { description: 'A page.', schema: pageSchema('HitlRequestRecord') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listHitlRequests(session, filterOf(query)) }),
});
