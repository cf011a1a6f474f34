import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { writePrivate } from './private-file.ts';

/** One ES256 key pair. A retired key still verifies until `retiredUntil` (milliseconds since 1970). */
type StoredKey = { kid: string; jwk: JWK; createdAt: string; retiredUntil?: number };

export interface SigningKeys {
  /** The key that signs now. */
  current(): Promise<{ kid: string; key: CryptoKey | Uint8Array }>;
  /** The public keys, as served at `/auth/v1/.well-known/jwks.json`. */
  jwks(): Promise<{ keys: JWK[] }>;
  /** Signs with a new key from now on; the old one verifies for `graceSeconds` more (default: one hour). */
  rotate(graceSeconds?: number): Promise<{ kid: string }>;
}

/** Opens the development signing keys of a data directory, making the first; the file is readable by its owner only. */
export async function openKeys(file: string): Promise<SigningKeys> {
  // Read anew each time: a command that rotates them in another process is noticed by the running stack.
  const read = () => readKeys(file);
  const save = (keys: StoredKey[]) => writePrivate(file, `${JSON.stringify({ keys }, null, 2)}\n`);
  if ((await read()).length === 0) await save([await newKey()]);

  return {
    async current() {
      const [newest] = await read();
      if (!newest) throw new Error(`${file} holds no key`);
      return { kid: newest.kid, key: await importJWK(newest.jwk, 'ES256') };
    },
    async jwks() {
      return { keys: (await read()).filter(stillVerifies).map(publicPart) };
    },
    async rotate(graceSeconds = 3600) {
      const retiredUntil = Date.now() + graceSeconds * 1000;
      const old = (await read()).filter(stillVerifies);
      const key = await newKey();
      await save([key, ...old.map((each) => ({ ...each, retiredUntil: each.retiredUntil ?? retiredUntil }))]);
      return { kid: key.kid };
    },
  };
}

async function readKeys(file: string): Promise<StoredKey[]> {
  try {
    return (JSON.parse(await readFile(file, 'utf8')) as { keys: StoredKey[] }).keys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function newKey(): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid: randomUUID(), jwk: await exportJWK(privateKey), createdAt: new Date().toISOString() };
}

function stillVerifies(key: StoredKey): boolean {
  return key.retiredUntil === undefined || key.retiredUntil > Date.now();
}

function publicPart({ kid, jwk }: StoredKey): JWK {
  const { kty, crv, x, y } = jwk;
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig', key_ops: ['verify'] };
}
