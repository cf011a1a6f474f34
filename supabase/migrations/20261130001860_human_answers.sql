-- Chapter: answering a human's request, and asking what waits.

-- The gateway's own invocation and outcome: an answer is a decision that was made, also when it says no.
create function ledger_internal.publish_hitl_resolution() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  request public.hitl_requests;
  asked ledger_internal.subject;
  gateway ledger_internal.subject;
  deadline constant timestamptz := new.recorded_at + interval '1 hour';
begin
  select * into request from public.hitl_requests r where r.hitl_request_id = new.hitl_request_id and r.tenant_id is not distinct from new.tenant_id;
  asked := ledger_internal.find_subject(request.tenant_id, request.subject_type, coalesce(request.invocation_id, request.execution_id));
  insert into public.agent_invocations (tenant_id, invocation_id, source_type, source_id, source_version, domain, governance_class, correlation_id, causation_id, attempt,
    recovery_mode, deadline_at, defined, request_digest, seq, epoch, xid, recorded_at, recorded_by)
  select new.tenant_id, new.gateway_invocation_id, 'agent', g ->> 'id', g ->> 'version', g ->> 'domain', 'autonomous', asked.correlation_id, ledger_internal.gateway_cause(request, asked), 1,
         'reset', deadline, true, '', nextval('ledger_internal.feed_seq'), new.epoch, new.xid, request.recorded_at, new.recorded_by
    from ledger_internal.hitl_gateway() g;
  gateway := ledger_internal.find_subject(new.tenant_id, 'invocation', new.gateway_invocation_id);
  perform ledger_internal.write_own_outcomes(array[(gateway,
    ledger_internal.own_envelope(gateway, 'success', jsonb_build_object('hitl_request_id', new.hitl_request_id, 'resolution', new.resolution, 'reason', new.reason, 'resolved_by', new.recorded_by),
      '[]', null, request.recorded_at, new.recorded_at), 'recorded', null, new.recorded_by)::ledger_internal.own_outcome]);
  delete from ledger_internal.open_requests r where r.hitl_request_id = new.hitl_request_id and r.tenant_id is not distinct from new.tenant_id;
  -- The deadline waited with the subject: what was left of it when the human was asked is left now.
  update ledger_internal.open_work w set gateway_invocation_id = new.gateway_invocation_id, deadline_at = w.deadline_at + (new.recorded_at - request.recorded_at)
   where w.subject_id = asked.subject_id and w.subject_type = asked.subject_type and w.tenant_id is not distinct from new.tenant_id;
  perform ledger_internal.announce(new.tenant_id, 'os.hitl.resolved', gateway.source_id, asked.correlation_id, asked.subject_id::text, null,
    jsonb_build_object('hitl_request_id', new.hitl_request_id, 'subject_type', asked.subject_type, 'subject_id', asked.subject_id, 'correlation_id', asked.correlation_id,
      'resolution', new.resolution, 'resolved_by', new.recorded_by), new.recorded_by);
  return null;
end
$$;
comment on function ledger_internal.publish_hitl_resolution() is 'Writes the HITL gateway''s own outcome for an answer, announces it, and lets the subject go on.';
create trigger publish after insert on public.hitl_resolutions for each row execute function ledger_internal.publish_hitl_resolution();

-- An escalated outcome that names its request opens it in its own transaction.
create function ledger_internal.ask_for_escalation() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  escalation constant jsonb := new.outcome_envelope -> 'escalation';
begin
  if tg_argv[0] = 'invocation' then
    perform ledger_internal.open_request(escalation ->> 'hitl_request_id', ledger_internal.find_subject(new.tenant_id, 'invocation', new.invocation_id), 'outcome', null, new.outcome_id,
      escalation ->> 'reason', new.recorded_by);
  else
    perform ledger_internal.open_request(escalation ->> 'hitl_request_id', ledger_internal.find_subject(new.tenant_id, 'execution', new.execution_id), 'outcome', null, new.outcome_id,
      escalation ->> 'reason', new.recorded_by);
  end if;
  return null;
