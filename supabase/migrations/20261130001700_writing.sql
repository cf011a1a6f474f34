-- Chapter: the functions that write, one item each. They run with the caller's rights; the triggers hold the rules.
-- They return recorded, replayed or conflict; only a refusal that writes nothing raises.

create function ledger_internal.require_tenant() returns uuid
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
begin
  if tenant is null then
    perform ledger_internal.refuse('not_permitted', 'The actor is disabled, or the token names no tenant.');
  end if;
  return tenant;
end
$$;
comment on function ledger_internal.require_tenant() is 'The caller''s tenant, or a refusal.';

create function ledger_internal.answer(result text, record jsonb, code text default null) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return case when code is null then jsonb_build_object('result', result, 'record', record)
              else jsonb_build_object('result', result, 'code', code, 'record', record) end;
end
$$;
comment on function ledger_internal.answer(text, jsonb, text) is 'What a recording function returns.';

-- Something outside that caused a start becomes an event, and the event its cause.
create function ledger_internal.receive_trigger(trigger jsonb, correlation text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  id constant text := coalesce(trigger ->> 'event_id', gen_random_uuid()::text);
  sent constant jsonb := nullif(trigger -> 'data', 'null');
  known public.os_events;
begin
  select * into known from public.os_events e where e.tenant_id = tenant and e.event_id = id;
  if not found then
    insert into public.os_events (event_id, type, source, correlation_id, data) values (id, trigger ->> 'type', trigger ->> 'source', correlation, sent);
  elsif known.kind <> 'received' or known.type <> trigger ->> 'type' or known.source <> trigger ->> 'source' or known.data is distinct from sent then
    -- One event may trigger several starts, also of different transactions; but it is one event.
    perform ledger_internal.refuse('event_conflict', null,
      jsonb_build_array(jsonb_build_object('path', '/trigger', 'rule', 'same_event', 'message', 'must have the type, source and data that its event_id was recorded with')));
  end if;
  return id;
end
$$;
comment on function ledger_internal.receive_trigger(jsonb, text) is 'Records the outside event that triggered a start, once; returns its event_id.';

create function ledger_internal.requested_deadline(request jsonb) returns timestamptz
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(ledger_internal.moment(request ->> 'deadline_at'), clock_timestamp() + (request -> 'deadline_in_ms')::bigint * interval '1 millisecond');
end
$$;
comment on function ledger_internal.requested_deadline(jsonb) is 'The deadline a start names, absolute or relative to the database''s clock, or null.';

-- A JSON null is an absent member.
create function ledger_internal.without_nulls(document jsonb) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return (select coalesce(jsonb_object_agg(m.key, m.value), '{}') from jsonb_each(document) m where m.value <> 'null');
end
$$;
comment on function ledger_internal.without_nulls(jsonb) is 'A document without its top-level null members.';

create function ledger_internal.start_request(document jsonb) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  request constant jsonb := ledger_internal.without_nulls(document);
begin
  return case when request ? 'trigger' then request || jsonb_build_object('trigger', ledger_internal.without_nulls(request -> 'trigger')) else request end;
end
$$;
comment on function ledger_internal.start_request(jsonb) is 'A start as it is compared: null members absent, in its trigger too.';

-- The accept trigger takes the request's digest from here; cleared at once, so that a later bare insert has none.
create function ledger_internal.say_digest(digest text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('ledger_internal.request_digest', digest, true);
end
$$;
comment on function ledger_internal.say_digest(text) is 'Tells the accept trigger the digest of the request being written.';

create function public.start_invocation(invocation jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  digest text;
  id uuid;
  known text;
  cause text;
  started public.agent_invocations;
begin
  if ledger_internal.invocation_start_ok(invocation) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.invocation_start_violations(invocation));
  end if;
  request := ledger_internal.start_request(invocation);
  digest := ledger_internal.digest(request);
  id := coalesce((request ->> 'invocation_id')::uuid, gen_random_uuid());
  perform ledger_internal.lock_subjects(tenant,
    array[id::text, request #>> '{trigger,event_id}', ledger_internal.attempt_key(request ->> 'execution_id', request ->> 'step_id', request ->> 'attempt'),
      ledger_internal.sequential_execution(tenant, request ->> 'execution_id')],
    array[request ->> 'execution_id', request ->> 'causation_id']);
  select i.request_digest into known from public.agent_invocations i where i.tenant_id = tenant and i.invocation_id = id;
  if found then
    return case when known = digest then ledger_internal.answer('replayed', public.get_invocation(id))
                else ledger_internal.answer('conflict', public.get_invocation(id), 'invocation_conflict') end;
  end if;
  cause := coalesce(request ->> 'causation_id', ledger_internal.receive_trigger(request -> 'trigger', request ->> 'correlation_id'));
  perform ledger_internal.say_digest(digest);
  insert into public.agent_invocations (invocation_id, source_id, source_version, domain, governance_class, correlation_id, causation_id, execution_id,
    step_id, step_name, attempt, surfaces, verify, recovery_mode, deadline_at, traceparent, attributes)
  values (id, request #>> '{source,id}', request #>> '{source,version}', request #>> '{source,domain}', request ->> 'governance_class', request ->> 'correlation_id',
    cause,
    (request ->> 'execution_id')::uuid, request ->> 'step_id', request ->> 'step_name', (request -> 'attempt')::integer, request -> 'surfaces', request ->> 'verify',
    request ->> 'recovery_mode', ledger_internal.requested_deadline(request), request ->> 'traceparent', request -> 'attributes')
  returning * into started;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.invocation_start_read(started) || '{"tool_calls": []}');
end
$$;
comment on function public.start_invocation(jsonb) is 'Writes an invocation''s start row before it runs. The same request again is a replay; the same id with another request is invocation_conflict.';

create function public.start_execution(execution jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  digest text;
  id uuid;
  known text;
  cause text;
  started public.workflow_executions;
begin
  if ledger_internal.execution_start_ok(execution) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.execution_start_violations(execution));
  end if;
  request := ledger_internal.start_request(execution);
  digest := ledger_internal.digest(request);
  id := coalesce((request ->> 'execution_id')::uuid, gen_random_uuid());
  perform ledger_internal.lock_subjects(tenant,
    array[id::text, request #>> '{trigger,event_id}', ledger_internal.sequential_execution(tenant, request ->> 'parent_execution_id')],
    array[request ->> 'parent_execution_id', request ->> 'resumed_from_execution_id', request ->> 'causation_id']);
  select e.request_digest into known from public.workflow_executions e where e.tenant_id = tenant and e.execution_id = id;
  if found then
    return case when known = digest then ledger_internal.answer('replayed', public.get_execution(id))
                else ledger_internal.answer('conflict', public.get_execution(id), 'execution_conflict') end;
  end if;
  cause := coalesce(request ->> 'causation_id', ledger_internal.receive_trigger(request -> 'trigger', request ->> 'correlation_id'));
  perform ledger_internal.say_digest(digest);
  insert into public.workflow_executions (execution_id, source_id, source_version, domain, governance_class, correlation_id, causation_id, execution_pattern,
    parent_execution_id, resumed_from_execution_id, verify, deadline_at, traceparent, attributes)
  values (id, request #>> '{source,id}', request #>> '{source,version}', request #>> '{source,domain}', request ->> 'governance_class', request ->> 'correlation_id',
    cause,
    request ->> 'execution_pattern', (request ->> 'parent_execution_id')::uuid, (request ->> 'resumed_from_execution_id')::uuid, request ->> 'verify',
    ledger_internal.requested_deadline(request), request ->> 'traceparent', request -> 'attributes')
  returning * into started;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.execution_start_read(started));
end
$$;
comment on function public.start_execution(jsonb) is 'Writes an execution''s start row before it runs. The same request again is a replay; the same id with another request is execution_conflict.';

create function public.record_tool_call(tool_call jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  id text;
  subject uuid;
  kept public.agent_tool_calls;
begin
  if ledger_internal.tool_call_ok(tool_call) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.tool_call_violations(tool_call));
  end if;
  request := ledger_internal.without_nulls(tool_call);
  id := coalesce(request ->> 'tool_call_id', gen_random_uuid()::text);
  subject := (request ->> 'invocation_id')::uuid;
  -- Two deliveries of one call are told apart under the call's own lock; the invocation itself is only shared.
  perform ledger_internal.lock_subjects(tenant, array[subject::text || '/' || id], array[subject::text]);
  select * into kept from public.agent_tool_calls c where c.tenant_id = tenant and c.invocation_id = subject and c.tool_call_id = id;
  if found then
    return case when kept.request_digest = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.tool_call_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.tool_call_read(kept), 'tool_call_conflict') end;
  end if;
  perform ledger_internal.say_digest(ledger_internal.digest(request));
  insert into public.agent_tool_calls as c (invocation_id, tool_call_id, tool_name, status, input, output, error, timing)
  values (subject, id, request ->> 'tool_name', request ->> 'status', request -> 'input', request -> 'output', request -> 'error', request -> 'timing')
  returning * into kept;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.tool_call_read(kept));
