-- Chapter: the relay's own functions: taking what is due for webhooks, settling what became of it, and the rows behind traces.
--
-- Several relays may run. A relay that takes a webhook holds a lease on it and serves it alone; one that dies is forgotten when
-- the lease runs out. Sending happens outside any transaction: a kill between sending and settling sends again.

create function ledger_internal.webhook_wants(patterns text[], event_type text) returns boolean
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return cardinality(patterns) = 0
    or exists (select from unnest(patterns) p where p = event_type or (right(p, 2) = '.*' and starts_with(event_type, left(p, -1))));
end
$$;
comment on function ledger_internal.webhook_wants(text[], text) is 'Whether a type is one of the types or below one of the prefixes; none: every type.';

-- Lays down what the feed has after the webhook's position. Returns how many rows the position moved over.
create function ledger_internal.relay_fill(tenant uuid, webhook uuid, most_waiting integer) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  w ledger_internal.webhooks;
  p ledger_internal.webhook_positions;
  read_rows integer;
  correlations text[];
begin
  if (select count(*) from (select from ledger_internal.webhook_deliveries d where d.webhook_id = webhook and d.tenant_id = tenant limit most_waiting) n) >= most_waiting then
    return 0;
  end if;
  select * into w from ledger_internal.webhooks h where h.webhook_id = webhook and h.tenant_id = tenant;
  select * into p from ledger_internal.webhook_positions s where s.webhook_id = webhook and s.tenant_id = tenant;
  with page as materialized (
    select f.epoch, f.xid::xid8 as xid, f.seq, f.content
      from public.feed(p.epoch, p.xid::text, p.seq, 500, array['os_events'], tenant, p.witness) f
  ), queued as (
    insert into ledger_internal.webhook_deliveries (tenant_id, webhook_id, event_id, correlation_id, epoch, xid, seq)
    select tenant, webhook, n.content ->> 'event_id', coalesce(n.content ->> 'correlation_id', n.content ->> 'event_id'), n.epoch, n.xid, n.seq
      from page n
     where n.content ->> 'kind' = 'emitted' and ledger_internal.webhook_wants(w.event_types, n.content ->> 'type')
    on conflict do nothing
    returning correlation_id
  ), moved as (
    update ledger_internal.webhook_positions s set epoch = l.epoch, xid = l.xid, seq = l.seq, witness = 'os_events'
      from (select n.epoch, n.xid, n.seq from page n order by n.epoch desc, n.xid desc, n.seq desc limit 1) l
     where s.webhook_id = webhook and s.tenant_id = tenant
  )
  select (select count(*) from page), (select array_agg(distinct q.correlation_id) from queued q) into read_rows, correlations;
  perform ledger_internal.order_deliveries(tenant, webhook, correlations);
  return read_rows;
exception
  -- The database is settled, so it is the row of the position that is gone: nobody knows what was sent since.
  when sqlstate 'PT503' then
    update ledger_internal.webhooks h set state = 'disabled', disabled_reason = 'position_gone', updated_at = clock_timestamp(), updated_by = 'ledger-relay'
     where h.webhook_id = webhook and h.tenant_id = tenant;
    return 0;
end
$$;
comment on function ledger_internal.relay_fill(uuid, uuid, integer) is 'Reads on for one webhook, unless too much waits already. Its caller holds the webhook''s position.';

