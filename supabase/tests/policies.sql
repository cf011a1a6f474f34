-- Row-level security policies: named for people, one for each role and command, and closed to everyone else.
\ir support/begin.psql
select plan(9);

select is_empty(
  $$ select polrelid::regclass, polname from pg_policy where 0 = any (polroles) $$,
  'no policy is for everyone');

select is_empty(
  $$ select polrelid::regclass, polname from pg_policy where 'anon'::regrole = any (polroles) $$,
  'no policy is for anon');

select is_empty(
  $$ select polrelid::regclass, polname from pg_policy where polname !~ '^[A-Za-z][a-z'']*( [a-z_'']+){2,}$' $$,
  'every policy has a sentence for its name');

select is_empty(
  $$ select tablename, r.role, p.cmd, count(*) from pg_policies p cross join lateral unnest(p.roles) r (role)
      where p.schemaname in ('public', 'ledger_internal') and p.permissive = 'PERMISSIVE'
      group by tablename, r.role, p.cmd having count(*) > 1 $$,
  'at most one permissive policy for each table, role and command');

select is_empty(
  $$ select p.tablename, p.policyname from pg_policies p
      where p.schemaname = 'public' and p.cmd in ('UPDATE', 'DELETE')
        and p.tablename in (select name from ledger_tables) and not p.roles <@ array['ledger_retention', 'postgres']::name[] $$,
  'no policy lets a caller change or delete a ledger row');

select is_empty(
  $$ select p.tablename, p.policyname from pg_policies p
      where 'authenticated' = any (p.roles) and p.tablename <> 'epochs' and coalesce(p.qual, '') || coalesce(p.with_check, '') !~ 'tenant_id' $$,
  'every policy for tenants names the tenant (epochs hold nothing of a tenant''s)');

select is_empty(
  $$ select p.tablename, p.policyname from pg_policies p
      where 'authenticated' = any (p.roles)
        and coalesce(p.qual, '') || coalesce(p.with_check, '') ~ '(?<!FROM )ledger_internal\.(tenant_id|ledger_role|actor_id|caller)\(' $$,
  'claims are read once for each statement, inside a sub-select');

select is_empty(
  $$ select p.tablename, p.policyname from pg_policies p
      where 'authenticated' = any (p.roles) and p.cmd in ('INSERT', 'ALL') and p.with_check is null $$,
  'every policy that lets rows in checks them');

select is_empty(
  $$ select p.tablename, p.policyname from pg_policies p
      where coalesce(p.qual, '') || coalesce(p.with_check, '') ~ 'user_metadata' $$,
  'what users can edit about themselves is never asked');

select * from finish();
rollback;
