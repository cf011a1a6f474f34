-- The ledger's tables: all of them, and each with every layer that keeps it append-only.
\ir support/begin.psql
select plan(9);

select set_eq(
  $$ select c.relname::text from pg_class c join pg_trigger t on t.tgrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and t.tgname = 'refuse_change'
        and c.relname not in ('epochs', 'retention_policies') $$, -- those two are guarded alike, but hold no rows of the feed
  $$ select name from ledger_tables $$,
  'the ledger tables are those named in support/begin.psql');

select is_empty(
  $$ select c.relname from pg_class c
      where c.relnamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace) and c.relkind in ('r', 'p')
        and not (c.relrowsecurity and c.relforcerowsecurity) $$,
  'row-level security is enabled and forced on every table, exposed or not');

select is_empty(
  $$ select l.name, c.name from ledger_tables l
      cross join (values ('tenant_id', 'uuid'), ('seq', 'bigint'), ('epoch', 'integer'), ('xid', 'xid8'),
                         ('recorded_at', 'timestamp with time zone'), ('recorded_by', 'text')) as c (name, type)
      where l.name <> 'outcome_ids' and not exists (
        select from pg_attribute a
         where a.attrelid = format('public.%I', l.name)::regclass and a.attname = c.name and a.attnotnull
           and format_type(a.atttypid, null) = c.type) $$,
  'every ledger table but the minted ids carries the six common columns, none of them nullable');

select is_empty(
  $$ select l.name from ledger_tables l
      where l.name <> 'outcome_ids' and not exists (select from pg_index i
        where i.indrelid = format('public.%I', l.name)::regclass and i.indisunique
          and (select array_agg(a.attname::text order by k.n)
                 from unnest(i.indkey::int2[]) with ordinality k (attnum, n)
                 join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum) = array['epoch', 'xid', 'seq']) $$,
  'and is read in the order (epoch, xid, seq) by a unique index');

select is_empty(
  $$ select r.conrelid::regclass, r.conname from pg_constraint r
      where r.contype = 'f' and r.confrelid = 'public.tenants'::regclass
        and r.conrelid in (select format('public.%I', name)::regclass from ledger_tables) $$,
  'no ledger table has a foreign key to tenants');

select is_empty(
  $$ select r.conrelid::regclass, r.conname from pg_constraint r
      where r.contype = 'f' and r.conrelid in (select format('public.%I', name)::regclass from ledger_tables)
        and (r.confdeltype, r.confupdtype) <> ('a', 'a') $$,
  'no foreign key of a ledger table deletes or changes rows by itself');

select is_empty(
  $$ select r.conrelid::regclass, r.conname from pg_constraint r
      where r.contype = 'f' and r.confrelid = 'public.outcome_ids'::regclass and not (r.condeferrable and r.condeferred)
        and r.conrelid in ('public.agent_invocation_outcomes'::regclass, 'public.workflow_outcomes'::regclass) $$,
  'the key from an outcome to its minted id is checked at commit');

select is_empty(
  $$ select r.conrelid::regclass, r.conname from pg_constraint r
      where r.contype = 'f' and r.confrelid = 'public.outcome_ids'::regclass
        and not exists (select from unnest(r.conkey) k join pg_attribute a on a.attrelid = r.conrelid and a.attnum = k
                         where a.attname = 'tenant_id') $$,
  'every key to a minted id names the tenant too');

select is_empty(
  $$ select c.relname from pg_class c
      where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace
        and not coalesce(c.reloptions, '{}') && array['security_invoker=true', 'security_invoker=on'] $$,
  'no view looks past row-level security');

select * from finish();
rollback;
