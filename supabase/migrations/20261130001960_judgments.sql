-- Chapter: judgments. GENERATED from src/contract/judgment by `npm run generate`; do not edit.
--
-- One row for each outcome and each open subject. The judgment stands nowhere: it is derived from what the ledger holds, with
-- the reader's rights, each time somebody asks.

create function ledger_internal.judgment_of(lifecycle text, verification text, required boolean, assessment text,
  out judgment text, out reason text, out tag text, out gate text, out counts_as_success boolean, out in_success_base boolean, out in_agent_score boolean)
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  judgment := case when lifecycle in ('waiting', 'pending', 'running', 'awaiting_input', 'stalled') then 'in_progress' when lifecycle in ('failed') then 'failed' when lifecycle in ('stopped') then 'stopped' when lifecycle in ('skipped') then 'skipped' when lifecycle in ('done', 'merged') then case when verification in ('passed') then case when assessment in ('hollow', 'missing_deliverable') then 'failed' else 'verified' end when verification in ('failed') then 'broken' when verification in ('timed_out') then 'unverified' when verification in ('infrastructure_failure') then 'unverified' when verification in ('unobserved') then 'unverified' when verification in ('skipped', 'pending') and required then 'unverified' when verification in ('skipped', 'pending') and not required then case when assessment in ('hollow', 'missing_deliverable') then 'failed' else 'delivered' end else 'unverified' end else 'unverified' end;
  reason := case when judgment <> 'unverified' then null when lifecycle in ('done', 'merged') then case when verification in ('timed_out') then 'timed_out' when verification in ('infrastructure_failure') then 'infrastructure' when verification in ('unobserved') then 'no_result' when verification in ('skipped', 'pending') and required then 'no_result' else 'no_result' end else 'no_result' end;
  tag := case when judgment = 'broken' then 'VFAIL' when reason = 'timed_out' then 'VTIMEOUT' when reason = 'infrastructure' then 'VINFRA' when reason = 'no_result' then 'VNORESULT' else null end;
  gate := case when judgment in ('verified', 'delivered') then 'proceed' when judgment in ('unverified') then 'warn' when judgment in ('broken') then 'refuse_override' when judgment in ('failed', 'stopped', 'skipped', 'in_progress') then 'refuse' else null end;
  counts_as_success := judgment in ('verified', 'delivered');
  in_success_base := judgment in ('verified', 'delivered', 'unverified', 'broken', 'failed', 'stopped', 'skipped');
  in_agent_score := judgment in ('verified', 'delivered', 'broken', 'failed');
end
$$;
comment on function ledger_internal.judgment_of(text, text, boolean, text) is 'The judgment of a lifecycle, a verification, whether one is required, and a delivery assessment (or null), with all that follows from it.';

create view ledger_internal.outcome_facts with (security_invoker = on) as
select o.tenant_id, 'invocation'::text as subject_type, o.invocation_id, o.execution_id, o.outcome_id, o.source_type, o.source_id, o.source_version, o.domain, o.correlation_id, o.status,
       o.completion_reason, v.standing_verification as verification, coalesce(v.verification_required, o.verification_required) as verification_required, v.verification_id, d.assessment,
       g.outcome_id is not null as integrated, case when o.status = 'escalated' then (
             select q.expires_at from public.hitl_requests q
              where q.invocation_id = o.invocation_id and q.tenant_id = o.tenant_id
                and not exists (select from public.hitl_resolutions a where a.hitl_request_id = q.hitl_request_id and a.tenant_id = q.tenant_id)
                and not exists (select from public.hitl_requests n where n.invocation_id = q.invocation_id and n.tenant_id = q.tenant_id and (n.epoch, n.seq) > (q.epoch, q.seq))) end as awaiting_until,
       o.recorded_at, o.epoch, o.xid, o.seq
  from public.agent_invocation_outcomes o
  left join (
    select e.* from public.outcome_verifications e
     where not exists (select from public.outcome_verifications n where n.outcome_id = e.outcome_id and n.tenant_id = e.tenant_id and n.source_type = e.source_type and (n.epoch, n.seq) > (e.epoch, e.seq))
  ) v on v.outcome_id = o.outcome_id and v.tenant_id = o.tenant_id and v.source_type = 'agent'
  left join (
    select e.* from public.delivery_assessments e
     where not exists (select from public.delivery_assessments n where n.outcome_id = e.outcome_id and n.tenant_id = e.tenant_id and n.source_type = e.source_type and (n.epoch, n.seq) > (e.epoch, e.seq))
  ) d on d.outcome_id = o.outcome_id and d.tenant_id = o.tenant_id and d.source_type = 'agent'
  left join public.outcome_integrations g on g.outcome_id = o.outcome_id and g.tenant_id = o.tenant_id and g.source_type = 'agent'
