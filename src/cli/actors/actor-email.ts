import { createHash } from 'node:crypto';

/**
 * The address an actor signs in with when none is given. Supabase Auth knows users by address, one per project, so it
 * names the tenant too; nothing is ever sent there (.invalid is kept for that, RFC 2606).
 */
export function actorEmail(tenantId: string, actorId: string): string {
  const readable = actorId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  const told = createHash('sha256').update(`${tenantId}:${actorId}`).digest('hex').slice(0, 12);
  return `${readable === '' ? 'actor' : readable}.${told}@actors.invalid`;
}
