// The embedded graph's files, past the interface: what a test plants in them, or reads from them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import library from '@ladybugdb/core';

/** Runs statements on the files of a directory that nobody has open, one after the other; the rows of the last one. */
export async function runRaw(directory: string, statements: string[]): Promise<Record<string, unknown>[]> {
  mkdirSync(directory, { recursive: true });
  const database = new library.Database(join(directory, 'graph.lbug'), 64 * 1024 * 1024, true, false, 2 ** 36);
  const connection = new library.Connection(database);
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) {
      const result = await connection.query(statement);
      rows = (Array.isArray(result) ? result : [result]).at(-1)?.getAllSync() ?? [];
    }
    return rows;
  } finally {
    await connection.close();
    await database.close();
  }
}
