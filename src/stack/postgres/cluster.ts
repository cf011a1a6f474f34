import { spawn } from 'node:child_process';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Binaries } from './binaries.ts';
import { serverEnvironment } from './environment.ts';
import type { SystemUser } from './system-user.ts';

/** The superuser of a cluster, as on Supabase. */
export const SUPERUSER = 'supabase_admin';

type NewCluster = { directory: string; binaries: Binaries; user: SystemUser; password: string; durable: boolean };

/**
 * Makes a cluster in `directory` unless one is there: UTF-8, the locale C.UTF-8 built into PostgreSQL (so that sorting
 * does not depend on the machine), data checksums, scram passwords. It is made beside its place and renamed, so that a
 * start that was killed half-way leaves no half cluster behind.
 */
export async function ensureCluster(cluster: NewCluster): Promise<void> {
  const { directory, binaries, user, password } = cluster;
  if (await isCluster(directory)) return;
  if ((await readdir(directory).catch(() => [])).length > 0) {
    throw new Error(`${directory} holds files, but no PostgreSQL 17 cluster.`);
  }
  const draft = `${directory}.new`;
  const passwordFile = `${directory}.password`;
  await rm(draft, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    await give(user, draft, passwordFile);
    await initdb(binaries.initdb, user, [
      `--pgdata=${draft}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      ...(cluster.durable ? [] : ['--no-sync']),
    ]);
    await rm(directory, { recursive: true, force: true });
    await rename(draft, directory);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

async function isCluster(directory: string): Promise<boolean> {
  const version = await readFile(path.join(directory, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined && version.trim() !== '17') {
    throw new Error(`${directory} was made by PostgreSQL ${version.trim()}; this version runs PostgreSQL 17.`);
  }
  return version !== undefined;
}

async function give(user: SystemUser, ...files: string[]): Promise<void> {
  if (user.uid === undefined || user.gid === undefined) return;
  for (const file of files) await chown(file, user.uid, user.gid);
}

function initdb(program: string, user: SystemUser, options: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed (${code}): ${said.trim()}`));
    });
  });
}
