import { execFileSync } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type Postmaster = { pid: number; port: number; ready: boolean };

/** What `postmaster.pid` of a cluster says, whether or not that process lives; undefined when there is none. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Ends the server that a killed process left running on `cluster`. The caller holds the lock of the data directory, so
 * that whatever runs there is an orphan. A pid that meanwhile belongs to another program is left alone, and the file
 * that names it is removed, which would keep the new server from starting.
 */
export async function endOrphan(cluster: string): Promise<void> {
  const found = await readPostmaster(cluster);
  if (!found || !isAlive(found.pid)) return;
  const program = await programOf(found.pid, cluster);
  if (program === 'unknown') return;
  if (program === 'other') return rm(path.join(cluster, 'postmaster.pid'), { force: true });
  process.kill(found.pid, 'SIGINT');
  if (await ended(found.pid, 10_000)) return;
  process.kill(found.pid, 'SIGQUIT');
  if (!(await ended(found.pid, 10_000))) throw new Error(`An earlier server (pid ${found.pid}) does not stop.`);
}

async function programOf(pid: number, cluster: string): Promise<'ours' | 'other' | 'unknown'> {
  if (process.platform === 'win32') return 'unknown';
  if (process.platform === 'linux') {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    if (cwd === undefined) return 'unknown';
    return cwd === (await realpath(cluster)) ? 'ours' : 'other';
  }
  const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return command.includes('postgres') && command.includes(cluster) ? 'ours' : 'other';
}

/** Waits until the process has gone; false when it has not after `milliseconds`. */
export async function ended(pid: number, milliseconds: number): Promise<boolean> {
  const until = Date.now() + milliseconds;
  while (isAlive(pid)) {
    if (Date.now() > until) return false;
    await sleep(10);
  }
  return true;
}
