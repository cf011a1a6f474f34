-- Chapter: outcomes the ledger writes itself: of the HITL gateway, of recovery, of a cancel. They come from functions that
-- run as the owner and took the subject's locks; accept, which judges a caller, lets the owner's rows pass.

create type ledger_internal.own_outcome as (
  subject           ledger_internal.subject,
  envelope          jsonb,
  origin            text,
  completion_reason text,
  recorded_by       text
);
comment on type ledger_internal.own_outcome is 'An outcome the ledger writes itself: its subject, its envelope without id, where it comes from and who stands behind it.';

-- What an outcome of this subject refers to, as far as it is visible now.
create function ledger_internal.referred_subjects(subject ledger_internal.subject) returns text[]
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return array[
    subject.within::text,
    subject.causation_id,
    (select e.invocation_id::text from public.os_events e where e.event_id = subject.causation_id and e.tenant_id is not distinct from subject.tenant_id),
    case subject.subject_type
      when 'invocation' then (select d.guard_invocation_id::text from public.policy_decisions d where d.invocation_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id)
      else (select d.guard_invocation_id::text from public.policy_decisions d where d.execution_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id)
    end];
end
$$;
comment on function ledger_internal.referred_subjects(ledger_internal.subject) is 'Ids an outcome of this subject refers to, as far as they are visible now.';

-- A second look, under the subject's lock, sees the decision and the event that committed while the first waited; its locks
-- are re-entrant.
create function ledger_internal.lock_outcome(subject ledger_internal.subject, out decided public.policy_decisions) returns public.policy_decisions
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  perform ledger_internal.lock_subjects(subject.tenant_id, array[subject.subject_id::text], ledger_internal.referred_subjects(subject));
  perform ledger_internal.lock_subjects(subject.tenant_id, array[subject.subject_id::text], ledger_internal.referred_subjects(subject));
  if subject.subject_type = 'invocation' then
    select * into decided from public.policy_decisions d where d.invocation_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id;
  else
    select * into decided from public.policy_decisions d where d.execution_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id;
  end if;
end
$$;
comment on function ledger_internal.lock_outcome(ledger_internal.subject) is 'The locks of one outcome: exclusive on its subject, shared on all it refers to. Returns the decision about the subject, read under them.';

-- What accept lets pass is the owner's, so these hold the owner as well: no result of a stricter class without a decision.
alter table public.agent_invocation_outcomes add constraint agent_invocation_outcomes_governed
  check (status not in ('success', 'partial') or governance_class = 'autonomous' or decision is not null);
alter table public.workflow_outcomes add constraint workflow_outcomes_governed
  check (status not in ('success', 'partial') or governance_class = 'autonomous' or decision is not null);

