-- Chapter: what is open, for whoever reads judgments. Open work is operational state that no role reads; this says of it
-- what a judgment needs, within the tenants that the reader may read.

-- In a function of the owner current_user is the owner, so the reader is told by the role that was set, else by its login.
create function ledger_internal.tenants_of_reader(out everyones boolean, out tenants uuid[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  reader constant name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  everyones := coalesce((select r.rolbypassrls or r.rolsuper from pg_catalog.pg_roles r where r.rolname = reader), false);
  if everyones then
    tenants := '{}';
  elsif reader <> 'authenticated' and pg_has_role(reader, 'ledger_auditor', 'usage') then
    tenants := ledger_internal.audited_tenants();
  else
    tenants := array_remove(array[ledger_internal.tenant_id()], null);
  end if;
end
$$;
comment on function ledger_internal.tenants_of_reader() is 'Whose rows the reader may read: everyone''s, those of the tenants it audits, or those of its token''s tenant.';

create type ledger_internal.open_subject as (tenant_id uuid, subject_id uuid, awaiting boolean, stalled boolean);
comment on type ledger_internal.open_subject is 'An open invocation or execution: whether a human may still answer about it, and whether its heartbeat lapsed.';

create function ledger_internal.open_subjects(kind text, one uuid default null) returns setof ledger_internal.open_subject
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan as $$
declare
  reader record := ledger_internal.tenants_of_reader();
begin
  return query
  select w.tenant_id, w.subject_id,
         w.hitl_request_id is not null and exists (select from ledger_internal.open_requests r
           where r.subject_id = w.subject_id and r.subject_type = w.subject_type and r.tenant_id is not distinct from w.tenant_id and r.expires_at > statement_timestamp()),
         coalesce(w.heartbeat_at < statement_timestamp() - ledger_internal.heartbeat_lapse(), false)
    from ledger_internal.open_work w
   where w.subject_type = kind and (one is null or w.subject_id = one) and (reader.everyones or w.tenant_id = any (reader.tenants));
end
$$;
comment on function ledger_internal.open_subjects(text, uuid) is 'Open invocations, or executions, of the tenants that the reader may read; all of them, or one.';
