-- Nobody changes or removes a recorded row: not a tenant, not anon, not service_role, not the owner, in ordinary
-- sessions and in replica mode, where ordinary triggers and foreign keys do not fire.
\ir support/begin.psql
\ir support/ledger.psql

create temporary view attempts as
select l.name, c.command, format(c.statement, l.name) as statement
  from ledger_tables l
 cross join (values
   ('UPDATE', 'update public.%I set tenant_id = tenant_id'),
   ('DELETE', 'delete from public.%I'),
   ('TRUNCATE', 'truncate public.%I cascade')
 ) as c (command, statement)
 -- Row triggers need a row; `tombstones` gets one only from the purge.
 where l.name <> 'tombstones' or c.command = 'TRUNCATE';

create temporary view row_counts as
select l.name, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from public.%I', l.name), true, true, '')))[1]::text::int as n
  from ledger_tables l;
create temporary table before_all as select * from row_counts;

select plan((select 5 * count(*)::int + 4 from attempts));

select is_empty($$ select name from before_all where n = 0 and name <> 'tombstones' $$, 'every ledger table holds a row to attack');

select is(pg_temp.refusal('anon', a.statement), '42501', format('anon: %s %s', a.command, a.name)) from attempts a;
select is(pg_temp.refusal('authenticated', a.statement), '42501', format('a tenant: %s %s', a.command, a.name)) from attempts a;
select is(pg_temp.refusal('service_role', a.statement), '42501', format('service_role: %s %s', a.command, a.name)) from attempts a;
select is(pg_temp.refusal('postgres', a.statement), 'PT403', format('the owner: %s %s', a.command, a.name)) from attempts a;

-- Only a superuser may turn it on, and what it turns off must not matter.
reset role;
set local session_replication_role = replica;
set local role postgres;
select is(pg_temp.refusal('postgres', a.statement), 'PT403', format('the owner in replica mode: %s %s', a.command, a.name)) from attempts a;

select is(
  pg_temp.refusal('postgres', $$
    insert into public.workflow_outcomes
    select (jsonb_populate_record(w, jsonb_build_object('outcome_id', a.outcome_id, 'execution_id', gen_random_uuid(),
             'seq', nextval('ledger_internal.feed_seq')))).*
      from public.workflow_outcomes w cross join public.agent_invocation_outcomes a limit 1 $$),
  'PT422', 'in replica mode an agent''s outcome id cannot enter the other table');

reset role;
set local session_replication_role = origin;
set local role postgres;

select results_eq($$ select name, n from row_counts order by name $$, $$ select name, n from before_all order by name $$, 'every row is still there');

select is(pg_temp.refusal('ledger_retention', 'delete from public.os_events'), 'PT403',
  'even the retention role deletes nothing outside a recorded policy');

select * from finish();
rollback;
