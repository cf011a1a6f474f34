import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from './package-root.ts';
import { splitStatements } from './sql-statements.ts';

/** One chapter of `supabase/migrations`, read as the Supabase CLI reads it. */
export type Migration = { version: string; name: string; file: string; text: string; statements: string[] };

export function migrationsFolder(): string {
  return path.join(packageRoot(), 'supabase', 'migrations');
}

/** The migrations of a folder in the order of their versions. */
export async function readMigrations(folder = migrationsFolder()): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const [, version, name] = /^(\d+)_(.*)\.sql$/.exec(file) ?? [];
    if (!version || !name) continue;
    const text = await readFile(path.join(folder, file), 'utf8');
    migrations.push({ version, name, file, text, statements: splitStatements(text) });
  }
  return migrations;
}
