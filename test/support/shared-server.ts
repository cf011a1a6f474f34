import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import postgres, { type Sql } from 'postgres';
import { migrate } from '../../src/stack/migrations.ts';
import { type Server, startServer } from '../../src/stack/postgres/index.ts';
import { presentLoginRoles, setRolePassword } from '../../src/stack/role-passwords.ts';
import { laySupabaseRoles } from '../../src/stack/supabase-roles.ts';

/** Every role of a test server has this password; the server listens on loopback for the length of a run. */
export const PASSWORD = 'ledger-tests';
export const TEMPLATE = 'ledger_template';

/** What a test file needs to reach a server whose `TEMPLATE` database is migrated. */
export type ServerAccess = { port: number };
export type SharedServer = { access: ServerAccess; stop(): Promise<void> };

// Nothing of a test run must survive a power cut, so nothing waits for the disk.
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  max_prepared_transactions: '10',
  shared_buffers: '256MB',
  // A test opens many short sessions; the password's cost is not what it measures.
  scram_iterations: '1',
};

export async function startSharedServer(): Promise<SharedServer> {
  const { server, remove } = await startTestServer(FAST);
  return {
    access: { port: server.port },
    async stop() {
      await server.stop('immediate');
      await remove();
    },
  };
}

/** A server in a temporary folder with a migrated template. */
export async function startTestServer(
  settings: Record<string, string>,
): Promise<{ server: Server; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-test-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // The server may run as another user than this process.
    await chmod(folder, 0o711);
    const server = await startServer({
      directory: path.join(folder, 'postgres'),
      logFile: path.join(folder, 'postgres.log'),
      password: PASSWORD,
      temporary: folder,
      settings,
    });
    try {
      await makeTemplate(server);
      return { server, remove };
    } catch (error) {
      await server.stop('immediate');
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

async function makeTemplate(server: Server): Promise<void> {
  await using(server.url(), async (admin) => {
    await laySupabaseRoles(admin, true);
    await setRolePassword(admin, 'postgres', PASSWORD);
    await admin.unsafe(`create database ${TEMPLATE} owner postgres`);
  });
  await using(server.url(TEMPLATE), (admin) => laySupabaseRoles(admin, true));
  await using(urlOf(server, 'postgres', TEMPLATE), (owner) => migrate(owner, { fingerprint: null }));
  await using(server.url(), async (admin) => {
    for (const role of await presentLoginRoles(admin)) await setRolePassword(admin, role, PASSWORD);
    await admin.unsafe(`alter database ${TEMPLATE} is_template true allow_connections false`);
  });
}

export function urlOf(access: ServerAccess, role: string, database: string): string {
  return `postgres://${role}:${PASSWORD}@127.0.0.1:${access.port}/${database}`;
}

export async function using<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, 1);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

export function connect(url: string, max: number): Sql {
  return postgres(url, { max, onnotice: () => undefined });
}