end
$$;
comment on function public.record_tool_call(jsonb) is 'Records one tool call of an open invocation. With a tool_call_id a retry is a replay.';

create function ledger_internal.beat(invocation uuid) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  beaten record;
begin
  if caller.tenant_id is null then
    perform ledger_internal.refuse('not_permitted', 'The actor is disabled, or the token names no tenant.');
  end if;
  subject := ledger_internal.require_subject(caller.tenant_id, 'invocation', invocation);
  perform ledger_internal.require_may_write('agent_tool_calls', caller.ledger_role, caller.actor_id, subject);
  update ledger_internal.open_work w set heartbeat_at = clock_timestamp()
   where w.tenant_id = caller.tenant_id and w.subject_type = 'invocation' and w.subject_id = invocation
  returning w.heartbeat_at, w.deadline_at into beaten;
  if not found then
    perform ledger_internal.refuse('invocation_closed');
  end if;
  return jsonb_build_object('invocation_id', invocation, 'heartbeat_at', ledger_internal.rfc3339(beaten.heartbeat_at), 'deadline_at', ledger_internal.rfc3339(beaten.deadline_at));
end
$$;
comment on function ledger_internal.beat(uuid) is 'Notes that an open invocation of the caller''s tenant is alive.';

create function public.heartbeat(invocation_id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.beat(invocation_id);
end
$$;
comment on function public.heartbeat(uuid) is 'Says that an open invocation is alive. Advisory: a lapsed heartbeat shows as stalled and ends nothing.';

create function public.record_policy_decision(decision jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  kept public.policy_decisions;
begin
  if ledger_internal.policy_decision_ok(decision) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.policy_decision_violations(decision));
  end if;
  request := ledger_internal.without_nulls(decision);
  perform ledger_internal.lock_subjects(tenant, array[coalesce(request ->> 'invocation_id', request ->> 'execution_id')], array[request ->> 'guard_invocation_id']);
  select * into kept from public.policy_decisions d
   where d.tenant_id = tenant and (d.invocation_id = (request ->> 'invocation_id')::uuid or d.execution_id = (request ->> 'execution_id')::uuid);
  if found then
    return case when ledger_internal.digest(ledger_internal.decision_document(kept)) = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.decision_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.decision_read(kept), 'decision_conflict') end;
  end if;
  insert into public.policy_decisions as d (invocation_id, execution_id, decision, policy_rule_triggered, risk_score, requires_hitl, evaluated_at, guard_invocation_id, evaluation)
  values ((request ->> 'invocation_id')::uuid, (request ->> 'execution_id')::uuid, request ->> 'decision', request ->> 'policy_rule_triggered',
    (request -> 'risk_score')::numeric, (request -> 'requires_hitl')::boolean, request ->> 'evaluated_at', (request ->> 'guard_invocation_id')::uuid, request -> 'evaluation')
  returning * into kept;
  return ledger_internal.answer('recorded', ledger_internal.decision_read(kept));
