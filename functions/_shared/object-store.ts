// Supabase Storage, for artifacts too large for a table: put by the hash of their content, read through signed URLs.
import { Refusal } from '../../src/database/index.ts';

export interface ObjectStoreConfig {
  /** The project's URL. */
  url: string;
  bucket: string;
  /** The project's secret or service role key; it is sent to `url` alone and stands in no message. */
  key: string;
}

export interface ObjectStore {
  /** Stores the bytes under `key`; the same again changes nothing. Throws `object_store_unavailable`. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** A URL that needs no token for `seconds`. Throws `object_store_unavailable`, also when there is no such object. */
  signedUrl(key: string, seconds: number): Promise<string>;
}

const ANSWER_MS = 30_000;

export function createObjectStore({ url, bucket, key: secret }: ObjectStoreConfig): ObjectStore {
  const base = `${url}/storage/v1`;
  // The platform's gateway takes a key that is no JWT as a bearer only beside the same `apikey`.
  const authorization = { authorization: `Bearer ${secret}`, apikey: secret };
  const post = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<unknown> => {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': type, 'x-upsert': 'true' },
      body,
      // A redirect would carry the key elsewhere.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch((error: unknown) => {
      throw unavailable(`was not reached (${faultOf(error)})`);
    });
    const text = await response.text().catch(() => '');
    if (!response.ok) throw unavailable(`answered ${response.status} ${wordOf(text)}`.trim());
    return parsed(text);
  };
  return {
    put: async (key, bytes) => {
      await post(`/object/${bucket}/${key}`, 'application/octet-stream', bytes);
    },
    signedUrl: async (key, seconds) => {
      const body = JSON.stringify({ expiresIn: seconds });
      const answer = await post(`/object/sign/${bucket}/${key}`, 'application/json', body);
      const signed = (answer as { signedURL?: unknown } | null)?.signedURL;
      if (typeof signed !== 'string' || !signed.startsWith('/')) throw unavailable('answered without a signed URL');
      return `${base}${signed}`;
    },
  };
}

/** The words are for the log: a caller hears that the store is not available, no more. */
function unavailable(what: string): Refusal {
  return new Refusal('object_store_unavailable', { cause: new Error(`the object store ${what}`) });
}

/** The name of a failed request's fault; its message may quote what was sent. */
function faultOf(error: unknown): string {
  const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } };
  return String(cause?.code ?? name ?? 'unknown');
}

/** Storage's own word for a refusal, such as `Bucket not found`. */
function wordOf(text: string): string {
  const { error } = (parsed(text) ?? {}) as { error?: unknown };
  return typeof error === 'string' ? error.slice(0, 100) : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
