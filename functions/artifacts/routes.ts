// Artifacts: what phases left behind, read by id.
import { z } from '@hono/zod-openapi';
import { getArtifact, Refusal } from '../../src/database/index.ts';
import type { LedgerFunction } from '../_shared/app.ts';
import { endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import type { ObjectStore } from '../_shared/object-store.ts';
import { uuidParameter } from '../_shared/parameters.ts';

const SIGNED_SECONDS = 3600;

const read = endpoint({
  method: 'get',
  path: '/{artifact_id}',
  operationId: 'getArtifact',
  summary: 'Read an artifact',
  description:
    'What it is, and its content: a text, or `{base64}` of bytes that are none. Of an artifact in the object store the ' +
    'content is null, and `url` gives it for an hour without a token; `sha256` tells whether it is the one that was recorded.',
  params: z.strictObject({ artifact_id: uuidParameter('The artifact.') }),
  answers: { 200: { description: 'The artifact.', schema: ref('Artifact') } },
  errors: ['unknown_artifact', 'object_store_unavailable'],
  handle: async ({ params, session, caller, deps }) => {
    const found = await getArtifact(session, params.artifact_id);
    if (!found) throw new Refusal('unknown_artifact');
    const { content = null, content_base64 = null, object_key = null, ...about } = found;
    return {
      status: 200,
      body: {
        ...about,
        content: content_base64 === null ? content : { base64: content_base64 },
        url: object_key === null ? null : await signed(deps.objects, object_key, caller.tenantId),
      },
    };
  },
});

async function signed(objects: ObjectStore | null, key: string, tenantId: string): Promise<string> {
  // The store's key opens every tenant's objects, so no row alone may say which one is signed.
  if (!key.startsWith(`${tenantId}/`)) throw new Refusal('unknown_artifact');
  if (objects) return objects.signedUrl(key, SIGNED_SECONDS);
  throw new Refusal('object_store_unavailable', {
    detail: 'The artifact lies in an object store, and this function has none configured.',
    hint: 'An operator sets `LEDGER_ARTIFACT_BUCKET` as it was when the artifact was recorded.',
  });
}

export const ARTIFACTS: LedgerFunction = {
  name: 'artifacts',
  description: 'Artifacts: what phases left behind, with its content.',
  endpoints: [read],
};