end
$$;
comment on function public.record_policy_decision(jsonb) is 'Records the guard''s one binding decision about an open invocation or execution.';

create function public.register_event(event jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  id text;
  kept public.os_events;
begin
  if ledger_internal.event_ok(event) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.event_violations(event));
  end if;
  request := ledger_internal.without_nulls(event);
  id := coalesce(request ->> 'event_id', gen_random_uuid()::text);
  perform ledger_internal.lock_subjects(tenant, array[id], array[request ->> 'invocation_id']);
  select * into kept from public.os_events e where e.tenant_id = tenant and e.event_id = id;
  if found then
    return case when kept.request_digest = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.event_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.event_read(kept), 'event_conflict') end;
  end if;
  perform ledger_internal.say_digest(ledger_internal.digest(request));
  insert into public.os_events as e (event_id, type, source, invocation_id, correlation_id, occurred_at, data)
  values (id, request ->> 'type', request ->> 'source', (request ->> 'invocation_id')::uuid, request ->> 'correlation_id',
    ledger_internal.moment(request ->> 'occurred_at'), request -> 'data')
  returning * into kept;
  perform ledger_internal.say_digest('');
  return ledger_internal.answer('recorded', ledger_internal.event_read(kept));
end
$$;
comment on function public.register_event(jsonb) is 'Registers an event of an open invocation, or one received from outside. With an event_id a retry is a replay.';

