-- Chapter: recording outcomes, one and in batches.

-- The subject has its outcome already: the same content again is that outcome; other content is late, kept, and told who won.
create function ledger_internal.answer_second(kind text, id uuid, envelope jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  won jsonb;
begin
  if kind = 'invocation' then
    select o.outcome_envelope into won from public.agent_invocation_outcomes o where o.tenant_id = tenant and o.invocation_id = id;
  else
    select o.outcome_envelope into won from public.workflow_outcomes o where o.tenant_id = tenant and o.execution_id = id;
  end if;
  if jsonb_typeof(envelope) = 'object' and jsonb_typeof(envelope -> 'outcome_id') = 'string' and envelope -> 'outcome_id' <> won -> 'outcome_id' then
    perform ledger_internal.refuse('outcome_id_refused', null,
      jsonb_build_array(jsonb_build_object('path', '/outcome_id', 'rule', 'minted', 'message', 'must be absent, or the id this subject''s outcome was recorded with')));
  end if;
  if ledger_internal.same_content(won, envelope) then
    return ledger_internal.answer('replayed', won);
  end if;
  if kind = 'invocation' then
    insert into public.late_outcomes (invocation_id, outcome_envelope) values (id, envelope) on conflict do nothing;
  else
    insert into public.late_outcomes (execution_id, outcome_envelope) values (id, envelope) on conflict do nothing;
  end if;
  return ledger_internal.answer('conflict', won, 'outcome_conflict');
end
$$;
comment on function ledger_internal.answer_second(text, uuid, jsonb) is 'Answers a recording whose subject already has its outcome: replayed, or conflict with the late envelope kept.';

create function public.record_agent_outcome(invocation_id uuid, outcome jsonb, checked_schemas jsonb default null) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  recorded jsonb;
begin
  perform set_config('ledger_internal.recording', 'on', true);
  insert into public.agent_invocation_outcomes as o (invocation_id, outcome_envelope, result_schema_hash, confidence_schema_hash)
  values (record_agent_outcome.invocation_id, coalesce(outcome, 'null'), checked_schemas ->> 'result', checked_schemas ->> 'confidence')
  returning o.outcome_envelope into recorded;
  perform set_config('ledger_internal.recording', 'off', true);
  if recorded is not null then
    return jsonb_build_object('result', 'recorded', 'record', recorded);
  end if;
  return ledger_internal.answer_second('invocation', record_agent_outcome.invocation_id, outcome);
end
$$;
comment on function public.record_agent_outcome(uuid, jsonb, jsonb) is 'Records the one terminal outcome of an invocation. Returns {result: recorded | replayed | conflict, record: the recorded envelope}.';

create function public.record_workflow_outcome(execution_id uuid, outcome jsonb, checked_schemas jsonb default null) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  recorded jsonb;
begin
  perform set_config('ledger_internal.recording', 'on', true);
  insert into public.workflow_outcomes as o (execution_id, outcome_envelope, result_schema_hash, confidence_schema_hash)
  values (record_workflow_outcome.execution_id, coalesce(outcome, 'null'), checked_schemas ->> 'result', checked_schemas ->> 'confidence')
  returning o.outcome_envelope into recorded;
  perform set_config('ledger_internal.recording', 'off', true);
  if recorded is not null then
    return jsonb_build_object('result', 'recorded', 'record', recorded);
  end if;
  return ledger_internal.answer_second('execution', record_workflow_outcome.execution_id, outcome);
end
$$;
comment on function public.record_workflow_outcome(uuid, jsonb, jsonb) is 'Records the one terminal outcome of an execution. Returns {result: recorded | replayed | conflict, record: the recorded envelope}.';

create function ledger_internal.record_item(item jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  invocation constant uuid := ledger_internal.uuid_or_null(item ->> 'invocation_id');
  execution constant uuid := ledger_internal.uuid_or_null(item ->> 'execution_id');
begin
  if num_nonnulls(invocation, execution) <> 1 then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '', 'rule', 'one_of', 'message', 'must name exactly one of invocation_id and execution_id, a UUID v4')));
  end if;
  if invocation is not null then
    return public.record_agent_outcome(invocation, item -> 'outcome', nullif(item -> 'checked_schemas', 'null'));
  end if;
  return public.record_workflow_outcome(execution, item -> 'outcome', nullif(item -> 'checked_schemas', 'null'));
