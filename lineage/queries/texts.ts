import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const read = new Map<string, string>();

/**
 * The text of a `.cypher` file of this folder, e.g. `why` or `embedded/causes`. The build does not copy these files, so code
 * that runs from `dist` finds them where the package ships its sources.
 */
export function queryText(name: string): string {
  const known = read.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(fileOf(`${name}.cypher`), 'utf8');
  read.set(name, text);
  return text;
}

function fileOf(name: string): string {
  const tried: string[] = [];
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    for (const file of [join(folder, name), join(folder, 'lineage', 'queries', name)]) {
      if (existsSync(file)) return file;
      tried.push(file);
    }
    if (folder === dirname(folder)) {
      throw new Error(`${name} of outcome-ledger is missing; looked at ${tried.join(', ')}`);
    }
  }
}
