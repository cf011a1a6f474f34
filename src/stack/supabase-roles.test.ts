import { expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { connect, using } from '../../test/support/shared-server.ts';
import { setRolePassword } from './role-passwords.ts';
import { hasSupabaseRoles, laySupabaseRoles } from './supabase-roles.ts';

const db = useDatabase();

it('lays roles as on Supabase: postgres is no superuser', async () => {
  const rows = await db.sql`
    select rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolcanlogin, rolinherit
      from pg_roles where rolname in ('postgres', 'anon', 'authenticated', 'service_role', 'authenticator') order by 1`;
  const row = (name: string, on: string[]) => {
    const all = [
      'rolsuper',
      'rolcreaterole',
      'rolcreatedb',
      'rolreplication',
      'rolbypassrls',
      'rolcanlogin',
      'rolinherit',
    ];
    return { rolname: name, ...Object.fromEntries(all.map((each) => [each, on.includes(each)])) };
  };
  expect(rows).toEqual([
    row('anon', ['rolinherit']),
    row('authenticated', ['rolinherit']),
    row('authenticator', ['rolcanlogin']),
    row('postgres', ['rolcreaterole', 'rolcreatedb', 'rolreplication', 'rolbypassrls', 'rolcanlogin', 'rolinherit']),
    row('service_role', ['rolbypassrls', 'rolinherit']),
  ]);
});

it('lets postgres administer the API’s roles and the platform grant them what postgres makes in public', async () => {
  const members = await db.sql`
    select roleid::regrole::text as role, admin_option, set_option from pg_auth_members
     where member = 'postgres'::regrole and roleid::regrole::text in ('anon', 'authenticated', 'service_role') order by 1`;
  const full = { admin_option: true, set_option: true };
  expect(members).toEqual([
    { role: 'anon', ...full },
    { role: 'authenticated', ...full },
    { role: 'service_role', ...full },
  ]);
  const [granted] = await db.sql.begin(async (tx) => {
    await tx`create table public.probe (n int)`;
    const rows = await tx`
      select has_table_privilege('anon', 'public.probe', 'insert') as anon,
             has_table_privilege('authenticated', 'public.probe', 'truncate') as authenticated,
             has_table_privilege('service_role', 'public.probe', 'delete') as service_role`;
    await tx`drop table public.probe`;
    return rows;
  });
  expect(granted).toEqual({ anon: true, authenticated: true, service_role: true });
});

it('gives auth helpers that read the request’s claims', async () => {
  const sub = 'b6d7a2a6-9c3e-4a51-8f4e-6a5c1f0f2d11';
  const [row] = await db.asRole(
    'authenticated',
    (tx) => tx`select auth.uid() as uid, auth.role() as role, auth.email() as email, auth.jwt() ->> 'aud' as aud`,
    { sub, role: 'authenticated', email: 'a@example.org', aud: 'authenticated' },
  );
  expect(row).toEqual({ uid: sub, role: 'authenticated', email: 'a@example.org', aud: 'authenticated' });
});

it('changes nothing when laid again, by the owner too', async () => {
  expect(await hasSupabaseRoles(db.sql)).toBe(true);
  await laySupabaseRoles(db.sql, false);
  await Promise.all([laySupabaseRoles(db.admin, true), laySupabaseRoles(db.admin, true)]);
});

it('sets passwords without sending them', async () => {
  await db.sql`create role probe_login nologin`;
  try {
    await setRolePassword(db.sql, 'probe_login', "it's päss%word");
    const url = new URL(db.ownerUrl);
    url.username = 'probe_login';
    url.password = encodeURIComponent("it's päss%word");
    expect(await using(url.href, (sql) => sql`select current_user as me`)).toEqual([{ me: 'probe_login' }]);
    const wrong = connect(db.ownerUrl.replace('postgres:ledger-tests', 'probe_login:wrong'), 1);
    await expect(wrong`select 1`).rejects.toMatchObject({ code: '28P01' });
    await wrong.end();
  } finally {
    await db.sql`drop role probe_login`;
  }
});