union all
select o.tenant_id, 'execution'::text as subject_type, null::uuid as invocation_id, o.execution_id, o.outcome_id, o.source_type, o.source_id, o.source_version, o.domain, o.correlation_id, o.status,
       o.completion_reason, v.standing_verification as verification, coalesce(v.verification_required, o.verification_required) as verification_required, v.verification_id, d.assessment,
       g.outcome_id is not null as integrated, case when o.status = 'escalated' then (
             select q.expires_at from public.hitl_requests q
              where q.execution_id = o.execution_id and q.tenant_id = o.tenant_id
                and not exists (select from public.hitl_resolutions a where a.hitl_request_id = q.hitl_request_id and a.tenant_id = q.tenant_id)
                and not exists (select from public.hitl_requests n where n.execution_id = q.execution_id and n.tenant_id = q.tenant_id and (n.epoch, n.seq) > (q.epoch, q.seq))) end as awaiting_until,
       o.recorded_at, o.epoch, o.xid, o.seq
  from public.workflow_outcomes o
  left join (
    select e.* from public.outcome_verifications e
     where not exists (select from public.outcome_verifications n where n.outcome_id = e.outcome_id and n.tenant_id = e.tenant_id and n.source_type = e.source_type and (n.epoch, n.seq) > (e.epoch, e.seq))
  ) v on v.outcome_id = o.outcome_id and v.tenant_id = o.tenant_id and v.source_type = 'workflow'
  left join (
    select e.* from public.delivery_assessments e
     where not exists (select from public.delivery_assessments n where n.outcome_id = e.outcome_id and n.tenant_id = e.tenant_id and n.source_type = e.source_type and (n.epoch, n.seq) > (e.epoch, e.seq))
  ) d on d.outcome_id = o.outcome_id and d.tenant_id = o.tenant_id and d.source_type = 'workflow'
  left join public.outcome_integrations g on g.outcome_id = o.outcome_id and g.tenant_id = o.tenant_id and g.source_type = 'workflow';
revoke all on ledger_internal.outcome_facts from public, anon, authenticated, service_role;
grant select on ledger_internal.outcome_facts to authenticated, service_role, ledger_auditor, ledger_sync, ledger_relay;
comment on view ledger_internal.outcome_facts is 'Every outcome with the facts that its judgment rests on; the mirror carries them into the graph.';

