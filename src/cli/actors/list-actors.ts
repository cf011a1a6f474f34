import { disabledActors } from './disabled-actors.ts';
import type { Actors } from './open-actors.ts';

/** `banned`: Auth gives it no token, but those it has are taken; `actor disable` closes that too. */
export type ActorState = 'active' | 'banned' | 'disabled';

export interface ListedActor {
  actor_id: string;
  /** Null for an id on the list of the disabled that has no account here. */
  role: string | null;
  state: ActorState;
  tenant_id: string;
  email: string | null;
  user_id: string | null;
  created_at: string | null;
  last_sign_in_at: string | null;
  banned_until: string | null;
  disabled_at: string | null;
  reason: string | null;
}

/** Accounts and the list of the disabled in one; without `all` only who is not disabled. */
export async function listActors({ accounts, sql, tenantId }: Actors, all: boolean): Promise<ListedActor[]> {
  const disabled = new Map((await disabledActors(sql, tenantId)).map((row) => [row.actor_id, row]));
  const known = (await accounts.of(tenantId)).map((account): ListedActor => {
    const row = disabled.get(account.actorId);
    return {
      actor_id: account.actorId,
      role: account.role,
      state: row ? 'disabled' : account.bannedUntil !== null ? 'banned' : 'active',
      tenant_id: tenantId,
      email: account.email,
      user_id: account.userId,
      created_at: account.createdAt,
      last_sign_in_at: account.lastSignInAt,
      banned_until: account.bannedUntil,
      disabled_at: row?.disabled_at ?? null,
      reason: row?.reason ?? null,
    };
  });
  const ids = new Set(known.map((actor) => actor.actor_id));
  const others = [...disabled.values()]
    .filter((row) => !ids.has(row.actor_id))
    .map(
      (row): ListedActor => ({
        ...{ role: null, email: null, user_id: null, created_at: null, last_sign_in_at: null, banned_until: null },
        ...row,
        state: 'disabled',
        tenant_id: tenantId,
      }),
    );
  return [...known, ...others].filter((actor) => all || actor.state !== 'disabled');
}