end
$$;
comment on function ledger_internal.record_item(jsonb) is 'Records one item of a batch: {invocation_id | execution_id, outcome, checked_schemas?}.';

-- A batch takes all its locks before its first row, sorted, whatever order its items came in.
create function ledger_internal.lock_outcomes(items jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  own text[];
  refs text[];
begin
  if tenant is null then
    return;
  end if;
  select array_agg(s.subject_id::text), array_agg(r.id) into own, refs
    from (select ledger_internal.uuid_or_null(e ->> 'invocation_id') as invocation, ledger_internal.uuid_or_null(e ->> 'execution_id') as execution
            from jsonb_array_elements(items) e offset 0) item
   cross join lateral (
     select (i.tenant_id, 'invocation', i.invocation_id, i.source_type, i.source_id, i.source_version, i.domain, i.governance_class, i.correlation_id, i.causation_id,
             i.execution_id, null, null, null, i.recorded_by)::ledger_internal.subject as subject, i.invocation_id as subject_id
       from public.agent_invocations i where i.tenant_id is not distinct from tenant and i.invocation_id = item.invocation
     union all
     select (e.tenant_id, 'execution', e.execution_id, e.source_type, e.source_id, e.source_version, e.domain, e.governance_class, e.correlation_id, e.causation_id,
             e.parent_execution_id, null, null, null, e.recorded_by)::ledger_internal.subject, e.execution_id
       from public.workflow_executions e where e.tenant_id is not distinct from tenant and e.execution_id = item.execution
     offset 0
   ) s
   cross join lateral unnest(ledger_internal.referred_subjects(s.subject)) r (id);
  perform ledger_internal.lock_subjects(tenant, own, refs);
end
$$;
comment on function ledger_internal.lock_outcomes(jsonb) is 'All locks of a batch of outcomes.';

-- The fast way: every new outcome in one statement per table. Returns null when any item was refused, so that the slow way
-- finds out which.
create function ledger_internal.record_together(items jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  recorded jsonb;
  also jsonb;
begin
  if jsonb_path_exists(items, '$[*] ? (@.invocation_id != null && @.execution_id != null)') then
    perform ledger_internal.refuse('request_invalid');
  end if;
  perform set_config('ledger_internal.recording', 'on', true);
  with first_of as (
    select distinct on (item ->> 'invocation_id') item
      from jsonb_array_elements(items) with ordinality i (item, position)
     where item ->> 'invocation_id' is not null
     order by item ->> 'invocation_id', position
  ), inserted as (
    insert into public.agent_invocation_outcomes as o (invocation_id, outcome_envelope, result_schema_hash, confidence_schema_hash)
    select (f.item ->> 'invocation_id')::uuid, coalesce(f.item -> 'outcome', 'null'), f.item #>> '{checked_schemas,result}', f.item #>> '{checked_schemas,confidence}' from first_of f
    returning o.invocation_id, o.outcome_envelope
  )
  select coalesce(jsonb_object_agg(i.invocation_id::text, i.outcome_envelope), '{}') into recorded from inserted i;
  if jsonb_path_exists(items, '$[*].execution_id ? (@ != null)') then
    with first_of as (
      select distinct on (item ->> 'execution_id') item
        from jsonb_array_elements(items) with ordinality i (item, position)
       where item ->> 'execution_id' is not null
       order by item ->> 'execution_id', position
    ), inserted as (
      insert into public.workflow_outcomes as o (execution_id, outcome_envelope, result_schema_hash, confidence_schema_hash)
      select (f.item ->> 'execution_id')::uuid, coalesce(f.item -> 'outcome', 'null'), f.item #>> '{checked_schemas,result}', f.item #>> '{checked_schemas,confidence}' from first_of f
      returning o.execution_id, o.outcome_envelope
    )
    select coalesce(jsonb_object_agg(i.execution_id::text, i.outcome_envelope), '{}') into also from inserted i;
    recorded := recorded || also;
  end if;
  perform set_config('ledger_internal.recording', 'off', true);
  return (
    select jsonb_agg(
             case when i.nth = 1 and recorded ? i.id then jsonb_build_object('result', 'recorded', 'record', recorded -> i.id)
                  else ledger_internal.record_item(i.item) end
             order by i.position)
      from (select item, position, coalesce(item ->> 'invocation_id', item ->> 'execution_id') as id,
                   row_number() over (partition by coalesce(item ->> 'invocation_id', item ->> 'execution_id') order by position) as nth
              from jsonb_array_elements(items) with ordinality e (item, position)) i);
end
$$;
comment on function ledger_internal.record_together(jsonb) is 'Records a batch set-based; raises when any item is refused.';

-- One bad item never harms another: each runs in a subtransaction of its own.
create function ledger_internal.each_item(writer text, items jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  item jsonb;
  answer jsonb;
  answers jsonb[] := '{}';
  state text;
  said text;
  details text;
  remedy text;
begin
  for item in select * from jsonb_array_elements(items) loop
    begin
      execute format('select %s($1)', writer) into answer using item;
    exception
      when deadlock_detected or out_of_memory or query_canceled or admin_shutdown or lock_not_available then
        raise;
      when others then
        get stacked diagnostics state = returned_sqlstate, said = message_text, details = pg_exception_detail, remedy = pg_exception_hint;
        answer := ledger_internal.refusal_of(state, said, details, remedy);
        if answer is null then
          raise;
        end if;
        answer := jsonb_build_object('result', 'refused', 'refusal', answer);
    end;
    answers := answers || answer;
  end loop;
  return to_jsonb(answers);
end
$$;
comment on function ledger_internal.each_item(text, jsonb) is 'Runs a writing function over a batch; a refused item becomes {result: refused, refusal}, the others stand.';

create function ledger_internal.require_batch(items jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(items) is distinct from 'array' or jsonb_array_length(items) > 100 then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '', 'rule', 'batch', 'message', 'must be an array of at most 100 items')));
  end if;
end
$$;
comment on function ledger_internal.require_batch(jsonb) is 'Refuses what is not an array of at most 100 items.';

create function public.record_outcomes(items jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(items);
  perform ledger_internal.lock_outcomes(items);
  begin
    return coalesce(ledger_internal.record_together(items), '[]');
  exception
    when deadlock_detected or out_of_memory or query_canceled or admin_shutdown or lock_not_available then
      raise;
    when others then
      return ledger_internal.each_item('ledger_internal.record_item', items);
  end;
end
$$;
comment on function public.record_outcomes(jsonb) is 'Records up to 100 outcomes: [{invocation_id | execution_id, outcome, checked_schemas?}]. Answers in the order sent; a refused item harms no other.';

-- The other batches: every lock that an item will take, first and sorted, then each item.
create function ledger_internal.lock_items(own text[], refs text[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.lock_subjects(ledger_internal.require_tenant(), own, refs);
end
$$;
comment on function ledger_internal.lock_items(text[], text[]) is 'All locks of a batch in the caller''s tenant.';

-- A source that starts undefined for the first time is noted in a row that the next batch would wait for.
create function ledger_internal.new_sources(source_type text, starts jsonb) returns text[]
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
begin
  return array(
    select distinct concat_ws('/', 'undefined', new_sources.source_type, s #>> '{source,id}', s #>> '{source,version}')
      from jsonb_array_elements(starts) s
     where jsonb_typeof(s -> 'source') = 'object'
       and not exists (select from ledger_internal.undefined_sources u
                        where u.source_id = s #>> '{source,id}' and u.version = s #>> '{source,version}' and u.source_type = new_sources.source_type and u.tenant_id = tenant));
end
$$;
comment on function ledger_internal.new_sources(text, jsonb) is 'Lock keys of the sources in a batch of starts that are not noted as undefined yet.';

create function public.start_invocations(invocations jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(invocations);
  perform ledger_internal.lock_items(
    ledger_internal.new_sources('agent', invocations)
      || array(select k from jsonb_array_elements(invocations) i, unnest(array[i ->> 'invocation_id', i #>> '{trigger,event_id}',
                 ledger_internal.attempt_key(i ->> 'execution_id', i ->> 'step_id', i ->> 'attempt')]) k),
    array(select k from jsonb_array_elements(invocations) i, unnest(array[i ->> 'execution_id', i ->> 'causation_id']) k));
  return ledger_internal.each_item('public.start_invocation', invocations);
end
$$;
create function public.start_executions(executions jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(executions);
  perform ledger_internal.lock_items(
    ledger_internal.new_sources('workflow', executions)
      || array(select k from jsonb_array_elements(executions) e, unnest(array[e ->> 'execution_id', e #>> '{trigger,event_id}']) k),
    array(select k from jsonb_array_elements(executions) e, unnest(array[e ->> 'parent_execution_id', e ->> 'resumed_from_execution_id', e ->> 'causation_id']) k));
  return ledger_internal.each_item('public.start_execution', executions);
end
$$;
create function public.record_tool_calls(tool_calls jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(tool_calls);
  perform ledger_internal.lock_items(
    array(select (c ->> 'invocation_id') || '/' || (c ->> 'tool_call_id') from jsonb_array_elements(tool_calls) c),
    array(select c ->> 'invocation_id' from jsonb_array_elements(tool_calls) c));
  return ledger_internal.each_item('public.record_tool_call', tool_calls);
end
$$;
create function ledger_internal.beat_item(item jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.answer('recorded', ledger_internal.beat(ledger_internal.uuid_or_null(item #>> '{}')));
end
$$;
comment on function ledger_internal.beat_item(jsonb) is 'One heartbeat of a batch.';

-- Two batches of heartbeats exclude each other by their own keys; the invocations' shared ones keep them behind a recording
-- that is removing the same open work.
create function public.heartbeats(invocation_ids jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(invocation_ids);
  perform ledger_internal.lock_items(
    array(select 'heartbeat/' || i from jsonb_array_elements_text(invocation_ids) i),
    array(select i from jsonb_array_elements_text(invocation_ids) i));
  return ledger_internal.each_item('ledger_internal.beat_item', invocation_ids);
end
$$;
create function public.record_policy_decisions(decisions jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(decisions);
  perform ledger_internal.lock_items(
    array(select coalesce(d ->> 'invocation_id', d ->> 'execution_id') from jsonb_array_elements(decisions) d),
    array(select d ->> 'guard_invocation_id' from jsonb_array_elements(decisions) d));
  return ledger_internal.each_item('public.record_policy_decision', decisions);
end
$$;
create function public.register_events(events jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(events);
  perform ledger_internal.lock_items(
    array(select e ->> 'event_id' from jsonb_array_elements(events) e),
    array(select e ->> 'invocation_id' from jsonb_array_elements(events) e));
  return ledger_internal.each_item('public.register_event', events);
end
$$;
create function public.declare_links(links jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(links);
  perform ledger_internal.lock_items(array(select ledger_internal.link_key(l) from jsonb_array_elements(links) l), '{}');
  return ledger_internal.each_item('public.declare_link', links);
end
$$;
create function public.put_source_definitions(definitions jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.require_batch(definitions);
  perform ledger_internal.lock_items(
    array(select concat_ws('/', 'definition', d ->> 'source_type', d ->> 'source_id', d ->> 'version') from jsonb_array_elements(definitions) d), '{}');
  return ledger_internal.each_item('public.put_source_definition', definitions);
end
$$;
comment on function public.start_invocations(jsonb) is 'start_invocation for up to 100 items; answers in the order sent.';
comment on function public.start_executions(jsonb) is 'start_execution for up to 100 items; answers in the order sent.';
comment on function public.record_tool_calls(jsonb) is 'record_tool_call for up to 100 items; answers in the order sent.';
comment on function public.heartbeats(jsonb) is 'heartbeat for up to 100 invocation ids; answers in the order sent.';
comment on function public.record_policy_decisions(jsonb) is 'record_policy_decision for up to 100 items; answers in the order sent.';
comment on function public.register_events(jsonb) is 'register_event for up to 100 items; answers in the order sent.';
comment on function public.declare_links(jsonb) is 'declare_link for up to 100 items; answers in the order sent.';
comment on function public.put_source_definitions(jsonb) is 'put_source_definition for up to 100 items; answers in the order sent.';
