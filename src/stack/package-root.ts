import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

let found: string | undefined;

/** The folder of this package: the checkout's root, or the installed package's, whether run from `src` or `dist`. */
export function packageRoot(): string {
  if (found) return found;
  for (let dir = path.dirname(fileURLToPath(import.meta.url)); ; dir = path.dirname(dir)) {
    if (nameOf(dir) === 'outcome-ledger') {
      found = dir;
      return dir;
    }
    if (dir === path.dirname(dir)) throw new Error('The package folder of outcome-ledger was not found.');
  }
}

function nameOf(dir: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as { name?: string }).name;
  } catch {
    return undefined;
  }
}
