import { createHash } from 'node:crypto';
import type { ArtifactRecord } from '../../client/phase-documents.ts';
import { bytesOf } from '../../contract/phase/content.ts';
import { EXIT } from '../exit.ts';
import { Failure, unreachable } from '../failure.ts';

/** Large objects over slow lines. */
const TIMEOUT_MS = 600_000;

/** An artifact's bytes, from the answer itself or from where that says they are; never others than were recorded. */
export async function bytesOfArtifact(artifact: ArtifactRecord): Promise<Uint8Array> {
  const { content } = artifact;
  const bytes = content === null ? await fetched(artifact) : bytesOf(content);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === artifact.sha256) return bytes;
  throw new Failure(
    {
      code: 'artifact_damaged',
      title: 'Not what was recorded',
      detail: `the bytes of ${artifact.path} have the SHA-256 ${sha256}; ${artifact.sha256} was recorded`,
      remedy: 'the store of its objects was changed; restore the object from a backup',
    },
    EXIT.failed,
  );
}

async function fetched({ artifact_id, url, size_bytes }: ArtifactRecord): Promise<Uint8Array> {
  if (url === null) {
    throw new Failure(
      {
        code: 'artifact_unavailable',
        title: 'No content',
        detail: `the content of artifact ${artifact_id} is an object, and the ledger gives no address for it`,
        remedy: 'ask the operator whether the functions know their object store (docs/deploy.md)',
      },
      EXIT.failed,
    );
  }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    return await upTo(response.body, size_bytes);
  } catch (cause) {
    throw unreachable(
      `the object store does not give artifact ${artifact_id} (${(cause as Error).message})`,
      'ask again: the address lives for an hour; then ask the operator',
      cause,
    );
  }
}

async function upTo(body: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > size) throw new Error(`more than the ${size} bytes that were recorded`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
