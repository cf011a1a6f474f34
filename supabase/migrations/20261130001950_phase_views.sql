-- Chapter: executions by their phases. A phase is a step of an execution (an invocation without a step is one by itself), and
-- what its latest attempt was decides. All of it runs with the reader's rights.

create view public.execution_attempts with (security_invoker = on) as
select i.tenant_id, i.execution_id, i.step_id, coalesce(i.step_id, i.invocation_id::text) as phase, case when i.step_id is null then i.invocation_id end as apart,
       coalesce(i.step_name, i.step_id, i.source_id) as name, i.invocation_id, i.attempt, o.outcome_id, s.status,
       case when s.status = 'failed' then coalesce(r.failure_classification, 'platform') end as failure_classification,
       r.report_state, r.reported_failure_reason, r.reported_side_effects, coalesce(r.deliverable_recovered, false) as deliverable_recovered,
       coalesce(r.phase_status in ('completed', 'failed')
         and exists (select from public.artifacts a where a.invocation_id = i.invocation_id and a.tenant_id = i.tenant_id), false) as deliverable_produced,
       i.epoch as start_epoch, i.xid as start_xid, i.seq as start_seq, o.epoch as outcome_epoch, o.xid as outcome_xid, o.seq as outcome_seq
  from public.agent_invocations i
  left join public.agent_invocation_outcomes o on o.invocation_id = i.invocation_id and o.tenant_id = i.tenant_id
  left join public.phase_reports r on r.invocation_id = i.invocation_id and r.tenant_id = i.tenant_id and not r.late
 cross join lateral (
   -- An outcome that went under a retention policy took what it said along; its invocation has ended all the same.
   select case when o.outcome_id is not null
                 or not exists (select from public.tombstones t where t.table_name = 'agent_invocation_outcomes' and t.row_key ->> 'invocation_id' = i.invocation_id::text and t.tenant_id = i.tenant_id)
               then ledger_internal.execution_status(o.status, o.completion_reason) end as status) s
 where i.execution_id is not null;
comment on view public.execution_attempts is 'Every attempt at a phase: one row an invocation that ran in an execution.';

-- A step may have any name, also that of somebody's invocation: what has no step stands apart.
create view public.execution_phases with (security_invoker = on) as
select distinct on (a.execution_id, a.step_id, a.apart, a.tenant_id)
       a.tenant_id, a.execution_id, a.step_id, a.apart, a.phase, a.name, a.status, a.failure_classification, a.reported_failure_reason, a.reported_side_effects,
       a.deliverable_recovered, bool_or(a.deliverable_produced) over every_attempt as deliverable_produced, count(*) over every_attempt as attempts, a.attempt as latest_attempt,
       a.invocation_id, a.outcome_id,
       first_value(a.start_epoch) over in_order as first_start_epoch, first_value(a.start_xid) over in_order as first_start_xid, first_value(a.start_seq) over in_order as first_start_seq,
       a.outcome_epoch, a.outcome_xid, a.outcome_seq
  from public.execution_attempts a
window every_attempt as (partition by a.execution_id, a.step_id, a.apart, a.tenant_id),
       in_order as (partition by a.execution_id, a.step_id, a.apart, a.tenant_id order by a.start_epoch, a.start_xid, a.start_seq)
 order by a.execution_id, a.step_id, a.apart, a.tenant_id, a.attempt desc, a.start_epoch desc, a.start_xid desc, a.start_seq desc;
comment on view public.execution_phases is 'Every phase of an execution, as its latest attempt left it.';

create view public.execution_results with (security_invoker = on) as
select e.tenant_id, e.execution_id, e.source_id, e.source_version, e.domain, e.correlation_id, e.execution_pattern, s.status,
       case when s.status = 'failed' then coalesce(p.failure_classification, 'platform') end as failure_classification,
       case when s.status = 'failed' then p.reported_failure_reason end as reported_failure_reason,
       case when s.status = 'failed' then p.failed_phase end as failed_phase,
       coalesce(p.deliverable_produced, false) as deliverable_produced, p.reported_side_effects, p.phases, o.outcome_id, e.recorded_at as started_at
  from public.workflow_executions e
  left join public.workflow_outcomes o on o.execution_id = e.execution_id and o.tenant_id = e.tenant_id
 cross join lateral (
   select case when o.outcome_id is not null
                 or not exists (select from public.tombstones t where t.table_name = 'workflow_outcomes' and t.row_key ->> 'execution_id' = e.execution_id::text and t.tenant_id = e.tenant_id)
               then ledger_internal.execution_status(o.status, o.completion_reason) end as status) s
 cross join lateral (
   select (array_agg(h.failure_classification order by h.outcome_epoch, h.outcome_xid, h.outcome_seq) filter (where h.status = 'failed'))[1] as failure_classification,
          (array_agg(h.reported_failure_reason order by h.outcome_epoch, h.outcome_xid, h.outcome_seq) filter (where h.status = 'failed'))[1] as reported_failure_reason,
          (array_agg(h.phase order by h.outcome_epoch, h.outcome_xid, h.outcome_seq) filter (where h.status = 'failed'))[1] as failed_phase,
          bool_or(h.deliverable_produced) as deliverable_produced, count(*) as phases,
          (array_agg(h.reported_side_effects order by ledger_internal.side_effects_rank(h.reported_side_effects) desc nulls last))[1] as reported_side_effects
     from public.execution_phases h where h.execution_id = e.execution_id and h.tenant_id = e.tenant_id) p;
