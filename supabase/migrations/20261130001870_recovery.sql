-- Chapter: recovery. What passed its deadline without an outcome gets one `timeout`, from here; what an operator or an
-- orchestrator gives up ends canceled. Both race freely with the real completion: whoever has the subject's lock first wins.

-- Never waits: false when somebody has one of the locks. What the subject refers to comes first, so that a subject that
-- somebody is writing is not held for nothing.
create function ledger_internal.try_lock_outcome(subject ledger_internal.subject) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  -- Before and after the subject's own lock: what it refers to may grow until that is had.
  for look in 1..2 loop
    if not (select coalesce(bool_and(pg_try_advisory_xact_lock_shared(k.key)), true)
              from (select distinct hashtextextended(subject.tenant_id || ':' || r.id, 0) as key
                      from unnest(ledger_internal.referred_subjects(subject)) r (id) where r.id is not null) k)
       or not pg_try_advisory_xact_lock(hashtextextended(subject.tenant_id || ':' || subject.subject_id, 0)) then
      return false;
    end if;
  end loop;
  return true;
end
$$;
comment on function ledger_internal.try_lock_outcome(ledger_internal.subject) is 'The locks of one outcome, if all of them are free now.';

-- Requests that nobody answered in time, announced once. Their subjects are swept like any other from then on. Under the
-- subject's lock, or an answer that is being written would be announced as missing.
create function ledger_internal.expire_requests(max_rows integer) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  late record;
  request public.hitl_requests;
  expired integer := 0;
begin
  for late in
    select r.hitl_request_id, r.tenant_id, r.subject_id from ledger_internal.open_requests r
     where not r.expired and r.expires_at <= clock_timestamp() order by r.expires_at limit max_rows
  loop
    continue when not pg_try_advisory_xact_lock(hashtextextended(late.tenant_id || ':' || late.subject_id, 0));
    update ledger_internal.open_requests r set expired = true
     where r.hitl_request_id = late.hitl_request_id and r.tenant_id = late.tenant_id and not r.expired;
    continue when not found;
    select * into request from public.hitl_requests q where q.hitl_request_id = late.hitl_request_id and q.tenant_id = late.tenant_id;
    expired := expired + 1;
    perform ledger_internal.announce_expiry(request, 'ledger-sweep');
  end loop;
  return expired;
end
$$;
comment on function ledger_internal.expire_requests(integer) is 'Announces requests that passed their expiry unanswered, each once; returns how many.';

-- Never waits, and makes nobody wait but who would end the same subject or what it refers to: open work is row-locked only
-- once its subject's locks are had, and what somebody holds is passed over.
create function ledger_internal.sweep(max_rows integer) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  due record;
  subject ledger_internal.subject;
  free ledger_internal.subject[] := '{}';
  own ledger_internal.own_outcome[];
  expired integer;
  held integer := 0;
  swept integer := 0;
begin
  perform ledger_internal.require_read_committed();
  perform pg_advisory_xact_lock_shared(hashtextextended('outcome-ledger:epoch', 0));
  expired := ledger_internal.expire_requests(max_rows);
  for due in
    select w.tenant_id, w.subject_type, w.subject_id from ledger_internal.open_work w
     where w.deadline_at <= clock_timestamp()
       and not exists (select from ledger_internal.open_requests r
                        where r.subject_id = w.subject_id and r.subject_type = w.subject_type and r.tenant_id is not distinct from w.tenant_id and r.expires_at > clock_timestamp())
     order by w.deadline_at limit max_rows * 10
  loop
    subject := ledger_internal.find_subject(due.tenant_id, due.subject_type, due.subject_id);
    if ledger_internal.try_lock_outcome(subject) then
      free := free || subject;
    else
      held := held + 1;
    end if;
    exit when cardinality(free) >= max_rows;
  end loop;
  -- A statement of its own: it sees what committed before the locks were had, a request to a human included. A heartbeat takes
  -- its row alone, hence skip locked.
  own := array(
    select row(f, ledger_internal.own_envelope(f, 'timeout', null,
             jsonb_build_array(jsonb_build_object('code', 'TIMEOUT', 'message', 'No outcome was recorded before the deadline.', 'field', null, 'source_agent_id', null,
               'recoverable', a.recoverable, 'retry_after_ms', null))
             || case when a.unanswered is null then '[]' else jsonb_build_array(jsonb_build_object('code', 'HITL_EXPIRED', 'message', 'A human was asked and did not answer before the request expired.',
               'field', null, 'source_agent_id', null, 'recoverable', a.recoverable, 'retry_after_ms', null)) end,
             ledger_internal.policy_member(a.decided), w.opened_at, greatest(w.deadline_at, a.unanswered)), 'swept', null, 'ledger-sweep')::ledger_internal.own_outcome
      from unnest(free) f
      join ledger_internal.open_work w on w.subject_id = f.subject_id and w.subject_type = f.subject_type and w.tenant_id is not distinct from f.tenant_id
     cross join lateral (
       select coalesce((select i.recovery_mode from public.agent_invocations i where f.subject_type = 'invocation' and i.invocation_id = f.subject_id and i.tenant_id is not distinct from f.tenant_id), 'reset') <> 'manual' as recoverable,
              (select r.expires_at from ledger_internal.open_requests r where r.subject_id = f.subject_id and r.subject_type = f.subject_type and r.tenant_id is not distinct from f.tenant_id) as unanswered,
              (select d from public.policy_decisions d where d.tenant_id is not distinct from f.tenant_id
                  and case f.subject_type when 'invocation' then d.invocation_id = f.subject_id else d.execution_id = f.subject_id end) as decided
     ) a
     where w.deadline_at <= clock_timestamp() and (a.unanswered is null or a.unanswered <= clock_timestamp())
       for update of w skip locked);
  if cardinality(own) > 0 then
    swept := ledger_internal.write_own_outcomes(own);
  end if;
  return jsonb_build_object('swept', swept, 'skipped', held + cardinality(free) - swept, 'expired_requests', expired, 'more', cardinality(free) >= max_rows);
