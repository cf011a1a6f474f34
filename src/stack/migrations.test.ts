import { expect, it } from 'vitest';
import { sharedAccess } from '../../test/support/database.ts';
import { connect, urlOf, using } from '../../test/support/shared-server.ts';
import type { Migration } from './migration-files.ts';
import { migrate } from './migrations.ts';
import { splitStatements } from './sql-statements.ts';
import { laySupabaseRoles } from './supabase-roles.ts';

function chapter(version: string, name: string, text: string): Migration {
  return { version, name, file: `${version}_${name}.sql`, text, statements: splitStatements(text) };
}

const FIRST = chapter('001', 'schema', 'create schema ledger_internal;\ncreate table public.t (n int);');
const SECOND = chapter(
  '002',
  'fingerprint',
  "create function ledger_internal.schema_fingerprint() returns text language sql as $$ select 'one;two' $$;",
);

let counter = 0;
/** An empty database with Supabase's roles, and the owner's pool in it. */
async function empty(work: (owner: ReturnType<typeof connect>) => Promise<void>): Promise<void> {
  const access = await sharedAccess();
  const name = `migrations_${process.pid}_${counter++}`;
  const maintenance = urlOf(access, 'supabase_admin', 'postgres');
  await using(maintenance, (admin) => admin.unsafe(`create database ${name} owner postgres template template0`));
  await using(urlOf(access, 'supabase_admin', name), (admin) => laySupabaseRoles(admin, true));
  const owner = connect(urlOf(access, 'postgres', name), 2);
  try {
    await work(owner);
  } finally {
    await owner.end();
    await using(maintenance, (admin) => admin.unsafe(`drop database ${name} with (force)`));
  }
}

it('applies what is missing once, as postgres, and records it as the Supabase CLI does', () =>
  empty(async (owner) => {
    const said: string[] = [];
    const options = {
      fingerprint: 'one;two',
      migrations: [FIRST, SECOND],
      onProgress: (text: string) => said.push(text),
    };
    expect(await migrate(owner, options)).toEqual({ applied: ['001', '002'], fingerprint: 'one;two' });
    expect(said).toEqual(['migration 1 of 2: schema', 'migration 2 of 2: fingerprint']);
    expect(await owner`select version, name, statements from supabase_migrations.schema_migrations order by 1`).toEqual(
      [
        { version: '001', name: 'schema', statements: FIRST.statements },
        { version: '002', name: 'fingerprint', statements: SECOND.statements },
      ],
    );
    expect(await owner`select tableowner from pg_tables where tablename = 't'`).toEqual([{ tableowner: 'postgres' }]);
    expect((await migrate(owner, options)).applied).toEqual([]);
  }));

it('lets two who start at once apply everything once', () =>
  empty(async (owner) => {
    const options = { fingerprint: 'one;two', migrations: [FIRST, SECOND] };
    const both = await Promise.all([migrate(owner, options), migrate(owner, options)]);
    expect(both.flatMap((each) => each.applied)).toEqual(['001', '002']);
  }));

it('goes on where a killed start stopped', () =>
  empty(async (owner) => {
    await migrate(owner, { fingerprint: null, migrations: [FIRST] });
    const { applied } = await migrate(owner, { fingerprint: 'one;two', migrations: [FIRST, SECOND] });
    expect(applied).toEqual(['002']);
  }));

it('adds newer chapters to a ledger whose older ones are unchanged', () =>
  empty(async (owner) => {
    await migrate(owner, { fingerprint: 'one;two', migrations: [FIRST, SECOND] });
    const newer = chapter(
      '003',
      'more',
      "create or replace function ledger_internal.schema_fingerprint() returns text language sql as $$ select 'three' $$;",
    );
    const { applied } = await migrate(owner, { fingerprint: 'three', migrations: [FIRST, SECOND, newer] });
    expect(applied).toEqual(['003']);
  }));

it('refuses a database with other people’s tables, and writes nothing', () =>
  empty(async (owner) => {
    await owner`create table public.mine (n int)`;
    await expect(migrate(owner, { fingerprint: null, migrations: [FIRST] })).rejects.toMatchObject({
      code: 'database_not_empty',
      message: expect.stringContaining('public.mine'),
      remedy: expect.stringContaining('empty'),
    });
    expect(await owner`select to_regclass('supabase_migrations.schema_migrations') as there`).toEqual([
      { there: null },
    ]);
  }));

it('refuses other people’s recorded migrations', () =>
  empty(async (owner) => {
    await migrate(owner, { fingerprint: null, migrations: [chapter('009', 'other', 'select 1;')] });
    await expect(migrate(owner, { fingerprint: null, migrations: [FIRST] })).rejects.toMatchObject({
      code: 'database_not_empty',
    });
  }));

it('refuses a ledger with another fingerprint, with the remedy', () =>
  empty(async (owner) => {
    await migrate(owner, { fingerprint: 'one;two', migrations: [FIRST, SECOND] });
    await expect(migrate(owner, { fingerprint: 'three', migrations: [FIRST, SECOND] })).rejects.toMatchObject({
      code: 'schema_outdated',
      message: expect.stringContaining('one;two'),
      remedy: expect.stringContaining('new data directory'),
    });
  }));

it('refuses to add to an edited chapter, half-applied ledgers included', () =>
  empty(async (owner) => {
    await migrate(owner, { fingerprint: null, migrations: [FIRST] });
    const edited = chapter('001', 'schema', `${FIRST.text}\ncreate table public.u (n int);`);
    await expect(migrate(owner, { fingerprint: 'one;two', migrations: [edited, SECOND] })).rejects.toMatchObject({
      code: 'schema_outdated',
    });
    // Spacing is no edit.
    const spaced = chapter('001', 'schema', FIRST.text.replaceAll('\n', '\n\n  '));
    await migrate(owner, { fingerprint: 'one;two', migrations: [spaced, SECOND] });
  }));

it('keeps nothing of a chapter that fails, and names its line', () =>
  empty(async (owner) => {
    const broken = chapter('002', 'broken', 'create table public.kept (n int);\nselect 1;\nselect nothing_there();');
    await expect(migrate(owner, { fingerprint: null, migrations: [FIRST, broken] })).rejects.toThrow(
      /002_broken\.sql:3: function nothing_there\(\) does not exist/,
    );
    expect(await owner`select to_regclass('public.kept') as there`).toEqual([{ there: null }]);
    expect(await owner`select version from supabase_migrations.schema_migrations`).toEqual([{ version: '001' }]);
    expect(await owner`select current_user`).toEqual([{ current_user: 'postgres' }]);
  }));
