-- Chapter: humans in the loop. A request asks a human about a subject; its answer is another row, at most one, and whoever
-- asked does not answer. What waits right now stands in operational state.

create table public.hitl_requests (
  tenant_id       uuid        not null,
  hitl_request_id text        not null default gen_random_uuid()::text,
  subject_type    text        not null,
  invocation_id   uuid,
  execution_id    uuid,
  opened_from     text        not null,
  decision_id     uuid,
  outcome_id      uuid,
  source_id       text        not null,
  correlation_id  text        not null,
  reason          text        not null,
  expires_at      timestamptz not null,
  request_digest  text        not null,
  seq             bigint      not null,
  epoch           integer     not null,
  xid             xid8        not null,
  recorded_at     timestamptz not null,
  recorded_by     text        not null,
  primary key (hitl_request_id, tenant_id),
  check (num_nonnulls(invocation_id, execution_id) = 1),
  foreign key (invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id),
  foreign key (execution_id, tenant_id) references public.workflow_executions (execution_id, tenant_id)
);
create index hitl_requests_invocation on public.hitl_requests (invocation_id, tenant_id);
create index hitl_requests_execution on public.hitl_requests (execution_id, tenant_id);
create unique index hitl_requests_feed on public.hitl_requests (epoch, xid, seq);
create index hitl_requests_page on public.hitl_requests (tenant_id, epoch, xid, seq);
select ledger_internal.make_append_only('public.hitl_requests');
select ledger_internal.describe_common_columns('public.hitl_requests');
comment on table public.hitl_requests is 'A question to a human about one invocation or execution. Its answer stands in hitl_resolutions.';
comment on column public.hitl_requests.hitl_request_id is 'Its id: the client''s, that of the escalation, or minted.';
comment on column public.hitl_requests.subject_type is 'invocation or execution.';
comment on column public.hitl_requests.invocation_id is 'The invocation it is about, or null.';
comment on column public.hitl_requests.execution_id is 'The execution it is about, or null.';
comment on column public.hitl_requests.opened_from is 'decision (that requires a human), outcome (escalated) or orchestrator.';
comment on column public.hitl_requests.decision_id is 'The decision that asked for a human, or null.';
comment on column public.hitl_requests.outcome_id is 'The escalated outcome it is about, or null.';
comment on column public.hitl_requests.source_id is 'The agent_id or workflow_id of the subject.';
comment on column public.hitl_requests.correlation_id is 'The business transaction of the subject.';
comment on column public.hitl_requests.reason is 'What the human is asked, and why.';
comment on column public.hitl_requests.expires_at is 'After this, by the database''s clock, no answer is taken.';
comment on column public.hitl_requests.request_digest is 'Digest of the request as sent.';

create table public.hitl_resolutions (
  tenant_id             uuid        not null,
  hitl_request_id       text        not null,
  resolution            text        not null check (resolution in ('approved', 'rejected')),
  reason                text        not null,
  gateway_invocation_id uuid        not null,
  seq                   bigint      not null,
  epoch                 integer     not null,
  xid                   xid8        not null,
  recorded_at           timestamptz not null,
  recorded_by           text        not null,
  primary key (hitl_request_id, tenant_id),
  foreign key (hitl_request_id, tenant_id) references public.hitl_requests (hitl_request_id, tenant_id)
);
create unique index hitl_resolutions_feed on public.hitl_resolutions (epoch, xid, seq);
select ledger_internal.make_append_only('public.hitl_resolutions');
select ledger_internal.describe_common_columns('public.hitl_resolutions');
comment on table public.hitl_resolutions is 'A human''s one answer to a request: recorded_by says who, recorded_at when.';
comment on column public.hitl_resolutions.hitl_request_id is 'The request it answers.';
comment on column public.hitl_resolutions.resolution is 'approved or rejected.';
comment on column public.hitl_resolutions.reason is 'Why, in the human''s words.';
comment on column public.hitl_resolutions.gateway_invocation_id is 'The HITL gateway''s own invocation, whose outcome carries this answer in the lineage.';

