// What a phase starts from: the artifacts of those before it.
import { z } from '@hono/zod-openapi';
import { listInputs } from '../../src/database/index.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { uuidParameter } from '../_shared/parameters.ts';

export const inputs: Endpoint = endpoint({
  method: 'get',
  path: '/{invocation_id}/inputs',
  operationId: 'listInputs',
  summary: 'List what earlier phases left',
  description:
    'The artifacts of the earlier phases of the invocation’s execution, each under `artifacts/input/<step>/…`, and the ' +
    'primary one of a phase also as the flat file `artifacts/input/<step>.md`. Of two with one path the first stays; ' +
    '`omitted` names what has no path here, and why. `GET /artifacts/{artifact_id}` gives the content.',
  params: z.strictObject({ invocation_id: uuidParameter('The invocation that is about to run.') }),
  answers: { 200: { description: 'Empty lists when nothing came before.', schema: ref('Inputs') } },
  errors: ['unknown_invocation'],
  handle: async ({ params, session }) => ({ status: 200, body: await listInputs(session, params.invocation_id) }),
});