-- What may be sent now: of each correlation that is due its first events, in order.
create function ledger_internal.relay_due(tenant uuid, webhook uuid, max_events integer) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  moment constant timestamptz := clock_timestamp();
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('event_id', n.event_id, 'correlation_id', n.correlation_id, 'attempts', n.attempts, 'event',
             case when e.event_id is not null then jsonb_build_object('type', e.type, 'source', e.source, 'outcome_id', e.outcome_id, 'correlation_id', e.correlation_id,
               'causation_id', e.causation_id, 'occurred_at', ledger_internal.rfc3339(e.occurred_at),
               -- An event says for ever what was so when it happened; what its outcome is judged to be is said as it is sent, and not over its own words.
               'data', case when e.kind = 'emitted' and e.outcome_id is not null then coalesce(ledger_internal.judged_members(e.outcome_id, tenant), '{}') || e.data else e.data end) end)
             order by n.place, n.head), '[]')
      from (select c.event_id, c.correlation_id, c.attempts, c.place, h.head
              from (select d.correlation_id, row_number() over (order by d.due_at, d.epoch, d.xid, d.seq) as head
                      from ledger_internal.webhook_deliveries d
                     where d.webhook_id = webhook and d.tenant_id = tenant and d.due_at <= moment
                     order by d.due_at, d.epoch, d.xid, d.seq limit max_events) h
             cross join lateral (
               select d.event_id, d.correlation_id, d.attempts, row_number() over (order by d.epoch, d.xid, d.seq) as place
                 from ledger_internal.webhook_deliveries d
                where d.webhook_id = webhook and d.tenant_id = tenant and d.correlation_id = h.correlation_id
                order by d.epoch, d.xid, d.seq limit 20) c
             order by c.place, h.head limit max_events) n
      left join public.os_events e on e.event_id = n.event_id and e.tenant_id is not distinct from tenant);
end
$$;
comment on function ledger_internal.relay_due(uuid, uuid, integer) is 'The events of a webhook that may be sent now; event is null where retention has taken it.';

create function ledger_internal.relay_take(token uuid, max_webhooks integer, max_events integer, lease_ms integer, most_waiting integer) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  moment constant timestamptz := clock_timestamp();
  latest constant integer := ledger_internal.latest_epoch();
  place record;
  due jsonb;
  turns jsonb := '[]';
  moved bigint := 0;
begin
  perform ledger_internal.require_read_committed();
  if not ledger_internal.epoch_settled() then
    perform ledger_internal.refuse('epoch_unsettled');
  end if;
  for place in
    select p.tenant_id, p.webhook_id
      from ledger_internal.webhook_positions p
      join ledger_internal.webhooks w on w.webhook_id = p.webhook_id and w.tenant_id = p.tenant_id
     where w.state = 'active' and (p.leased_until is null or p.leased_until <= moment) and (p.paused_until is null or p.paused_until <= moment)
       and (exists (select from ledger_internal.webhook_deliveries d where d.webhook_id = p.webhook_id and d.tenant_id = p.tenant_id and d.due_at <= moment)
            or (exists (select from public.os_events e
                         where e.tenant_id = p.tenant_id and (e.epoch, e.xid, e.seq) > (p.epoch, p.xid, p.seq)
                           and (e.epoch, e.xid) < (latest, pg_snapshot_xmin(pg_current_snapshot())))
                and (select count(*) from (select from ledger_internal.webhook_deliveries d where d.webhook_id = p.webhook_id and d.tenant_id = p.tenant_id limit most_waiting) n) < most_waiting))
     order by p.served_at nulls first, p.webhook_id limit max_webhooks
       for update of p skip locked
  loop
    moved := moved + ledger_internal.relay_fill(place.tenant_id, place.webhook_id, most_waiting);
    -- Looked at again: it may have been disabled since, by an operator, a receiver that is gone, or the filling itself.
    due := case when exists (select from ledger_internal.webhooks w where w.webhook_id = place.webhook_id and w.tenant_id = place.tenant_id and w.state = 'active')
             then ledger_internal.relay_due(place.tenant_id, place.webhook_id, max_events) else '[]' end;
    update ledger_internal.webhook_positions p
       set served_at = moment, lease_token = token,
           leased_until = case when due <> '[]' then clock_timestamp() + lease_ms * interval '1 millisecond' end
     where p.webhook_id = place.webhook_id and p.tenant_id = place.tenant_id;
    if due <> '[]' then
      turns := turns || coalesce((
        select jsonb_build_object('tenant_id', w.tenant_id, 'webhook_id', w.webhook_id, 'url', w.url, 'failing', p.consecutive_failures > 0, 'due', due,
                 'secrets', jsonb_build_array(w.secret) || case when w.previous_until > clock_timestamp() then jsonb_build_array(w.previous_secret) else '[]' end)
          from ledger_internal.webhooks w join ledger_internal.webhook_positions p on p.webhook_id = w.webhook_id and p.tenant_id = w.tenant_id
         where w.webhook_id = place.webhook_id and w.tenant_id = place.tenant_id and w.state = 'active'), '[]');
    end if;
  end loop;
  return jsonb_build_object('turns', turns, 'moved', moved);
