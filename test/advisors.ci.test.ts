// Supabase's own advisors find nothing in the schema, from errors down to hints, after traffic that asks everything the
// ledger can be asked. What is let pass is named in `.ci/advisors.json` with its reason, and must still be found there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { playTraffic } from './support/advisors-traffic.ts';
import { useDatabase } from './support/database.ts';
import { ROOT, supabase } from './support/tools.ts';

interface Finding {
  level: string;
  detail: string;
  cacheKey: string;
}
interface Exception {
  finding: string;
  reason: string;
  /** Which of several indexes the planner takes in so few rows changes from run to run: it may be found or not. */
  sometimes?: boolean;
}

const exceptions: Exception[] = JSON.parse(readFileSync(join(ROOT, '.ci', 'advisors.json'), 'utf8'));
const database = useDatabase();
let findings: Finding[];

beforeAll(async () => {
  await playTraffic(database);
  const answer = await supabase([
    'db',
    'advisors',
    '--db-url',
    `${database.ownerUrl}?sslmode=disable`,
    '--type',
    'all',
    '--level',
    'info',
    '--fail-on',
    'none',
    '--output-format',
    'json',
  ]);
  if (answer.code !== 0) throw new Error(`${answer.stdout}\n${answer.stderr}`);
  const read = JSON.parse(answer.stdout) as { results: Finding[] } | Finding[];
  findings = Array.isArray(read) ? read : read.results;
}, 120_000);

test('the advisors find nothing but what is excepted', () => {
  const excepted = exceptions.map((exception) => exception.finding);
  const rest = findings.filter((finding) => !excepted.includes(finding.cacheKey));
  expect(rest.map((finding) => `${finding.level} ${finding.cacheKey}: ${finding.detail}`)).toEqual([]);
});

test('every exception has a reason, and is still needed', () => {
  const found = findings.map((finding) => finding.cacheKey);
  for (const { finding, reason, sometimes } of exceptions) {
    if (!sometimes) expect(found).toContain(finding);
    expect(reason.length).toBeGreaterThan(20);
  }
});

test('with nothing excepted the command itself ends with 0', async () => {
  const answer = await supabase([
    'db',
    'advisors',
    '--db-url',
    `${database.ownerUrl}?sslmode=disable`,
    '--type',
    'all',
    '--level',
    'info',
    '--fail-on',
    'info',
  ]);
  expect(answer.code).toBe(exceptions.length === 0 ? 0 : 1);
}, 60_000);
