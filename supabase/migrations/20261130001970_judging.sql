-- Chapter: recording evidence, passing the gate, reading judgments and counting them.

create function ledger_internal.judgment_read(j public.outcome_judgments) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('subject_type', j.subject_type, 'invocation_id', j.invocation_id, 'execution_id', j.execution_id, 'outcome_id', j.outcome_id,
    'source', jsonb_build_object('type', j.source_type, 'id', j.source_id, 'version', j.source_version, 'domain', j.domain), 'correlation_id', j.correlation_id,
    'status', j.status, 'lifecycle', j.lifecycle, 'verification', j.verification, 'required', j.required, 'assessment', j.assessment, 'judgment', j.judgment,
    'reason', j.reason, 'tag', j.tag, 'gate', j.gate, 'counts_as_success', j.counts_as_success, 'in_success_base', j.in_success_base,
    'in_agent_score', j.in_agent_score, 'recorded_at', ledger_internal.rfc3339(j.recorded_at));
end
$$;
comment on function ledger_internal.judgment_read(public.outcome_judgments) is 'A judgment as callers read it.';

create function ledger_internal.judgment_of_subject(kind text, id uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  ended uuid;
begin
  if kind = 'invocation' then
    select o.outcome_id into ended from public.agent_invocation_outcomes o where o.invocation_id = id and o.tenant_id = tenant;
  else
    select o.outcome_id into ended from public.workflow_outcomes o where o.execution_id = id and o.tenant_id = tenant;
  end if;
  if ended is not null then
    return ledger_internal.judgment_of_outcome(ended);
  end if;
  return (select ledger_internal.judgment_read(j) from ledger_internal.open_judgment(kind, id) j where j.tenant_id = tenant);
end
$$;
comment on function ledger_internal.judgment_of_subject(text, uuid) is 'The judgment of an invocation or an execution of the caller''s tenant, or null.';

create function ledger_internal.judgment_of_outcome(id uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (select ledger_internal.judgment_read(j) from public.outcome_judgments j where j.outcome_id = id and j.tenant_id = ledger_internal.tenant_id());
end
$$;
comment on function ledger_internal.judgment_of_outcome(uuid) is 'The judgment of an outcome of the caller''s tenant, or null.';

create function ledger_internal.evidence_of(outcome uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
begin
  return jsonb_build_object(
    'verifications', (select coalesce(jsonb_agg(ledger_internal.verification_read(v) order by v.epoch, v.seq), '[]') from (
      select * from public.outcome_verifications l where l.outcome_id = outcome and l.tenant_id = tenant order by l.epoch desc, l.seq desc limit 100) v),
    'verifications_total', (select count(*) from public.outcome_verifications v where v.outcome_id = outcome and v.tenant_id = tenant),
    'assessments', (select coalesce(jsonb_agg(ledger_internal.delivery_read(d) order by d.epoch, d.seq), '[]') from (
      select * from public.delivery_assessments l where l.outcome_id = outcome and l.tenant_id = tenant order by l.epoch desc, l.seq desc limit 100) d),
    'assessments_total', (select count(*) from public.delivery_assessments d where d.outcome_id = outcome and d.tenant_id = tenant),
    'integration', (select ledger_internal.integration_read(i) from public.outcome_integrations i where i.outcome_id = outcome and i.tenant_id = tenant));
end
$$;
comment on function ledger_internal.evidence_of(uuid) is 'The latest evidence about an outcome of the caller''s tenant, at most 100 of a kind, oldest first, and how much there is.';

create function ledger_internal.verification_read(r public.outcome_verifications) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.verification_document(r) || jsonb_build_object('verification_required', r.verification_required, 'recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;
comment on function ledger_internal.verification_read(public.outcome_verifications) is 'A verification as callers read it.';

create function ledger_internal.delivery_read(r public.delivery_assessments) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('assessment_id', r.assessment_id, 'outcome_id', r.outcome_id, 'assessment', r.assessment, 'reason', r.reason,
    'recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;
comment on function ledger_internal.delivery_read(public.delivery_assessments) is 'A delivery assessment as callers read it.';

create function ledger_internal.integration_read(r public.outcome_integrations) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('outcome_id', r.outcome_id, 'reference', r.reference, 'gate_flag', r.gate_flag, 'gate_reason', r.gate_reason,
    'recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;
comment on function ledger_internal.integration_read(public.outcome_integrations) is 'An integration as callers read it.';

create function ledger_internal.lifecycle_read(r public.lifecycle_events) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('lifecycle_event_id', r.lifecycle_event_id, 'invocation_id', r.invocation_id, 'execution_id', r.execution_id, 'lifecycle', r.lifecycle,
    'reason', r.reason, 'recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;
comment on function ledger_internal.lifecycle_read(public.lifecycle_events) is 'A lifecycle event as callers read it.';

-- All locks of one piece of evidence before the look for a twin: its own key, and the subject of its outcome.
create function ledger_internal.lock_evidence(id text, outcome text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
begin
  perform ledger_internal.lock_subjects(tenant, array['evidence/' || id,
    (select o.subject_id::text from ledger_internal.outcomes o where o.outcome_id = ledger_internal.uuid_or_null(outcome) and o.tenant_id = tenant)], '{}');
end
$$;
comment on function ledger_internal.lock_evidence(text, text) is 'Locks the natural key of one piece of evidence, and the subject of the outcome it is about.';

create function public.record_verification(verification jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  request jsonb;
  id uuid;
  process jsonb;
  kept public.outcome_verifications;
begin
  if ledger_internal.verification_ok(verification) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.verification_violations(verification));
  end if;
  request := ledger_internal.without_nulls(verification);
  process := request -> 'process';
  id := coalesce((request ->> 'verification_id')::uuid, gen_random_uuid());
  perform ledger_internal.lock_evidence(id::text, request ->> 'outcome_id');
  select * into kept from public.outcome_verifications v where v.verification_id = id and v.tenant_id = ledger_internal.tenant_id();
  if found then
    return case when kept.request_digest = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.verification_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.verification_read(kept), 'evidence_conflict') end;
  end if;
  perform ledger_internal.say_digest(ledger_internal.digest(request));
  insert into public.outcome_verifications as v (verification_id, outcome_id, verification, started, timed_out, system_fault, signal, exit_code, command, duration_ms,
    output_sha256, output_bytes, output_excerpt, resolved_verify)
  values (id, (request ->> 'outcome_id')::uuid, request ->> 'verification', (process ->> 'started')::boolean, (process ->> 'timed_out')::boolean, (process ->> 'system_fault')::boolean,
    process ->> 'signal', (process ->> 'exit_code')::bigint, request ->> 'command', (request ->> 'duration_ms')::bigint, request ->> 'output_sha256',
    (request ->> 'output_bytes')::bigint, request ->> 'output_excerpt', request ->> 'resolved_verify')
  returning * into kept;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.verification_read(kept));
end
$$;
comment on function public.record_verification(jsonb) is 'Records what a verification said of an outcome. With a verification_id a retry is a replay.';

create function public.assess_delivery(assessment jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  request jsonb;
  id uuid;
  kept public.delivery_assessments;
begin
  if ledger_internal.delivery_assessment_ok(assessment) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.delivery_assessment_violations(assessment));
  end if;
  request := ledger_internal.without_nulls(assessment);
  id := coalesce((request ->> 'assessment_id')::uuid, gen_random_uuid());
  perform ledger_internal.lock_evidence(id::text, request ->> 'outcome_id');
  select * into kept from public.delivery_assessments d where d.assessment_id = id and d.tenant_id = ledger_internal.tenant_id();
  if found then
    return case when kept.request_digest = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.delivery_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.delivery_read(kept), 'evidence_conflict') end;
  end if;
  perform ledger_internal.say_digest(ledger_internal.digest(request));
  insert into public.delivery_assessments as d (assessment_id, outcome_id, assessment, reason)
  values (id, (request ->> 'outcome_id')::uuid, request ->> 'assessment', request ->> 'reason')
  returning * into kept;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.delivery_read(kept));
end
$$;
comment on function public.assess_delivery(jsonb) is 'Records what a run was seen to deliver. With an assessment_id a retry is a replay.';

create function public.record_lifecycle(event jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  request jsonb;
  id uuid;
  kept public.lifecycle_events;
begin
  if ledger_internal.lifecycle_event_ok(event) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.lifecycle_event_violations(event));
  end if;
  request := ledger_internal.without_nulls(event);
  id := coalesce((request ->> 'lifecycle_event_id')::uuid, gen_random_uuid());
  perform ledger_internal.lock_subjects(ledger_internal.require_tenant(), array['evidence/' || id, coalesce(request ->> 'invocation_id', request ->> 'execution_id')], '{}');
  select * into kept from public.lifecycle_events e where e.lifecycle_event_id = id and e.tenant_id = ledger_internal.tenant_id();
  if found then
    return case when kept.request_digest = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.lifecycle_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.lifecycle_read(kept), 'evidence_conflict') end;
  end if;
  perform ledger_internal.say_digest(ledger_internal.digest(request));
  insert into public.lifecycle_events as e (lifecycle_event_id, invocation_id, execution_id, lifecycle, reason)
  values (id, (request ->> 'invocation_id')::uuid, (request ->> 'execution_id')::uuid, request ->> 'lifecycle', request ->> 'reason')
  returning * into kept;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.lifecycle_read(kept));
end
$$;
comment on function public.record_lifecycle(jsonb) is 'Records what an open run is doing: waiting, pending or running. With a lifecycle_event_id a retry is a replay.';

-- Called under the subject's lock, so that evidence is either seen here or comes after.
create function ledger_internal.gate_of(found_judgment jsonb, flags jsonb, ledger_role text, own boolean, path text, out flag text, out refusal jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  gate constant text := found_judgment ->> 'gate';
  said constant text := concat_ws(': ', found_judgment ->> 'judgment', found_judgment ->> 'reason');
begin
  if gate = 'proceed' then
    return;
  end if;
  flag := ledger_internal.gate_flag(gate);
  if flag is null or flags ->> flag is null then
    refusal := jsonb_build_object('path', path, 'rule', 'gate', 'message',
      format('is judged %s%s', said, case when flag is null then ', and no flag lets that pass' else format(': needs %s with a reason', flag) end));
    return;
  end if;
  if not ledger_internal.may_pass_gate(flag, ledger_role) or own then
    perform ledger_internal.refuse('not_permitted', case when own then format('Nobody passes a gate with %s for its own work.', flag) else format('Role %s may not pass a gate with %s.', coalesce(ledger_role, 'none'), flag) end);
  end if;
end
$$;
comment on function ledger_internal.gate_of(jsonb, jsonb, text, boolean, text) is 'What the gate does with a judgment: nothing, the flag it is passed with, or why it stays shut. Refuses a flag that the role may not use.';

create function ledger_internal.require_gate(tenant uuid, outcome uuid, flags jsonb, ledger_role text, path text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  judged public.outcome_judgments;
  passed record;
begin
  select * into judged from public.outcome_judgments j where j.outcome_id = outcome and j.tenant_id is not distinct from tenant;
  passed := ledger_internal.gate_of(ledger_internal.judgment_read(judged), flags, ledger_role, false, path);
  if passed.refusal is not null then
    perform ledger_internal.refuse('gate_refused', null, jsonb_build_array(passed.refusal));
  end if;
  return passed.flag;
end
$$;
comment on function ledger_internal.require_gate(uuid, uuid, jsonb, text, text) is 'Holds an outcome against the gate; returns the flag that opened it, or null.';

-- An integration is asked for with reasons for both flags; the gate says which of them it took.
create function public.record_integration(integration jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  wanted text;
  kept public.outcome_integrations;
begin
  if ledger_internal.integration_ok(integration) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.integration_violations(integration));
  end if;
  request := ledger_internal.without_nulls(integration);
  perform ledger_internal.lock_evidence(null, request ->> 'outcome_id');
  select * into kept from public.outcome_integrations i where i.outcome_id = (request ->> 'outcome_id')::uuid and i.tenant_id = tenant;
  if found then
    return case when kept.request_digest = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.integration_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.integration_read(kept), 'evidence_conflict') end;
  end if;
  wanted := ledger_internal.gate_flag(ledger_internal.judgment_of_outcome((request ->> 'outcome_id')::uuid) ->> 'gate');
  perform ledger_internal.say_digest(ledger_internal.digest(request));
  insert into public.outcome_integrations as i (outcome_id, reference, gate_flag, gate_reason)
  values ((request ->> 'outcome_id')::uuid, request ->> 'reference', case when request ? wanted then wanted end, request ->> wanted)
  returning * into kept;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.integration_read(kept));
end
$$;
comment on function public.record_integration(jsonb) is 'Records that what an outcome delivered was merged, if the gate lets it; once an outcome.';

-- The subjects that ids name: outcomes, invocations or executions of the caller's tenant.
create function ledger_internal.find_judged(id uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(ledger_internal.judgment_of_outcome(id), ledger_internal.judgment_of_subject('invocation', id), ledger_internal.judgment_of_subject('execution', id));
end
$$;
comment on function ledger_internal.find_judged(uuid) is 'The judgment that an outcome, an invocation or an execution has, or null.';

-- Everything is asked again in the ledger's own right: whoever calls this by itself passes the gate, or is refused as there.
create function ledger_internal.announce_gate(outcome uuid, flags jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  judged public.outcome_judgments;
  passed record;
begin
  if ledger_internal.gate_ok(flags || jsonb_build_object('ids', jsonb_build_array(outcome))) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.gate_violations(flags || jsonb_build_object('ids', jsonb_build_array(outcome))));
  end if;
  select * into judged from public.outcome_judgments j where j.outcome_id = outcome and j.tenant_id is not distinct from caller.tenant_id;
  if not found then
    perform ledger_internal.refuse('unknown_outcome');
  end if;
  passed := ledger_internal.gate_of(ledger_internal.judgment_read(judged), flags, caller.ledger_role, judged.source_id = caller.actor_id, '/ids/0');
  if passed.refusal is not null then
    perform ledger_internal.refuse('gate_refused', null, jsonb_build_array(passed.refusal));
  end if;
  if passed.flag is not null then
    perform ledger_internal.announce(caller.tenant_id, 'os.gate.passed', judged.source_id, judged.correlation_id, outcome::text, outcome,
      jsonb_build_object('outcome_id', outcome, 'correlation_id', judged.correlation_id, 'gate_flag', passed.flag, 'gate_reason', flags ->> passed.flag), caller.actor_id);
  end if;
end
$$;
comment on function ledger_internal.announce_gate(uuid, jsonb) is 'Records that an outcome passed the gate with a flag: who, when, why. Refuses as the gate does.';

create function public.pass_gate(request jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  item record;
  judged jsonb;
  passed record;
  refusals jsonb := '[]';
  items jsonb := '[]';
begin
  perform ledger_internal.require_tenant();
  if ledger_internal.gate_ok(request) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.gate_violations(request));
  end if;
  -- Evidence that is being written is either seen or comes after.
  perform ledger_internal.lock_subjects(caller.tenant_id,
    (select array_agg(coalesce(j ->> 'invocation_id', j ->> 'execution_id')) from jsonb_array_elements_text(request -> 'ids') w (id) cross join lateral (select ledger_internal.find_judged(w.id::uuid) as j) f), '{}');
  for item in select w.id::uuid as id, w.position - 1 as position from jsonb_array_elements_text(request -> 'ids') with ordinality w (id, position) order by w.position loop
    judged := ledger_internal.find_judged(item.id);
    if judged is null then
      perform ledger_internal.refuse('unknown_subject', null, jsonb_build_array(jsonb_build_object('path', '/ids/' || item.position, 'rule', 'exists', 'message', 'must be an outcome, an invocation or an execution of this tenant')));
    end if;
    passed := ledger_internal.gate_of(judged, request, caller.ledger_role, judged #>> '{source,id}' = caller.actor_id, '/ids/' || item.position);
    if passed.refusal is not null then
      refusals := refusals || passed.refusal;
    end if;
    items := items || jsonb_build_object('id', item.id, 'outcome_id', judged -> 'outcome_id', 'lifecycle', judged -> 'lifecycle', 'verification', judged -> 'verification',
      'judgment', judged -> 'judgment', 'reason', judged -> 'reason', 'tag', judged -> 'tag', 'gate', judged -> 'gate', 'gate_flag', passed.flag,
      'gate_reason', case when passed.flag is not null then request ->> passed.flag end);
  end loop;
  if refusals <> '[]' then
    perform ledger_internal.refuse('gate_refused', null, refusals);
  end if;
  for item in select distinct (i.value ->> 'outcome_id')::uuid as outcome_id from jsonb_array_elements(items) i where i.value ->> 'gate_flag' is not null loop
    perform ledger_internal.announce_gate(item.outcome_id, request - 'ids');
  end loop;
  return jsonb_build_object('items', items);
end
$$;
comment on function public.pass_gate(jsonb) is 'Asks the gate about outcomes: {ids, allow_unverified?, override_broken?}. All pass, or gate_refused; a flag that was needed is recorded as an os.gate.passed event.';

create function public.get_judgment(id uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  judged constant jsonb := ledger_internal.find_judged(id);
begin
  return judged || ledger_internal.evidence_of((judged ->> 'outcome_id')::uuid);
end
$$;
comment on function public.get_judgment(uuid) is 'The judgment of an outcome, or of an invocation or execution whether it has ended or not, with all evidence; or null.';

-- Both kinds of start as one relation, so that a list of judgments has one row for each subject, ended or open.
create view ledger_internal.starts with (security_invoker = on) as
select i.tenant_id, 'invocation'::text as subject_type, i.invocation_id as subject_id, i.source_type, i.source_id, i.source_version, i.domain, i.correlation_id, i.epoch, i.xid, i.seq, i.recorded_at
  from public.agent_invocations i
union all
select x.tenant_id, 'execution'::text, x.execution_id, x.source_type, x.source_id, x.source_version, x.domain, x.correlation_id, x.epoch, x.xid, x.seq, x.recorded_at
  from public.workflow_executions x;
revoke all on ledger_internal.starts from public, anon, authenticated, service_role;
grant select on ledger_internal.starts to authenticated;
comment on view ledger_internal.starts is 'Starts of invocations and of executions as one relation.';

create function ledger_internal.judgment_item(s ledger_internal.starts) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.judgment_of_subject(s.subject_type, s.subject_id);
end
$$;
comment on function ledger_internal.judgment_item(ledger_internal.starts) is 'A start''s judgment as callers read it.';

create function public.list_judgments(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  condition text := 'true';
  wanted jsonb := '{}';
  word text;
begin
  if jsonb_typeof(coalesce(filter, '{}')) <> 'object' then
    perform ledger_internal.refuse_query('', 'must be an object of parameters');
  end if;
  foreach word in array array['judgment', 'lifecycle', 'verification'] loop
    if filter ->> word is not null then
      if jsonb_typeof(filter -> word) <> 'string' or not ledger_internal.judged_word_known(word, filter ->> word) then
        perform ledger_internal.refuse_query(word, 'must be one of the words of the success contract');
      end if;
      wanted := wanted || jsonb_build_object(word, filter -> word);
    end if;
  end loop;
  if wanted <> '{}' then
    condition := format('ledger_internal.judgment_item(r) @> %L::jsonb', wanted);
  end if;
  return ledger_internal.page('ledger_internal.starts', 'ledger_internal.judgment_item', filter - array['judgment', 'lifecycle', 'verification'],
    '{"correlation_id": "correlation_id", "source_type": "source_type", "source_id": "source_id", "source_version": "source_version", "domain": "domain"}', condition,
    -- A judgment stands in no index: a page looks at so many, and may be short though there are more.
    case when condition <> 'true' then 500 end);
end
$$;
comment on function public.list_judgments(jsonb) is 'Judgments of the tenant''s subjects, ended and open, by correlation_id, source_type, source_id, source_version, domain, judgment, lifecycle, verification, and from, to of the start; {items, next_cursor}.';

-- Wilson's interval for a proportion, at 95 % (Wilson 1927): it stays within 0 and 1 and says something of small numbers.
create function ledger_internal.wilson(successes bigint, trials bigint) returns jsonb
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  z constant double precision := 1.959963984540054;
  n constant double precision := trials;
  p double precision;
  middle double precision;
  half double precision;
begin
  if trials = 0 then
    return null;
  end if;
  p := successes / n;
  middle := (p + z * z / (2 * n)) / (1 + z * z / n);
  half := z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return jsonb_build_object('low', round(greatest(0, middle - half)::numeric, 4), 'high', round(least(1, middle + half)::numeric, 4));
end
$$;
comment on function ledger_internal.wilson(bigint, bigint) is 'Wilson''s 95 % interval of successes among trials: {low, high}; null when there were none.';

create function ledger_internal.share(part bigint, whole bigint) returns numeric
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return round(part::numeric / nullif(whole, 0), 4);
end
$$;
comment on function ledger_internal.share(bigint, bigint) is 'A share from 0 to 1; null of nothing.';

create function public.judgment_statistics(filter jsonb default '{}') returns jsonb
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
    if parameter not in ('source_type', 'source_id', 'source_version', 'domain', 'from', 'to') then
      perform ledger_internal.refuse_query(parameter, 'is not a parameter of these statistics');
    end if;
    if parameter in ('from', 'to') and not ledger_internal.time_ok(wanted ->> parameter) then
      perform ledger_internal.refuse_query(parameter, 'must be an RFC 3339 time in UTC');
    end if;
  end loop;
  return (
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
        'source', jsonb_build_object('type', c.source_type, 'id', c.source_id, 'version', c.source_version, 'domain', c.domain), 'outcomes', c.outcomes,
        'judgments', jsonb_build_object('verified', c.verified, 'delivered', c.delivered, 'unverified', c.unverified, 'broken', c.broken, 'failed', c.failed, 'stopped', c.stopped,
          'skipped', c.skipped, 'in_progress', c.in_progress),
        'success_base', c.success_base, 'successes', c.successes, 'success_rate', ledger_internal.share(c.successes, c.success_base), 'success_interval', ledger_internal.wilson(c.successes, c.success_base),
        'agent_score_base', c.agent_score_base, 'agent_score', ledger_internal.share(c.successes, c.agent_score_base), 'agent_score_interval', ledger_internal.wilson(c.successes, c.agent_score_base),
        'claims', jsonb_build_object('success', c.claimed, 'contradicted', c.contradicted, 'hollow', c.hollow, 'unverified', c.unanswered),
        'shares', jsonb_build_object('partial', ledger_internal.share(c.partial, c.outcomes), 'blocked', ledger_internal.share(c.blocked, c.outcomes),
          'skipped', ledger_internal.share(c.skipped_claims, c.outcomes), 'escalated', ledger_internal.share(c.escalated, c.outcomes)))
        order by c.source_type, c.source_id, c.source_version, c.domain), '[]'))
      from ledger_internal.judgment_counts(wanted ->> 'source_type', wanted ->> 'source_id', wanted ->> 'source_version', wanted ->> 'domain',
             ledger_internal.moment(wanted ->> 'from'), ledger_internal.moment(wanted ->> 'to')) c
     where c.tenant_id = tenant);
end
$$;
comment on function public.judgment_statistics(jsonb) is 'How outcomes are judged by source, version and domain, of a span of time: counts, success rate and agent score with Wilson intervals, claims beside judgments; {items}.';
