-- Chapter: what is open right now.
--
-- Mutable operational state, kept beside the history so that "what is running", "what is overdue" and "what is missing"
-- cost what is open, not what was ever recorded.

create table ledger_internal.open_work (
  tenant_id        uuid        not null,
  subject_type     text        not null check (subject_type in ('invocation', 'execution')),
  subject_id       uuid        not null,
  source_id        text        not null,
  domain           text        not null,
  correlation_id   text        not null,
  governance_class text        not null,
  execution_id     uuid,
  opened_at        timestamptz not null,
  deadline_at      timestamptz not null,
  heartbeat_at     timestamptz,
  hitl_request_id  text,
  gateway_invocation_id uuid,
  primary key (subject_id, subject_type, tenant_id)
);
create index open_work_deadline on ledger_internal.open_work (deadline_at);
create index open_work_opened on ledger_internal.open_work (tenant_id, opened_at);
comment on table ledger_internal.open_work is 'One open invocation or execution: made with the start, removed with the outcome, in the same transactions.';
comment on column ledger_internal.open_work.tenant_id is 'Whose.';
comment on column ledger_internal.open_work.subject_type is 'invocation or execution.';
comment on column ledger_internal.open_work.subject_id is 'The invocation_id or execution_id.';
comment on column ledger_internal.open_work.source_id is 'The agent_id or workflow_id.';
comment on column ledger_internal.open_work.domain is 'Domain pack id.';
comment on column ledger_internal.open_work.correlation_id is 'As in the start row.';
comment on column ledger_internal.open_work.governance_class is 'As in the start row.';
comment on column ledger_internal.open_work.execution_id is 'The execution it runs in: of an invocation its execution, of an execution its parent.';
comment on column ledger_internal.open_work.opened_at is 'recorded_at of the start row.';
comment on column ledger_internal.open_work.deadline_at is 'Past this, recovery writes a timeout.';
comment on column ledger_internal.open_work.hitl_request_id is 'The latest request to a human about it, or null.';
comment on column ledger_internal.open_work.gateway_invocation_id is 'The HITL gateway''s invocation that answered it, or null; the outcome is governed by it.';
comment on column ledger_internal.open_work.heartbeat_at is 'Last heartbeat; null when none was ever sent. Advisory.';

create table ledger_internal.unresolved_causes (
  tenant_id    uuid        not null,
  causation_id text        not null,
  subject_type text        not null,
  subject_id   uuid        not null,
  since        timestamptz not null,
  primary key (causation_id, subject_id, subject_type, tenant_id)
);
create index unresolved_causes_since on ledger_internal.unresolved_causes (since);
comment on table ledger_internal.unresolved_causes is 'Starts whose causation_id named nothing the ledger holds; a row goes when its cause arrives.';
comment on column ledger_internal.unresolved_causes.tenant_id is 'Whose.';
comment on column ledger_internal.unresolved_causes.causation_id is 'What the start named.';
comment on column ledger_internal.unresolved_causes.subject_type is 'invocation or execution.';
comment on column ledger_internal.unresolved_causes.subject_id is 'The start that named it.';
comment on column ledger_internal.unresolved_causes.since is 'When it started.';

create table ledger_internal.undefined_sources (
  tenant_id   uuid        not null,
  source_type text        not null,
  source_id   text        not null,
  version     text        not null,
  since       timestamptz not null,
  primary key (source_id, version, source_type, tenant_id)
);
comment on table ledger_internal.undefined_sources is 'Sources that started in an open tenant without a definition.';
comment on column ledger_internal.undefined_sources.tenant_id is 'Whose.';
comment on column ledger_internal.undefined_sources.source_type is 'agent or workflow.';
comment on column ledger_internal.undefined_sources.source_id is 'The agent_id or workflow_id.';
comment on column ledger_internal.undefined_sources.version is 'The version it named.';
comment on column ledger_internal.undefined_sources.since is 'When it first started.';

do $$
declare
  operational regclass;
begin
  foreach operational in array array['ledger_internal.open_work', 'ledger_internal.unresolved_causes', 'ledger_internal.undefined_sources']::regclass[] loop
    execute format('alter table %s enable row level security', operational);
    execute format('alter table %s force row level security', operational);
    execute format('revoke all on %s from public, anon, authenticated, service_role', operational);
    execute format('create policy "the ledger''s own functions keep operational state" on %s to current_user using (true) with check (true)', operational);
  end loop;
end
$$;

create function ledger_internal.open_state(deadline_at timestamptz, heartbeat_at timestamptz) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return case
    when deadline_at < clock_timestamp() then 'overdue'
    when heartbeat_at < clock_timestamp() - ledger_internal.heartbeat_lapse() then 'stalled'
    else 'running'
  end;
end
$$;
comment on function ledger_internal.open_state(timestamptz, timestamptz) is 'running, stalled or overdue, by the database''s clock.';

-- While a human is asked, the deadline waits too.
create function ledger_internal.deadline_of(work ledger_internal.open_work) returns timestamptz
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if work.deadline_at < clock_timestamp() and work.hitl_request_id is not null then
    return greatest(work.deadline_at, (select max(r.expires_at) from ledger_internal.open_requests r
      where r.subject_id = work.subject_id and r.subject_type = work.subject_type and r.tenant_id is not distinct from work.tenant_id));
  end if;
  return work.deadline_at;
end
$$;
comment on function ledger_internal.deadline_of(ledger_internal.open_work) is 'When an open subject is overdue: its deadline, or the later expiry of an open request about it.';

-- The caller's tenant's open work, for functions that run with the caller's rights.
create function ledger_internal.open_work_of_tenant(
  wanted_state text default null, subject text default null, ids uuid[] default null
) returns setof ledger_internal.open_work
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant uuid := coalesce(ledger_internal.tenant_id(), '00000000-0000-0000-0000-000000000000');
  work ledger_internal.open_work;
begin
  if ids is not null then
    for work in select w.* from ledger_internal.open_work w
     where w.tenant_id is not distinct from tenant and w.subject_type = subject and w.subject_id = any (ids)
    loop
      work.deadline_at := ledger_internal.deadline_of(work);
      return next work;
    end loop;
  elsif wanted_state = 'overdue' then
    for work in select w.* from ledger_internal.open_work w
     where w.tenant_id = tenant and w.deadline_at < clock_timestamp() and (subject is null or w.subject_type = subject)
     order by w.deadline_at
    loop
      work.deadline_at := ledger_internal.deadline_of(work);
      continue when work.deadline_at >= clock_timestamp();
      return next work;
    end loop;
  else
    for work in select w.* from ledger_internal.open_work w
     where w.tenant_id = tenant and (subject is null or w.subject_type = subject)
     order by w.opened_at
    loop
      work.deadline_at := ledger_internal.deadline_of(work);
      continue when wanted_state <> ledger_internal.open_state(work.deadline_at, work.heartbeat_at);
      return next work;
    end loop;
  end if;
end
$$;
comment on function ledger_internal.open_work_of_tenant(text, text, uuid[]) is 'Open subjects of the caller''s tenant; the deadline of one that waits for a human is at least the request''s expiry.';
