import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../stack/package-root.ts';

/** The installed package's version. */
export function version(): string {
  const file = join(packageRoot(), 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
