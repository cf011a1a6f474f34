import type { Sql } from 'postgres';
import { type Migration, readMigrations } from './migration-files.ts';
import { MigrationFailed, SchemaRefused } from './schema-refused.ts';

export type MigrateOptions = {
  /** The fingerprint this package's migrations lead to; null leaves the comparison out (fixtures). */
  fingerprint: string | null;
  migrations?: Migration[];
  onProgress?: (text: string) => void;
};

export type Migrated = { applied: string[]; fingerprint: string | null };

type Recorded = { version: string; statements: string[] | null };

/**
 * Brings the connected database to this package's schema: each missing migration in one transaction, as `postgres`,
 * recorded in `supabase_migrations.schema_migrations` the way the Supabase CLI records it.
 *
 * @param sql a session pool as `postgres`, or as someone who may become `postgres`
 * @throws SchemaRefused `database_not_empty` (other people's tables, none of ours) or `schema_outdated` (a ledger of
 *   another version); nothing has been changed then
 */
export async function migrate(sql: Sql, options: MigrateOptions): Promise<Migrated> {
  const migrations = options.migrations ?? (await readMigrations());
  const session = await sql.reserve();
  try {
    // Two stacks on one external database: the second waits, then finds nothing missing.
    await session`select pg_advisory_lock(hashtextextended('outcome-ledger:migrate', 0))`;
    const recorded = await refuseForeign(session, migrations, options.fingerprint);
    const missing = migrations.filter((migration) => !recorded.some(({ version }) => version === migration.version));
    for (const [index, migration] of missing.entries()) {
      options.onProgress?.(`migration ${index + 1} of ${missing.length}: ${migration.name}`);
      await apply(session, migration);
    }
    const fingerprint = await readFingerprint(session);
    if (options.fingerprint !== null && fingerprint !== options.fingerprint) {
      throw SchemaRefused.outdated(fingerprint, options.fingerprint);
    }
    return { applied: missing.map((migration) => migration.version), fingerprint };
  } finally {
    await session`select pg_advisory_unlock(hashtextextended('outcome-ledger:migrate', 0))`.catch(() => undefined);
    session.release();
  }
}

/** The fingerprint the database's own schema carries; null when there is none. */
export async function readFingerprint(sql: Sql): Promise<string | null> {
  const [there] = await sql`select to_regprocedure('ledger_internal.schema_fingerprint()') is not null as yes`;
  if (!there?.['yes']) return null;
  const [row] = await sql<{ fingerprint: string }[]>`select ledger_internal.schema_fingerprint() as fingerprint`;
  return row?.fingerprint ?? null;
}

async function readRecorded(sql: Sql): Promise<Recorded[]> {
  const [there] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as yes`;
  if (!there?.['yes']) return [];
  return sql<Recorded[]>`select version, statements from supabase_migrations.schema_migrations order by version`;
}

/**
 * Reads, and refuses a database that is neither empty nor a ledger this package may bring up to date.
 *
 * @returns the migrations the database has recorded
 * @throws SchemaRefused
 */
export async function refuseForeign(sql: Sql, migrations: Migration[], expected: string | null): Promise<Recorded[]> {
  const recorded = await readRecorded(sql);
  const [ledger] = await sql`select exists (select from pg_namespace where nspname = 'ledger_internal') as yes`;
  if (!ledger?.['yes']) {
    const found = await foreignObjects(sql);
    if (recorded.length > 0) found.push(`${recorded.length} recorded migrations`);
    if (found.length > 0) throw SchemaRefused.notEmpty(found);
    return recorded;
  }
  const fingerprint = await readFingerprint(sql);
  if (fingerprint !== null && fingerprint === expected) return recorded;
  // Left half-way by a start that was killed, or waiting for newer chapters: fine as long as what was applied is what
  // this package holds. An edited chapter would never be noticed otherwise.
  const applied = migrations.filter((migration) => recorded.some(({ version }) => version === migration.version));
  const edited = applied.find((migration) => !sameStatements(migration, recorded));
  const unknown = recorded.find(({ version }) => !migrations.some((migration) => migration.version === version));
  const nothingMissing = applied.length === migrations.length && expected !== null;
  if (edited || unknown || nothingMissing) throw SchemaRefused.outdated(fingerprint, expected);
  return recorded;
}

function sameStatements(migration: Migration, recorded: Recorded[]): boolean {
  const statements = recorded.find(({ version }) => version === migration.version)?.statements ?? [];
  return essence(statements) === essence(migration.statements);
}

// Two writers of this table may cut a file at other places; its words are the same.
function essence(statements: string[]): string {
  return statements.join('').replace(/[\s;]+/g, '');
}

// What a Supabase project has by itself is not foreign; neither is what an extension brought.
async function foreignObjects(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
       and n.nspname !~ '^(pg_|_)'
       and n.nspname not in ('information_schema', 'auth', 'storage', 'realtime', 'extensions', 'vault', 'graphql',
                             'graphql_public', 'pgbouncer', 'net', 'cron', 'supabase_functions', 'supabase_migrations',
                             'pgsodium', 'pgsodium_masks', 'etl')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by 1 limit 5`;
  return rows.map((row) => row.name);
}

async function apply(session: Sql, migration: Migration): Promise<void> {
  try {
    await session`begin`;
    // As the CLI does when its login is another one: what a migration makes must belong to postgres.
    await session`set local role postgres`;
    await session
      .unsafe(`
      create schema if not exists supabase_migrations;
      create table if not exists supabase_migrations.schema_migrations
        (version text not null primary key, statements text[], name text)`)
      .simple();
    await session.unsafe(migration.text).simple();
    // A chapter may have changed the role or the search path for itself.
    await session`reset search_path`;
    await session`set local role postgres`;
    await session`
      insert into supabase_migrations.schema_migrations (version, name, statements)
      values (${migration.version}, ${migration.name}, ${migration.statements})`;
    await session`commit`;
  } catch (error) {
    await session`rollback`.catch(() => undefined);
    throw new MigrationFailed(migration, error);
  }
}