-- The rules hold here too: a fault of the ledger's own must not become a record.
create function ledger_internal.require_own_envelopes(own ledger_internal.own_outcome[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  wrong jsonb;
begin
  select ledger_internal.envelope_violations(o.envelope) into wrong from unnest(own) o where not ledger_internal.envelope_ok(o.envelope) limit 1;
  if found then
    perform ledger_internal.refuse('envelope_invalid', null, wrong);
  end if;
end
$$;
comment on function ledger_internal.require_own_envelopes(ledger_internal.own_outcome[]) is 'Refuses envelopes that break the contract.';

create function ledger_internal.write_own_outcomes(own ledger_internal.own_outcome[]) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  current constant integer := ledger_internal.current_epoch();
  agents integer := 0;
  workflows integer := 0;
begin
  perform ledger_internal.require_own_envelopes(own);
  if exists (select from unnest(own) o where (o.subject).subject_type = 'invocation') then
    insert into public.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, outcome_envelope, status, correlation_id, causation_id, source_id, source_version, domain,
      governance_class, execution_id, decision, escalation_target, started_at, completed_at, duration_ms, timing_drift_ms, verification_required, origin, completion_reason, seq, epoch, xid, recorded_at, recorded_by)
    select (o.subject).tenant_id, (o.subject).subject_id, m.id, e.envelope || jsonb_build_object('outcome_id', m.id), e.envelope ->> 'status', (o.subject).correlation_id,
           (o.subject).causation_id, (o.subject).source_id, (o.subject).source_version, (o.subject).domain, (o.subject).governance_class, (o.subject).within,
           e.envelope #>> '{policy,decision}', e.envelope #>> '{escalation,escalation_target}', t.started_at, t.completed_at, t.duration_ms,
           t.duration_ms - floor(extract(epoch from t.completed_at - t.started_at) * 1000),
           ledger_internal.verification_required((select i.verify from public.agent_invocations i where i.invocation_id = (o.subject).subject_id and i.tenant_id is not distinct from (o.subject).tenant_id)),
           o.origin, o.completion_reason,
           nextval('ledger_internal.feed_seq'), current, pg_current_xact_id(), clock_timestamp(), o.recorded_by
      from unnest(own) o
     cross join lateral (select ledger_internal.normalise_envelope(o.envelope) as envelope, ledger_internal.mint_outcome_id() as id offset 0) m
     cross join lateral (select m.envelope offset 0) e
     cross join lateral (select ledger_internal.moment(e.envelope #>> '{timing,started_at}') as started_at, ledger_internal.moment(e.envelope #>> '{timing,completed_at}') as completed_at,
                                (e.envelope #> '{timing,duration_ms}')::bigint as duration_ms offset 0) t
     where (o.subject).subject_type = 'invocation';
    get diagnostics agents = row_count;
  end if;
  if exists (select from unnest(own) o where (o.subject).subject_type = 'execution') then
    insert into public.workflow_outcomes (tenant_id, execution_id, outcome_id, outcome_envelope, status, correlation_id, causation_id, source_id, source_version, domain,
      governance_class, parent_execution_id, decision, escalation_target, started_at, completed_at, duration_ms, timing_drift_ms, verification_required, origin, completion_reason, seq, epoch, xid, recorded_at, recorded_by)
    select (o.subject).tenant_id, (o.subject).subject_id, m.id, e.envelope || jsonb_build_object('outcome_id', m.id), e.envelope ->> 'status', (o.subject).correlation_id,
           (o.subject).causation_id, (o.subject).source_id, (o.subject).source_version, (o.subject).domain, (o.subject).governance_class, (o.subject).within,
           e.envelope #>> '{policy,decision}', e.envelope #>> '{escalation,escalation_target}', t.started_at, t.completed_at, t.duration_ms,
           t.duration_ms - floor(extract(epoch from t.completed_at - t.started_at) * 1000),
           ledger_internal.verification_required((select x.verify from public.workflow_executions x where x.execution_id = (o.subject).subject_id and x.tenant_id is not distinct from (o.subject).tenant_id)),
           o.origin, o.completion_reason,
           nextval('ledger_internal.feed_seq'), current, pg_current_xact_id(), clock_timestamp(), o.recorded_by
      from unnest(own) o
     cross join lateral (select ledger_internal.normalise_envelope(o.envelope) as envelope, ledger_internal.mint_outcome_id() as id offset 0) m
     cross join lateral (select m.envelope offset 0) e
     cross join lateral (select ledger_internal.moment(e.envelope #>> '{timing,started_at}') as started_at, ledger_internal.moment(e.envelope #>> '{timing,completed_at}') as completed_at,
                                (e.envelope #> '{timing,duration_ms}')::bigint as duration_ms offset 0) t
     where (o.subject).subject_type = 'execution';
    get diagnostics workflows = row_count;
  end if;
  return agents + workflows;
end
$$;
comment on function ledger_internal.write_own_outcomes(ledger_internal.own_outcome[]) is 'Writes outcomes on the ledger''s own account, all in one statement a table; their callers hold the subjects'' locks. Returns how many.';

-- The policy member of an envelope the ledger writes: the recorded decision, as everyone must repeat it.
create function ledger_internal.policy_member(d public.policy_decisions) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return case when d.decision_id is not null then jsonb_build_object('decision', d.decision, 'policy_rule_triggered', d.policy_rule_triggered, 'risk_score', d.risk_score,
    'requires_hitl', d.requires_hitl, 'evaluated_at', d.evaluated_at) end;
end
$$;
comment on function ledger_internal.policy_member(public.policy_decisions) is 'A decision as an envelope''s policy member, or null.';

create function ledger_internal.own_envelope(subject ledger_internal.subject, status text, result jsonb, errors jsonb, policy jsonb, started_at timestamptz, completed_at timestamptz) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('outcome_version', '1.0', 'status', status, 'correlation_id', subject.correlation_id, 'causation_id', subject.causation_id,
    'source', jsonb_build_object('type', subject.source_type, 'id', subject.source_id, 'version', subject.source_version, 'domain', subject.domain),
    'result', result, 'quality', null, 'errors', errors, 'escalation', null, 'policy', policy,
    'timing', jsonb_build_object('started_at', ledger_internal.rfc3339(started_at), 'completed_at', ledger_internal.rfc3339(greatest(started_at, completed_at)),
      'duration_ms', greatest(0, floor(extract(epoch from completed_at - started_at) * 1000))::bigint),
    'execution_context', case when subject.execution_pattern is not null then jsonb_build_object('execution_pattern', subject.execution_pattern) end);
end
$$;
comment on function ledger_internal.own_envelope(ledger_internal.subject, text, jsonb, jsonb, jsonb, timestamptz, timestamptz) is 'The envelope of an outcome the ledger writes itself.';
