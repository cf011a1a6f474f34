import type { LedgerRole } from '../../src/stack/tokens.ts';

/** Who a request comes from, in short. */
export type Caller = { tenantId: string; role: LedgerRole; actorId: string };

/** The claims of a verified token, as `request.jwt.claims` carries them. */
export type Claims = Record<string, unknown>;

export function claimsOf(caller: Caller): Claims {
  return {
    sub: caller.actorId,
    role: 'authenticated',
    aud: 'authenticated',
    app_metadata: { tenant_id: caller.tenantId, ledger_role: caller.role, actor_id: caller.actorId },
  };
}

export function isCaller(value: Caller | Claims): value is Caller {
  return typeof value['tenantId' as keyof typeof value] === 'string';
}
