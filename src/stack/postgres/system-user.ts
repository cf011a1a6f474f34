import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whom the server's processes run as; empty = the user of this process. */
export type SystemUser = { name?: string; uid?: number; gid?: number };

/**
 * PostgreSQL refuses to run as root. When this process is root, its server runs as the system user `postgres`, which is
 * made when absent, or as `nobody` where no user can be made.
 */
export async function serverUser(): Promise<SystemUser> {
  if (process.getuid?.() !== 0) return {};
  const existing = await lookUp('postgres');
  if (existing) return existing;
  // Another start may be making the same user: what counts is that it is there afterwards.
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres']).catch(
    () => undefined,
  );
  const user = (await lookUp('postgres')) ?? (await lookUp('nobody'));
  if (user) return user;
  throw new Error('PostgreSQL cannot run as root, and no user `postgres` could be made: run as another user.');
}

async function lookUp(name: string): Promise<SystemUser | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
  if (!fields) return undefined;
  return { name, uid: Number(fields[2]), gid: Number(fields[3]) };
}

/** Whether `user` can enter `directory`; asked of the system itself, because modes alone do not tell. */
export function canEnter(user: SystemUser, directory: string): boolean {
  if (user.uid === undefined) return true;
  try {
    execFileSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { uid: user.uid, gid: user.gid, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
