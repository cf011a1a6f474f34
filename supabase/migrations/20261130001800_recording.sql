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
  -- Assigned, not performed: an assignment needs no query.
  flag text := set_config('ledger_internal.recording', 'on', true);
begin
  insert into public.agent_invocation_outcomes as o (invocation_id, outcome_envelope, result_schema_hash, confidence_schema_hash)
  values (record_agent_outcome.invocation_id, coalesce(outcome, 'null'), checked_schemas ->> 'result', checked_schemas ->> 'confidence')
  returning o.outcome_envelope into recorded;
  flag := set_config('ledger_internal.recording', 'off', true);
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
  -- Assigned, not performed: an assignment needs no query.
  flag text := set_config('ledger_internal.recording', 'on', true);
begin
  insert into public.workflow_outcomes as o (execution_id, outcome_envelope, result_schema_hash, confidence_schema_hash)
  values (record_workflow_outcome.execution_id, coalesce(outcome, 'null'), checked_schemas ->> 'result', checked_schemas ->> 'confidence')
  returning o.outcome_envelope into recorded;
  flag := set_config('ledger_internal.recording', 'off', true);
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

-- Nearly every outcome of a batch is ordinary: an invocation's, still open, in a class that needs no decision, without one,
-- checked against no schema, with no link but that of its cause. Those are written here whole, all together, by two statements in
-- the ledger's own right; row by row the triggers ask some ten.
--
-- What is asked of each is what the triggers ask (the token's tenant, the role matrix, the subject's state under all its locks,
-- the envelope's rules, its start row), but the only answer is yes. Whatever is not ordinary is left unwritten, its locks held,
-- and goes the way of a single recording, which knows every refusal and every link. test/recording-ordinary.db.test.ts holds
-- both ways to the same rows.
create function ledger_internal.record_ordinary(invocations uuid[], envelopes jsonb[], executions uuid[], out positions bigint[], out recorded jsonb[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  caller record := ledger_internal.caller();
begin
  if caller.tenant_id is null or current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  -- All locks of the batch, also of what goes the other way, in one statement before its first row, sorted: exclusive on each
  -- subject, shared on the execution around it, its cause, the invocation that registered the event it names, and its guard's.
  perform case when k.exclusive then pg_advisory_xact_lock(k.key) else pg_advisory_xact_lock_shared(k.key) end
     from (select l.key, bool_or(l.exclusive) as exclusive
             from (select hashtextextended(caller.tenant_id || ':' || r.id, 0) as key, r.exclusive
                     from (select i.invocation_id as id, i.execution_id as within, i.causation_id,
                                  (select d.guard_invocation_id from public.policy_decisions d where d.invocation_id = i.invocation_id and d.tenant_id is not distinct from caller.tenant_id) as guard
                             from unnest(invocations) s (id)
                            cross join lateral (select * from public.agent_invocations i where i.invocation_id = s.id and i.tenant_id is not distinct from caller.tenant_id offset 0) i
                            union all
                           select x.execution_id, x.parent_execution_id, x.causation_id,
                                  (select d.guard_invocation_id from public.policy_decisions d where d.execution_id = x.execution_id and d.tenant_id is not distinct from caller.tenant_id)
                             from unnest(executions) s (id)
                            cross join lateral (select * from public.workflow_executions x where x.execution_id = s.id and x.tenant_id is not distinct from caller.tenant_id offset 0) x) s
                    cross join lateral (values
                      (s.id::text, true), (s.within::text, false), (s.causation_id, false), (s.guard::text, false),
                      ((select e.invocation_id::text from public.os_events e where e.event_id = s.causation_id and e.tenant_id is not distinct from caller.tenant_id), false)
                    ) r (id, exclusive)
                    union all
                   select hashtextextended('outcome-ledger:epoch', 0), false) l
            where l.key is not null
            group by l.key
            order by l.key) k;

  perform set_config('ledger_internal.written_whole', 'on', true);
  with ordinary as materialized (
    select p.position, p.id as invocation_id, ledger_internal.mint_outcome_id() as outcome_id, ledger_internal.normalise_envelope(p.envelope) as envelope,
           i.source_type, i.source_id, i.source_version, i.domain, i.governance_class, i.correlation_id, i.causation_id, i.execution_id, i.verify is not null and ledger_internal.verification_required(i.verify) as verification_required,
           c.outcome_id as cause_id, c.source_type as cause_type, c.escalation_target as cause_escalated_to,
           s.epoch, nextval('ledger_internal.feed_seq') as seq, pg_current_xact_id() as xid, clock_timestamp() as recorded_at
      from unnest(invocations, envelopes) with ordinality p (id, envelope, position)
     cross join lateral (select * from public.agent_invocations i where i.invocation_id = p.id and i.tenant_id is not distinct from caller.tenant_id offset 0) i
     cross join lateral (
       select s.epoch from ledger_internal.checked_servers s
        where s.started_at = pg_postmaster_start_time()
          and s.database_oid = (select b.oid from pg_catalog.pg_database b where b.datname = current_database()) offset 0
     ) s
      left join lateral (
        select o.outcome_id, o.source_type, o.escalation_target from ledger_internal.outcomes o
         where o.outcome_id = ledger_internal.uuid_or_null(i.causation_id) and o.tenant_id is not distinct from caller.tenant_id offset 0
      ) c on true
     where ledger_internal.may_write('agent_invocation_outcomes', caller.ledger_role, caller.actor_id, i.source_id, i.recorded_by)
       and i.governance_class = 'autonomous' and i.output_schema_hash is null and i.confidence_schema_hash is null
       and exists (select from ledger_internal.open_work w where w.subject_id = p.id and w.subject_type = 'invocation' and w.tenant_id is not distinct from caller.tenant_id
                     and w.hitl_request_id is null)
       and not exists (select from public.agent_invocation_outcomes o where o.invocation_id = p.id and o.tenant_id is not distinct from caller.tenant_id)
       and not exists (select from public.policy_decisions d where d.invocation_id = p.id and d.tenant_id is not distinct from caller.tenant_id)
       -- Its cause is an outcome, or nothing that could have one: neither an event that an invocation registered, nor a subject.
       and (c.outcome_id is not null
            or not exists (select from public.os_events e where e.event_id = i.causation_id and e.tenant_id is not distinct from caller.tenant_id and e.invocation_id is not null)
               and not exists (select from public.agent_invocations b where b.invocation_id = ledger_internal.uuid_or_null(i.causation_id) and b.tenant_id is not distinct from caller.tenant_id)
               and not exists (select from public.workflow_executions b where b.execution_id = ledger_internal.uuid_or_null(i.causation_id) and b.tenant_id is not distinct from caller.tenant_id))
       -- Nothing that came first waits for a link with it.
       and not exists (select from public.policy_decisions d where d.guard_invocation_id = p.id and d.tenant_id is not distinct from caller.tenant_id)
       and not exists (select from public.os_events e where e.invocation_id = p.id and e.tenant_id is not distinct from caller.tenant_id)
       and not exists (select from public.agent_invocation_outcomes o where o.causation_id = p.id::text and o.tenant_id is not distinct from caller.tenant_id)
       and not exists (select from public.workflow_outcomes o where o.causation_id = p.id::text and o.tenant_id is not distinct from caller.tenant_id)
       and not exists (select from public.workflow_outcomes o where o.execution_id = i.execution_id and o.tenant_id is not distinct from caller.tenant_id)
       and ledger_internal.envelope_ok(p.envelope)
       and jsonb_typeof(p.envelope -> 'outcome_id') is distinct from 'string' and jsonb_typeof(p.envelope -> 'policy') is distinct from 'object'
       -- A good envelope has these four members in its source and no others, so to hold them is to equal them.
       and p.envelope @> jsonb_build_object(
             'source', jsonb_build_object('type', i.source_type, 'id', i.source_id, 'version', i.source_version, 'domain', i.domain),
             'correlation_id', i.correlation_id, 'causation_id', i.causation_id)
  ), outcome as materialized (
    select n.*, n.envelope || jsonb_build_object('outcome_id', n.outcome_id) as stored, n.envelope ->> 'status' as status, (n.envelope #> '{timing,duration_ms}')::bigint as duration_ms,
           ledger_internal.moment(n.envelope #>> '{timing,started_at}') as started_at, ledger_internal.moment(n.envelope #>> '{timing,completed_at}') as completed_at
      from ordinary n
  ), claimed as (
    insert into public.outcome_ids (outcome_id, tenant_id, source_type)
    select n.outcome_id, caller.tenant_id, n.source_type from outcome n
  ), written as (
    insert into public.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, source_type, outcome_envelope, status, correlation_id, causation_id,
      source_id, source_version, domain, governance_class, execution_id, escalation_target, started_at, completed_at, duration_ms, timing_drift_ms,
      verification_required, origin, seq, epoch, xid, recorded_at, recorded_by)
    select caller.tenant_id, n.invocation_id, n.outcome_id, n.source_type, n.stored, n.status, n.correlation_id, n.causation_id,
           n.source_id, n.source_version, n.domain, n.governance_class, n.execution_id, n.envelope #>> '{escalation,escalation_target}', n.started_at, n.completed_at, n.duration_ms,
           n.duration_ms - floor(extract(epoch from n.completed_at - n.started_at) * 1000),
           n.verification_required, 'recorded', n.seq, n.epoch, n.xid, n.recorded_at, caller.actor_id
      from outcome n
  ), emitted as (
    insert into public.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
    select caller.tenant_id, n.outcome_id::text, 'emitted', ledger_internal.event_type(n.status), n.source_id, n.outcome_id, n.correlation_id, n.causation_id, n.completed_at,
           jsonb_build_object('outcome_id', n.outcome_id, 'source', n.envelope -> 'source', 'correlation_id', n.correlation_id, 'status', n.status, 'duration_ms', n.duration_ms),
           nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, caller.actor_id
      from outcome n
  ), linked as (
    insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
    select caller.tenant_id, n.cause_id, n.cause_type, n.outcome_id, n.source_type, case when n.cause_escalated_to = n.source_id then 'escalated-to' else 'invoked' end,
           nextval('ledger_internal.feed_seq'), n.epoch, n.xid, n.recorded_at, caller.actor_id
      from outcome n where n.cause_id is not null
  ), closed as (
    delete from ledger_internal.open_work w using outcome n where w.subject_id = n.invocation_id and w.subject_type = 'invocation' and w.tenant_id is not distinct from caller.tenant_id
  )
  select array_agg(n.position), array_agg(n.stored) into positions, recorded from outcome n;
  perform set_config('ledger_internal.written_whole', 'off', true);
end
$$;
comment on function ledger_internal.record_ordinary(uuid[], jsonb[], uuid[]) is 'Takes the locks of a batch and writes those of its outcomes that are ordinary, with all that belongs to them. Answers their places and what was stored.';

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
declare
  invocations uuid[];
  envelopes jsonb[];
  executions uuid[];
  places integer[];
  ordinary record;
  answers jsonb[];
begin
  perform ledger_internal.require_batch(items);
  -- Each subject by the first item that names it, in the order sent, which their events keep. What cannot be ordinary goes without its envelope, for its locks.
  select array_agg(f.invocation order by f.place) filter (where f.invocation is not null), array_agg(f.envelope order by f.place) filter (where f.invocation is not null),
         array_agg(f.place order by f.place) filter (where f.invocation is not null), array_agg(f.execution order by f.place) filter (where f.execution is not null)
    into invocations, envelopes, places, executions
    from (select distinct on (i.invocation, i.execution) i.invocation, i.execution, i.place, case when i.execution is null and i.unchecked then i.envelope end as envelope
            from (select ledger_internal.uuid_or_null(e.item ->> 'invocation_id') as invocation, ledger_internal.uuid_or_null(e.item ->> 'execution_id') as execution,
                         e.item -> 'outcome' as envelope, coalesce(jsonb_typeof(e.item -> 'checked_schemas'), 'null') = 'null' as unchecked, e.place::integer
                    from jsonb_array_elements(items) with ordinality e (item, place) offset 0) i
           order by i.invocation, i.execution, i.place) f;
  ordinary := ledger_internal.record_ordinary(invocations, envelopes, executions);
  answers := array_fill(null::jsonb, array[jsonb_array_length(items)]);
  for n in 1 .. coalesce(cardinality(ordinary.positions), 0) loop
    answers[places[ordinary.positions[n]]] := jsonb_build_object('result', 'recorded', 'record', ordinary.recorded[n]);
  end loop;
  for n in 1 .. cardinality(answers) loop
    if answers[n] is null then
      answers[n] := ledger_internal.each_item('ledger_internal.record_item', jsonb_build_array(items -> n - 1)) -> 0;
    end if;
  end loop;
  return to_jsonb(answers);
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
                 ledger_internal.attempt_key(i ->> 'execution_id', i ->> 'step_id', i ->> 'attempt'),
                 ledger_internal.sequential_execution(ledger_internal.tenant_id(), i ->> 'execution_id')]) k),
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
      || array(select k from jsonb_array_elements(executions) e, unnest(array[e ->> 'execution_id', e #>> '{trigger,event_id}',
                 ledger_internal.sequential_execution(ledger_internal.tenant_id(), e ->> 'parent_execution_id')]) k),
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
