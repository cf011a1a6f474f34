-- Chapter: lineage links, and publishing an outcome: its id's claim, its event, its links in either arrival order, and
-- the end of its open work, all in the outcome's own transaction.

create table public.agent_lineage_links (
  tenant_id         uuid        not null,
  link_id           uuid        not null default gen_random_uuid(),
  source_outcome_id uuid        not null,
  source_type       text        not null,
  target_outcome_id uuid        not null,
  target_type       text        not null,
  relation          text        not null,
  origin            text        not null default 'derived',
  declared_by       text,
  seq               bigint      not null,
  epoch             integer     not null,
  xid               xid8        not null,
  recorded_at       timestamptz not null,
  recorded_by       text        not null,
  primary key (source_outcome_id, tenant_id, source_type, target_outcome_id, relation),
  check (source_outcome_id <> target_outcome_id),
  foreign key (source_outcome_id, tenant_id, source_type) references public.outcome_ids (outcome_id, tenant_id, source_type),
  foreign key (target_outcome_id, tenant_id, target_type) references public.outcome_ids (outcome_id, tenant_id, source_type)
);
create index agent_lineage_links_target on public.agent_lineage_links (target_outcome_id, tenant_id, target_type);
create unique index agent_lineage_links_feed on public.agent_lineage_links (epoch, xid, seq);
select ledger_internal.make_append_only('public.agent_lineage_links');
select ledger_internal.describe_common_columns('public.agent_lineage_links');
comment on table public.agent_lineage_links is 'One lineage link, source outcome to target outcome. Mirrored into the graph.';
comment on column public.agent_lineage_links.link_id is 'The relation''s id in the graph.';
comment on column public.agent_lineage_links.source_outcome_id is 'Where the link starts.';
comment on column public.agent_lineage_links.source_type is 'agent or workflow.';
comment on column public.agent_lineage_links.target_outcome_id is 'Where it ends.';
comment on column public.agent_lineage_links.target_type is 'agent or workflow.';
comment on column public.agent_lineage_links.relation is 'invoked, contributed-to, escalated-to (cause to effect) or governed-by (governed to guard).';
comment on column public.agent_lineage_links.origin is 'derived by the database, or declared by an orchestrator.';
comment on column public.agent_lineage_links.declared_by is 'The actor that declared it.';

create function ledger_internal.link_key(document jsonb) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return concat_ws('/', 'link', document ->> 'source_outcome_id', document ->> 'target_outcome_id', document ->> 'relation');
end
$$;
comment on function ledger_internal.link_key(jsonb) is 'What two declarations of one link lock.';

create function ledger_internal.accept_link() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  document jsonb := jsonb_build_object('source_outcome_id', new.source_outcome_id, 'target_outcome_id', new.target_outcome_id, 'relation', new.relation);
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  if not ledger_internal.link_ok(document) then
    perform ledger_internal.refuse('lineage_invalid', null, ledger_internal.link_violations(document));
  end if;
  select i.source_type into new.source_type from public.outcome_ids i where i.tenant_id = caller.tenant_id and i.outcome_id = new.source_outcome_id;
  if not found then
    perform ledger_internal.refuse('unknown_outcome', null, ledger_internal.mismatch('/source_outcome_id', 'exists', 'must be an outcome of this tenant'));
  end if;
  select i.source_type into new.target_type from public.outcome_ids i where i.tenant_id = caller.tenant_id and i.outcome_id = new.target_outcome_id;
  if not found then
    perform ledger_internal.refuse('unknown_outcome', null, ledger_internal.mismatch('/target_outcome_id', 'exists', 'must be an outcome of this tenant'));
  end if;
  if not ledger_internal.relation_allowed(new.relation, new.source_type, new.target_type) then
    perform ledger_internal.refuse('lineage_invalid', null, ledger_internal.mismatch('/relation', 'ends', format('%s cannot lead from %s to %s', new.relation, new.source_type, new.target_type)));
  end if;
  perform ledger_internal.lock_subjects(new.tenant_id, array[ledger_internal.link_key(document)], '{}');
  if exists (select from public.agent_lineage_links l
              where l.source_outcome_id = new.source_outcome_id and l.tenant_id = new.tenant_id and l.source_type = new.source_type
                and l.target_outcome_id = new.target_outcome_id and l.relation = new.relation) then
    perform ledger_internal.refuse('link_conflict');
  end if;
  new.link_id := gen_random_uuid();
  new.origin := 'declared';
  new.declared_by := caller.actor_id;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_link() is 'Checks a declared link and sets what its author may not.';
