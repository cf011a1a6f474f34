import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A file of `lineage/neo4j-local` that is no TypeScript. The build does not copy it, so code that runs from `dist` finds it
 * where the package ships its sources.
 */
export function shippedFile(
  name: 'pom.xml' | 'Neo4jLocal.java',
  from = dirname(fileURLToPath(import.meta.url)),
): string {
  const tried: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    for (const file of [join(folder, name), join(folder, 'lineage', 'neo4j-local', name)]) {
      if (existsSync(file)) return file;
      tried.push(file);
    }
    if (folder === dirname(folder))
      throw new Error(`${name} of outcome-ledger is missing; looked at ${tried.join(', ')}`);
  }
}
