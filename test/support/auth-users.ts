import { createHash, randomUUID } from 'node:crypto';

/** A user as Supabase Auth shows it. */
export interface AuthUser {
  id: string;
  aud: 'authenticated';
  role: 'authenticated';
  email: string;
  app_metadata: Record<string, unknown>;
  user_metadata: Record<string, unknown>;
  created_at: string;
  email_confirmed_at?: string;
  last_sign_in_at?: string;
  banned_until?: string;
}

interface Session {
  id: string;
  userId: string;
  /** The refresh token in force, and the one before it, which a client that lost the answer may send once more. */
  refreshToken: string;
  parent: string | null;
}

/** A refusal in Auth's words. */
export class AuthRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface UserChange {
  email?: string;
  password?: string;
  email_confirm?: boolean;
  app_metadata?: Record<string, unknown>;
  ban_duration?: string;
}

/** Users and sessions, kept in memory by the rules of Supabase Auth (github.com/supabase/auth, internal/api and models). */
export class AuthUsers {
  readonly users = new Map<string, AuthUser>();
  readonly sessions = new Map<string, Session>();
  readonly #passwords = new Map<string, string>();

  create(change: UserChange): AuthUser {
    const email = change.email?.toLowerCase() ?? '';
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
      throw new AuthRefusal(400, 'validation_failed', 'Cannot create a user without either an email or phone');
    }
    if ([...this.users.values()].some((user) => user.email === email)) {
      throw new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered');
    }
    const user: AuthUser = {
      id: randomUUID(),
      aud: 'authenticated',
      role: 'authenticated',
      email,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: {},
      created_at: new Date().toISOString(),
    };
    this.users.set(user.id, user);
    return this.#changed(user, change);
  }

  update(id: string, change: UserChange): AuthUser {
    const user = this.users.get(id);
    if (!user) throw new AuthRefusal(404, 'user_not_found', 'User not found');
    // A password that an admin sets ends every session of the user.
    if (change.password !== undefined) this.signOut(id);
    return this.#changed(user, change);
  }

  #changed(user: AuthUser, change: UserChange): AuthUser {
    if (change.password !== undefined) {
      if (change.password.length < 6) throw new AuthRefusal(422, 'weak_password', 'Password should be longer');
      this.#passwords.set(user.id, hash(change.password));
    }
    if (change.email_confirm) user.email_confirmed_at = new Date().toISOString();
    Object.assign(user.app_metadata, change.app_metadata);
    if (change.ban_duration !== undefined) {
      const hours = change.ban_duration === 'none' ? '0' : /^(\d+)h$/.exec(change.ban_duration)?.[1];
      if (hours === undefined) throw new AuthRefusal(400, 'validation_failed', 'invalid format for ban duration');
      if (hours === '0') delete user.banned_until;
      else user.banned_until = new Date(Date.now() + Number(hours) * 3_600_000).toISOString();
    }
    return user;
  }

  signIn(email: string, password: string): { user: AuthUser; session: Session } {
    const user = [...this.users.values()].find((one) => one.email === email.toLowerCase());
    // A ban is told before the password is looked at.
    if (user && isBanned(user)) throw new AuthRefusal(400, 'user_banned', 'User is banned');
    if (!user || this.#passwords.get(user.id) !== hash(password)) {
      throw new AuthRefusal(400, 'invalid_credentials', 'Invalid login credentials');
    }
    if (!user.email_confirmed_at) throw new AuthRefusal(400, 'email_not_confirmed', 'Email not confirmed');
    const session = { id: randomUUID(), userId: user.id, refreshToken: randomUUID(), parent: null };
    this.sessions.set(session.id, session);
    user.last_sign_in_at = new Date().toISOString();
    return { user, session };
  }

  refresh(token: string): { user: AuthUser; session: Session } {
    const session = [...this.sessions.values()].find((one) => one.refreshToken === token || one.parent === token);
    const user = session && this.users.get(session.userId);
    if (!session || !user) {
      throw new AuthRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
    }
    if (isBanned(user)) throw new AuthRefusal(400, 'user_banned', 'Invalid Refresh Token: User Banned');
    if (session.refreshToken === token) Object.assign(session, { refreshToken: randomUUID(), parent: token });
    return { user, session };
  }

  /** Ends all sessions of a user, or those but one. */
  signOut(userId: string, except?: string): void {
    for (const [id, session] of this.sessions) {
      if (session.userId === userId && id !== except) this.sessions.delete(id);
    }
  }
}

function isBanned(user: AuthUser): boolean {
  return user.banned_until !== undefined && Date.parse(user.banned_until) > Date.now();
}

function hash(password: string): string {
  return createHash('sha256').update(password).digest('hex');
}
