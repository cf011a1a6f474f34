// A server of its own with one empty database that has what a Supabase project has before its first migration.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startServer } from '../../src/stack/postgres/index.ts';
import { setRolePassword } from '../../src/stack/role-passwords.ts';
import { laySupabaseRoles } from '../../src/stack/supabase-roles.ts';

/** `ownerUrl` logs in as `postgres` (no superuser), `adminUrl` as the superuser; both name the empty database. */
export interface BareServer {
  ownerUrl: string;
  adminUrl: string;
  stop(): Promise<void>;
}

const PASSWORD = 'rehearsal';

export async function startBareServer(): Promise<BareServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-bare-'));
  chmodSync(folder, 0o755);
  const server = await startServer({
    directory: join(folder, 'cluster'),
    logFile: join(folder, 'postgres.log'),
    password: PASSWORD,
    settings: { fsync: 'off' },
    temporary: folder,
  });
  const adminUrl = server.url('ledger');
  await as(server.url(), async (sql) => {
    await sql`create database ledger`;
  });
  await as(adminUrl, async (sql) => {
    await laySupabaseRoles(sql, true);
    await setRolePassword(sql, 'postgres', PASSWORD);
  });
  const owner = new URL(adminUrl);
  owner.username = 'postgres';
  return {
    adminUrl,
    ownerUrl: owner.href,
    async stop() {
      await server.stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs one piece of work on a connection of its own. */
export async function as<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
