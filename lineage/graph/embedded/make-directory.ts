import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Like `mkdir -p`. Node's own `recursive` never returns where a file system denies the parent that is there, as /proc does. */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) {
    // Says EEXIST for what is no directory.
    mkdirSync(directory, { recursive: true });
    return;
  }
  makeDirectory(dirname(directory));
  mkdirSync(directory);
}
