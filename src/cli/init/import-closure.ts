import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** `import … from './x.ts'`, `export … from`, `import './x.ts'` and `import('./x.ts')`; only relative paths are files of ours. */
const RELATIVE_IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g;

/** Every file that the entries import, themselves included, as sorted paths below `root`. */
export function importClosure(root: string, entries: readonly string[]): string[] {
  const found = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, , specifier = ''] of readFileSync(join(root, file), 'utf8').matchAll(RELATIVE_IMPORT)) {
      const target = relative(root, join(root, dirname(file), specifier));
      if (existsSync(join(root, target))) waiting.push(target);
    }
  }
  return [...found].map((file) => file.split('\\').join('/')).sort();
}
