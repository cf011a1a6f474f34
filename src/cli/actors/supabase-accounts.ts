import { GoTrueAdminApi, type User } from '@supabase/supabase-js';
import type { Account, Accounts, Handed, NewActor } from './accounts.ts';
import { actorEmail } from './actor-email.ts';
import { failureOf, type Heard } from './auth-fault.ts';
import { newPassword } from './password.ts';
import type { Project } from './project.ts';

const TIMEOUT_MS = 30_000;
const PAGE = 200;
/** Auth has no ban without an end; this is a hundred years, in the largest unit it reads. */
const FOR_GOOD = '876000h';

const ADVICE =
  'the password is shown this once; in the client: createLedger({ url, apiKey, actor: { email, password } })';

/** The users of a project's Supabase Auth that are actors: `app_metadata` names tenant, role and actor id. */
export function supabaseAccounts({ url, serviceRoleKey }: Project): Accounts {
  const ask = async <T>(
    question: (admin: GoTrueAdminApi) => Promise<{ data: T; error: null } | { data: unknown; error: Error }>,
    whole: (data: T) => boolean,
  ): Promise<T> => {
    const heard: Heard = {};
    const headers = { apikey: serviceRoleKey, Authorization: `Bearer ${serviceRoleKey}` };
    const admin = new GoTrueAdminApi({ url: `${url}/auth/v1`, headers, fetch: listeningTo(heard) });
    try {
      const { data, error } = await question(admin);
      if (error === null && whole(data as T)) return data as T;
    } catch (error) {
      // supabase-js throws at a page that is no JSON; a mistake on this side has heard nothing.
      if (heard.status === undefined) throw error;
    }
    throw failureOf(url, heard);
  };
  const update = (account: Account, change: { password?: string; ban_duration?: string }) =>
    ask((admin) => admin.updateUserById(account.userId ?? '', change), isUser);

  return {
    async of(tenantId) {
      const seen = new Set<string>();
      const found: Account[] = [];
      // Until a page brings nobody new: supabase-js reads only the first digit of the next page's number.
      for (let page = 1; ; page += 1) {
        const { users } = await ask(
          (admin) => admin.listUsers({ page, perPage: PAGE }) as Promise<{ data: { users: User[] }; error: null }>,
          (data) => Array.isArray(data.users),
        );
        const others = users.filter((user) => !seen.has(user.id));
        if (others.length === 0) return found.sort((a, b) => compare(a.actorId, b.actorId));
        for (const user of others) {
          seen.add(user.id);
          const account = accountOf(user);
          if (account?.tenantId === tenantId) found.push(account);
        }
      }
    },
    async create({ tenantId, actorId, role, email = actorEmail(tenantId, actorId) }: NewActor): Promise<Handed> {
      const password = newPassword();
      const app_metadata = { tenant_id: tenantId, ledger_role: role, actor_id: actorId };
      const attributes = { email, password, email_confirm: true, app_metadata };
      const { user } = await ask((admin) => admin.createUser(attributes), isUser);
      return { members: { user_id: String(user?.id), email, password }, advice: ADVICE };
    },
    async renew(account) {
      const password = newPassword();
      // Auth ends every session of a user whose password an admin changes: no refresh token works any more.
      await update(account, { password });
      const { userId: user_id, email } = account;
      const still = 'a token it already has lives to its end (an hour, usually); actor disable refuses it at once';
      return { members: { user_id, email, password }, advice: `${ADVICE}\n${still}` };
    },
    async ban(account) {
      await update(account, { ban_duration: FOR_GOOD });
    },
    async unban(account) {
      await update(account, { ban_duration: 'none' });
    },
  };
}

function isUser(data: { user?: { id?: unknown } | null }): boolean {
  return typeof data.user?.id === 'string';
}

function accountOf(user: User): Account | null {
  const { tenant_id, actor_id, ledger_role } = (user.app_metadata ?? {}) as Record<string, unknown>;
  if (typeof tenant_id !== 'string' || typeof actor_id !== 'string' || user.deleted_at) return null;
  const banned = user.banned_until !== undefined && Date.parse(user.banned_until) > Date.now();
  return {
    userId: user.id,
    tenantId: tenant_id,
    actorId: actor_id,
    role: typeof ledger_role === 'string' ? ledger_role : '',
    email: user.email ?? null,
    createdAt: user.created_at ?? null,
    lastSignInAt: user.last_sign_in_at ?? null,
    bannedUntil: banned ? (user.banned_until ?? null) : null,
  };
}

/**
 * `fetch` that never throws, since supabase-js prints what a fetch throws, and that follows no redirect, which would
 * take the key elsewhere. What was heard is kept.
 */
function listeningTo(heard: Heard): typeof fetch {
  return async (input, init) => {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(input, { ...init, redirect: 'error', signal });
      const text = await response.text();
      Object.assign(heard, { status: response.status, text });
      return new Response(text, { status: response.status, headers: response.headers });
    } catch (cause) {
      heard.cause = cause;
      return new Response('{}', { status: 503 });
    }
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
