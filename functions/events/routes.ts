// OS events: what outcomes emit, what running agents register, what arrives from outside.
import { z } from '@hono/zod-openapi';
import { getEvent, listEvents, registerEvent } from '../../src/database/index.ts';
import { foundAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import type { LedgerFunction } from '../_shared/app.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument, withId } from '../_shared/documents.ts';
import { endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { CORRELATION_PARAMETER, filterOf, PAGE_PARAMETERS } from '../_shared/lists.ts';
import { nameParameter, uuidParameter } from '../_shared/parameters.ts';
import { WEBHOOK_ENDPOINTS } from './webhooks.ts';

const register = endpoint({
  method: 'post',
  path: '/',
  operationId: 'registerEvent',
  summary: 'Register an event',
  description:
    'With `invocation_id`: an event of that open invocation. Without: an event received from outside, which says its ' +
    '`source`. Types that begin with `os.` are the ledger’s own. Anything may then name the event as its cause.',
  body: { schema: ref('Event'), description: 'The event; `data` at most 64 KiB.', example: EXAMPLES.event },
  answers: {
    201: { description: 'Registered.', schema: ref('EventRecord') },
    200: { description: 'Registered before with the same content.', schema: ref('EventRecord'), replay: true },
  },
  errors: ['unknown_invocation', 'invocation_closed', 'event_conflict'],
  handle: async ({ request, session }) => {
    const document = requireDocument('event', withId(await readObject(request), 'event_id'));
    return recordedAnswer(await registerEvent(session, document), KINDS.event);
  },
});

const read = endpoint({
  method: 'get',
  path: '/{event_id}',
  operationId: 'getEvent',
  summary: 'Read an event',
  description:
    'The event an outcome emitted has the outcome’s id. Events called `health` and `webhooks` are ' +
    'reached as `%68ealth` and `%77ebhooks`.',
  params: z.strictObject({ event_id: nameParameter('The event.', 'event-abc') }),
  answers: { 200: { description: 'The event.', schema: ref('EventRecord') } },
  errors: ['unknown_event'],
  handle: async ({ params, session }) => foundAnswer(await getEvent(session, params.event_id), 'unknown_event'),
});

const list = endpoint({
  method: 'get',
  path: '/',
  operationId: 'listEvents',
  summary: 'List events',
  description: 'Newest first.',
  query: z.strictObject({
    type: nameParameter('The event’s type.', 'os.outcome.succeeded').optional(),
    correlation_id: CORRELATION_PARAMETER,
    invocation_id: uuidParameter('The invocation that registered it.').optional(),
    outcome_id: uuidParameter('The outcome that emitted it.').optional(),
    ...PAGE_PARAMETERS,
  }),
  answers: { 200: { description: 'A page.', schema: pageSchema('EventRecord') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listEvents(session, filterOf(query)) }),
});

export const EVENTS: LedgerFunction = {
  name: 'events',
  description: 'OS events: emitted by outcomes, registered by agents, received from outside; and where they are sent.',
  endpoints: [...WEBHOOK_ENDPOINTS, register, list, read],
};
