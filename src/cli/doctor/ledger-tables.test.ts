import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../stack/package-root.ts';
import { LEDGER_TABLES } from './ledger-tables.ts';

/** The one table that is no record: the owner keeps it. */
const KEPT_BY_THE_OWNER = ['tenants'];

test('doctor looks at every ledger table that the migrations make', () => {
  const folder = join(packageRoot(), 'supabase/migrations');
  const text = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const made = [...text.matchAll(/^create table public\.(\w+)/gm)].map(([, name]) => name);
  expect([...LEDGER_TABLES, ...KEPT_BY_THE_OWNER].sort()).toEqual(made.sort());
});