comment on view public.execution_results is 'Every execution with what its phases make of it.';

-- Counted in one place, for the view and for a span of time.
create function ledger_internal.failure_counts(of_source text default null, of_version text default null, of_domain text default null, since timestamptz default null, until timestamptz default null)
returns table (tenant_id uuid, source_id text, source_version text, domain text, concluded bigint, completed bigint, failed bigint, cancelled bigint, interrupted bigint,
  platform bigint, correct_refusal bigint, unclassified bigint, failure_rate numeric, platform_rate numeric)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select c.*, round(c.failed::numeric / nullif(c.completed + c.failed, 0), 4), round(c.platform::numeric / nullif(c.completed + c.failed, 0), 4)
    from (select r.tenant_id, r.source_id, r.source_version, r.domain, count(*) as concluded,
                 count(*) filter (where r.phase_status = 'completed') as completed, count(*) filter (where r.phase_status = 'failed') as failed,
                 count(*) filter (where r.phase_status = 'cancelled') as cancelled, count(*) filter (where r.phase_status = 'interrupted') as interrupted,
                 count(*) filter (where r.failure_classification = 'platform') as platform, count(*) filter (where r.failure_classification = 'correct_refusal') as correct_refusal,
                 count(*) filter (where r.failure_classification = 'unclassified') as unclassified
            from public.phase_reports r
           where not r.late
             and (of_source is null or r.source_id = of_source) and (of_version is null or r.source_version = of_version) and (of_domain is null or r.domain = of_domain)
             and (since is null or r.recorded_at >= since) and (until is null or r.recorded_at < until)
           group by r.tenant_id, r.source_id, r.source_version, r.domain) c;
end
$$;
comment on function ledger_internal.failure_counts(text, text, text, timestamptz, timestamptz) is 'How concluded phases ended, by tenant, agent, version and domain, as far as the caller reads them.';

create view public.phase_failure_rates with (security_invoker = on) as
select c.tenant_id, c.source_id, c.source_version, c.domain, c.concluded, c.completed, c.failed, c.cancelled, c.interrupted, c.platform, c.correct_refusal, c.unclassified,
       c.failure_rate, c.platform_rate
  from ledger_internal.failure_counts() c;
comment on view public.phase_failure_rates is 'How concluded phases ended, by agent, version and domain; from failure_classification alone, never from an agent''s words.';

do $$
declare
  described record;
