import { createRequire } from 'node:module';
import type { Connection, Database, LbugValue, QueryResult } from '@ladybugdb/core';
import { GraphFault } from '../fault.ts';

export type { Connection, Database, QueryResult };
export type Parameters = Record<string, LbugValue>;

/** LadybugDB's classes, loaded when a graph is opened: an install without optional dependencies runs everything else. */
export type Library = Pick<typeof import('@ladybugdb/core'), 'Database' | 'Connection'>;

/**
 * @param load stands in for the import, so that a test can take the package away
 * @throws GraphFault `embedded_missing`
 */
export async function loadLibrary(load: () => Promise<Library> = importLibrary): Promise<Library> {
  try {
    return await load();
  } catch (error) {
    throw new GraphFault(
      'whole',
      'embedded_missing',
      'the embedded graph needs the optional package @ladybugdb/core, which is not installed here or does not fit this platform. ' +
        'Run `npm install @ladybugdb/core`, or use Neo4j (`--graph neo4j`) or no graph (`--graph none`).',
      { cause: error },
    );
  }
}

// Required, not imported: Node 20 ends the process over an imported CommonJS module that throws, even where that is caught.
async function importLibrary(): Promise<Library> {
  const require = createRequire(import.meta.url);
  try {
    return require('@ladybugdb/core') as Library;
  } catch {
    // Where installs run no scripts, nobody copied the native part out of the platform's own package, which is whole in itself.
    const within = createRequire(require.resolve('@ladybugdb/core'));
    return within(`@ladybugdb/core-${process.platform}-${process.arch}`) as Library;
  }
}
