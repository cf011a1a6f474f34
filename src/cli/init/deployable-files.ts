import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { importClosure } from './import-closure.ts';

/** What a Supabase project needs to run the ledger, as paths below the package's folder. */
export function deployableFiles(root: string): string[] {
  const functions = readdirSync(join(root, 'functions'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, 'functions', entry.name, 'index.ts')))
    .map((entry) => entry.name);
  const code = importClosure(
    root,
    functions.map((name) => `functions/${name}/index.ts`),
  );
  const maps = readdirSync(join(root, 'functions'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|[\\/])deno\.(jsonc?|lock)$/.test(file))
    .map((file) => `functions/${file.split('\\').join('/')}`);
  const migrations = readdirSync(join(root, 'supabase/migrations'))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => `supabase/migrations/${file}`);
  const supabase = ['supabase/config.toml', 'supabase/seed.sql'].filter((file) => existsSync(join(root, file)));
  return [...new Set([...supabase, ...migrations, ...maps, ...code])].sort();
}