create view public.outcome_judgments with (security_invoker = on) as
select s.tenant_id, s.subject_type, s.invocation_id, s.execution_id, s.outcome_id, s.source_type, s.source_id, s.source_version, s.domain, s.correlation_id, s.status,
       s.lifecycle, s.verification, s.verification_required as required, s.assessment, s.verification_id, j.judgment, r.reason,
       case when j.judgment = 'broken' then 'VFAIL' when r.reason = 'timed_out' then 'VTIMEOUT' when r.reason = 'infrastructure' then 'VINFRA' when r.reason = 'no_result' then 'VNORESULT' else null end as tag,
       case when j.judgment in ('verified', 'delivered') then 'proceed' when j.judgment in ('unverified') then 'warn' when j.judgment in ('broken') then 'refuse_override' when j.judgment in ('failed', 'stopped', 'skipped', 'in_progress') then 'refuse' else null end as gate,
       j.judgment in ('verified', 'delivered') as counts_as_success,
       j.judgment in ('verified', 'delivered', 'unverified', 'broken', 'failed', 'stopped', 'skipped') as in_success_base,
       j.judgment in ('verified', 'delivered', 'broken', 'failed') as in_agent_score,
       s.recorded_at, s.epoch, s.xid, s.seq
  from (
    select f.tenant_id, f.subject_type, f.invocation_id, f.execution_id, f.outcome_id, f.source_type, f.source_id, f.source_version, f.domain, f.correlation_id, f.status,
           case when f.status in ('success', 'partial') and f.integrated then 'merged' when f.status in ('success', 'partial') then 'done' when f.completion_reason in ('canceled', 'interrupted') then 'stopped' when f.status in ('failure', 'timeout') then 'failed' when f.status in ('blocked', 'skipped') then 'skipped' when f.status in ('escalated') and f.awaiting_until > statement_timestamp() then 'awaiting_input' when f.status in ('escalated') then 'stopped' else null end as lifecycle,
           coalesce(f.verification, case when f.verification_required then 'pending' else 'skipped' end) as verification,
           f.verification_required, f.assessment, f.verification_id, f.recorded_at, f.epoch, f.xid, f.seq
      from ledger_internal.outcome_facts f
    union all
    select i.tenant_id, 'invocation'::text, i.invocation_id, i.execution_id, null::uuid, 'agent'::text, i.source_id, i.source_version, i.domain, i.correlation_id, null::text,
           case when w.awaiting then 'awaiting_input' when w.stalled then 'stalled'
                else coalesce((select e.lifecycle from public.lifecycle_events e where e.invocation_id = i.invocation_id and e.tenant_id = i.tenant_id order by e.epoch desc, e.seq desc limit 1), 'running') end,
           case when ledger_internal.verification_required(i.verify) then 'pending' else 'skipped' end, ledger_internal.verification_required(i.verify), null::text, null::uuid,
           i.recorded_at, i.epoch, i.xid, i.seq
      from ledger_internal.open_subjects('invocation') w
      join public.agent_invocations i on i.invocation_id = w.subject_id and i.tenant_id = w.tenant_id
    union all
    select i.tenant_id, 'execution'::text, null::uuid as invocation_id, i.execution_id, null::uuid, 'workflow'::text, i.source_id, i.source_version, i.domain, i.correlation_id, null::text,
           case when w.awaiting then 'awaiting_input' when w.stalled then 'stalled'
                else coalesce((select e.lifecycle from public.lifecycle_events e where e.execution_id = i.execution_id and e.tenant_id = i.tenant_id order by e.epoch desc, e.seq desc limit 1), 'running') end,
           case when ledger_internal.verification_required(i.verify) then 'pending' else 'skipped' end, ledger_internal.verification_required(i.verify), null::text, null::uuid,
           i.recorded_at, i.epoch, i.xid, i.seq
      from ledger_internal.open_subjects('execution') w
      join public.workflow_executions i on i.execution_id = w.subject_id and i.tenant_id = w.tenant_id
  ) s (tenant_id, subject_type, invocation_id, execution_id, outcome_id, source_type, source_id, source_version, domain, correlation_id, status,
       lifecycle, verification, verification_required, assessment, verification_id, recorded_at, epoch, xid, seq)
 cross join lateral (select case when s.lifecycle in ('waiting', 'pending', 'running', 'awaiting_input', 'stalled') then 'in_progress' when s.lifecycle in ('failed') then 'failed' when s.lifecycle in ('stopped') then 'stopped' when s.lifecycle in ('skipped') then 'skipped' when s.lifecycle in ('done', 'merged') then case when s.verification in ('passed') then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'verified' end when s.verification in ('failed') then 'broken' when s.verification in ('timed_out') then 'unverified' when s.verification in ('infrastructure_failure') then 'unverified' when s.verification in ('unobserved') then 'unverified' when s.verification in ('skipped', 'pending') and s.verification_required then 'unverified' when s.verification in ('skipped', 'pending') and not s.verification_required then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'delivered' end else 'unverified' end else 'unverified' end as judgment) j
 cross join lateral (select case when j.judgment <> 'unverified' then null when s.lifecycle in ('done', 'merged') then case when s.verification in ('timed_out') then 'timed_out' when s.verification in ('infrastructure_failure') then 'infrastructure' when s.verification in ('unobserved') then 'no_result' when s.verification in ('skipped', 'pending') and s.verification_required then 'no_result' else 'no_result' end else 'no_result' end as reason) r;
