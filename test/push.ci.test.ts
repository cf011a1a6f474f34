// The migrations, pushed by the Supabase CLI to an empty project as its owner (no superuser), give the very schema that
// the local stack gives, and each recognises what the other recorded.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMigrations } from '../src/stack/migration-files.ts';
import { migrate, readFingerprint } from '../src/stack/migrations.ts';
import { as, type BareServer, startBareServer } from './support/bare-server.ts';
import { catalogueLines } from './support/catalogue.ts';
import { supabase } from './support/tools.ts';

let pushed: BareServer;
let local: BareServer;

const push = (server: BareServer, ...more: string[]) =>
  supabase(['db', 'push', '--db-url', `${server.ownerUrl}?sslmode=disable`, '--yes', ...more]);

beforeAll(async () => {
  [pushed, local] = await Promise.all([startBareServer(), startBareServer()]);
});

afterAll(async () => {
  await Promise.all([pushed?.stop(), local?.stop()]);
});

test('`supabase db push` applies every chapter to an empty database as its owner', async () => {
  const answer = await push(pushed);
  expect(answer).toMatchObject({ code: 0 });
  const versions = await as(
    pushed.ownerUrl,
    (sql) => sql`select version from supabase_migrations.schema_migrations order by 1`,
  );
  expect(versions.map((row) => row['version'])).toEqual((await readMigrations()).map((chapter) => chapter.version));
}, 120_000);

test('the local stack gives the same schema', async () => {
  await as(local.ownerUrl, (sql) => migrate(sql, { fingerprint: null }));
  const [here, there] = await Promise.all([as(local.adminUrl, catalogueLines), as(pushed.adminUrl, catalogueLines)]);
  expect(here.length).toBeGreaterThan(500);
  expect(here.filter((line) => !there.includes(line))).toEqual([]);
  expect(there.filter((line) => !here.includes(line))).toEqual([]);
  expect(here).toEqual(there);
}, 120_000);

test('both have the same fingerprint', async () => {
  const [here, there] = await Promise.all([as(local.ownerUrl, readFingerprint), as(pushed.ownerUrl, readFingerprint)]);
  expect(here).toMatch(/^[0-9a-f]+$/);
  expect(here).toBe(there);
});

test('the stack finds nothing to do where the CLI has pushed', async () => {
  const fingerprint = await as(pushed.ownerUrl, readFingerprint);
  const migrated = await as(pushed.ownerUrl, (sql) => migrate(sql, { fingerprint }));
  expect(migrated.applied).toEqual([]);
});

test('the CLI finds nothing to do where the stack has migrated', async () => {
  const answer = await push(local, '--dry-run');
  expect(answer).toMatchObject({ code: 0 });
  expect(answer.stdout + answer.stderr).toContain('up to date');
}, 120_000);

test('the seed of a development project applies after the chapters', async () => {
  const answer = await push(pushed, '--include-seed');
  expect(answer).toMatchObject({ code: 0 });
  const tenants = await as(pushed.adminUrl, (sql) => sql`select name, open from public.tenants`);
  expect(tenants).toEqual([{ name: 'development', open: true }]);
}, 120_000);
