-- Chapter: recovery on the database's own schedule, where pg_cron is there (as on Supabase, once enabled). `outcome-ledger
-- sweep --once` does the same; both together are safe. Enabled later: run this block again.

create function ledger_internal.schedule_sweep() returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $body$
begin
  if not exists (select from pg_catalog.pg_extension e where e.extname = 'pg_cron') then
    return false;
  end if;
  -- Dynamic: without pg_cron the schema cron does not exist. Twenty batches a minute are 2,000 subjects.
  execute format('select cron.schedule(%L, %L, %L)', 'outcome-ledger-sweep', '* * * * *',
    $sweep$do $do$ declare said jsonb; begin for batch in 1..20 loop said := public.sweep_overdue(100); commit; exit when (said ->> 'swept')::integer = 0; end loop; end $do$ $sweep$);
  return true;
end
$body$;
comment on function ledger_internal.schedule_sweep() is 'Has pg_cron call sweep_overdue every minute; false where pg_cron is not installed.';
select ledger_internal.schedule_sweep();