comment on view public.outcome_judgments is 'The judgment of every outcome and every open subject: the one column that may be asked whether it succeeded.';
comment on column public.outcome_judgments.tenant_id is 'Whose row it is.';
comment on column public.outcome_judgments.subject_type is 'invocation or execution.';
comment on column public.outcome_judgments.invocation_id is 'The invocation, or null.';
comment on column public.outcome_judgments.execution_id is 'The execution; of an invocation the one it ran in, or null.';
comment on column public.outcome_judgments.outcome_id is 'The outcome; null while the subject is open.';
comment on column public.outcome_judgments.source_type is 'agent or workflow.';
comment on column public.outcome_judgments.source_id is 'The agent_id or workflow_id.';
comment on column public.outcome_judgments.source_version is 'SemVer of the definition at start time.';
comment on column public.outcome_judgments.domain is 'Domain pack id.';
comment on column public.outcome_judgments.correlation_id is 'The business transaction.';
comment on column public.outcome_judgments.status is 'The outcome''s status: what was claimed. Null while the subject is open.';
comment on column public.outcome_judgments.lifecycle is 'Did it end, and was it merged: waiting, pending, running, awaiting_input, stalled, done, merged, failed, stopped or skipped.';
comment on column public.outcome_judgments.verification is 'What the latest verification said; pending or skipped when there is none.';
comment on column public.outcome_judgments.required is 'Whether it needs a verification.';
comment on column public.outcome_judgments.assessment is 'The latest delivery assessment, or null.';
comment on column public.outcome_judgments.verification_id is 'The latest verification, or null.';
comment on column public.outcome_judgments.judgment is 'Did it succeed: verified or delivered, and nothing else. Derived, never stored.';
comment on column public.outcome_judgments.reason is 'Why it is unverified: timed_out, infrastructure or no_result; else null.';
comment on column public.outcome_judgments.tag is 'What people are shown when verification has something to say: VFAIL, VTIMEOUT, VINFRA, VNORESULT; else null.';
comment on column public.outcome_judgments.gate is 'What a gate does with it: proceed, warn, refuse_override or refuse.';
comment on column public.outcome_judgments.counts_as_success is 'Whether it counts as a success.';
comment on column public.outcome_judgments.in_success_base is 'Whether it stands in the denominator of a success rate.';
comment on column public.outcome_judgments.in_agent_score is 'Whether it says anything about its agent.';
comment on column public.outcome_judgments.recorded_at is 'When the outcome was recorded; of an open subject, its start.';
comment on column public.outcome_judgments.epoch is 'Position of that row.';
comment on column public.outcome_judgments.xid is 'Position of that row.';
comment on column public.outcome_judgments.seq is 'Position of that row.';
-- One open subject, without reading all that is open.
create function ledger_internal.open_judgment(kind text, id uuid) returns setof public.outcome_judgments
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if kind = 'invocation' then
    return query
select s.tenant_id, s.subject_type, s.invocation_id, s.execution_id, s.outcome_id, s.source_type, s.source_id, s.source_version, s.domain, s.correlation_id, s.status,
       s.lifecycle, s.verification, s.verification_required as required, s.assessment, s.verification_id, j.judgment, r.reason,
       case when j.judgment = 'broken' then 'VFAIL' when r.reason = 'timed_out' then 'VTIMEOUT' when r.reason = 'infrastructure' then 'VINFRA' when r.reason = 'no_result' then 'VNORESULT' else null end as tag,
       case when j.judgment in ('verified', 'delivered') then 'proceed' when j.judgment in ('unverified') then 'warn' when j.judgment in ('broken') then 'refuse_override' when j.judgment in ('failed', 'stopped', 'skipped', 'in_progress') then 'refuse' else null end as gate,
       j.judgment in ('verified', 'delivered') as counts_as_success,
       j.judgment in ('verified', 'delivered', 'unverified', 'broken', 'failed', 'stopped', 'skipped') as in_success_base,
       j.judgment in ('verified', 'delivered', 'broken', 'failed') as in_agent_score,
       s.recorded_at, s.epoch, s.xid, s.seq
  from (
    select i.tenant_id, 'invocation'::text, i.invocation_id, i.execution_id, null::uuid, 'agent'::text, i.source_id, i.source_version, i.domain, i.correlation_id, null::text,
           case when w.awaiting then 'awaiting_input' when w.stalled then 'stalled'
                else coalesce((select e.lifecycle from public.lifecycle_events e where e.invocation_id = i.invocation_id and e.tenant_id = i.tenant_id order by e.epoch desc, e.seq desc limit 1), 'running') end,
           case when ledger_internal.verification_required(i.verify) then 'pending' else 'skipped' end, ledger_internal.verification_required(i.verify), null::text, null::uuid,
           i.recorded_at, i.epoch, i.xid, i.seq
      from ledger_internal.open_subjects('invocation', id) w
      join public.agent_invocations i on i.invocation_id = w.subject_id and i.tenant_id = w.tenant_id
  ) s (tenant_id, subject_type, invocation_id, execution_id, outcome_id, source_type, source_id, source_version, domain, correlation_id, status,
       lifecycle, verification, verification_required, assessment, verification_id, recorded_at, epoch, xid, seq)
 cross join lateral (select case when s.lifecycle in ('waiting', 'pending', 'running', 'awaiting_input', 'stalled') then 'in_progress' when s.lifecycle in ('failed') then 'failed' when s.lifecycle in ('stopped') then 'stopped' when s.lifecycle in ('skipped') then 'skipped' when s.lifecycle in ('done', 'merged') then case when s.verification in ('passed') then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'verified' end when s.verification in ('failed') then 'broken' when s.verification in ('timed_out') then 'unverified' when s.verification in ('infrastructure_failure') then 'unverified' when s.verification in ('unobserved') then 'unverified' when s.verification in ('skipped', 'pending') and s.verification_required then 'unverified' when s.verification in ('skipped', 'pending') and not s.verification_required then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'delivered' end else 'unverified' end else 'unverified' end as judgment) j
 cross join lateral (select case when j.judgment <> 'unverified' then null when s.lifecycle in ('done', 'merged') then case when s.verification in ('timed_out') then 'timed_out' when s.verification in ('infrastructure_failure') then 'infrastructure' when s.verification in ('unobserved') then 'no_result' when s.verification in ('skipped', 'pending') and s.verification_required then 'no_result' else 'no_result' end else 'no_result' end as reason) r;
  else
    return query