create function public.declare_link(link jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  kept public.agent_lineage_links;
begin
  if ledger_internal.link_ok(link) is not true then
    perform ledger_internal.refuse('lineage_invalid', null, ledger_internal.link_violations(link));
  end if;
  perform ledger_internal.lock_subjects(tenant, array[ledger_internal.link_key(link)], '{}');
  select * into kept from public.agent_lineage_links l
   where l.tenant_id = tenant and l.source_outcome_id = (link ->> 'source_outcome_id')::uuid
     and l.target_outcome_id = (link ->> 'target_outcome_id')::uuid and l.relation = link ->> 'relation';
  if found then
    return ledger_internal.answer('replayed', ledger_internal.link_read(kept));
  end if;
  insert into public.agent_lineage_links as l (source_outcome_id, target_outcome_id, relation)
  values ((link ->> 'source_outcome_id')::uuid, (link ->> 'target_outcome_id')::uuid, link ->> 'relation')
  returning * into kept;
  return ledger_internal.answer('recorded', ledger_internal.link_read(kept));
end
$$;
comment on function public.declare_link(jsonb) is 'Declares a lineage link between two outcomes. A link that already stands is a replay.';

create function public.put_source_definition(definition jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  request jsonb;
  kept public.source_definitions;
begin
  if ledger_internal.source_definition_ok(definition) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.source_definition_violations(definition));
  end if;
  request := ledger_internal.without_nulls(definition);
  request := jsonb_build_object('governance_class', 'autonomous') || request;
  perform ledger_internal.lock_subjects(tenant, array[concat_ws('/', 'definition', request ->> 'source_type', request ->> 'source_id', request ->> 'version')], '{}');
  select * into kept from public.source_definitions d
   where d.tenant_id = tenant and d.source_type = request ->> 'source_type' and d.source_id = request ->> 'source_id' and d.version = request ->> 'version';
  if found then
    return case when ledger_internal.digest(ledger_internal.definition_document(kept)) = ledger_internal.digest(request) then ledger_internal.answer('replayed', ledger_internal.definition_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.definition_read(kept), 'definition_conflict') end;
  end if;
  insert into public.source_definitions as d (source_type, source_id, version, domain, governance_class, verify, output_schema, confidence_schema, execution_pattern, default_deadline_ms)
  values (request ->> 'source_type', request ->> 'source_id', request ->> 'version', request ->> 'domain', request ->> 'governance_class', request ->> 'verify',
    request -> 'output_schema', request -> 'confidence_schema', request ->> 'execution_pattern', (request -> 'default_deadline_ms')::bigint)
  returning * into kept;
  return ledger_internal.answer('recorded', ledger_internal.definition_read(kept));
end
$$;
comment on function public.put_source_definition(jsonb) is 'Writes one version of a source''s definition. The same again is a replay; another content under the same version is definition_conflict.';
