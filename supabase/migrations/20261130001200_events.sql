-- Chapter: OS events: emitted with an outcome, registered by an agent for its open invocation, or received from outside.

create table public.os_events (
  tenant_id      uuid        not null,
  event_id       text        not null default gen_random_uuid()::text,
  kind           text        not null,
  type           text        not null,
  source         text        not null,
  invocation_id  uuid,
  outcome_id     uuid,
  correlation_id text,
  causation_id   text,
  occurred_at    timestamptz not null,
  data           jsonb,
  request_digest text,
  seq            bigint      not null,
  epoch          integer     not null,
  xid            xid8        not null,
  recorded_at    timestamptz not null,
  recorded_by    text        not null,
  primary key (event_id, tenant_id),
  foreign key (invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id)
);
create index os_events_invocation on public.os_events (invocation_id, tenant_id);
create index os_events_correlation on public.os_events (correlation_id, tenant_id);
create unique index os_events_feed on public.os_events (epoch, xid, seq);
create index os_events_page on public.os_events (tenant_id, epoch, xid, seq);
select ledger_internal.make_append_only('public.os_events');
select ledger_internal.describe_common_columns('public.os_events');
comment on table public.os_events is 'One OS event.';
comment on column public.os_events.event_id is 'Unique in the tenant. Of an emitted event: the outcome''s id.';
comment on column public.os_events.kind is 'emitted (with an outcome), registered (by an agent, for its open invocation) or received (from outside).';
comment on column public.os_events.type is 'Event type; os.outcome.* are the ledger''s own.';
comment on column public.os_events.source is 'Who it comes from: the actor of the outcome or invocation, or the outside source.';
comment on column public.os_events.invocation_id is 'The open invocation it was registered for.';
comment on column public.os_events.outcome_id is 'The outcome it announces.';
comment on column public.os_events.correlation_id is 'The business transaction, when known.';
comment on column public.os_events.causation_id is 'What caused it: of a registered event its invocation, of an emitted one the outcome''s cause.';
comment on column public.os_events.occurred_at is 'When it happened; recorded_at when not said.';
comment on column public.os_events.data is 'Payload: of an emitted event outcome_id, source, correlation_id, status, duration_ms; never the result.';
comment on column public.os_events.request_digest is 'Digest of the event as sent; null for emitted ones.';

create function ledger_internal.event_document(r public.os_events) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('event_id', r.event_id, 'type', r.type, 'source', case when r.invocation_id is null then r.source end,
    'invocation_id', r.invocation_id, 'correlation_id', case when r.invocation_id is null then r.correlation_id end,
    'occurred_at', ledger_internal.rfc3339(r.occurred_at), 'data', r.data);
end
$$;
comment on function ledger_internal.event_document(public.os_events) is 'An event as the document its author sent.';

create function ledger_internal.accept_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  new.event_id := coalesce(new.event_id, gen_random_uuid()::text);
  document := ledger_internal.event_document(new);
  if not ledger_internal.event_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.event_violations(document));
  end if;
  if not exists (select from public.tenants t where t.tenant_id = new.tenant_id) then
    perform ledger_internal.refuse('unknown_tenant');
  end if;
  if new.invocation_id is null then
    new.kind := 'received';
    perform ledger_internal.lock_subjects(new.tenant_id, array[new.event_id], '{}');
  else
    new.kind := 'registered';
    subject := ledger_internal.require_subject(caller.tenant_id, 'invocation', new.invocation_id);
    perform ledger_internal.require_may_write('os_events', caller.ledger_role, caller.actor_id, subject);
    -- Exclusive on the event's own id: an outcome that names it as its cause holds it shared, and either sees the other.
    perform ledger_internal.lock_subjects(new.tenant_id, array[new.event_id], array[new.invocation_id::text]);
    perform ledger_internal.require_open(subject);
    new.source := subject.source_id;
    new.correlation_id := subject.correlation_id;
    new.causation_id := new.invocation_id::text;
  end if;
  perform ledger_internal.require_free_id(new.tenant_id, new.event_id, 'event');
  if exists (select from public.os_events e where e.tenant_id is not distinct from new.tenant_id and e.event_id = new.event_id) then
    perform ledger_internal.refuse('event_conflict');
  end if;
  new.request_digest := ledger_internal.request_digest(document);
  new.outcome_id := null;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.occurred_at := coalesce(new.occurred_at, new.recorded_at);
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_event() is 'Checks an event that a tenant writes and sets what its author may not.';

create function ledger_internal.publish_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  delete from ledger_internal.unresolved_causes u where u.tenant_id = new.tenant_id and u.causation_id = new.event_id;
  return null;
end
$$;
comment on function ledger_internal.publish_event() is 'The event may be the cause that starts were waiting for.';

-- Emitted events are written whole by the outcomes' own trigger, which runs as the owner; only a tenant's are checked.
create trigger accept before insert on public.os_events for each row when (current_user = 'authenticated') execute function ledger_internal.accept_event();
create trigger publish after insert on public.os_events for each row when (current_user = 'authenticated') execute function ledger_internal.publish_event();
