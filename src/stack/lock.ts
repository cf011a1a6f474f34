import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from './postgres/postmaster.ts';

/** The right to run the one daemon of a data directory. */
export interface DirectoryLock {
  /** `system`: the operating system frees it on any death. `pid file`: the fallback without fs-native-extensions. */
  kind: 'system' | 'pid file';
  release(): void;
}

type TryLock = (fd: number) => boolean;

/**
 * Takes the lock of a data directory; undefined when another stack holds it.
 *
 * @param tryLock null = do as if the optional dependency fs-native-extensions were absent
 */
export async function lockDirectory(dataDir: string, tryLock?: TryLock | null): Promise<DirectoryLock | undefined> {
  const native = tryLock === undefined ? await nativeTryLock() : tryLock;
  if (native) return lockBySystem(path.join(dataDir, 'lock'), native);
  return lockByPidFile(path.join(dataDir, 'lock.pid'));
}

async function nativeTryLock(): Promise<TryLock | null> {
  try {
    const loaded = (await import('fs-native-extensions')) as { tryLock?: TryLock; default?: { tryLock: TryLock } };
    return loaded.tryLock ?? loaded.default?.tryLock ?? null;
  } catch {
    return null;
  }
}

function lockBySystem(file: string, tryLock: TryLock): DirectoryLock | undefined {
  const fd = openSync(file, 'a+', 0o600);
  if (!tryLock(fd)) {
    closeSync(fd);
    return undefined;
  }
  // The file stays: deleting it would let two processes hold locks on two files of one name.
  return { kind: 'system', release: () => closeSync(fd) };
}

function lockByPidFile(file: string): DirectoryLock | undefined {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const fd = openSync(file, 'wx', 0o600);
      writeSync(fd, `${process.pid}\n`);
      closeSync(fd);
      return { kind: 'pid file', release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (isHeld(file)) return undefined;
    setAside(file);
  }
  return undefined;
}

function isHeld(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0) return isAlive(pid);
    // Made and not yet written, unless it has been so for long.
    return Date.now() - statSync(file).mtimeMs < 5_000;
  } catch {
    return false;
  }
}

// Renamed before it is deleted, so that of two that find it stale only one takes it away.
function setAside(file: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
