// Webhooks: where a tenant's own events go. Secrets are told when they are made, and never again.
import { z } from '@hono/zod-openapi';
import {
  disableWebhook,
  enableWebhook,
  getWebhook,
  listWebhookDeadLetters,
  listWebhooks,
  redeliverWebhook,
  registerWebhook,
  rotateWebhook,
} from '../../src/database/index.ts';
import { foundAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument, withId } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { CORRELATION_PARAMETER, filterOf, PAGE_PARAMETERS } from '../_shared/lists.ts';
import { uuidParameter, wordParameter } from '../_shared/parameters.ts';

const PARAMS = z.strictObject({ webhook_id: uuidParameter('The webhook.') });
const PAGE = { limit: PAGE_PARAMETERS.limit, cursor: PAGE_PARAMETERS.cursor };

// Minted here and not in the database: when an answer is lost between the two, the repeated call still knows it.
function mintSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

const register = endpoint({
  method: 'post',
  path: '/webhooks',
  operationId: 'registerWebhook',
  summary: 'Register a webhook',
  description:
    'From now on the ledger’s own events of this tenant (`os.*`) are sent there as CloudEvents 1.0, signed as Standard Webhooks ' +
    'are; at least once, and in order within a correlation. The answer carries the secret: it is never told again. A webhook ' +
    'registered with a `webhook_id` or `secret` of your own can be registered again safely.',
  body: { schema: ref('Webhook'), description: 'Where, and which types.', example: EXAMPLES.webhook },
  answers: {
    201: { description: 'Registered.', schema: ref('WebhookWithSecret') },
    200: { description: 'Registered before with the same content.', schema: ref('WebhookRecord'), replay: true },
  },
  errors: ['webhook_conflict', 'unknown_tenant'],
  handle: async ({ request, session }) => {
    const document = requireDocument('webhook', withId(await readObject(request), 'webhook_id'));
    return recordedAnswer(await registerWebhook(session, document, mintSecret()), KINDS.webhook);
  },
});

const list = endpoint({
  method: 'get',
  path: '/webhooks',
  operationId: 'listWebhooks',
  summary: 'List webhooks',
  description: 'In the order they were registered. An event called `webhooks` is reached as `%77ebhooks`.',
  query: z.strictObject({
    state: wordParameter('Whether it is served.', ['active', 'disabled']).optional(),
    ...PAGE,
  }),
  answers: { 200: { description: 'A page.', schema: pageSchema('WebhookRecord') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listWebhooks(session, filterOf(query)) }),
});

const read = endpoint({
  method: 'get',
  path: '/webhooks/{webhook_id}',
  operationId: 'getWebhook',
  summary: 'Read a webhook',
  description: 'What waits, what died, and how its receiver does.',
  params: PARAMS,
  answers: { 200: { description: 'The webhook.', schema: ref('WebhookRecord') } },
  errors: ['unknown_webhook'],
  handle: async ({ params, session }) => foundAnswer(await getWebhook(session, params.webhook_id), 'unknown_webhook'),
});

const rotate = endpoint({
  method: 'post',
  path: '/webhooks/{webhook_id}/rotate',
  operationId: 'rotateWebhook',
  summary: 'Give a webhook a new secret',
  description:
    'The secret before signs beside it for `previous_valid_ms` (24 hours when not said; 0: not at all). Repeated within that ' +
    'time it replaces the new secret, and the one before stays.',
  params: PARAMS,
  body: { schema: ref('WebhookRotation'), description: '`{}` is enough.', example: EXAMPLES.webhookRotation },
  answers: {
    201: { description: 'Rotated.', schema: ref('WebhookWithSecret') },
    200: { description: 'This secret was in force already.', schema: ref('WebhookWithSecret'), replay: true },
  },
  errors: ['unknown_webhook'],
  handle: async ({ request, params, session }) => {
    const document = requireDocument('webhook_rotation', await readObject(request));
    return recordedAnswer(await rotateWebhook(session, params.webhook_id, document, mintSecret()), KINDS.webhook);
  },
});

function switching(word: 'enable' | 'disable', description: string): Endpoint {
  const change = word === 'enable' ? enableWebhook : disableWebhook;
  return endpoint({
    method: 'post',
    path: `/webhooks/{webhook_id}/${word}`,
    operationId: `${word}Webhook`,
    summary: `${word === 'enable' ? 'Enable' : 'Disable'} a webhook`,
    description,
    params: PARAMS,
    answers: { 200: { description: 'The webhook as it is now.', schema: ref('WebhookRecord') } },
    errors: ['unknown_webhook'],
    handle: async ({ params, session }) => ({ status: 200, body: await change(session, params.webhook_id) }),
  });
}

const enable = switching(
  'enable',
  'It goes on where it stood: what happened meanwhile is sent, and what waited for another attempt is sent at once.',
);
const disable = switching('disable', 'It stops where it stands; nothing is lost. What is under way may still arrive.');

const deadLetters = endpoint({
  method: 'get',
  path: '/webhooks/{webhook_id}/dead-letters',
  operationId: 'listWebhookDeadLetters',
  summary: 'List dead letters',
  description: 'Events that the receiver never took, in the order of the feed.',
  params: PARAMS,
  query: z.strictObject({ correlation_id: CORRELATION_PARAMETER, ...PAGE }),
  answers: { 200: { description: 'A page.', schema: pageSchema('WebhookDeadLetter') } },
  errors: ['unknown_webhook'],
  handle: async ({ params, query, session }) => ({
    status: 200,
    body: await listWebhookDeadLetters(session, params.webhook_id, filterOf(query)),
  }),
});

const redeliver = endpoint({
  method: 'post',
  path: '/webhooks/{webhook_id}/redeliver',
  operationId: 'redeliverWebhook',
  summary: 'Send dead letters again',
  description:
    'Puts one event or all of them back, with all attempts before them; 10,000 at once. They stay in order within a correlation.',
  params: PARAMS,
  body: { schema: ref('WebhookRedelivery'), description: 'Which.', example: EXAMPLES.webhookRedelivery },
  answers: { 200: { description: 'How many were put back.', schema: ref('WebhookRedelivered') } },
  errors: ['unknown_webhook', 'unknown_event'],
  handle: async ({ request, params, session }) => {
    const document = requireDocument('webhook_redelivery', await readObject(request));
    return { status: 200, body: await redeliverWebhook(session, params.webhook_id, document) };
  },
});

/** Before the routes that take any event's id. */
export const WEBHOOK_ENDPOINTS: readonly Endpoint[] = [
  register,
  list,
  read,
  rotate,
  enable,
  disable,
  deadLetters,
  redeliver,
];
