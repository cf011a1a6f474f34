-- Chapter: policy sets as callers store and read them, and the decision of the ledger's own guard.

create function ledger_internal.policy_set_read(s public.policy_sets) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.policy_set_document(s) || jsonb_build_object('content_hash', s.content_hash,
    'recorded_at', ledger_internal.rfc3339(s.recorded_at), 'recorded_by', s.recorded_by);
end
$$;
comment on function ledger_internal.policy_set_read(public.policy_sets) is 'A policy set as callers read it.';

create function public.put_policy_set(policy_set jsonb, checked_hash text) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  digest text;
  kept public.policy_sets;
begin
  if ledger_internal.policy_set_ok(policy_set) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.policy_set_violations(policy_set));
  end if;
  request := jsonb_build_object('mask', '[]'::jsonb) || ledger_internal.without_nulls(policy_set);
  digest := ledger_internal.digest(request);
  perform ledger_internal.lock_subjects(tenant, array['policy_set/' || (request ->> 'version')], '{}');
  select * into kept from public.policy_sets s where s.version = request ->> 'version' and s.tenant_id = tenant;
  if found then
    return case when ledger_internal.digest(ledger_internal.policy_set_document(kept)) = digest then ledger_internal.answer('replayed', ledger_internal.policy_set_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.policy_set_read(kept), 'policy_set_conflict') end;
  end if;
  perform ledger_internal.say_digest(digest);
  insert into public.policy_sets as s (version, policies, schema, mask, note, checked_hash)
  values (request ->> 'version', request ->> 'policies', request ->> 'schema', request -> 'mask', request ->> 'note', put_policy_set.checked_hash)
  returning * into kept;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.policy_set_read(kept));
end
$$;
comment on function public.put_policy_set(jsonb, text) is 'Stores one version of the tenant''s policies, once the policy function has parsed and validated it (checked_hash). The newest version stored is in force.';

create function public.get_policy_set(version text default null) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  kept public.policy_sets;
begin
  if get_policy_set.version is null then
    select * into kept from public.policy_sets s where s.tenant_id = tenant order by s.epoch desc, s.xid desc, s.seq desc limit 1;
  else
    select * into kept from public.policy_sets s where s.version = get_policy_set.version and s.tenant_id = tenant;
  end if;
  return case when found then ledger_internal.policy_set_read(kept) end;
end
$$;
comment on function public.get_policy_set(text) is 'One version of the tenant''s policies, or the one in force; null when there is none.';

