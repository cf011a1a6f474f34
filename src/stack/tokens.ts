import { SignJWT } from 'jose';
import type { LedgerRole } from '../contract/roles.ts';
import type { SigningKeys } from './keys.ts';

export type { LedgerRole };

/** Who a token speaks for. `expiresInSeconds` defaults to one hour. */
export type TokenClaims = { tenantId: string; role: LedgerRole; actorId: string; expiresInSeconds?: number };

/** Signs a token as Supabase Auth would: ES256, `role` authenticated, the ledger's claims in `app_metadata`. */
export async function mintToken(keys: SigningKeys, issuer: string, claims: TokenClaims): Promise<string> {
  const { kid, key } = await keys.current();
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    role: 'authenticated',
    app_metadata: { tenant_id: claims.tenantId, ledger_role: claims.role, actor_id: claims.actorId },
  })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience('authenticated')
    .setSubject(claims.actorId)
    .setIssuedAt(now)
    .setExpirationTime(now + (claims.expiresInSeconds ?? 3600))
    .sign(key);
}
