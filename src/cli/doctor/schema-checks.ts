import type { Sql } from 'postgres';
import { SCHEMA_FINGERPRINT } from '../../contract/schema-fingerprint.generated.ts';
import { type Check, fail, noneOf, ok } from './check.ts';
import { LEDGER_TABLES } from './ledger-tables.ts';

const PUSH = 'supabase db push (until 1.0 a changed schema needs a new database)';
const RESTORE = 'compare with supabase/migrations and run the statement that is missing, as the owner';

/** The schema is the one this version was made for. */
export async function checkFingerprint(sql: Sql): Promise<Check> {
  const name = 'schema fingerprint';
  const [present] = await sql`select to_regprocedure('ledger_internal.schema_fingerprint()') is not null as yes`;
  if (!present?.['yes']) return fail(name, 'this database holds no ledger', PUSH);
  const [row] = await sql`select ledger_internal.schema_fingerprint() as found`;
  const found = String(row?.['found']);
  return found === SCHEMA_FINGERPRINT
    ? ok(name, found)
    : fail(
        name,
        `${found}, this version needs ${SCHEMA_FINGERPRINT}`,
        'use the version of outcome-ledger that made it, or a new database',
      );
}

export async function checkTables(sql: Sql): Promise<Check> {
  const rows = await sql<{ name: string }[]>`
    select t.name from unnest(${[...LEDGER_TABLES]}::text[]) as t (name)
     where to_regclass('public.' || quote_ident(t.name)) is null`;
  const missing = rows.map((row) => row.name);
  return noneOf('tables', missing, `${LEDGER_TABLES.length} ledger tables`, PUSH);
}

/** Layer 2 of append-only: row security on, forced, and with policies. */
export async function checkRowSecurity(sql: Sql): Promise<Check> {
  const rows = await sql<{ name: string; why: string }[]>`
    select c.relname::text as name,
           case when not c.relrowsecurity then 'off' when not c.relforcerowsecurity then 'not forced' else 'no policy' end as why
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p')
       and c.relname = any(${[...LEDGER_TABLES, 'tenants', 'epochs']}::text[])
       and (not c.relrowsecurity or not c.relforcerowsecurity
            or not exists (select from pg_policy p where p.polrelid = c.oid))`;
  const wrong = rows.map((row) => `${row.name}: ${row.why}`);
  return noneOf('row-level security', wrong, 'on and forced, with policies', RESTORE);
}

/** Layer 1: nobody but the owner may change, delete or truncate, and anon may do nothing at all. */
export async function checkGrants(sql: Sql): Promise<Check> {
  const rows = await sql<{ name: string; grantee: string; right: string }[]>`
    select c.relname::text as name, coalesce(r.rolname::text, 'public') as grantee, a.privilege_type as right
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      cross join lateral aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
      left join pg_roles r on r.oid = a.grantee
     where n.nspname = 'public' and c.relname = any(${[...LEDGER_TABLES]}::text[]) and a.grantee <> c.relowner
       and coalesce(r.rolname, '') <> 'ledger_retention'
       and (a.privilege_type in ('UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES') or r.rolname = 'anon'
            or a.grantee = 0)
     order by 1, 2, 3`;
  const wrong = rows.map((row) => `${row.grantee} has ${row.right} on ${row.name}`);
  return noneOf(
    'grants',
    wrong,
    'nobody may update, delete or truncate; anon has nothing',
    'revoke them, as the owner',
  );
}

/** Layer 3: the refusing triggers, also in replica mode. */
export async function checkTriggers(sql: Sql): Promise<Check> {
  const rows = await sql<{ name: string; what: string }[]>`
    select t.name, w.what
      from unnest(${[...LEDGER_TABLES]}::text[]) as t (name)
      cross join (values ('update', 16), ('delete', 8), ('truncate', 32)) as w (what, bit)
     where to_regclass('public.' || quote_ident(t.name)) is not null
       and not exists (select from pg_trigger g
                        where g.tgrelid = to_regclass('public.' || quote_ident(t.name)) and g.tgenabled = 'A'
                          and (g.tgtype & w.bit) <> 0)
     order by 1, 2`;
  const wrong = rows.map((row) => `${row.name}: ${row.what} is not refused`);
  return noneOf('append-only triggers', wrong, 'present and always enabled', RESTORE);
}