begin
  for described in
    select * from (values
      ('tenant_id', 'Whose row it is.'), ('execution_id', 'The execution.'), ('step_id', 'The step, or null.'),
      ('phase', 'Names the phase within its execution: its step, or of an invocation without a step its invocation_id.'),
      ('name', 'The step''s name, else the step, else the agent.'), ('invocation_id', 'The invocation; of a phase, its latest attempt.'),
      ('attempt', 'Which attempt at the step.'), ('latest_attempt', 'The latest attempt''s number.'), ('attempts', 'How many attempts there were.'),
      ('apart', 'The invocation, when it is a phase by itself; else null.'), ('outcome_id', 'Its outcome, or null.'),
      ('status', 'running, completed, failed, cancelled or interrupted; null when its outcome was purged.'),
      ('failure_classification', 'platform, correct_refusal or unclassified; null unless failed. What nobody concluded is platform.'),
      ('report_state', 'What the agent''s report came to; null when nobody concluded it.'),
      ('reported_failure_reason', 'The agent''s own word: a quotation.'), ('reported_side_effects', 'The agent''s own word: a quotation; of an execution the most severe of its completed phases.'),
      ('deliverable_recovered', 'A deliverable is the agent''s last message in place of a file.'),
      ('deliverable_produced', 'A completed or failed attempt left an artifact.'),
      ('start_epoch', 'Position of the start row.'), ('start_xid', 'Position of the start row.'), ('start_seq', 'Position of the start row.'),
      ('first_start_epoch', 'Position of the phase''s first start.'), ('first_start_xid', 'Position of the phase''s first start.'), ('first_start_seq', 'Position of the phase''s first start.'),
      ('outcome_epoch', 'Position of the outcome.'), ('outcome_xid', 'Position of the outcome.'), ('outcome_seq', 'Position of the outcome.'),
      ('source_id', 'The agent_id or workflow_id.'), ('source_version', 'SemVer of the definition at start time.'), ('domain', 'Domain pack id.'),
      ('correlation_id', 'The business transaction.'), ('execution_pattern', 'As in the start row.'), ('failed_phase', 'The first phase that failed, when the execution did.'),
      ('phases', 'How many phases it has.'), ('started_at', 'recorded_at of the start row.'), ('concluded', 'Invocations concluded.'), ('completed', 'Phases that completed.'),
      ('failed', 'Phases that failed.'), ('cancelled', 'Phases that were cancelled.'), ('interrupted', 'Phases that were interrupted.'),
      ('platform', 'Failures of the machinery.'), ('correct_refusal', 'Cleanly reported failures.'), ('unclassified', 'Failures whose agent could not tell.'),
      ('failure_rate', 'failed of completed + failed, 0 to 1; null when there were none.'), ('platform_rate', 'platform of completed + failed, 0 to 1; null when there were none.')
    ) as d (column_name, meaning)
    join pg_catalog.pg_attribute a on a.attname = d.column_name
     and a.attrelid in ('public.execution_attempts'::regclass, 'public.execution_phases'::regclass, 'public.execution_results'::regclass, 'public.phase_failure_rates'::regclass)
  loop
    execute format('comment on column %s.%I is %L', described.attrelid::regclass, described.column_name, described.meaning);
  end loop;
end
$$;
revoke all on public.execution_attempts, public.execution_phases, public.execution_results, public.phase_failure_rates from public, anon, authenticated, service_role;
grant select on public.execution_attempts, public.execution_phases, public.execution_results, public.phase_failure_rates to authenticated, service_role, ledger_auditor;