end
$$;
comment on function ledger_internal.relay_take(uuid, integer, integer, integer, integer) is 'Leases webhooks that have something to send and gives what may be sent: {turns, moved}. For the relay.';

-- What became of attempts: delivered, failed (again after retry_in_ms), dead, or gone (410). A delivery counts from whoever
-- made it; everything else only from who holds the lease.
create function ledger_internal.relay_settle(tenant uuid, webhook uuid, token uuid, results jsonb, pause_ms bigint, lease_ms integer, release boolean) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  moment constant timestamptz := clock_timestamp();
  held boolean;
  made record;
  waiting ledger_internal.webhook_deliveries;
  correlations text[] := '{}';
  took boolean := false;
  failure record;
  failures integer := 0;
begin
  select p.lease_token is not distinct from token and p.leased_until > moment into held
    from ledger_internal.webhook_positions p where p.webhook_id = webhook and p.tenant_id = tenant for update;
  if held is null then
    return false;
  end if;
  -- One look-up by the key each, and by nothing else that has an index, for the reason above `order_deliveries`.
  for made in select r.event_id, r.result, r.status, r.error, r.retry_in_ms from jsonb_to_recordset(results) r (event_id text, result text, status integer, error text, retry_in_ms bigint) loop
    if made.result = 'delivered' then
      took := true;
    else
      failures := failures + 1;
      failure := made;
    end if;
    continue when not held and made.result <> 'delivered';
    if made.result in ('delivered', 'dead') then
      delete from ledger_internal.webhook_deliveries d where d.event_id = made.event_id and d.webhook_id is not distinct from webhook and d.tenant_id is not distinct from tenant returning * into waiting;
    else
      update ledger_internal.webhook_deliveries d
         set attempts = d.attempts + 1, due_at = moment + made.retry_in_ms * interval '1 millisecond', first_tried_at = coalesce(d.first_tried_at, moment),
             last_tried_at = moment, last_status = made.status, last_error = made.error
       where d.event_id = made.event_id and d.webhook_id is not distinct from webhook and d.tenant_id is not distinct from tenant returning * into waiting;
    end if;
    continue when not found;
    if made.result = 'dead' then
      insert into ledger_internal.webhook_dead_letters (tenant_id, webhook_id, event_id, correlation_id, epoch, xid, seq, attempts, first_tried_at, last_tried_at, last_status, last_error)
      values (tenant, webhook, waiting.event_id, waiting.correlation_id, waiting.epoch, waiting.xid, waiting.seq, waiting.attempts + 1,
        coalesce(waiting.first_tried_at, moment), moment, made.status, made.error)
      on conflict do nothing;
    elsif made.result = 'gone' then
      update ledger_internal.webhooks h set state = 'disabled', disabled_reason = 'gone', updated_at = moment, updated_by = 'ledger-relay'
       where h.webhook_id = webhook and h.tenant_id = tenant and h.state = 'active';
    end if;
    if waiting.correlation_id <> all (correlations) then
      correlations := correlations || waiting.correlation_id;
    end if;
  end loop;
  perform ledger_internal.order_deliveries(tenant, webhook, correlations);
  update ledger_internal.webhook_positions p
     set last_delivered_at = case when took then moment else p.last_delivered_at end,
         consecutive_failures = case when took then 0 else p.consecutive_failures + failures end,
         paused_until = case when held and pause_ms > 0 then moment + pause_ms * interval '1 millisecond' else p.paused_until end,
         leased_until = case when not held then p.leased_until when not release then moment + lease_ms * interval '1 millisecond' end
   where p.webhook_id = webhook and p.tenant_id = tenant;
  if failures > 0 then
    update ledger_internal.webhook_positions p set last_failed_at = moment, last_status = failure.status, last_error = failure.error
     where p.webhook_id = webhook and p.tenant_id = tenant;
  end if;
  return held;
end
$$;
comment on function ledger_internal.relay_settle(uuid, uuid, uuid, jsonb, bigint, integer, boolean) is 'Records what became of attempts, and keeps or gives back the lease; false: it is somebody else''s by now. For the relay.';

