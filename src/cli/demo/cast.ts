import { randomUUID } from 'node:crypto';
import { createLedger, type Ledger } from '../../client/index.ts';
import type { LedgerRole, TokenClaims } from '../../stack/tokens.ts';
import type { LocalStack } from '../local-stack.ts';
import { ALLOCATOR, GUARD, SELLER, STRAY } from './story.ts';

/** Everyone who acts in the demo, each with a token of its own, over HTTP. */
export interface Cast {
  tenantId: string;
  correlationId: string;
  eventId: string;
  /** Of the sales, which are another story. */
  salesId: string;
  operator: Ledger;
  orchestrator: Ledger;
  guard: Ledger;
  allocator: Ledger;
  seller: Ledger;
  stray: Ledger;
  auditor: Ledger;
  /** An auditor of another tenant of the same ledger. */
  foreigner: Ledger;
}

export async function hire(stack: LocalStack): Promise<Cast> {
  const { tenantId } = await stack.createTenant({ name: 'demo', open: true });
  const other = await stack.createTenant({ name: 'demo: another tenant', open: true });
  const as = (role: LedgerRole, actorId: string, tenant = tenantId): Ledger => {
    const claims: TokenClaims = { tenantId: tenant, role, actorId, expiresInSeconds: 900 };
    return createLedger({ url: stack.functionsUrl, accessToken: () => stack.mintToken(claims) });
  };
  const run = randomUUID().slice(0, 8);
  return {
    tenantId,
    correlationId: `corr-edition-${run}`,
    eventId: `evt-release-${run}`,
    salesId: `corr-sales-${run}`,
    operator: as('operator', 'user-olga'),
    orchestrator: as('orchestrator', 'orchestrator-1'),
    guard: as('policy_guard', GUARD.id),
    allocator: as('agent', ALLOCATOR.id),
    seller: as('agent', SELLER.id),
    stray: as('agent', STRAY.id),
    auditor: as('auditor', 'user-ada'),
    foreigner: as('auditor', 'user-mallory', other.tenantId),
  };
}
