import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a shell would find a program, or null. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | null {
  const candidates = name.includes('/') ? [name] : path.split(delimiter).map((dir) => join(dir || '.', name));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
