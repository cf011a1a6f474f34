// `supabase/tests` (pgTAP), run by pg_prove against the embedded PostgreSQL 17. The extension is not to be had for 17:
// Debian's file for 15 is plain SQL, and loads into a schema of its own.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { ROOT, run } from './support/tools.ts';

const PGTAP = '/usr/share/postgresql/15/extension/pgtap--1.2.0.sql';
const FOLDER = join(ROOT, 'supabase', 'tests');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
const database = useDatabase();
const counts = { numPassedTests: 0, numFailedTests: 0 };

beforeAll(async () => {
  const pgtap = readFileSync(PGTAP, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .join('\n');
  await database.admin.begin(async (sql) => {
    await sql
      .unsafe(`create schema tap; grant usage on schema tap to public; set local search_path = tap, pg_catalog;`)
      .simple();
    await sql.unsafe(pgtap).simple();
  });
});

test('there are test files', () => {
  expect(files.length).toBeGreaterThan(4);
});

test.each(files)('%s', async (file) => {
  const ran = await run('pg_prove', ['--verbose', '--dbname', database.adminUrl, join(FOLDER, file)], {
    env: { PGOPTIONS: undefined },
  });
  const lines = ran.stdout.split('\n');
  const failed = lines.filter((line) => line.startsWith('not ok'));
  const passed = lines.filter((line) => line.startsWith('ok ')).length;
  counts.numPassedTests += passed;
  counts.numFailedTests += failed.length;
  writeReport();
  expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0);
  expect(failed).toEqual([]);
  expect(passed).toBeGreaterThan(0);
});

// Each assertion counts, as it would had pg_prove been called by itself.
function writeReport(): void {
  const folder = process.env['OUTCOME_LEDGER_REPORTS'] ?? mkdtempSync(join(tmpdir(), 'ledger-reports-'));
  writeFileSync(join(folder, 'pgtap.json'), JSON.stringify(counts));
}
