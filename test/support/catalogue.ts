// The schema of a database as lines of text, to compare two databases whole.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { ROOT } from './tools.ts';

const QUERY = readFileSync(join(ROOT, 'test', 'support', 'catalogue.sql'), 'utf8');

/** Every fact of schemas `public` and `ledger_internal`, and of the ledger's roles, one line each, sorted. */
export async function catalogueLines(sql: Sql): Promise<string[]> {
  const rows = await sql.unsafe<{ line: string }[]>(QUERY);
  return rows.map((row) => row.line);
}