create function ledger_internal.relay_status() returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object(
    'webhooks', (select jsonb_build_object('active', count(*) filter (where w.state = 'active'), 'disabled', count(*) filter (where w.state = 'disabled'),
                          'failing', count(*) filter (where w.state = 'active' and p.consecutive_failures > 0))
                   from ledger_internal.webhooks w join ledger_internal.webhook_positions p on p.webhook_id = w.webhook_id and p.tenant_id = w.tenant_id),
    'waiting', (select count(*) from ledger_internal.webhook_deliveries),
    'oldest_waiting_s', (select coalesce(floor(extract(epoch from clock_timestamp() - min(d.queued_at))), 0)::bigint from ledger_internal.webhook_deliveries d),
    'dead_letters', (select count(*) from ledger_internal.webhook_dead_letters),
    'held_back_by', ledger_internal.feed_holders());
end
$$;
comment on function ledger_internal.relay_status() is 'How many webhooks there are, what waits, what died, and what holds the feed back. For the relay.';

create table ledger_internal.trace_positions (
  exporter     text    not null primary key,
  epoch        integer not null,
  xid          xid8    not null,
  seq          bigint  not null,
  witness      text,
  lease_token  uuid,
  leased_until timestamptz
);
alter table ledger_internal.trace_positions enable row level security;
alter table ledger_internal.trace_positions force row level security;
revoke all on ledger_internal.trace_positions from public, anon, authenticated, service_role;
create policy "the ledger's own functions keep the traces' positions" on ledger_internal.trace_positions to current_user using (true) with check (true);
comment on table ledger_internal.trace_positions is 'How far each trace exporter has read the feed, and which relay runs it.';
comment on column ledger_internal.trace_positions.exporter is 'Names the exporter.';
comment on column ledger_internal.trace_positions.epoch is 'Position of the last outcome exported.';
comment on column ledger_internal.trace_positions.xid is 'Position of the last outcome exported.';
comment on column ledger_internal.trace_positions.seq is 'Position of the last outcome exported.';
comment on column ledger_internal.trace_positions.witness is 'The table of the row the position was taken from; null where no row was read yet.';
comment on column ledger_internal.trace_positions.lease_token is 'The relay that runs it.';
comment on column ledger_internal.trace_positions.leased_until is 'When another relay may run it, should that one be silent.';

-- The start that a causation_id leads to, in the order links resolve it: an outcome's, an event's, or the one it names.
create function ledger_internal.span_of_cause(tenant uuid, cause text) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  id uuid := ledger_internal.uuid_or_null(cause);
  found_id uuid;
begin
  select o.subject_id into found_id from ledger_internal.outcomes o where o.outcome_id = id and o.tenant_id is not distinct from tenant;
  if found_id is null then
    select e.invocation_id into found_id from public.os_events e where e.event_id = cause and e.tenant_id is not distinct from tenant;
  end if;
  return ledger_internal.span_of_start(tenant, coalesce(found_id, id));
end
$$;
comment on function ledger_internal.span_of_cause(uuid, text) is 'What the span of a cause is made from: {subject_id, correlation_id, traceparent}, or null.';

