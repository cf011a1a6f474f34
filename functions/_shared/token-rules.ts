// What the ledger asks of a token, whatever its header says.
import { ROLES } from '../../src/contract/index.ts';
import { type Caller, Refusal } from '../../src/database/index.ts';

/** The algorithms of public keys; the token's header can only name one of them. */
export const ALGORITHMS: readonly string[] = ['ES256', 'RS256'];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The caller a verified payload names. `user_metadata` is never read: users can edit it. */
export function callerOf(payload: Record<string, unknown>): Caller {
  if (payload['role'] !== 'authenticated') {
    throw new Refusal('token_invalid', { detail: 'The token’s role is not "authenticated".' });
  }
  const about = payload['app_metadata'];
  const claims = (typeof about === 'object' && about !== null ? about : {}) as Record<string, unknown>;
  const { tenant_id: tenantId, ledger_role: role, actor_id: actorId } = claims;
  if (typeof tenantId !== 'string' || !UUID.test(tenantId)) {
    throw refused('app_metadata.tenant_id is not a lower-case hyphenated UUID, so the token belongs to no tenant.');
  }
  if (typeof role !== 'string' || !(ROLES as readonly string[]).includes(role)) {
    throw refused('app_metadata.ledger_role is not a role of the ledger.');
  }
  if (typeof actorId !== 'string' || actorId.trim() === '' || [...actorId].length > 200 || actorId.includes('\0')) {
    throw refused('app_metadata.actor_id is not a text of 1 to 200 characters.');
  }
  const subject = typeof payload['sub'] === 'string' ? payload['sub'] : actorId;
  return { subject, tenantId, role, actorId };
}

function refused(detail: string): Refusal {
  return new Refusal('not_permitted', { detail });
}
