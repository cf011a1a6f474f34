import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { canEnter, serverUser } from './postgres/index.ts';

export interface DataDirectory {
  /** Absolute, links resolved. */
  path: string;
  temporary: boolean;
  /** Deletes a temporary directory; leaves any other. */
  discard(): Promise<void>;
}

/** Makes the data directory of a stack where it is missing; a temporary one when none is named. */
export async function openDataDirectory(wanted?: string): Promise<DataDirectory> {
  if (wanted !== undefined) {
    await mkdir(wanted, { recursive: true, mode: modeOfDirectory() });
    await chmod(wanted, modeOfDirectory());
  }
  const made = await realpath(wanted ?? (await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-'))));
  if (wanted === undefined) await chmod(made, modeOfDirectory());
  return {
    path: made,
    temporary: wanted === undefined,
    async discard() {
      if (wanted === undefined) await rm(made, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

// Root's server runs as another user, who must pass through to its cluster; the files in it stay private.
function modeOfDirectory(): number {
  return process.getuid?.() === 0 ? 0o711 : 0o700;
}

/**
 * Where the cluster of a data directory lies: in it, or, when the server's user cannot enter it (a data directory
 * below root's home), in `/var/lib/outcome-ledger`, which the file `postgres.path` names then.
 */
export async function clusterFolder(dataDir: string): Promise<string> {
  const pointer = path.join(dataDir, 'postgres.path');
  const elsewhere = (await readFile(pointer, 'utf8').catch(() => '')).trim();
  if (elsewhere) return elsewhere;
  const user = await serverUser();
  if (canEnter(user, dataDir)) return path.join(dataDir, 'postgres');
  const parent = path.join('/var/lib/outcome-ledger', randomUUID());
  await mkdir(parent, { recursive: true, mode: 0o711 });
  if (!canEnter(user, parent)) {
    throw new Error(`The user ${user.name}, whom PostgreSQL runs as, can enter neither ${dataDir} nor ${parent}.`);
  }
  const folder = path.join(parent, 'postgres');
  await writeFile(pointer, `${folder}\n`, { mode: 0o600 });
  return folder;
}