select s.tenant_id, s.subject_type, s.invocation_id, s.execution_id, s.outcome_id, s.source_type, s.source_id, s.source_version, s.domain, s.correlation_id, s.status,
       s.lifecycle, s.verification, s.verification_required as required, s.assessment, s.verification_id, j.judgment, r.reason,
       case when j.judgment = 'broken' then 'VFAIL' when r.reason = 'timed_out' then 'VTIMEOUT' when r.reason = 'infrastructure' then 'VINFRA' when r.reason = 'no_result' then 'VNORESULT' else null end as tag,
       case when j.judgment in ('verified', 'delivered') then 'proceed' when j.judgment in ('unverified') then 'warn' when j.judgment in ('broken') then 'refuse_override' when j.judgment in ('failed', 'stopped', 'skipped', 'in_progress') then 'refuse' else null end as gate,
       j.judgment in ('verified', 'delivered') as counts_as_success,
       j.judgment in ('verified', 'delivered', 'unverified', 'broken', 'failed', 'stopped', 'skipped') as in_success_base,
       j.judgment in ('verified', 'delivered', 'broken', 'failed') as in_agent_score,
       s.recorded_at, s.epoch, s.xid, s.seq
  from (
    select i.tenant_id, 'execution'::text, null::uuid as invocation_id, i.execution_id, null::uuid, 'workflow'::text, i.source_id, i.source_version, i.domain, i.correlation_id, null::text,
           case when w.awaiting then 'awaiting_input' when w.stalled then 'stalled'
                else coalesce((select e.lifecycle from public.lifecycle_events e where e.execution_id = i.execution_id and e.tenant_id = i.tenant_id order by e.epoch desc, e.seq desc limit 1), 'running') end,
           case when ledger_internal.verification_required(i.verify) then 'pending' else 'skipped' end, ledger_internal.verification_required(i.verify), null::text, null::uuid,
           i.recorded_at, i.epoch, i.xid, i.seq
      from ledger_internal.open_subjects('execution', id) w
      join public.workflow_executions i on i.execution_id = w.subject_id and i.tenant_id = w.tenant_id
  ) s (tenant_id, subject_type, invocation_id, execution_id, outcome_id, source_type, source_id, source_version, domain, correlation_id, status,
       lifecycle, verification, verification_required, assessment, verification_id, recorded_at, epoch, xid, seq)
 cross join lateral (select case when s.lifecycle in ('waiting', 'pending', 'running', 'awaiting_input', 'stalled') then 'in_progress' when s.lifecycle in ('failed') then 'failed' when s.lifecycle in ('stopped') then 'stopped' when s.lifecycle in ('skipped') then 'skipped' when s.lifecycle in ('done', 'merged') then case when s.verification in ('passed') then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'verified' end when s.verification in ('failed') then 'broken' when s.verification in ('timed_out') then 'unverified' when s.verification in ('infrastructure_failure') then 'unverified' when s.verification in ('unobserved') then 'unverified' when s.verification in ('skipped', 'pending') and s.verification_required then 'unverified' when s.verification in ('skipped', 'pending') and not s.verification_required then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'delivered' end else 'unverified' end else 'unverified' end as judgment) j
 cross join lateral (select case when j.judgment <> 'unverified' then null when s.lifecycle in ('done', 'merged') then case when s.verification in ('timed_out') then 'timed_out' when s.verification in ('infrastructure_failure') then 'infrastructure' when s.verification in ('unobserved') then 'no_result' when s.verification in ('skipped', 'pending') and s.verification_required then 'no_result' else 'no_result' end else 'no_result' end as reason) r;
  end if;