end
$$;
comment on function ledger_internal.sweep(integer) is 'One bounded batch of recovery; its caller commits and calls again while more is true.';

create function public.sweep_overdue(max_rows integer default 100) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.sweep(least(greatest(coalesce(max_rows, 100), 1), 100));
end
$$;
comment on function public.sweep_overdue(integer) is 'Writes the timeout of up to 100 subjects past their deadline, and announces expired requests: {swept, skipped, expired_requests, more}. For the sweep worker and pg_cron.';

-- Under the subject's locks: the outcome that stands, or the canceled one.
create function ledger_internal.cancel(kind text, id uuid, reason text) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  document constant jsonb := jsonb_build_object('reason', reason);
  subject ledger_internal.subject;
  decided public.policy_decisions;
  opened timestamptz;
  stands record;
begin
  if caller.tenant_id is null then
    perform ledger_internal.refuse('not_permitted', 'The actor is disabled, or the token names no tenant.');
  end if;
  perform ledger_internal.require_read_committed();
  if not ledger_internal.cancellation_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.cancellation_violations(document));
  end if;
  subject := ledger_internal.require_subject(caller.tenant_id, kind, id);
  if not ledger_internal.may_cancel(caller.ledger_role) then
    perform ledger_internal.refuse('not_permitted', format('Role %s may not cancel.', caller.ledger_role));
  end if;
  decided := ledger_internal.lock_outcome(subject);
  select w.opened_at into opened from ledger_internal.open_work w where w.subject_id = id and w.subject_type = kind and w.tenant_id is not distinct from subject.tenant_id;
  if found then
    perform ledger_internal.write_own_outcomes(array[(subject, ledger_internal.own_envelope(subject,
      -- A blocked subject that is given up ends blocked.
      case when decided.decision = 'block' then 'blocked' else 'failure' end, null,
      jsonb_build_array(jsonb_build_object('code', 'CANCELED', 'message', reason, 'field', null, 'source_agent_id', null, 'recoverable', false, 'retry_after_ms', null)),
      ledger_internal.policy_member(decided), opened, clock_timestamp()), 'canceled', 'canceled', caller.actor_id)::ledger_internal.own_outcome]);
  end if;
  if kind = 'invocation' then
    select o.outcome_envelope as envelope, o.origin, o.recorded_by into stands from public.agent_invocation_outcomes o where o.invocation_id = id and o.tenant_id is not distinct from subject.tenant_id;
  else
    select o.outcome_envelope as envelope, o.origin, o.recorded_by into stands from public.workflow_outcomes o where o.execution_id = id and o.tenant_id is not distinct from subject.tenant_id;
  end if;
  if stands.envelope is null then
    perform ledger_internal.refuse(kind || '_closed');
  end if;
  return case
    when opened is not null then ledger_internal.answer('recorded', stands.envelope)
    when stands.origin = 'canceled' and stands.recorded_by = caller.actor_id and stands.envelope #>> '{errors,0,message}' = reason then ledger_internal.answer('replayed', stands.envelope)
    else ledger_internal.answer('conflict', stands.envelope, 'outcome_conflict') end;
end
$$;
comment on function ledger_internal.cancel(text, uuid, text) is 'Ends an open subject of the caller''s tenant: failure (or blocked), CANCELED.';

create function public.cancel_invocation(invocation_id uuid, reason text) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.cancel('invocation', invocation_id, reason);
end
$$;
comment on function public.cancel_invocation(uuid, text) is 'An operator or orchestrator gives an open invocation up: failure, code CANCELED. {result: recorded | replayed | conflict, record: the outcome that stands}.';

create function public.cancel_execution(execution_id uuid, reason text) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.cancel('execution', execution_id, reason);
end
$$;
comment on function public.cancel_execution(uuid, text) is 'An operator or orchestrator gives an open execution up: failure, code CANCELED. {result: recorded | replayed | conflict, record: the outcome that stands}.';
