import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Sql } from 'postgres';
import { packageRoot } from './package-root.ts';

/**
 * Lays Supabase's roles, memberships, schemas and `auth` helpers where they are missing, in the connected database.
 *
 * @param admin a superuser, or an owner with CREATEROLE (as `postgres` on Supabase, where nothing is missing)
 * @param platformGrants also the default privileges that existing Supabase projects have (for a server of our own)
 */
export async function laySupabaseRoles(admin: Sql, platformGrants: boolean): Promise<void> {
  const files = platformGrants ? ['supabase-roles.sql', 'supabase-grants.sql'] : ['supabase-roles.sql'];
  const texts = await Promise.all(files.map((name) => readFile(path.join(packageRoot(), 'src/stack', name), 'utf8')));
  await admin.begin(async (tx) => {
    // Roles belong to the whole cluster: two databases laid at once would collide.
    await tx`select pg_advisory_xact_lock(hashtextextended('outcome-ledger:roles', 0))`;
    for (const text of texts) await tx.unsafe(text).simple();
  });
}

/** Whether everything the migrations need from the platform is there already. */
export async function hasSupabaseRoles(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ complete: boolean }[]>`
    select (select count(*) = 4 from pg_roles where rolname in ('postgres', 'anon', 'authenticated', 'service_role'))
           and to_regprocedure('auth.uid()') is not null and to_regprocedure('auth.jwt()') is not null
           and exists (select from pg_namespace where nspname = 'extensions') as complete`;
  return row?.complete === true;
}
