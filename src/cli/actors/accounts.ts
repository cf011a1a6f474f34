/** One actor as whoever gives out its keys knows it. */
export interface Account {
  /** The user's id in Supabase Auth; null on the local stack, which has no users. */
  userId: string | null;
  tenantId: string;
  actorId: string;
  role: string;
  email: string | null;
  createdAt: string | null;
  lastSignInAt: string | null;
  /** Until when Auth gives it no token; null when it gives one. */
  bannedUntil: string | null;
}

export interface NewActor {
  tenantId: string;
  actorId: string;
  role: string;
  email: string | undefined;
}

/** What is handed over once: members of the printed document, and what to do with them. */
export interface Handed {
  members: Record<string, string | null>;
  advice: string;
}

/** Who gives out the keys: Supabase Auth of a project, or the local stack. */
export interface Accounts {
  /** Everybody of one tenant. */
  of(tenantId: string): Promise<Account[]>;
  create(actor: NewActor): Promise<Handed>;
  /** New keys; the old ones give no new token. */
  renew(account: Account): Promise<Handed>;
  /** Gives it no token from now on. Those it has are the ledger's to refuse. */
  ban(account: Account): Promise<void>;
  unban(account: Account): Promise<void>;
}