end
$$;
comment on function ledger_internal.open_judgment(text, uuid) is 'The judgment of one open invocation or execution, as outcome_judgments has it.';

create function ledger_internal.judgment_counts(of_type text default null, of_source text default null, of_version text default null, of_domain text default null, since timestamptz default null, until timestamptz default null)
returns table (tenant_id uuid, source_type text, source_id text, source_version text, domain text, outcomes bigint, verified bigint, delivered bigint, unverified bigint, broken bigint, failed bigint, stopped bigint, skipped bigint, in_progress bigint,
  successes bigint, success_base bigint, agent_score_base bigint, claimed bigint, contradicted bigint, hollow bigint, unanswered bigint, partial bigint, blocked bigint, skipped_claims bigint, escalated bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan set jit = off set work_mem = '64MB' set enable_sort = off as $$
begin
  return query
  with evidence as materialized (
    select e.outcome_id, e.tenant_id, max(e.verification) as verification, bool_or(e.verification_required) as verification_required, max(e.assessment) as assessment, bool_or(e.integrated) as integrated
      from (
        select * from (select distinct on (v.outcome_id, v.tenant_id, v.source_type) v.outcome_id, v.tenant_id, v.standing_verification as verification, v.verification_required, null::text as assessment, false as integrated from public.outcome_verifications v
         order by v.outcome_id desc, v.tenant_id desc, v.source_type desc, v.epoch desc, v.seq desc)
        union all
        select * from (select distinct on (v.outcome_id, v.tenant_id, v.source_type) v.outcome_id, v.tenant_id, null::text, null::boolean, v.assessment, false from public.delivery_assessments v
         order by v.outcome_id desc, v.tenant_id desc, v.source_type desc, v.epoch desc, v.seq desc)
        union all
        select v.outcome_id, v.tenant_id, null::text, null::boolean, null::text, true from public.outcome_integrations v) e
     group by 1, 2
  ), grouped as materialized (
    select f.tenant_id, f.source_type, f.source_id, f.source_version, f.domain, f.status, f.completion_reason, f.integrated, f.awaiting_until > statement_timestamp() as awaiting,
           f.verification, f.verification_required, f.assessment, count(*) as n
      from (
      select o.tenant_id, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.completion_reason, v.verification,
             coalesce(v.verification_required, o.verification_required) as verification_required, v.assessment, coalesce(v.integrated, false) as integrated,
             case when o.status = 'escalated' then (
             select q.expires_at from public.hitl_requests q
              where q.invocation_id = o.invocation_id and q.tenant_id = o.tenant_id
                and not exists (select from public.hitl_resolutions a where a.hitl_request_id = q.hitl_request_id and a.tenant_id = q.tenant_id)
                and not exists (select from public.hitl_requests n where n.invocation_id = q.invocation_id and n.tenant_id = q.tenant_id and (n.epoch, n.seq) > (q.epoch, q.seq))) end as awaiting_until, o.recorded_at
        from public.agent_invocation_outcomes o left join evidence v on v.outcome_id = o.outcome_id and v.tenant_id = o.tenant_id
    union all
      select o.tenant_id, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.completion_reason, v.verification,
             coalesce(v.verification_required, o.verification_required) as verification_required, v.assessment, coalesce(v.integrated, false) as integrated,
             case when o.status = 'escalated' then (
             select q.expires_at from public.hitl_requests q
              where q.execution_id = o.execution_id and q.tenant_id = o.tenant_id
                and not exists (select from public.hitl_resolutions a where a.hitl_request_id = q.hitl_request_id and a.tenant_id = q.tenant_id)
                and not exists (select from public.hitl_requests n where n.execution_id = q.execution_id and n.tenant_id = q.tenant_id and (n.epoch, n.seq) > (q.epoch, q.seq))) end as awaiting_until, o.recorded_at
        from public.workflow_outcomes o left join evidence v on v.outcome_id = o.outcome_id and v.tenant_id = o.tenant_id) f
     where (of_type is null or f.source_type = of_type) and (of_source is null or f.source_id = of_source) and (of_version is null or f.source_version = of_version)
       and (of_domain is null or f.domain = of_domain) and (since is null or f.recorded_at >= since) and (until is null or f.recorded_at < until)
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
  ), lived as materialized (
    select g.*, case when g.status in ('success', 'partial') and g.integrated then 'merged' when g.status in ('success', 'partial') then 'done' when g.completion_reason in ('canceled', 'interrupted') then 'stopped' when g.status in ('failure', 'timeout') then 'failed' when g.status in ('blocked', 'skipped') then 'skipped' when g.status in ('escalated') and g.awaiting then 'awaiting_input' when g.status in ('escalated') then 'stopped' else null end as lifecycle,
           coalesce(g.verification, case when g.verification_required then 'pending' else 'skipped' end) as said
      from grouped g
  ), judged as materialized (
    select s.*, case when s.lifecycle in ('waiting', 'pending', 'running', 'awaiting_input', 'stalled') then 'in_progress' when s.lifecycle in ('failed') then 'failed' when s.lifecycle in ('stopped') then 'stopped' when s.lifecycle in ('skipped') then 'skipped' when s.lifecycle in ('done', 'merged') then case when s.said in ('passed') then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'verified' end when s.said in ('failed') then 'broken' when s.said in ('timed_out') then 'unverified' when s.said in ('infrastructure_failure') then 'unverified' when s.said in ('unobserved') then 'unverified' when s.said in ('skipped', 'pending') and s.verification_required then 'unverified' when s.said in ('skipped', 'pending') and not s.verification_required then case when s.assessment in ('hollow', 'missing_deliverable') then 'failed' else 'delivered' end else 'unverified' end else 'unverified' end as judgment from lived s
  )
  select j.tenant_id, j.source_type, j.source_id, j.source_version, j.domain, sum(j.n)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'verified'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'delivered'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'unverified'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'broken'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'failed'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'stopped'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'skipped'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment = 'in_progress'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.judgment in ('verified', 'delivered')), 0)::bigint, coalesce(sum(j.n) filter (where j.judgment in ('verified', 'delivered', 'unverified', 'broken', 'failed', 'stopped', 'skipped')), 0)::bigint, coalesce(sum(j.n) filter (where j.judgment in ('verified', 'delivered', 'broken', 'failed')), 0)::bigint,
         coalesce(sum(j.n) filter (where j.status = 'success'), 0)::bigint, coalesce(sum(j.n) filter (where j.status = 'success' and j.judgment = 'broken'), 0)::bigint, coalesce(sum(j.n) filter (where j.status = 'success' and j.judgment = 'failed'), 0)::bigint,
         coalesce(sum(j.n) filter (where j.status = 'success' and j.judgment = 'unverified'), 0)::bigint, coalesce(sum(j.n) filter (where j.status = 'partial'), 0)::bigint, coalesce(sum(j.n) filter (where j.status = 'blocked'), 0)::bigint, coalesce(sum(j.n) filter (where j.status = 'skipped'), 0)::bigint, coalesce(sum(j.n) filter (where j.status = 'escalated'), 0)::bigint
    from judged j
   group by 1, 2, 3, 4, 5;
end
$$;
comment on function ledger_internal.judgment_counts(text, text, text, text, timestamptz, timestamptz) is 'How outcomes are judged, counted by source, version and domain, as far as the caller reads them. claimed: status success; contradicted: of those, what verification says no to.';

revoke all on public.outcome_judgments from public, anon, authenticated, service_role;
grant select on public.outcome_judgments to authenticated, service_role, ledger_auditor;
