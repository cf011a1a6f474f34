// Reading a body: counted while it arrives, whatever its length header says, and read strictly on the exact bytes.
import { readStrictJson } from '../../src/contract/index.ts';
import { LARGE_BODY_MAX_BYTES } from '../../src/contract/limits.ts';
import { Refusal } from '../../src/database/index.ts';

/** The largest body of a single document: 1 MiB. */
export const MAX_BODY = 1_048_576;
/** The largest body of a batch: 16 MiB; each of its items is held to the single's limit. */
export const MAX_BATCH_BODY = LARGE_BODY_MAX_BYTES;
/** The envelope is level 1 of 64. */
export const MAX_DEPTH = 64;

/** The body's bytes; throws `payload_too_large`, or `json_invalid` when it is empty or ends half-way. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  // Only a plain number is believed, and only to refuse early.
  const declared = request.headers.get('content-length') ?? '';
  if (/^\d+$/.test(declared) && Number(declared) > limit) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (request.body) {
    const reader = request.body.getReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        size += part.value.byteLength;
        if (size > limit) throw tooLarge(limit);
        chunks.push(part.value);
      }
    } catch (error) {
      void reader.cancel().catch(() => {});
      if (error instanceof Refusal) throw error;
      throw new Refusal('json_invalid', { detail: 'The body ended before it was complete.', cause: error });
    }
  }
  if (size === 0) throw new Refusal('json_invalid', { detail: 'The body is empty.' });
  return joined(chunks, size);
}

/**
 * A JSON object from the body of at most `limit` bytes; `extraDepth` is how many levels stand around the document of
 * level 1.
 */
export async function readObject(request: Request, extraDepth = 0, limit = MAX_BODY): Promise<Record<string, unknown>> {
  requireJsonType(request);
  const bytes = await readBytes(request, limit);
  const read = readStrictJson(bytes, { maxBytes: limit, maxDepth: MAX_DEPTH + extraDepth });
  if (!read.ok) throw new Refusal('json_invalid', { violations: read.violations });
  return requireObject(read.value);
}

export function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Refusal('json_invalid', {
    detail: 'The body is not a JSON object.',
    violations: [{ path: '', rule: 'type', message: 'must be an object' }],
  });
}

/** A body without a content type is taken for JSON; one of another type, charset or encoding is refused. */
export function requireJsonType(request: Request): void {
  const type = request.headers.get('content-type');
  if (type !== null && !/^\s*application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Refusal('unsupported_media_type');
  }
  for (const [, charset = ''] of (type ?? '').matchAll(/;\s*charset\s*=\s*([^;]*)/gi)) {
    if (!/^("?)utf-?8\1\s*$/i.test(charset)) {
      throw new Refusal('unsupported_media_type', { detail: 'The body’s charset is not UTF-8.' });
    }
  }
  if (!/^\s*(identity)?\s*$/i.test(request.headers.get('content-encoding') ?? '')) {
    throw new Refusal('unsupported_media_type', {
      detail: 'The body has a content encoding.',
      hint: 'Send the JSON itself, without `Content-Encoding`.',
    });
  }
}

function joined(chunks: Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function tooLarge(limit: number): Refusal {
  return new Refusal('payload_too_large', {
    detail: `The body is larger than ${limit} bytes.`,
    hint: `Send at most ${limit / 1_048_576} MiB; store bulky data elsewhere and refer to it by id and hash.`,
  });
}