create function ledger_internal.span_of_start(tenant uuid, id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  start record;
begin
  select i.correlation_id, i.traceparent into start from public.agent_invocations i where i.invocation_id = id and i.tenant_id is not distinct from tenant;
  if not found then
    select x.correlation_id, x.traceparent into start from public.workflow_executions x where x.execution_id = id and x.tenant_id is not distinct from tenant;
  end if;
  return case when found then jsonb_build_object('subject_id', id, 'correlation_id', start.correlation_id, 'traceparent', start.traceparent) end;
end
$$;
comment on function ledger_internal.span_of_start(uuid, uuid) is 'What the span of an invocation or execution is made from, or null.';

create function ledger_internal.trace_take(exporter_name text, token uuid, max_rows integer, lease_ms integer) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  moment constant timestamptz := clock_timestamp();
  p ledger_internal.trace_positions;
  ended jsonb;
  place jsonb;
begin
  perform ledger_internal.require_read_committed();
  if not ledger_internal.epoch_settled() then
    perform ledger_internal.refuse('epoch_unsettled');
  end if;
  insert into ledger_internal.trace_positions (exporter, epoch, xid, seq)
  values (exporter_name, coalesce(ledger_internal.latest_epoch(), 0), pg_snapshot_xmin(pg_current_snapshot()), -1)
  on conflict (exporter) do nothing;
  select * into p from ledger_internal.trace_positions t where t.exporter = exporter_name for update skip locked;
  if not found or (p.leased_until > moment and p.lease_token is distinct from token) then
    return null;
  end if;
  update ledger_internal.trace_positions t set lease_token = token, leased_until = clock_timestamp() + lease_ms * interval '1 millisecond' where t.exporter = exporter_name;
  with page as materialized (
    select f.epoch, f.xid, f.seq, f.tenant_id, f.kind, f.content
      from public.feed(p.epoch, p.xid::text, p.seq, max_rows, array['agent_invocation_outcomes', 'workflow_outcomes'], null, p.witness) f
  )
  select coalesce(jsonb_agg(jsonb_build_object('tenant_id', n.tenant_id, 'source_type', n.content -> 'source_type', 'subject_id', s.id, 'outcome_id', n.content -> 'outcome_id',
           'status', n.content -> 'status', 'correlation_id', n.content -> 'correlation_id', 'causation_id', n.content -> 'causation_id', 'source_id', n.content -> 'source_id',
           'source_version', n.content -> 'source_version', 'domain', n.content -> 'domain', 'governance_class', n.content -> 'governance_class', 'decision', n.content -> 'decision',
           'origin', n.content -> 'origin', 'started_at', n.content #> '{outcome_envelope,timing,started_at}', 'completed_at', n.content #> '{outcome_envelope,timing,completed_at}',
           'error_code', n.content #> '{outcome_envelope,errors,0,code}', 'execution_id', s.within,
           'traceparent', ledger_internal.span_of_start(n.tenant_id, s.id) -> 'traceparent',
           'cause', ledger_internal.span_of_cause(n.tenant_id, n.content ->> 'causation_id'),
           'around', ledger_internal.span_of_start(n.tenant_id, s.within)) order by n.epoch, n.xid::xid8, n.seq), '[]'),
         (select jsonb_build_object('epoch', l.epoch, 'xid', l.xid, 'seq', l.seq, 'witness', l.kind) from page l order by l.epoch desc, l.xid::xid8 desc, l.seq desc limit 1)
    into ended, place
    from page n
   cross join lateral (select (n.content ->> case n.kind when 'workflow_outcomes' then 'execution_id' else 'invocation_id' end)::uuid as id,
                              (n.content ->> case n.kind when 'workflow_outcomes' then 'parent_execution_id' else 'execution_id' end)::uuid as within) s;
  return jsonb_build_object('ended', ended, 'position', place);
exception
  when sqlstate 'PT503' then
    if not ledger_internal.epoch_settled() then
      raise;
    end if;
    -- Set back behind its position: spans are telemetry, so the exporter goes on from here.
    update ledger_internal.trace_positions t
       set epoch = ledger_internal.latest_epoch(), xid = pg_snapshot_xmin(pg_current_snapshot()), seq = -1, witness = null where t.exporter = exporter_name;
    return jsonb_build_object('ended', '[]'::jsonb, 'position', null);
end
$$;
comment on function ledger_internal.trace_take(text, uuid, integer, integer) is 'Outcomes after an exporter''s position with what their spans are made from: {ended, position}; null while another relay runs it. For the relay.';

create function ledger_internal.trace_settle(exporter_name text, token uuid, place jsonb, lease_ms integer, release boolean) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  -- The token alone counts: a lease that ran out and that nobody took is still its holder's, or a slow endpoint would be sent
  -- the same page for ever.
  update ledger_internal.trace_positions t
     set epoch = coalesce((place -> 'epoch')::integer, t.epoch), xid = coalesce((place ->> 'xid')::xid8, t.xid), seq = coalesce((place -> 'seq')::bigint, t.seq),
         witness = coalesce(place ->> 'witness', t.witness),
         leased_until = case when not release then clock_timestamp() + lease_ms * interval '1 millisecond' end
   where t.exporter = exporter_name and t.lease_token = token;
  return found;
end
$$;
comment on function ledger_internal.trace_settle(text, uuid, jsonb, integer, boolean) is 'Moves an exporter''s position, and keeps or gives back the lease; false: it is somebody else''s by now. For the relay.';
