// From the Authorization header to a caller: signature, issuer, audience, expiry and the ledger's claims.
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Caller, Refusal } from '../../src/database/index.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { FunctionConfig } from './config.ts';
import { keySet } from './key-sets.ts';
import { ALGORITHMS, callerOf } from './token-rules.ts';

/** Answers who calls, or throws a `Refusal` (401, 403, or 503 when the keys cannot be read). */
export type TokenVerifier = (authorization: string | null) => Promise<Caller>;

type VerifierConfig = Pick<FunctionConfig, 'issuers' | 'audience' | 'legacySecret' | 'keyCooldownMs'>;

// A token verified once is believed for this long without looking at its signature again, so that a key withdrawn by its
// issuer is no longer believed soon after. Expiry is looked at every time.
const BELIEVED_MS = 60_000;

interface Believed {
  caller: Caller;
  until: number;
  expires: number;
}

export function createTokenVerifier(config: VerifierConfig): TokenVerifier {
  const keySets = new Map<string, JWTVerifyGetKey>(
    config.issuers.map(({ issuer, jwksUrl }) => [issuer, keySet({ jwksUrl, cooldownMs: config.keyCooldownMs })]),
  );
  const own = config.issuers[0]?.issuer;
  const secret = config.legacySecret === null ? null : new TextEncoder().encode(config.legacySecret);
  const believed = new BoundedCache<string, Believed>(2000);

  const verify = async (token: string): Promise<JWTPayload> => {
    const { alg, iss } = unverified(token);
    const keys = keySets.get(iss ?? '');
    if (!keys) throw invalid('The token’s issuer is not one this ledger trusts.');
    const checks = { issuer: iss as string, audience: config.audience, requiredClaims: ['exp'] };
    if (alg === 'HS256' && secret !== null && iss === own) {
      return (await jwtVerify(token, secret, { ...checks, algorithms: ['HS256'] })).payload;
    }
    if (!ALGORITHMS.includes(alg ?? '')) throw invalid('The token is not signed with an accepted algorithm.');
    return (await jwtVerify(token, keys, { ...checks, algorithms: [...ALGORITHMS] })).payload;
  };

  return async (authorization) => {
    const token = bearer(authorization);
    const now = Date.now();
    const known = believed.get(token);
    if (known && now < known.until) {
      if (now >= known.expires) throw new Refusal('token_expired');
      return known.caller;
    }
    let payload: JWTPayload;
    try {
      payload = await verify(token);
    } catch (error) {
      throw refusalOfToken(error);
    }
    const caller = callerOf(payload);
    believed.set(token, { caller, until: now + BELIEVED_MS, expires: (payload.exp ?? 0) * 1000 });
    return caller;
  };
}

function bearer(authorization: string | null): string {
  if (authorization === null || authorization.trim() === '') throw new Refusal('token_missing');
  const token = /^bearer +([A-Za-z0-9_.~+/=-]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw invalid('The Authorization header is not "Bearer <token>".');
  return token;
}

/** Header and payload as the token claims them: used only to choose among keys that we hold already. */
function unverified(token: string): { alg: string | undefined; iss: string | undefined } {
  try {
    return { alg: decodeProtectedHeader(token).alg, iss: decodeJwt(token).iss };
  } catch {
    throw invalid('The token is not a signed JWT.');
  }
}

function refusalOfToken(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof errors.JWTExpired) return new Refusal('token_expired');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return invalid(`The token’s claim "${error.claim}" is ${error.reason === 'missing' ? 'missing' : 'not accepted'}.`);
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return invalid('The token is signed with a key its issuer does not list.');
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return invalid('The token does not name the key it is signed with.');
  if (error instanceof errors.JWSSignatureVerificationFailed) return invalid('The token’s signature does not verify.');
  if (error instanceof errors.JOSEAlgNotAllowed) return invalid('The token is not signed with an accepted algorithm.');
  const foreign = error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid;
  if (foreign || error instanceof errors.JOSENotSupported) return invalid('The token is malformed.');
  // What is left is the key set: unreachable, slow, or not a key set.
  return new Refusal('keys_unavailable', { cause: error });
}

function invalid(detail: string): Refusal {
  return new Refusal('token_invalid', { detail });
}