end
$$;
comment on function ledger_internal.ask_for_escalation() is 'Opens the request an escalated outcome names, unless it stands already.';
create trigger ask_human after insert on public.agent_invocation_outcomes for each row
  when (new.status = 'escalated' and new.outcome_envelope #>> '{escalation,hitl_request_id}' is not null) execute function ledger_internal.ask_for_escalation('invocation');
create trigger ask_human after insert on public.workflow_outcomes for each row
  when (new.status = 'escalated' and new.outcome_envelope #>> '{escalation,hitl_request_id}' is not null) execute function ledger_internal.ask_for_escalation('execution');

create function ledger_internal.hitl_resolution_read(s public.hitl_resolutions) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return jsonb_build_object('hitl_request_id', s.hitl_request_id, 'resolution', s.resolution, 'reason', s.reason, 'resolved_by', s.recorded_by,
    'resolved_at', ledger_internal.rfc3339(s.recorded_at), 'gateway_invocation_id', s.gateway_invocation_id,
    'gateway_outcome_id', (select o.outcome_id from public.agent_invocation_outcomes o where o.invocation_id = s.gateway_invocation_id and o.tenant_id is not distinct from s.tenant_id));
end
$$;
comment on function ledger_internal.hitl_resolution_read(public.hitl_resolutions) is 'A human''s answer as callers read it.';

-- From rows alone, so that a request reads the same however long ago it was. An escalated subject still waits for its answer.
create function ledger_internal.hitl_state(r public.hitl_requests, answer text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  ended_at timestamptz;
  ended_as text;
begin
  if answer is not null then
    return answer;
  end if;
  if r.outcome_id is null and r.invocation_id is not null then
    select o.recorded_at, o.status into ended_at, ended_as from public.agent_invocation_outcomes o where o.invocation_id = r.invocation_id and o.tenant_id is not distinct from r.tenant_id;
  elsif r.outcome_id is null then
    select o.recorded_at, o.status into ended_at, ended_as from public.workflow_outcomes o where o.execution_id = r.execution_id and o.tenant_id is not distinct from r.tenant_id;
  end if;
  if exists (select from public.hitl_requests n where n.tenant_id is not distinct from r.tenant_id and (n.invocation_id = r.invocation_id or n.execution_id = r.execution_id)
               and (n.epoch, n.seq) > (r.epoch, r.seq) and n.recorded_at < r.expires_at) then
    return 'closed';
  end if;
  return case when ended_as <> 'escalated' and ended_at < r.expires_at then 'closed'
              when r.expires_at <= clock_timestamp() then 'expired'
              else 'open' end;
end
$$;
comment on function ledger_internal.hitl_state(public.hitl_requests, text) is 'open, approved, rejected, expired, or closed: its subject ended without an answer, or another request took its place.';

create function ledger_internal.hitl_request_read(r public.hitl_requests) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  answered jsonb;
begin
  select ledger_internal.hitl_resolution_read(s) into answered from public.hitl_resolutions s where s.hitl_request_id = r.hitl_request_id and s.tenant_id is not distinct from r.tenant_id;
  return jsonb_build_object('hitl_request_id', r.hitl_request_id,
    'state', ledger_internal.hitl_state(r, answered ->> 'resolution'),
    'subject_type', r.subject_type, 'invocation_id', r.invocation_id, 'execution_id', r.execution_id, 'opened_from', r.opened_from, 'decision_id', r.decision_id, 'outcome_id', r.outcome_id,
    'source_id', r.source_id, 'correlation_id', r.correlation_id, 'reason', r.reason, 'expires_at', ledger_internal.rfc3339(r.expires_at),
    'requested_at', ledger_internal.rfc3339(r.recorded_at), 'requested_by', r.recorded_by, 'age_s', floor(extract(epoch from clock_timestamp() - r.recorded_at))::bigint,
    'resolution', answered);
end
$$;
comment on function ledger_internal.hitl_request_read(public.hitl_requests) is 'A request to a human as callers read it: state (open, approved, rejected, expired, closed), age in seconds, its answer.';

create function public.open_hitl_request(request jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  asked jsonb;
  id text;
  kept public.hitl_requests;
begin
  if ledger_internal.hitl_request_ok(request) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.hitl_request_violations(request));
  end if;
  asked := ledger_internal.without_nulls(request);
  id := coalesce(asked ->> 'hitl_request_id', gen_random_uuid()::text);
  -- The subject's own lock comes with it, sorted: a request about an outcome locks what the outcome ended.
  perform ledger_internal.lock_subjects(tenant, array['hitl/' || id,
    coalesce(asked ->> 'invocation_id', asked ->> 'execution_id',
      (select o.subject_id::text from ledger_internal.outcomes o where o.outcome_id = ledger_internal.uuid_or_null(asked ->> 'outcome_id') and o.tenant_id = tenant))], '{}');
  select * into kept from public.hitl_requests r where r.hitl_request_id = id and r.tenant_id = tenant;
  if found then
    return case when kept.request_digest = ledger_internal.digest(asked) then ledger_internal.answer('replayed', ledger_internal.hitl_request_read(kept))
                else ledger_internal.answer('conflict', ledger_internal.hitl_request_read(kept), 'hitl_request_conflict') end;
  end if;
  perform ledger_internal.say_digest(ledger_internal.digest(asked));
  insert into public.hitl_requests as r (hitl_request_id, invocation_id, execution_id, outcome_id, reason, expires_at)
  values (id, (asked ->> 'invocation_id')::uuid, (asked ->> 'execution_id')::uuid, (asked ->> 'outcome_id')::uuid, asked ->> 'reason',
    coalesce(ledger_internal.moment(asked ->> 'expires_at'), clock_timestamp() + (asked -> 'expires_in_ms')::bigint * interval '1 millisecond'))
  -- An escalated outcome of another subject may take the id at this moment, under its own subject's lock.
  on conflict do nothing
  returning * into kept;
  perform ledger_internal.say_digest('');
  if kept.hitl_request_id is null then
    select * into kept from public.hitl_requests r where r.hitl_request_id = id and r.tenant_id = tenant;
    return ledger_internal.answer('conflict', ledger_internal.hitl_request_read(kept), 'hitl_request_conflict');
  end if;
  return ledger_internal.answer('recorded', ledger_internal.hitl_request_read(kept));
end
$$;
comment on function public.open_hitl_request(jsonb) is 'Puts an open subject, or an escalated outcome, before a human. With a hitl_request_id a retry is a replay.';

create function public.resolve_hitl_request(resolution jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.require_tenant();
  id constant text := resolution ->> 'hitl_request_id';
  kept public.hitl_resolutions;
begin
  perform set_config('ledger_internal.recording', 'on', true);
  insert into public.hitl_resolutions as s (hitl_request_id, resolution, reason) values (id, resolution ->> 'resolution', resolution ->> 'reason') returning * into kept;
  perform set_config('ledger_internal.recording', 'off', true);
  if kept.hitl_request_id is not null then
    return ledger_internal.answer('recorded', ledger_internal.hitl_resolution_read(kept));
  end if;
  select * into kept from public.hitl_resolutions s where s.hitl_request_id = id and s.tenant_id = tenant;
  -- The same answer by the same human again is that answer; any other came second.
  return case when kept.resolution = resolution ->> 'resolution' and kept.reason = resolution ->> 'reason' and kept.recorded_by = (ledger_internal.caller()).actor_id
              then ledger_internal.answer('replayed', ledger_internal.hitl_resolution_read(kept))
              else ledger_internal.answer('conflict', ledger_internal.hitl_resolution_read(kept), 'hitl_conflict') end;
end
$$;
comment on function public.resolve_hitl_request(jsonb) is 'An operator''s one answer to a request: {hitl_request_id, resolution: approved | rejected, reason}.';

create function public.get_hitl_request(hitl_request_id text) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  kept public.hitl_requests;
begin
  select * into kept from public.hitl_requests r where r.hitl_request_id = get_hitl_request.hitl_request_id and r.tenant_id = ledger_internal.tenant_id();
  return case when found then ledger_internal.hitl_request_read(kept) end;
end
$$;
comment on function public.get_hitl_request(text) is 'One request with its state and its answer; null when the tenant has none of that id.';

create function ledger_internal.open_requests_of_tenant() returns setof ledger_internal.open_requests
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query select r.* from ledger_internal.open_requests r where r.tenant_id = ledger_internal.tenant_id() order by r.opened_at;
end
$$;
comment on function ledger_internal.open_requests_of_tenant() is 'Requests of the caller''s tenant that have no answer, expired ones included.';

create function ledger_internal.hitl_state_condition(state text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if state is null then
    return 'true';
  elsif state = 'open' then
    return 'r.hitl_request_id = any (array(select w.hitl_request_id from ledger_internal.open_requests_of_tenant() w where w.expires_at > clock_timestamp()))';
  elsif state in ('expired', 'closed') then
    return format('not exists (select from public.hitl_resolutions s where s.hitl_request_id = r.hitl_request_id and s.tenant_id = r.tenant_id) and ledger_internal.hitl_state(r, null) = %L', state);
  elsif state in ('approved', 'rejected') then
    return format('exists (select from public.hitl_resolutions s where s.hitl_request_id = r.hitl_request_id and s.tenant_id = r.tenant_id and s.resolution = %L)', state);
  end if;
  perform ledger_internal.refuse_query('state', 'must be open, approved, rejected, expired or closed');
  return null;
end
$$;
comment on function ledger_internal.hitl_state_condition(text) is 'The condition that a state puts on a list of requests.';

create function public.list_hitl_requests(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.page('public.hitl_requests', 'ledger_internal.hitl_request_read', filter,
    '{"correlation_id": "correlation_id", "source_id": "source_id", "invocation_id": "invocation_id::uuid", "execution_id": "execution_id::uuid", "outcome_id": "outcome_id::uuid"}',
    ledger_internal.hitl_state_condition(filter ->> 'state'));
end
$$;
comment on function public.list_hitl_requests(jsonb) is 'Requests to humans by state, correlation_id, source_id, invocation_id, execution_id, outcome_id, from, to; {items, next_cursor}.';
