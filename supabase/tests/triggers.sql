-- Which triggers fire when: refusing always, also in replica mode; accepting and publishing only in ordinary sessions,
-- so that a restore keeps its ids.
\ir support/begin.psql
select plan(6);

select is_empty(
  $$ select l.name, w.trigger_name from ledger_tables l cross join (values ('refuse_change'), ('refuse_truncate')) as w (trigger_name)
      where not exists (select from pg_trigger t
        where t.tgrelid = format('public.%I', l.name)::regclass and t.tgname = w.trigger_name and t.tgenabled = 'A') $$,
  'every ledger table refuses changes and truncation, enabled always');

-- tgtype bits: 1 row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate.
select is_empty(
  $$ select l.name from ledger_tables l join pg_trigger t on t.tgrelid = format('public.%I', l.name)::regclass
      where (t.tgname = 'refuse_change' and t.tgtype <> 1 + 2 + 8 + 16) or (t.tgname = 'refuse_truncate' and t.tgtype <> 2 + 32) $$,
  'before each updated or deleted row, and before a truncation');

select is_empty(
  $$ select t.tgrelid::regclass, t.tgname from pg_trigger t
      where not t.tgisinternal and (t.tgname like 'accept%' or t.tgname like 'publish%') and t.tgenabled <> 'O' $$,
  'accepting and publishing triggers are ordinary ones');

select is(
  (select count(*)::int from pg_trigger t
    where t.tgrelid in ('public.agent_invocation_outcomes'::regclass, 'public.workflow_outcomes'::regclass) and t.tgenabled = 'R'),
  2, 'each outcome table has one trigger for replica mode alone');

select is_empty(
  $$ select t.tgrelid::regclass, t.tgname from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where not t.tgisinternal and p.pronamespace <> 'ledger_internal'::regnamespace
        and t.tgrelid in (select format('public.%I', name)::regclass from ledger_tables) $$,
  'trigger functions are not exposed');

select is_empty(
  $$ select t.tgrelid::regclass, t.tgname from pg_trigger t
      where not t.tgisinternal and t.tgenabled = 'D'
        and t.tgrelid in (select c.oid from pg_class c where c.relnamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace)) $$,
  'no trigger is disabled');

select * from finish();
rollback;