create function public.list_policy_sets(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.page('public.policy_sets', 'ledger_internal.policy_set_read', filter, '{}');
end
$$;
comment on function public.list_policy_sets(jsonb) is 'Policy sets of the tenant, from, to; {items, next_cursor}.';

-- What an evaluation needs to know of its subject, before anything is decided.
create function public.policy_subject(subject jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  kind constant text := case when subject ->> 'invocation_id' is not null then 'invocation' else 'execution' end;
  id constant uuid := ledger_internal.uuid_or_null(coalesce(subject ->> 'invocation_id', subject ->> 'execution_id'));
  asked ledger_internal.subject;
  kept public.policy_decisions;
begin
  if kind = 'invocation' then
    select i.tenant_id, 'invocation', i.invocation_id, i.source_type, i.source_id, i.source_version, i.domain, i.governance_class, i.correlation_id, i.causation_id
      into asked.tenant_id, asked.subject_type, asked.subject_id, asked.source_type, asked.source_id, asked.source_version, asked.domain, asked.governance_class, asked.correlation_id, asked.causation_id
      from public.agent_invocations i where i.invocation_id = id and i.tenant_id = tenant;
  else
    select e.tenant_id, 'execution', e.execution_id, e.source_type, e.source_id, e.source_version, e.domain, e.governance_class, e.correlation_id, e.causation_id
      into asked.tenant_id, asked.subject_type, asked.subject_id, asked.source_type, asked.source_id, asked.source_version, asked.domain, asked.governance_class, asked.correlation_id, asked.causation_id
      from public.workflow_executions e where e.execution_id = id and e.tenant_id = tenant;
  end if;
  if asked.subject_id is null then
    perform ledger_internal.refuse('unknown_' || kind);
  end if;
  select * into kept from public.policy_decisions d
   where d.tenant_id = tenant and case kind when 'invocation' then d.invocation_id = id else d.execution_id = id end;
  return jsonb_build_object('subject_type', kind, 'subject_id', id,
    'source', jsonb_build_object('type', asked.source_type, 'id', asked.source_id, 'version', asked.source_version, 'domain', asked.domain),
    'governance_class', asked.governance_class, 'correlation_id', asked.correlation_id, 'causation_id', asked.causation_id,
    'decision', case when kept.decision_id is not null then ledger_internal.decision_read(kept) end,
    'policy_set', (select jsonb_build_object('version', s.version, 'content_hash', s.content_hash, 'mask', s.mask) from public.policy_sets s
                    where s.tenant_id = tenant order by s.epoch desc, s.xid desc, s.seq desc limit 1));
end
$$;
comment on function public.policy_subject(jsonb) is 'Who is decided about: {invocation_id | execution_id} to its source, class, correlation, the decision that stands and the policy set in force, if any.';

-- The guard's own invocation, its decision and its outcome: one transaction, so that a decision never stands without the
-- outcome that governs. The guard is caused by what caused its subject: it comes before it.
create function public.record_evaluation(decision jsonb, guard jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  about jsonb;
  started jsonb;
  decided jsonb;
  ended jsonb;
  guard_id constant uuid := gen_random_uuid();
begin
  perform ledger_internal.lock_subjects(tenant, array[coalesce(decision ->> 'invocation_id', decision ->> 'execution_id'), guard_id::text], '{}');
  about := public.policy_subject(decision);
  -- Also for a replay, which tells the decision and what it was made from.
  if not ledger_internal.may_write('policy_decisions', (ledger_internal.caller()).ledger_role, (ledger_internal.caller()).actor_id, about #>> '{source,id}', null) then
    perform ledger_internal.refuse('not_permitted', format('Role %s may not write policy_decisions about this subject.', (ledger_internal.caller()).ledger_role));
  end if;
  if about -> 'decision' <> 'null' then
    return case when about #> '{decision,evaluation,input}' = decision #> '{evaluation,input}'
                then ledger_internal.answer('replayed', about -> 'decision')
                else ledger_internal.answer('conflict', about -> 'decision', 'decision_conflict') end;
  end if;
  started := public.start_invocation(jsonb_build_object('invocation_id', guard_id, 'source', guard -> 'source', 'correlation_id', about -> 'correlation_id', 'causation_id', about -> 'causation_id',
    'attributes', jsonb_build_object('decides_about', about -> 'subject_id')));
  decided := public.record_policy_decision(decision || jsonb_build_object('guard_invocation_id', guard_id));
  ended := public.record_agent_outcome(guard_id, jsonb_build_object('outcome_version', '1.0', 'status', 'success', 'correlation_id', about -> 'correlation_id', 'causation_id', about -> 'causation_id',
    'source', jsonb_build_object('type', 'agent') || (guard -> 'source'),
    'result', jsonb_build_object('decision', decision -> 'decision', 'policy_rule_triggered', decision -> 'policy_rule_triggered', 'risk_score', decision -> 'risk_score',
      'requires_hitl', decision -> 'requires_hitl', 'decision_id', decided #> '{record,decision_id}'),
    'errors', '[]'::jsonb, 'timing', guard -> 'timing'));
  return ledger_internal.answer('recorded', decided -> 'record' || jsonb_build_object('guard_outcome_id', ended #> '{record,outcome_id}'));
end
$$;
comment on function public.record_evaluation(jsonb, jsonb) is 'Records a decision of the ledger''s own guard, with the guard''s invocation and outcome. guard: {source: {id, version, domain}, timing}. The same input again is a replay.';