create function ledger_internal.execution_phases_read(execution uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
begin
  return (
    select jsonb_build_object('failure_classification', x.failure_classification, 'reported_failure_reason', x.reported_failure_reason,
      'deliverable_produced', x.deliverable_produced, 'reported_side_effects', x.reported_side_effects,
      'phases', (
        select coalesce(jsonb_agg(jsonb_build_object('name', p.name, 'step_id', p.step_id, 'status', p.status, 'failure_classification', p.failure_classification,
                 'reported_failure_reason', p.reported_failure_reason, 'deliverable_recovered', p.deliverable_recovered, 'reported_side_effects', p.reported_side_effects,
                 'attempts', t.attempts) order by p.first_start_epoch, p.first_start_xid, p.first_start_seq), '[]')
          from public.execution_phases p
          join (select a.step_id, a.apart, jsonb_agg(jsonb_build_object('invocation_id', a.invocation_id, 'attempt', a.attempt, 'status', a.status,
                         'failure_classification', a.failure_classification, 'report_state', a.report_state, 'outcome_id', a.outcome_id)
                         order by a.attempt, a.start_epoch, a.start_xid, a.start_seq) as attempts
                  from public.execution_attempts a where a.execution_id = execution and a.tenant_id = tenant group by a.step_id, a.apart) t
            on t.step_id is not distinct from p.step_id and t.apart is not distinct from p.apart
         where p.execution_id = execution and p.tenant_id = tenant))
      from public.execution_results x where x.execution_id = execution and x.tenant_id = tenant);
end
$$;
comment on function ledger_internal.execution_phases_read(uuid) is 'What an execution''s phases make of it, as callers read it.';

-- The next phase's input: what the phases before it left, of this execution as far as they ended before it started, then of
-- those it was resumed from, as far as nearer ones have not done the step themselves.
create function public.list_inputs(invocation_id uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  me public.agent_invocations;
begin
  select * into me from public.agent_invocations i where i.invocation_id = list_inputs.invocation_id and i.tenant_id = tenant;
  if not found then
    perform ledger_internal.refuse('unknown_invocation');
  end if;
  return (
    with recursive line (execution_id, resumed_from, depth, seen) as (
      select e.execution_id, e.resumed_from_execution_id, 0, array[e.execution_id] from public.workflow_executions e where e.execution_id = me.execution_id and e.tenant_id = tenant
      union all
      select e.execution_id, e.resumed_from_execution_id, l.depth + 1, l.seen || e.execution_id from line l
        join public.workflow_executions e on e.execution_id = l.resumed_from and e.tenant_id = tenant where e.execution_id <> all (l.seen)
    ), ended as (
      -- What had ended when this invocation started, and stays what it was: its latest attempt of each phase of each execution.
      select distinct on (a.execution_id, a.step_id, a.apart) a.*, l.depth
        from line l join public.execution_attempts a on a.execution_id = l.execution_id and a.tenant_id = tenant
       where (a.outcome_epoch, a.outcome_xid, a.outcome_seq) < (me.epoch, me.xid, me.seq)
       order by a.execution_id, a.step_id, a.apart, a.attempt desc, a.start_epoch desc, a.start_xid desc, a.start_seq desc
    ), nearest as (
      -- A nearer execution that has done the step itself stands before a farther one, however it ended.
      select distinct on (n.step_id, n.apart) n.* from ended n
       where (n.step_id is distinct from me.step_id or n.step_id is null) and n.invocation_id <> me.invocation_id
       order by n.step_id, n.apart, n.depth
    ), placed as (
      select f.step_id, f.execution_id, f.depth, f.start_epoch, f.start_xid, f.start_seq, a.artifact_id, a.size_bytes, a.sha256, a.is_primary, a.recovered, a.seq, p.path, p.place,
             case when f.phase !~ '^[^/\\\u0001-\u001f\u007f]+$' or f.phase in ('.', '..') or f.phase ~ '^[A-Za-z]:' then 'the step''s id cannot name a folder'
                  when char_length(p.path) > 1000 then 'the path is longer than 1,000 characters'
                  when p.place = 2 and exists (select from nearest n where n.phase = f.phase || '.md') then 'another step has the name of this file'
             end as reason
        from nearest f
        join public.phase_reports r on r.invocation_id = f.invocation_id and r.tenant_id = tenant and not r.late and r.phase_status = 'completed'
        join public.artifacts a on a.invocation_id = f.invocation_id and a.tenant_id = tenant
       cross join lateral (
         select 'artifacts/input/' || f.phase || substr(a.path, length('artifacts/output') + 1) as path, 1 as place
         union all
         select 'artifacts/input/' || f.phase || '.md', 2 where a.is_primary) p
       where f.status = 'completed'
    )
    select jsonb_build_object(
      'items', coalesce(jsonb_agg(jsonb_build_object('path', w.path, 'artifact_id', w.artifact_id, 'step_id', w.step_id, 'execution_id', w.execution_id, 'size_bytes', w.size_bytes,
        'sha256', w.sha256, 'primary', w.is_primary, 'recovered', w.recovered) order by w.depth desc, w.start_epoch, w.start_xid, w.start_seq, w.place, w.seq) filter (where w.reason is null), '[]'),
      'omitted', coalesce(jsonb_agg(jsonb_build_object('artifact_id', w.artifact_id, 'path', w.path, 'reason', w.reason) order by w.depth desc, w.start_epoch, w.start_xid, w.start_seq, w.place, w.seq)
        filter (where w.reason is not null), '[]'))
      from placed w);
end
$$;
comment on function public.list_inputs(uuid) is 'The artifacts of the phases before an invocation, and where it finds them below artifacts/input/.';

create function public.failure_rates(filter jsonb default '{}') returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  wanted jsonb;
  parameter text;
begin
  if jsonb_typeof(coalesce(filter, '{}')) <> 'object' then
    perform ledger_internal.refuse_query('', 'must be an object of parameters');
  end if;
  wanted := ledger_internal.without_nulls(coalesce(filter, '{}'));
  for parameter in select jsonb_object_keys(wanted) loop
    if parameter not in ('source_id', 'source_version', 'domain', 'from', 'to') then
      perform ledger_internal.refuse_query(parameter, 'is not a parameter of these statistics');
    end if;
    if parameter in ('from', 'to') and not ledger_internal.time_ok(wanted ->> parameter) then
      perform ledger_internal.refuse_query(parameter, 'must be an RFC 3339 time in UTC');
    end if;
  end loop;
  return (
    select jsonb_build_object('items', coalesce(jsonb_agg(to_jsonb(c) - 'tenant_id' order by c.source_id, c.source_version, c.domain), '[]'))
      from ledger_internal.failure_counts(wanted ->> 'source_id', wanted ->> 'source_version', wanted ->> 'domain',
             ledger_internal.moment(wanted ->> 'from'), ledger_internal.moment(wanted ->> 'to')) c
     where c.tenant_id = tenant);
end
$$;
comment on function public.failure_rates(jsonb) is 'How concluded phases ended by agent, version and domain, of a span of time: {items}.';
