-- Chapter 15: lineage links, and publishing an outcome: its id's claim, its event, its links in either arrival order, and
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

create function ledger_internal.accept_link() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off as $$
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
language plpgsql volatile security definer set search_path = '' set enable_seqscan = off as $$
declare
  id uuid := ledger_internal.uuid_or_null(cause);
begin
  return exists (select from public.os_events e where e.tenant_id = tenant and e.event_id = cause)
    or (id is not null and (
         exists (select from public.agent_invocations i where i.tenant_id = tenant and i.invocation_id = id)
      or exists (select from public.workflow_executions x where x.tenant_id = tenant and x.execution_id = id)));
end
$$;
comment on function ledger_internal.cause_known(uuid, text) is 'Whether a causation_id resolves. An outcome is found through its event, which bears its id.';

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

-- The transition table holds whichever table's rows were inserted; they are read back through the view so that one text
-- serves both. Locks taken by accept make sure that of two outcomes that refer to each other the later one sees the earlier.
create function ledger_internal.publish_outcome() returns trigger
language plpgsql security definer set search_path = '' set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  this_epoch integer;
  this_xid constant xid8 := pg_current_xact_id();
begin
  select n.epoch into this_epoch from fresh n limit 1;
  if not found then
    return null;
  end if;

  insert into public.outcome_ids (outcome_id, tenant_id, source_type)
  select n.outcome_id, n.tenant_id, n.source_type from fresh n;

  insert into public.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
  select n.tenant_id, n.outcome_id::text, 'emitted', ledger_internal.event_type(n.status), n.source_id, n.outcome_id, n.correlation_id, n.causation_id, n.completed_at,
         jsonb_build_object('outcome_id', n.outcome_id, 'source', n.outcome_envelope -> 'source', 'correlation_id', n.correlation_id, 'status', n.status, 'duration_ms', n.duration_ms),
         nextval('ledger_internal.feed_seq'), this_epoch, this_xid, n.recorded_at, n.recorded_by
    from fresh n;

  insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
  with f as materialized (
    select o.*, case when o.causation_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' then o.causation_id::uuid end as cause_id
      from fresh n join ledger_internal.outcomes o on o.tenant_id = n.tenant_id and o.outcome_id = n.outcome_id
  ), derived as (
    -- `offset 0` keeps each look-up below the rows that ask for it; reordered, the planner would read a tenant's whole history.
    -- its cause: an outcome, else the invocation that registered the event, else an invocation or execution
    select f.tenant_id, c.outcome_id as source_outcome_id, c.source_type, f.outcome_id as target_outcome_id, f.source_type as target_type,
           case when f.source_type = 'agent' and c.escalation_target = f.source_id then 'escalated-to' else 'invoked' end as relation, f.recorded_by
      from f cross join lateral (
        select o.outcome_id, o.source_type, o.escalation_target from ledger_internal.outcomes o
         where o.tenant_id = f.tenant_id and o.outcome_id = f.cause_id
        union all
        select o.outcome_id, o.source_type, o.escalation_target
          from public.os_events e join public.agent_invocation_outcomes o on o.tenant_id = e.tenant_id and o.invocation_id = e.invocation_id
         where e.tenant_id = f.tenant_id and e.event_id = f.causation_id
        union all
        select o.outcome_id, o.source_type, o.escalation_target from ledger_internal.outcomes o
         where o.tenant_id = f.tenant_id and o.subject_id = f.cause_id
        limit 1
      ) c
    union
    -- what it caused, already recorded: those that named its subject, or an event its invocation registered
    select f.tenant_id, f.outcome_id, f.source_type, e.outcome_id, e.source_type,
           case when e.source_type = 'agent' and f.escalation_target = e.source_id then 'escalated-to' else 'invoked' end, f.recorded_by
      from f cross join lateral (
        select f.subject_id::text as id
        union all
        select v.event_id from public.os_events v where f.subject_type = 'invocation' and v.tenant_id = f.tenant_id and v.invocation_id = f.subject_id
      ) named
      cross join lateral (
        select o.outcome_id, o.source_type, o.source_id from ledger_internal.outcomes o where o.tenant_id = f.tenant_id and o.causation_id = named.id offset 0
      ) e
    union
    -- what it contributed to
    select f.tenant_id, f.outcome_id, f.source_type, w.outcome_id, 'workflow', 'contributed-to', f.recorded_by
      from f join public.workflow_outcomes w on w.tenant_id = f.tenant_id and w.execution_id = f.within
    union
    -- what contributed to it
    select f.tenant_id, c.outcome_id, c.source_type, f.outcome_id, 'workflow', 'contributed-to', f.recorded_by
      from f join ledger_internal.outcomes c on c.tenant_id = f.tenant_id and c.within = f.subject_id
     where f.subject_type = 'execution'
    union
    -- what governed it
    select f.tenant_id, f.outcome_id, f.source_type, g.outcome_id, 'agent', 'governed-by', f.recorded_by
      from f
      cross join lateral (
        select p.tenant_id, p.guard_invocation_id from public.policy_decisions p
         where f.subject_type = 'invocation' and p.tenant_id = f.tenant_id and p.invocation_id = f.subject_id
        union all
        select p.tenant_id, p.guard_invocation_id from public.policy_decisions p
         where f.subject_type = 'execution' and p.tenant_id = f.tenant_id and p.execution_id = f.subject_id
      ) p
      join public.agent_invocation_outcomes g on g.tenant_id = p.tenant_id and g.invocation_id = p.guard_invocation_id
     where f.decision is not null
    union
    -- what it governed
    select f.tenant_id, g.outcome_id, g.source_type, f.outcome_id, 'agent', 'governed-by', f.recorded_by
      from f
      join public.policy_decisions p on p.tenant_id = f.tenant_id and p.guard_invocation_id = f.subject_id
      join ledger_internal.outcomes g on g.tenant_id = p.tenant_id and g.subject_id = coalesce(p.invocation_id, p.execution_id)
     where f.subject_type = 'invocation'
  )
  select d.tenant_id, d.source_outcome_id, d.source_type, d.target_outcome_id, d.target_type, d.relation,
         nextval('ledger_internal.feed_seq'), this_epoch, this_xid, clock_timestamp(), d.recorded_by
    from derived d
   where d.source_outcome_id <> d.target_outcome_id
  on conflict do nothing;

  -- Only the branch of this trigger's own table is ever planned.
  if tg_argv[0] = 'invocation' then
    delete from ledger_internal.open_work w using fresh n where w.subject_id = n.invocation_id and w.subject_type = 'invocation' and w.tenant_id = n.tenant_id;
  else
    delete from ledger_internal.open_work w using fresh n where w.subject_id = n.execution_id and w.subject_type = 'execution' and w.tenant_id = n.tenant_id;
  end if;
  return null;
end
$$;
comment on function ledger_internal.publish_outcome() is 'Claims the outcome''s id, emits its event, writes its links in either arrival order, ends its open work.';

create trigger publish after insert on public.agent_invocation_outcomes referencing new table as fresh for each statement execute function ledger_internal.publish_outcome('invocation');
create trigger publish after insert on public.workflow_outcomes referencing new table as fresh for each statement execute function ledger_internal.publish_outcome('execution');
