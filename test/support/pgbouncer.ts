import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { freePort } from '../../src/stack/postgres/port.ts';
import { PASSWORD } from './shared-server.ts';

export interface Pooler {
  /** The database behind it, as `role`. */
  urlAs(role: string): string;
  stop(): Promise<void>;
}

/** Starts a real PgBouncer in front of a test database. `settings` are those of its ini file. */
export async function startPgBouncer(
  database: { port: number; name: string },
  settings: Record<string, string | number>,
): Promise<Pooler> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ledger-pgbouncer-'));
  const port = await freePort();
  const roles = ['ledger_sync', 'ledger_gateway'];
  const lines = [
    '[databases]',
    `${database.name} = host=127.0.0.1 port=${database.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${path.join(folder, 'users.txt')}`,
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
    // It refuses to run as root.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ];
  await writeFile(path.join(folder, 'users.txt'), roles.map((role) => `"${role}" "${PASSWORD}"\n`).join(''));
  await writeFile(path.join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  // Debian keeps it beside the daemons.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
  const child = spawn('pgbouncer', ['-q', path.join(folder, 'pgbouncer.ini')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => resolve());
    child.on('error', (error) => {
      said += error.message;
      resolve();
    });
  });
  let gone = false;
  void ended.then(() => (gone = true));
  const pooler: Pooler = {
    urlAs: (role) => `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/${database.name}`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
  for (const until = Date.now() + 10_000; ; ) {
    if (await answers(pooler.urlAs('ledger_sync'))) return pooler;
    if (gone || Date.now() > until) {
      await pooler.stop();
      throw new Error(`pgbouncer did not start: ${said}`);
    }
  }
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    prepare: false,
    onnotice: () => undefined,
    connect_timeout: 2,
  });
  try {
    await sql.unsafe('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