create trigger accept before insert on public.agent_lineage_links for each row when (current_user = 'authenticated') execute function ledger_internal.accept_link();

-- Does a causation id name anything yet: an outcome, an event, an invocation or an execution.
create function ledger_internal.cause_known(tenant uuid, cause text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  id uuid := ledger_internal.uuid_or_null(cause);
begin
  return exists (select from public.os_events e where e.event_id = cause and e.tenant_id is not distinct from tenant)
    or (id is not null and (
         exists (select from public.outcome_ids o where o.outcome_id = id and o.tenant_id is not distinct from tenant)
      or exists (select from public.agent_invocations i where i.invocation_id = id and i.tenant_id is not distinct from tenant)
      or exists (select from public.workflow_executions x where x.execution_id = id and x.tenant_id is not distinct from tenant)));
end
$$;
comment on function ledger_internal.cause_known(uuid, text) is 'Whether a causation_id names an outcome, an event, an invocation or an execution.';

-- Both outcome tables as one relation, in the words links are made of. Predicates reach the tables' own indexes.
create view ledger_internal.outcomes with (security_invoker = on) as
select o.tenant_id, o.outcome_id, o.source_type, 'invocation' as subject_type, o.invocation_id as subject_id, o.execution_id as within, o.status,
       o.correlation_id, o.causation_id, o.source_id, o.source_version, o.domain, o.escalation_target, o.decision, o.governance_class,
       o.started_at, o.completed_at, o.duration_ms, o.epoch, o.xid, o.seq, o.recorded_at, o.recorded_by
  from public.agent_invocation_outcomes o
union all
select o.tenant_id, o.outcome_id, o.source_type, 'execution', o.execution_id, o.parent_execution_id, o.status,
       o.correlation_id, o.causation_id, o.source_id, o.source_version, o.domain, o.escalation_target, o.decision, o.governance_class,
       o.started_at, o.completed_at, o.duration_ms, o.epoch, o.xid, o.seq, o.recorded_at, o.recorded_by
  from public.workflow_outcomes o;
revoke all on ledger_internal.outcomes from public, anon, authenticated, service_role;
comment on view ledger_internal.outcomes is 'Both outcome tables as one relation; subject and the execution around it under one name each.';

-- The locks taken by accept make sure that of two outcomes that refer to each other the later one sees the earlier.
--
-- Links are derived by small statements, each run only when its rows can have such links: one statement for all of them
-- opens some thirty indexes for a row that needs three. `offset 0` keeps a look-up below the row that asks for it, where
-- the planner would else read a tenant's whole history.
create function ledger_internal.publish_outcome() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  outcomes bigint;
  resolved bigint;
  nested boolean;
  decided boolean;
  answered boolean;
  asked boolean;
begin
  if tg_argv[0] = 'invocation' then
    select count(*), bool_or(n.execution_id is not null), bool_or(n.decision is not null) into outcomes, nested, decided from fresh n;
  else
    select count(*), bool_or(n.parent_execution_id is not null), bool_or(n.decision is not null) into outcomes, nested, decided from fresh n;
  end if;
  if outcomes = 0 then
    return null;
  end if;

  -- One statement for what every outcome has: starting a statement costs more than one more insert in it.
  with claimed as (
    insert into public.outcome_ids (outcome_id, tenant_id, source_type)
    select n.outcome_id, n.tenant_id, n.source_type from fresh n
  ), announced as (
    insert into public.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
    select n.tenant_id, n.outcome_id::text, 'emitted', ledger_internal.event_type(n.status), n.source_id, n.outcome_id, n.correlation_id, n.causation_id, n.completed_at,
           jsonb_build_object('outcome_id', n.outcome_id, 'source', n.outcome_envelope -> 'source', 'correlation_id', n.correlation_id, 'status', n.status, 'duration_ms', n.duration_ms),
           nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
      from fresh n
  )
  -- Its cause, when that is an outcome, as most are.
  insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
  select n.tenant_id, c.outcome_id, c.source_type, n.outcome_id, n.source_type,
         case when n.source_type = 'agent' and c.escalation_target = n.source_id then 'escalated-to' else 'invoked' end,
         nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
    from fresh n
   cross join lateral (
     select o.outcome_id, o.source_type, o.escalation_target from ledger_internal.outcomes o
      where o.outcome_id = case when n.causation_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' then n.causation_id::uuid end
        and o.tenant_id is not distinct from n.tenant_id offset 0
   ) c
  on conflict do nothing;
  get diagnostics resolved = row_count;

  -- Else the invocation that registered the event it names, or the invocation or execution it names.
  if resolved < outcomes then
    insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
    select n.tenant_id, c.outcome_id, c.source_type, n.outcome_id, n.source_type,
           case when n.source_type = 'agent' and c.escalation_target = n.source_id then 'escalated-to' else 'invoked' end,
           nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
      from fresh n
     cross join lateral (
       select o.outcome_id, o.source_type, o.escalation_target
         from public.os_events e join public.agent_invocation_outcomes o on o.invocation_id = e.invocation_id and o.tenant_id is not distinct from e.tenant_id
        where e.event_id = n.causation_id and e.tenant_id is not distinct from n.tenant_id
       union all
       select o.outcome_id, o.source_type, o.escalation_target from ledger_internal.outcomes o
        where o.subject_id = ledger_internal.uuid_or_null(n.causation_id) and o.tenant_id is not distinct from n.tenant_id
       limit 1
     ) c
     where c.outcome_id <> n.outcome_id
    on conflict do nothing;
  end if;

  if tg_argv[0] = 'invocation' then
    -- What it caused, already recorded: those that named its subject.
    insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
    select n.tenant_id, n.outcome_id, n.source_type, e.outcome_id, e.source_type,
           case when e.source_type = 'agent' and n.escalation_target = e.source_id then 'escalated-to' else 'invoked' end,
           nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
      from fresh n
     cross join lateral (
       select o.outcome_id, o.source_type, o.source_id from ledger_internal.outcomes o where o.causation_id = n.invocation_id::text and o.tenant_id is not distinct from n.tenant_id offset 0
     ) e
     where e.outcome_id <> n.outcome_id
    on conflict do nothing;
    -- … or an event it registered.
    if exists (select from fresh n join public.os_events v on v.invocation_id = n.invocation_id and v.tenant_id is not distinct from n.tenant_id) then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, n.outcome_id, n.source_type, e.outcome_id, e.source_type,
             case when e.source_type = 'agent' and n.escalation_target = e.source_id then 'escalated-to' else 'invoked' end,
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n
        join public.os_events v on v.invocation_id = n.invocation_id and v.tenant_id is not distinct from n.tenant_id
       cross join lateral (
         select o.outcome_id, o.source_type, o.source_id from ledger_internal.outcomes o where o.causation_id = v.event_id and o.tenant_id is not distinct from v.tenant_id offset 0
       ) e
       where e.outcome_id <> n.outcome_id
      on conflict do nothing;
    end if;
    -- What it contributed to, what governed it, and what it governed.
    if nested then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, n.outcome_id, n.source_type, w.outcome_id, 'workflow', 'contributed-to',
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n join public.workflow_outcomes w on w.execution_id = n.execution_id and w.tenant_id is not distinct from n.tenant_id
      on conflict do nothing;
    end if;
    if decided then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, n.outcome_id, n.source_type, g.outcome_id, 'agent', 'governed-by',
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n
        join public.policy_decisions p on p.invocation_id = n.invocation_id and p.tenant_id is not distinct from n.tenant_id
        join public.agent_invocation_outcomes g on g.invocation_id = p.guard_invocation_id and g.tenant_id is not distinct from p.tenant_id
      on conflict do nothing;
    end if;
    if exists (select from fresh n join public.policy_decisions p on p.guard_invocation_id = n.invocation_id and p.tenant_id is not distinct from n.tenant_id) then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, g.outcome_id, g.source_type, n.outcome_id, 'agent', 'governed-by',
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n
        join public.policy_decisions p on p.guard_invocation_id = n.invocation_id and p.tenant_id is not distinct from n.tenant_id
       cross join lateral (
         select o.outcome_id, o.source_type from ledger_internal.outcomes o where o.subject_id = coalesce(p.invocation_id, p.execution_id) and o.tenant_id is not distinct from p.tenant_id offset 0
       ) g
      on conflict do nothing;
    end if;
    with ended as (
      delete from ledger_internal.open_work w using fresh n where w.subject_id = n.invocation_id and w.subject_type = 'invocation' and w.tenant_id is not distinct from n.tenant_id
      returning w.hitl_request_id, w.gateway_invocation_id
    )
    select bool_or(e.hitl_request_id is not null), bool_or(e.gateway_invocation_id is not null) into asked, answered from ended e;
    -- A human's answer governed it too; a question that its end made moot waits no longer.
    if answered then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, n.outcome_id, n.source_type, g.outcome_id, 'agent', 'governed-by',
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n
        join public.hitl_requests r on r.invocation_id = n.invocation_id and r.tenant_id is not distinct from n.tenant_id
        join public.hitl_resolutions s on s.hitl_request_id = r.hitl_request_id and s.tenant_id is not distinct from r.tenant_id
        join public.agent_invocation_outcomes g on g.invocation_id = s.gateway_invocation_id and g.tenant_id is not distinct from s.tenant_id
       where g.outcome_id <> n.outcome_id
      on conflict do nothing;
    end if;
    if asked then
      delete from ledger_internal.open_requests q using fresh n
       where q.subject_id = n.invocation_id and q.subject_type = 'invocation' and q.tenant_id is not distinct from n.tenant_id and n.status <> 'escalated';
    end if;
  else
    -- What it caused, already recorded: those that named its subject.
    insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
    select n.tenant_id, n.outcome_id, n.source_type, e.outcome_id, e.source_type,
           case when e.source_type = 'agent' and n.escalation_target = e.source_id then 'escalated-to' else 'invoked' end,
           nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
      from fresh n
     cross join lateral (
       select o.outcome_id, o.source_type, o.source_id from ledger_internal.outcomes o where o.causation_id = n.execution_id::text and o.tenant_id is not distinct from n.tenant_id offset 0
     ) e
     where e.outcome_id <> n.outcome_id
    on conflict do nothing;
    -- What it contributed to, what contributed to it, and what governed it.
    if nested then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, n.outcome_id, n.source_type, w.outcome_id, 'workflow', 'contributed-to',
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n join public.workflow_outcomes w on w.execution_id = n.parent_execution_id and w.tenant_id is not distinct from n.tenant_id
      on conflict do nothing;
    end if;
    insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
    select n.tenant_id, c.outcome_id, c.source_type, n.outcome_id, 'workflow', 'contributed-to',
           nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
      from fresh n
     cross join lateral (
       select o.outcome_id, o.source_type from ledger_internal.outcomes o where o.within = n.execution_id and o.tenant_id is not distinct from n.tenant_id offset 0
     ) c
    on conflict do nothing;
    if decided then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, n.outcome_id, n.source_type, g.outcome_id, 'agent', 'governed-by',
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n
        join public.policy_decisions p on p.execution_id = n.execution_id and p.tenant_id is not distinct from n.tenant_id
        join public.agent_invocation_outcomes g on g.invocation_id = p.guard_invocation_id and g.tenant_id is not distinct from p.tenant_id
      on conflict do nothing;
    end if;
    with ended as (
      delete from ledger_internal.open_work w using fresh n where w.subject_id = n.execution_id and w.subject_type = 'execution' and w.tenant_id is not distinct from n.tenant_id
      returning w.hitl_request_id, w.gateway_invocation_id
    )
    select bool_or(e.hitl_request_id is not null), bool_or(e.gateway_invocation_id is not null) into asked, answered from ended e;
    -- A human's answer governed it too; a question that its end made moot waits no longer.
    if answered then
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select n.tenant_id, n.outcome_id, n.source_type, g.outcome_id, 'agent', 'governed-by',
             nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, n.recorded_by
        from fresh n
        join public.hitl_requests r on r.execution_id = n.execution_id and r.tenant_id is not distinct from n.tenant_id
        join public.hitl_resolutions s on s.hitl_request_id = r.hitl_request_id and s.tenant_id is not distinct from r.tenant_id
        join public.agent_invocation_outcomes g on g.invocation_id = s.gateway_invocation_id and g.tenant_id is not distinct from s.tenant_id
       where g.outcome_id <> n.outcome_id
      on conflict do nothing;
    end if;
    if asked then
      delete from ledger_internal.open_requests q using fresh n
       where q.subject_id = n.execution_id and q.subject_type = 'execution' and q.tenant_id is not distinct from n.tenant_id and n.status <> 'escalated';
    end if;
  end if;
  return null;
end
$$;
comment on function ledger_internal.publish_outcome() is 'Claims the outcome''s id, emits its event, writes its links in either arrival order, ends its open work.';

-- What record_ordinary writes is published with it.
create trigger publish after insert on public.agent_invocation_outcomes referencing new table as fresh for each statement
  when (current_user = 'authenticated' or current_setting('ledger_internal.written_whole', true) is distinct from 'on')
  execute function ledger_internal.publish_outcome('invocation');
create trigger publish after insert on public.workflow_outcomes referencing new table as fresh for each statement execute function ledger_internal.publish_outcome('execution');

-- One statement can insert an outcome and, beside it, what belongs before one: the triggers of the second see neither the
-- outcome nor the end of its open work. At commit both stand, and their order tells.
create function ledger_internal.refuse_after_outcome() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if tg_argv[0] <> 'execution' then
    if exists (select from public.agent_invocation_outcomes o
                where o.invocation_id = new.invocation_id and o.tenant_id is not distinct from new.tenant_id and o.xid = new.xid and o.seq < new.seq) then
      perform ledger_internal.refuse('invocation_closed');
    end if;
  end if;
  if tg_argv[0] <> 'invocation' then
    if exists (select from public.workflow_outcomes o
                where o.execution_id = new.execution_id and o.tenant_id is not distinct from new.tenant_id and o.xid = new.xid and o.seq < new.seq) then
      perform ledger_internal.refuse('execution_closed');
    end if;
  end if;
  return null;
end
$$;
comment on function ledger_internal.refuse_after_outcome() is 'At commit: refuses what the same transaction wrote about a subject after its outcome.';

create constraint trigger refuse_after_outcome after insert on public.agent_tool_calls deferrable initially deferred
  for each row execute function ledger_internal.refuse_after_outcome('invocation');
create constraint trigger refuse_after_outcome after insert on public.os_events deferrable initially deferred
  for each row when (new.kind = 'registered') execute function ledger_internal.refuse_after_outcome('invocation');
create constraint trigger refuse_after_outcome after insert on public.agent_invocations deferrable initially deferred
  for each row when (new.execution_id is not null) execute function ledger_internal.refuse_after_outcome('execution');
create constraint trigger refuse_after_outcome after insert on public.policy_decisions deferrable initially deferred
  for each row execute function ledger_internal.refuse_after_outcome('either');
