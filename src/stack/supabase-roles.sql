-- What a Supabase project has before any migration of its own, laid where it is missing: the roles, their memberships,
-- the helpers of schema `auth`, schema `extensions`, and the platform's grants. Nothing that exists is changed, except
-- that missing memberships and grants are added. Run by a superuser, or by an owner who may create roles.

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('postgres',      'login nosuperuser createrole createdb replication bypassrls'),
      ('anon',          'nologin'),
      ('authenticated', 'nologin'),
      ('service_role',  'nologin bypassrls'),
      ('authenticator', 'login noinherit')
    ) as r (role_name, attributes)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted.role_name) then
      execute pg_catalog.format('create role %I %s', wanted.role_name, wanted.attributes);
    end if;
  end loop;
end
$$;

-- A grant to oneself, or one that is already there, would raise or warn.
do $$
declare
  api text;
begin
  foreach api in array array['anon', 'authenticated', 'service_role'] loop
    if current_user <> 'postgres' and not exists (
      select from pg_catalog.pg_auth_members m
       where m.roleid = api::regrole and m.member = 'postgres'::regrole and m.admin_option and m.set_option
    ) then
      execute pg_catalog.format('grant %I to postgres with admin option', api);
    end if;
    if not exists (
      select from pg_catalog.pg_auth_members m where m.roleid = api::regrole and m.member = 'authenticator'::regrole
    ) then
      execute pg_catalog.format('grant %I to authenticator', api);
    end if;
  end loop;
end
$$;

-- As on Supabase: with it the ledger sees how old the transactions of other logins are.
do $$
begin
  if current_user <> 'postgres' and not pg_catalog.pg_has_role('postgres', 'pg_monitor', 'usage') then
    grant pg_monitor to postgres;
  end if;
end
$$;

create schema if not exists extensions;
create schema if not exists auth;
grant usage on schema extensions to postgres, anon, authenticated, service_role;
grant usage on schema auth to postgres, anon, authenticated, service_role;

do $$
begin
  if to_regprocedure('auth.uid()') is null then
    create function auth.uid() returns uuid language sql stable as $f$
      select coalesce(
        nullif(current_setting('request.jwt.claim.sub', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
      )::uuid
    $f$;
  end if;
  if to_regprocedure('auth.role()') is null then
    create function auth.role() returns text language sql stable as $f$
      select coalesce(
        nullif(current_setting('request.jwt.claim.role', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
      )::text
    $f$;
  end if;
  if to_regprocedure('auth.email()') is null then
    create function auth.email() returns text language sql stable as $f$
      select coalesce(
        nullif(current_setting('request.jwt.claim.email', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
      )::text
    $f$;
  end if;
  if to_regprocedure('auth.jwt()') is null then
    create function auth.jwt() returns jsonb language sql stable as $f$
      select coalesce(
        nullif(current_setting('request.jwt.claim', true), ''),
        nullif(current_setting('request.jwt.claims', true), '')
      )::jsonb
    $f$;
  end if;
end
$$;

do $$
begin
  execute pg_catalog.format('grant create, connect, temporary on database %I to postgres', current_database());
end
$$;
grant usage, create on schema public to postgres;
grant usage on schema public to anon, authenticated, service_role;
