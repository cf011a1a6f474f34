import postgres, { type Sql } from 'postgres';
import { SCHEMA_FINGERPRINT } from '../contract/schema-fingerprint.generated.ts';
import { readMigrations } from './migration-files.ts';
import { migrate, refuseForeign } from './migrations.ts';
import { type LoginRole, presentLoginRoles, setRolePassword } from './role-passwords.ts';
import { urlForRole } from './role-urls.ts';
import type { Secrets } from './secrets.ts';
import { hasSupabaseRoles, laySupabaseRoles } from './supabase-roles.ts';
import { WORKER_NAMES, type WorkerName } from './workers/names.ts';

export type LedgerUrls = {
  adminUrl: string;
  ownerUrl: string;
  gatewayUrl: string;
  auditorUrl: string;
  /** Of each worker's login; on a named database only where it takes the password of this data directory. */
  workerUrls: Partial<Record<WorkerName, string>>;
};

type Preparation = { secrets: Secrets; onProgress: (text: string) => void };

/** Makes a database of a server of our own into a ledger: Supabase's roles, the owner's login, the migrations. */
export async function prepareOwnDatabase(adminUrl: string, preparation: Preparation): Promise<LedgerUrls> {
  const ownerPassword = await preparation.secrets.passwordOf('postgres');
  const ownerUrl = urlForRole(adminUrl, 'postgres', ownerPassword);
  await using(adminUrl, async (admin) => {
    await laySupabaseRoles(admin, true);
    if (!(await canLogIn(ownerUrl))) await setRolePassword(admin, 'postgres', ownerPassword);
    const database = new URL(adminUrl).pathname.slice(1);
    await admin.unsafe(`alter database "${database}" owner to postgres`);
  });
  return migrateAndOpen(adminUrl, ownerUrl, preparation, [
    'ledger_gateway',
    'ledger_sync',
    'ledger_sweep',
    'ledger_relay',
  ]);
}

/**
 * Makes the database that someone named into a ledger, laying only what is missing.
 *
 * @throws SchemaRefused before anything was written
 */
export async function prepareNamedDatabase(databaseUrl: string, preparation: Preparation): Promise<LedgerUrls> {
  await using(databaseUrl, async (owner) => {
    await refuseForeign(owner, await readMigrations(), SCHEMA_FINGERPRINT);
    if (!(await hasSupabaseRoles(owner))) {
      preparation.onProgress("laying Supabase's roles");
      await laySupabaseRoles(owner, false);
    }
  });
  return migrateAndOpen(databaseUrl, databaseUrl, preparation, ['ledger_gateway']);
}

/** @param ours logins that the stack itself uses: the password of one is set anew where someone has changed it */
async function migrateAndOpen(
  adminUrl: string,
  ownerUrl: string,
  preparation: Preparation,
  ours: LoginRole[],
): Promise<LedgerUrls> {
  return using(ownerUrl, async (owner) => {
    await migrate(owner, { fingerprint: SCHEMA_FINGERPRINT, onProgress: preparation.onProgress });
    const present = await presentLoginRoles(owner);
    const urls: LedgerUrls = { adminUrl, ownerUrl, gatewayUrl: '', auditorUrl: '', workerUrls: {} };
    for (const role of present) {
      const password = await preparation.secrets.passwordOf(role);
      const url = urlForRole(ownerUrl, role, password);
      if (role === 'ledger_gateway') urls.gatewayUrl = url;
      if (role === 'ledger_auditor') urls.auditorUrl = url;
      // A password that someone gave a role with `roles password` stays, where the stack can do without.
      const kept = !ours.includes(role) && (await mayLogIn(owner, role));
      if (!kept && !(await canLogIn(url))) await setRolePassword(owner, role, password);
      const worker = WORKER_NAMES.find((name) => role === `ledger_${name}`);
      if (worker && (!kept || (await canLogIn(url)))) urls.workerUrls[worker] = url;
    }
    return urls;
  });
}

async function mayLogIn(sql: Sql, role: string): Promise<boolean> {
  const [row] = await sql<{ rolcanlogin: boolean }[]>`select rolcanlogin from pg_roles where rolname = ${role}`;
  return row?.rolcanlogin === true;
}

async function canLogIn(url: string): Promise<boolean> {
  return using(url, (sql) => sql`select 1`).then(
    () => true,
    () => false,
  );
}

async function using<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, connect_timeout: 15, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