-- What waits, or expired unanswered: a row goes with the answer, with the next request, or when its subject ends otherwise.
create table ledger_internal.open_requests (
  tenant_id       uuid        not null,
  hitl_request_id text        not null,
  subject_type    text        not null,
  subject_id      uuid        not null,
  opened_at       timestamptz not null,
  expires_at      timestamptz not null,
  expired         boolean     not null default false,
  primary key (hitl_request_id, tenant_id),
  unique (subject_id, subject_type, tenant_id)
);
create index open_requests_expiry on ledger_internal.open_requests (expires_at) where not expired;
create index open_requests_opened on ledger_internal.open_requests (tenant_id, opened_at);
alter table ledger_internal.open_requests enable row level security;
alter table ledger_internal.open_requests force row level security;
revoke all on ledger_internal.open_requests from public, anon, authenticated, service_role;
create policy "the ledger's own functions keep open requests" on ledger_internal.open_requests to current_user using (true) with check (true);
comment on table ledger_internal.open_requests is 'Requests to humans that have no answer yet, at most one a subject.';
comment on column ledger_internal.open_requests.tenant_id is 'Whose.';
comment on column ledger_internal.open_requests.hitl_request_id is 'The request.';
comment on column ledger_internal.open_requests.subject_type is 'invocation or execution.';
comment on column ledger_internal.open_requests.subject_id is 'The invocation_id or execution_id.';
comment on column ledger_internal.open_requests.opened_at is 'recorded_at of the request.';
comment on column ledger_internal.open_requests.expires_at is 'As in the request.';
comment on column ledger_internal.open_requests.expired is 'True once its expiry was announced.';

create function ledger_internal.hitl_request_document(r public.hitl_requests) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('hitl_request_id', r.hitl_request_id,
    'invocation_id', case when r.outcome_id is null then r.invocation_id end, 'execution_id', case when r.outcome_id is null then r.execution_id end,
    'outcome_id', r.outcome_id, 'reason', r.reason, 'expires_at', ledger_internal.rfc3339(r.expires_at));
end
$$;
comment on function ledger_internal.hitl_request_document(public.hitl_requests) is 'A request as the document its author sent.';

