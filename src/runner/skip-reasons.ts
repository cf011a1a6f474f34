import type { Dirent } from 'node:fs';
import { errnoOf } from './faults.ts';

/** What an agent may have done to its files; every other error is a fault of the machine. */
const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link',
  EMLINK: 'is a symbolic link',
  ENOTDIR: 'is a symbolic link or a file where a directory belongs',
  ENOENT: 'vanished while it was collected',
  ENXIO: 'is a socket or a device',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
};

/** Why a file that could not be opened is passed over; undefined when it may not be. */
export function reasonOf(error: unknown): string | undefined {
  return REASONS[errnoOf(error) ?? ''];
}

/** In words, of what is neither a file nor a directory. */
export function kindOf(entry: Pick<Dirent, 'isSymbolicLink' | 'isFIFO' | 'isSocket'>): string {
  if (entry.isSymbolicLink()) return 'a symbolic link';
  if (entry.isFIFO()) return 'a pipe';
  return entry.isSocket() ? 'a socket' : 'a device';
}
