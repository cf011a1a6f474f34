// What an invocation does between its start and its outcome.
import { z } from '@hono/zod-openapi';
import { heartbeat, recordToolCall } from '../../src/database/index.ts';
import { KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument, withId, withPathMember } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { uuidParameter } from '../_shared/parameters.ts';

const PARAMS = z.strictObject({ invocation_id: uuidParameter('The invocation.') });

export const toolCall: Endpoint = endpoint({
  method: 'post',
  path: '/{invocation_id}/tool-calls',
  operationId: 'recordToolCall',
  summary: 'Record a tool call',
  description: 'Records one finished tool call of an open invocation. After the outcome: `invocation_closed`.',
  params: PARAMS,
  body: {
    schema: ref('ToolCall'),
    description: '`error` exactly when `status` is `failed`; at most 64 KiB. `invocation_id` may be left to the path.',
    example: EXAMPLES.toolCall,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('ToolCallRecord') },
    200: { description: 'Recorded before with the same content.', schema: ref('ToolCallRecord'), replay: true },
  },
  errors: ['unknown_invocation', 'invocation_closed', 'tool_call_conflict'],
  handle: async ({ request, params, session }) => {
    const body = withPathMember(await readObject(request), 'invocation_id', params.invocation_id);
    const document = requireDocument('tool_call', withId(body, 'tool_call_id'));
    return recordedAnswer(await recordToolCall(session, document), KINDS.toolCall);
  },
});

export const beat: Endpoint = endpoint({
  method: 'post',
  path: '/{invocation_id}/heartbeat',
  operationId: 'heartbeat',
  summary: 'Say that an invocation is alive',
  description:
    'Advisory: an invocation whose heartbeat lapsed reads as stalled, one that never sent any as running. Any body is ignored.',
  params: PARAMS,
  answers: { 200: { description: 'Noted, on the database’s clock.', schema: ref('Heartbeat') } },
  errors: ['unknown_invocation', 'invocation_closed'],
  handle: async ({ params, session }) => ({ status: 200, body: await heartbeat(session, params.invocation_id) }),
});
