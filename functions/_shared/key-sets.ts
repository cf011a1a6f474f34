// The keys of the issuers. A key set is read when first needed, and again, at most once in the cool-down, when a token
// names a key that is not in it: a rotated key is picked up without a restart.
import {
  createRemoteJWKSet,
  customFetch,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTVerifyGetKey,
} from 'jose';
import { ALGORITHMS } from './token-rules.ts';

export interface KeySetOptions {
  jwksUrl: string;
  cooldownMs: number;
}

/** A key source for `jwtVerify`; its errors tell an unknown key from keys that could not be read. */
export function keySet(options: KeySetOptions): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(new URL(options.jwksUrl), {
    cooldownDuration: options.cooldownMs,
    cacheMaxAge: 600_000,
    timeoutDuration: 5000,
    [customFetch]: fetchKeys,
  });
  return (header: JWTHeaderParameters, token: FlattenedJWSInput) => remote(header, token);
}

// A key that names no algorithm would let the token's own, unverified header choose one; such keys are left out, and so
// are symmetric ones, which have no place in a public document.
async function fetchKeys(url: string, init: Parameters<typeof fetch>[1]): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.status !== 200) return answer;
  const set = (await answer.json()) as JSONWebKeySet;
  const keys = (Array.isArray(set?.keys) ? set.keys : []).filter((key) => ALGORITHMS.includes(String(key.alg)));
  return Response.json({ keys });
}