-- An event of the ledger's own that is no outcome's. Its id is minted: a tenant could otherwise register it first.
create function ledger_internal.announce(tenant uuid, type text, source text, correlation text, causation text, outcome uuid, data jsonb, actor text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
  values (tenant, gen_random_uuid()::text, 'emitted', type, source, outcome, correlation, causation, clock_timestamp(), data,
    nextval('ledger_internal.feed_seq'), ledger_internal.current_epoch(), pg_current_xact_id(), clock_timestamp(), actor);
end
$$;
comment on function ledger_internal.announce(uuid, text, text, text, text, uuid, jsonb, text) is 'Emits one os.* event that belongs to no outcome of its own.';

create function ledger_internal.announce_expiry(request public.hitl_requests, actor text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  about constant uuid := coalesce(request.invocation_id, request.execution_id);
begin
  perform ledger_internal.announce(request.tenant_id, 'os.hitl.expired', request.source_id, request.correlation_id, about::text, null,
    jsonb_build_object('hitl_request_id', request.hitl_request_id, 'subject_type', request.subject_type, 'subject_id', about,
      'correlation_id', request.correlation_id, 'expires_at', ledger_internal.rfc3339(request.expires_at)), actor);
end
$$;
comment on function ledger_internal.announce_expiry(public.hitl_requests, text) is 'Emits os.hitl.expired of a request nobody answered in time.';

create function ledger_internal.require_expiry(expires_at timestamptz) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- now(), the transaction's start, as for deadlines.
  if expires_at <= now() or expires_at > clock_timestamp() + ledger_internal.longest_deadline() then
    perform ledger_internal.refuse('deadline_invalid', 'The expiry lies in the past, or more than 30 days ahead, on the database''s clock.',
      jsonb_build_array(jsonb_build_object('path', '/expires_at', 'rule', 'deadline', 'message', 'must lie ahead, at most 30 days, by the database''s clock')));
  end if;
end
$$;
comment on function ledger_internal.require_expiry(timestamptz) is 'Refuses an expiry that is past or more than thirty days ahead.';

-- Called under the subject's exclusive lock.
create function ledger_internal.require_no_open_request(subject ledger_internal.subject) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  waiting record;
begin
  select r.hitl_request_id into waiting from ledger_internal.open_requests r
   where r.subject_id = subject.subject_id and r.subject_type = subject.subject_type and r.tenant_id is not distinct from subject.tenant_id
     and r.expires_at > clock_timestamp();
  if found then
    perform ledger_internal.refuse('hitl_request_conflict', 'The subject has an open request already.', '[]', jsonb_build_object('hitl_request_id', waiting.hitl_request_id));
  end if;
end
$$;
comment on function ledger_internal.require_no_open_request(ledger_internal.subject) is 'Refuses hitl_request_conflict while a request about the subject waits.';

create function ledger_internal.accept_hitl_request() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  escalated record;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  new.hitl_request_id := coalesce(new.hitl_request_id, gen_random_uuid()::text);
  document := ledger_internal.hitl_request_document(new)
    || jsonb_build_object('invocation_id', new.invocation_id, 'execution_id', new.execution_id);
  if not ledger_internal.hitl_request_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.hitl_request_violations(document));
  end if;
  if new.outcome_id is not null then
    select o.subject_type, o.subject_id, o.status into escalated from ledger_internal.outcomes o
     where o.outcome_id = new.outcome_id and o.tenant_id is not distinct from new.tenant_id;
    if not found then
      perform ledger_internal.refuse('unknown_outcome', null, jsonb_build_array(jsonb_build_object('path', '/outcome_id', 'rule', 'exists', 'message', 'must be an outcome of this tenant')));
    end if;
    subject := ledger_internal.require_subject(caller.tenant_id, escalated.subject_type, escalated.subject_id);
    if escalated.status <> 'escalated' then
      perform ledger_internal.refuse(subject.subject_type || '_closed', 'Only an escalated outcome can still be put before a human.');
    end if;
    if subject.subject_type = 'invocation' then
      new.invocation_id := subject.subject_id;
    else
      new.execution_id := subject.subject_id;
    end if;
  else
    subject := ledger_internal.require_subject(caller.tenant_id, case when new.invocation_id is null then 'execution' else 'invocation' end,
      coalesce(new.invocation_id, new.execution_id));
  end if;
  perform ledger_internal.require_may_write('hitl_requests', caller.ledger_role, caller.actor_id, subject);
  perform ledger_internal.lock_subjects(new.tenant_id, array[subject.subject_id::text, 'hitl/' || new.hitl_request_id], '{}');
  if new.outcome_id is null then
    perform ledger_internal.require_open(subject);
  end if;
  if exists (select from public.hitl_requests r where r.hitl_request_id = new.hitl_request_id and r.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('hitl_request_conflict');
  end if;
  perform ledger_internal.require_no_open_request(subject);
  new.expires_at := coalesce(new.expires_at, clock_timestamp() + ledger_internal.default_hitl_expiry());
  perform ledger_internal.require_expiry(new.expires_at);
  new.request_digest := ledger_internal.request_digest(document);
  new.subject_type := subject.subject_type;
  new.opened_from := case when new.outcome_id is null then 'orchestrator' else 'outcome' end;
  new.decision_id := null;
  new.source_id := subject.source_id;
  new.correlation_id := subject.correlation_id;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_hitl_request() is 'Checks a request to a human and sets what its author may not.';

create function ledger_internal.publish_hitl_request() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  about constant uuid := coalesce(new.invocation_id, new.execution_id);
  earlier public.hitl_requests;
  replaced record;
begin
  delete from ledger_internal.open_requests r
   where r.subject_id = about and r.subject_type = new.subject_type and r.tenant_id is not distinct from new.tenant_id
  returning r.hitl_request_id, r.expired into replaced;
  -- It had expired, or what the ledger asks itself has taken its place; no sweep will find it now.
  if replaced.hitl_request_id is not null and not replaced.expired then
    select * into earlier from public.hitl_requests q where q.hitl_request_id = replaced.hitl_request_id and q.tenant_id is not distinct from new.tenant_id;
    perform ledger_internal.announce_expiry(earlier, new.recorded_by);
  end if;
  insert into ledger_internal.open_requests (tenant_id, hitl_request_id, subject_type, subject_id, opened_at, expires_at)
  values (new.tenant_id, new.hitl_request_id, new.subject_type, about, new.recorded_at, new.expires_at);
  update ledger_internal.open_work w set hitl_request_id = new.hitl_request_id
   where w.subject_id = about and w.subject_type = new.subject_type and w.tenant_id is not distinct from new.tenant_id;
  perform ledger_internal.announce(new.tenant_id, 'os.hitl.requested', new.source_id, new.correlation_id, coalesce(new.outcome_id, about)::text, new.outcome_id,
    jsonb_build_object('hitl_request_id', new.hitl_request_id, 'subject_type', new.subject_type, 'subject_id', about, 'correlation_id', new.correlation_id,
      'opened_from', new.opened_from, 'reason', new.reason, 'expires_at', ledger_internal.rfc3339(new.expires_at)), new.recorded_by);
  return null;
end
$$;
comment on function ledger_internal.publish_hitl_request() is 'The request waits from now on, and says so in an event.';

-- For requests that the ledger opens itself, in the transaction of what asks for a human. Called under the subject's lock.
create function ledger_internal.open_request(id text, subject ledger_internal.subject, opened_from text, decision uuid, outcome uuid, reason text, actor text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  -- The id is somebody else's, or this very request stands: the first one keeps it.
  if exists (select from public.hitl_requests r where r.hitl_request_id = id and r.tenant_id is not distinct from subject.tenant_id) then
    return;
  end if;
  insert into public.hitl_requests (tenant_id, hitl_request_id, subject_type, invocation_id, execution_id, opened_from, decision_id, outcome_id, source_id, correlation_id,
    reason, expires_at, request_digest, seq, epoch, xid, recorded_at, recorded_by)
  values (subject.tenant_id, id, subject.subject_type, case when subject.subject_type = 'invocation' then subject.subject_id end,
    case when subject.subject_type = 'execution' then subject.subject_id end, opened_from, decision, outcome, subject.source_id, subject.correlation_id,
    reason, clock_timestamp() + ledger_internal.default_hitl_expiry(), '', nextval('ledger_internal.feed_seq'), ledger_internal.current_epoch(), pg_current_xact_id(), clock_timestamp(), actor)
  -- Two subjects may name one id at the same moment: the first has it, the second's escalation stays unasked, and a gap.
  on conflict do nothing;
end
$$;
comment on function ledger_internal.open_request(text, ledger_internal.subject, text, uuid, uuid, text, text) is 'Opens a request on the ledger''s own account, in the place of one that is open about the subject.';

create function ledger_internal.ask_for_decision() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.open_request(new.decision_id::text,
    ledger_internal.find_subject(new.tenant_id, new.subject_type, coalesce(new.invocation_id, new.execution_id)), 'decision', new.decision_id, null,
    coalesce('Policy rule ' || nullif(new.policy_rule_triggered, ''), 'The policy decision ' || new.decision) || ' requires a human.', new.recorded_by);
  return null;
end
$$;
comment on function ledger_internal.ask_for_decision() is 'A decision that requires a human opens the request in its own transaction; the request has the decision''s id.';
create trigger ask_human after insert on public.policy_decisions for each row when ((new.requires_hitl and new.decision <> 'block') or new.decision = 'escalate') execute function ledger_internal.ask_for_decision();

-- What the gateway's invocation names as its cause: the escalated outcome; else the guard that asked for a human; else what
-- caused the subject. Never the subject itself, which the answer precedes.
create function ledger_internal.gateway_cause(request public.hitl_requests, subject ledger_internal.subject) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return coalesce(
    request.outcome_id::text,
    (select o.outcome_id::text from ledger_internal.outcomes o
      where o.subject_id = subject.subject_id and o.subject_type = subject.subject_type and o.tenant_id is not distinct from subject.tenant_id and o.status = 'escalated'),
    (select d.guard_invocation_id::text from public.policy_decisions d where d.decision_id = request.decision_id and d.tenant_id is not distinct from request.tenant_id),
    subject.causation_id);
end
$$;
comment on function ledger_internal.gateway_cause(public.hitl_requests, ledger_internal.subject) is 'The causation_id of the HITL gateway''s invocation that answers a request.';

create function ledger_internal.accept_hitl_resolution() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  request public.hitl_requests;
  subject ledger_internal.subject;
  document constant jsonb := jsonb_build_object('hitl_request_id', new.hitl_request_id, 'resolution', new.resolution, 'reason', new.reason);
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  if not ledger_internal.hitl_resolution_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.hitl_resolution_violations(document));
  end if;
  select * into request from public.hitl_requests r where r.hitl_request_id = new.hitl_request_id and r.tenant_id is not distinct from new.tenant_id;
  if not found then
    perform ledger_internal.refuse('unknown_hitl_request');
  end if;
  subject := ledger_internal.require_subject(caller.tenant_id, request.subject_type, coalesce(request.invocation_id, request.execution_id));
  perform ledger_internal.require_may_write('hitl_resolutions', caller.ledger_role, caller.actor_id, subject);
  if request.recorded_by = caller.actor_id then
    perform ledger_internal.refuse('not_permitted', 'Whoever opened a request does not resolve it.');
  end if;
  if exists (select from public.policy_decisions d where d.tenant_id is not distinct from new.tenant_id and d.recorded_by = caller.actor_id
               and (d.invocation_id = request.invocation_id or d.execution_id = request.execution_id)) then
    perform ledger_internal.refuse('not_permitted', 'Whoever decided about a subject does not answer for a human.');
  end if;
  perform ledger_internal.lock_subjects(new.tenant_id, array[subject.subject_id::text, 'hitl/' || new.hitl_request_id],
    array[request.outcome_id::text, ledger_internal.gateway_cause(request, subject), subject.causation_id,
      -- Of an event the invocation that registered it, whose outcome the link is to.
      (select v.invocation_id::text from public.os_events v where v.event_id = ledger_internal.gateway_cause(request, subject) and v.tenant_id is not distinct from new.tenant_id)]);
  if exists (select from public.hitl_resolutions s where s.hitl_request_id = new.hitl_request_id and s.tenant_id is not distinct from new.tenant_id) then
    if current_setting('ledger_internal.recording', true) = 'on' then
      return null;
    end if;
    perform ledger_internal.refuse('hitl_conflict');
  end if;
  if request.expires_at <= clock_timestamp() then
    perform ledger_internal.refuse('hitl_expired');
  end if;
  if request.outcome_id is null and not exists (
    select from ledger_internal.outcomes o where o.subject_id = subject.subject_id and o.tenant_id is not distinct from subject.tenant_id and o.status = 'escalated') then
    perform ledger_internal.require_open(subject);
  end if;
  if not exists (select from ledger_internal.open_requests r where r.hitl_request_id = new.hitl_request_id and r.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('hitl_expired', 'Another request about the subject has taken its place.');
  end if;
  new.gateway_invocation_id := gen_random_uuid();
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_hitl_resolution() is 'Checks a human''s answer: an operator''s, not the asker''s, in time, once.';

do $$
begin
  -- What the ledger writes itself is written whole, by its own functions as the owner; only a tenant's rows are checked.
  execute format('create trigger accept before insert on public.hitl_requests for each row when (current_user <> %L) execute function ledger_internal.accept_hitl_request()', current_user);
end
$$;
create trigger publish after insert on public.hitl_requests for each row execute function ledger_internal.publish_hitl_request();
create trigger accept before insert on public.hitl_resolutions for each row execute function ledger_internal.accept_hitl_resolution();
