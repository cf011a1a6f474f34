-- Chapter: webhooks: where a tenant's own events go, and what operators do with them.
--
-- Mutable operational state. A webhook reads the feed from its position; what it read and has not delivered waits in
-- webhook_deliveries; what was given up lies in webhook_dead_letters. The position moves in the transaction that lays
-- down what was read, so an event is before the position, waiting, delivered or dead, and never lost between them.

create table ledger_internal.webhooks (
  tenant_id       uuid        not null,
  webhook_id      uuid        not null,
  url             text        not null,
  event_types     text[]      not null,
  description     text,
  secret          text        not null,
  previous_secret text,
  previous_until  timestamptz,
  state           text        not null default 'active' check (state in ('active', 'disabled')),
  disabled_reason text,
  request_digest  text        not null,
  number          bigint      not null generated always as identity,
  created_at      timestamptz not null default clock_timestamp(),
  created_by      text        not null,
  updated_at      timestamptz not null default clock_timestamp(),
  updated_by      text        not null,
  primary key (webhook_id, tenant_id)
);
create unique index webhooks_page on ledger_internal.webhooks (tenant_id, number);
comment on table ledger_internal.webhooks is 'Where a tenant''s events are sent. Secrets are read by the relay''s functions alone.';
comment on column ledger_internal.webhooks.tenant_id is 'Whose.';
comment on column ledger_internal.webhooks.webhook_id is 'Its id: the client''s, or minted.';
comment on column ledger_internal.webhooks.url is 'What is called.';
comment on column ledger_internal.webhooks.event_types is 'Types it wants, or prefixes that end in .*; empty: every event of the ledger''s own.';
comment on column ledger_internal.webhooks.description is 'For people.';
comment on column ledger_internal.webhooks.secret is 'Signs every message.';
comment on column ledger_internal.webhooks.previous_secret is 'The secret it replaced; signs too until previous_until.';
comment on column ledger_internal.webhooks.previous_until is 'When the previous secret stops to sign.';
comment on column ledger_internal.webhooks.state is 'active, or disabled: nothing is read or sent until it is enabled again.';
comment on column ledger_internal.webhooks.disabled_reason is 'operator, gone (the receiver answered 410) or position_gone (the ledger was set back behind its position).';
comment on column ledger_internal.webhooks.request_digest is 'Digest of the registration as sent.';
comment on column ledger_internal.webhooks.number is 'Order of registration.';
comment on column ledger_internal.webhooks.created_at is 'When it was registered.';
comment on column ledger_internal.webhooks.created_by is 'By which actor.';
comment on column ledger_internal.webhooks.updated_at is 'When its secret or state last changed.';
comment on column ledger_internal.webhooks.updated_by is 'By which actor, or ledger-relay.';

create table ledger_internal.webhook_positions (
  tenant_id            uuid    not null,
  webhook_id           uuid    not null,
  epoch                integer not null,
  xid                  xid8    not null,
  seq                  bigint  not null,
  witness              text,
  lease_token          uuid,
  leased_until         timestamptz,
  served_at            timestamptz,
  paused_until         timestamptz,
  consecutive_failures integer not null default 0,
  last_delivered_at    timestamptz,
  last_failed_at       timestamptz,
  last_status          integer,
  last_error           text,
  primary key (webhook_id, tenant_id),
  foreign key (webhook_id, tenant_id) references ledger_internal.webhooks (webhook_id, tenant_id)
);
comment on table ledger_internal.webhook_positions is 'How far each webhook has read the feed, which relay serves it, and how its receiver does. Its row is the lock of whatever changes what waits.';
comment on column ledger_internal.webhook_positions.tenant_id is 'Whose.';
comment on column ledger_internal.webhook_positions.webhook_id is 'Which webhook.';
comment on column ledger_internal.webhook_positions.epoch is 'Position of the last event read.';
comment on column ledger_internal.webhook_positions.xid is 'Position of the last event read.';
comment on column ledger_internal.webhook_positions.seq is 'Position of the last event read.';
comment on column ledger_internal.webhook_positions.witness is 'The table of the row the position was taken from; null where no row was read yet.';
comment on column ledger_internal.webhook_positions.lease_token is 'The turn of a relay that serves it.';
comment on column ledger_internal.webhook_positions.leased_until is 'When another relay may serve it, should that one be silent.';
comment on column ledger_internal.webhook_positions.served_at is 'When a relay last took it; the longest unserved goes first.';
comment on column ledger_internal.webhook_positions.paused_until is 'Until when its receiver asked to be left alone (Retry-After).';
comment on column ledger_internal.webhook_positions.consecutive_failures is 'Failed attempts since the last delivery.';
comment on column ledger_internal.webhook_positions.last_delivered_at is 'When a message was last taken.';
comment on column ledger_internal.webhook_positions.last_failed_at is 'When an attempt last failed.';
comment on column ledger_internal.webhook_positions.last_status is 'HTTP status of the last failed attempt, or null.';
comment on column ledger_internal.webhook_positions.last_error is 'What went wrong in it: a code and a few words.';

create table ledger_internal.webhook_deliveries (
  tenant_id      uuid        not null,
  webhook_id     uuid        not null,
  event_id       text        not null,
  correlation_id text        not null,
  epoch          integer     not null,
  xid            xid8        not null,
  seq            bigint      not null,
  attempts       integer     not null default 0,
  due_at         timestamptz,
  queued_at      timestamptz not null default clock_timestamp(),
  first_tried_at timestamptz,
  last_tried_at  timestamptz,
  last_status    integer,
  last_error     text,
  primary key (event_id, webhook_id, tenant_id),
  foreign key (webhook_id, tenant_id) references ledger_internal.webhooks (webhook_id, tenant_id)
);
create index webhook_deliveries_order on ledger_internal.webhook_deliveries (webhook_id, tenant_id, correlation_id, epoch, xid, seq);
create index webhook_deliveries_due on ledger_internal.webhook_deliveries (webhook_id, tenant_id, due_at) where due_at is not null;
comment on table ledger_internal.webhook_deliveries is 'One event read for a webhook and not delivered yet. Of each correlation the first alone is due; the others wait behind it.';
comment on column ledger_internal.webhook_deliveries.tenant_id is 'Whose.';
comment on column ledger_internal.webhook_deliveries.webhook_id is 'Which webhook.';
comment on column ledger_internal.webhook_deliveries.event_id is 'Which event; its content stays in os_events.';
comment on column ledger_internal.webhook_deliveries.correlation_id is 'What it is kept in order within: the event''s correlation.';
comment on column ledger_internal.webhook_deliveries.epoch is 'The event''s place in the order.';
comment on column ledger_internal.webhook_deliveries.xid is 'The event''s place in the order.';
comment on column ledger_internal.webhook_deliveries.seq is 'The event''s place in the order.';
comment on column ledger_internal.webhook_deliveries.attempts is 'Failed attempts so far.';
comment on column ledger_internal.webhook_deliveries.due_at is 'When it may be sent; null while an earlier one of its correlation waits.';
comment on column ledger_internal.webhook_deliveries.queued_at is 'When it was read from the feed, or put back.';
comment on column ledger_internal.webhook_deliveries.first_tried_at is 'When it was first attempted.';
comment on column ledger_internal.webhook_deliveries.last_tried_at is 'When it was last attempted.';
comment on column ledger_internal.webhook_deliveries.last_status is 'HTTP status of the last attempt, or null.';
comment on column ledger_internal.webhook_deliveries.last_error is 'What went wrong in it.';

create table ledger_internal.webhook_dead_letters (
  tenant_id      uuid        not null,
  webhook_id     uuid        not null,
  event_id       text        not null,
  correlation_id text        not null,
  epoch          integer     not null,
  xid            xid8        not null,
  seq            bigint      not null,
  attempts       integer     not null,
  first_tried_at timestamptz,
  last_tried_at  timestamptz,
  last_status    integer,
  last_error     text,
  dead_at        timestamptz not null default clock_timestamp(),
  primary key (event_id, webhook_id, tenant_id),
  foreign key (webhook_id, tenant_id) references ledger_internal.webhooks (webhook_id, tenant_id)
);
create unique index webhook_dead_letters_page on ledger_internal.webhook_dead_letters (webhook_id, tenant_id, epoch, xid, seq);
comment on table ledger_internal.webhook_dead_letters is 'Events that were given up after the last attempt. A redelivery puts them back.';
comment on column ledger_internal.webhook_dead_letters.tenant_id is 'Whose.';
comment on column ledger_internal.webhook_dead_letters.webhook_id is 'Which webhook.';
comment on column ledger_internal.webhook_dead_letters.event_id is 'Which event.';
comment on column ledger_internal.webhook_dead_letters.correlation_id is 'The event''s correlation.';
comment on column ledger_internal.webhook_dead_letters.epoch is 'The event''s place in the order.';
comment on column ledger_internal.webhook_dead_letters.xid is 'The event''s place in the order.';
comment on column ledger_internal.webhook_dead_letters.seq is 'The event''s place in the order.';
comment on column ledger_internal.webhook_dead_letters.attempts is 'How often it was attempted.';
comment on column ledger_internal.webhook_dead_letters.first_tried_at is 'When it was first attempted.';
comment on column ledger_internal.webhook_dead_letters.last_tried_at is 'When it was last attempted.';
comment on column ledger_internal.webhook_dead_letters.last_status is 'HTTP status of the last attempt, or null.';
comment on column ledger_internal.webhook_dead_letters.last_error is 'What went wrong in it.';
comment on column ledger_internal.webhook_dead_letters.dead_at is 'When it was given up.';

do $$
declare
  operational regclass;
begin
  foreach operational in array array['ledger_internal.webhooks', 'ledger_internal.webhook_positions', 'ledger_internal.webhook_deliveries', 'ledger_internal.webhook_dead_letters']::regclass[] loop
    execute format('alter table %s enable row level security', operational);
    execute format('alter table %s force row level security', operational);
    execute format('revoke all on %s from public, anon, authenticated, service_role', operational);
    execute format('create policy "the ledger''s own functions keep webhooks" on %s to current_user using (true) with check (true)', operational);
  end loop;
  revoke all on sequence ledger_internal.webhooks_number_seq from public, anon, authenticated, service_role;
end
$$;

-- The first word of every call below: a token of another role learns nothing, not even which ids there are.
create function ledger_internal.require_webhook_manager(out tenant_id uuid, out actor_id text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  caller record := ledger_internal.caller();
begin
  if caller.tenant_id is null or not ledger_internal.may_manage_webhooks(caller.ledger_role) then
    perform ledger_internal.refuse('not_permitted', 'Webhooks are an operator''s business.');
  end if;
  tenant_id := caller.tenant_id;
  actor_id := caller.actor_id;
end
$$;
comment on function ledger_internal.require_webhook_manager() is 'The caller''s tenant and actor, or a refusal when its role may not manage webhooks.';

-- 32 bytes; two random UUIDs hold 244 random bits.
create function ledger_internal.new_webhook_secret() returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return 'whsec_' || encode(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64');
end
$$;
comment on function ledger_internal.new_webhook_secret() is 'A fresh signing secret.';

create function ledger_internal.webhook_read(tenant uuid, id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  w ledger_internal.webhooks;
  p ledger_internal.webhook_positions;
begin
  select * into w from ledger_internal.webhooks h where h.webhook_id = id and h.tenant_id = tenant;
  if not found then
    return null;
  end if;
  select * into p from ledger_internal.webhook_positions s where s.webhook_id = id and s.tenant_id = tenant;
  return jsonb_build_object('webhook_id', w.webhook_id, 'url', w.url, 'event_types', to_jsonb(w.event_types), 'description', w.description,
    'state', w.state, 'disabled_reason', w.disabled_reason,
    'previous_secret_until', case when w.previous_until > clock_timestamp() then ledger_internal.rfc3339(w.previous_until) end,
    'created_at', ledger_internal.rfc3339(w.created_at), 'created_by', w.created_by, 'updated_at', ledger_internal.rfc3339(w.updated_at), 'updated_by', w.updated_by,
    'waiting', (select count(*) from ledger_internal.webhook_deliveries d where d.webhook_id = id and d.tenant_id = tenant),
    'dead_letters', (select count(*) from ledger_internal.webhook_dead_letters d where d.webhook_id = id and d.tenant_id = tenant),
    'consecutive_failures', p.consecutive_failures, 'last_delivered_at', ledger_internal.rfc3339(p.last_delivered_at),
    'last_failed_at', ledger_internal.rfc3339(p.last_failed_at), 'last_status', p.last_status, 'last_error', p.last_error,
    'paused_until', case when p.paused_until > clock_timestamp() then ledger_internal.rfc3339(p.paused_until) end);
end
$$;
comment on function ledger_internal.webhook_read(uuid, uuid) is 'A webhook as operators read it, without its secrets; null when there is none.';

create function ledger_internal.require_webhook(tenant uuid, id uuid) returns ledger_internal.webhooks
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  w ledger_internal.webhooks;
begin
  perform from ledger_internal.webhook_positions p where p.webhook_id = id and p.tenant_id = tenant for update;
  if not found then
    perform ledger_internal.refuse('unknown_webhook');
  end if;
  select * into w from ledger_internal.webhooks h where h.webhook_id = id and h.tenant_id = tenant;
  return w;
end
$$;
comment on function ledger_internal.require_webhook(uuid, uuid) is 'A webhook under its position''s lock, or a refusal.';

-- Of each correlation the first one waiting is due, and no other. One look-up a correlation: as one statement over tables that
-- are empty most of the time, and of which no statistics tell the truth, it reads all that waits for each of them.
create function ledger_internal.order_deliveries(tenant uuid, webhook uuid, correlations text[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  moment constant timestamptz := clock_timestamp();
  correlation text;
  first record;
begin
  foreach correlation in array coalesce(correlations, '{}') loop
    select d.event_id, d.due_at into first
      from ledger_internal.webhook_deliveries d
     where d.webhook_id = webhook and d.tenant_id = tenant and d.correlation_id = correlation
     order by d.epoch, d.xid, d.seq limit 1;
    -- One that was put back may stand before one that was under way: of each correlation the first alone is due.
    update ledger_internal.webhook_deliveries d set due_at = null
     where d.webhook_id = webhook and d.tenant_id = tenant and d.correlation_id = correlation and d.event_id <> first.event_id and d.due_at is not null;
    if first.event_id is not null and first.due_at is null then
      update ledger_internal.webhook_deliveries d set due_at = moment
       where d.event_id = first.event_id and d.webhook_id is not distinct from webhook and d.tenant_id is not distinct from tenant;
    end if;
  end loop;
end
$$;
comment on function ledger_internal.order_deliveries(uuid, uuid, text[]) is 'Makes the first waiting event of each correlation due. Its caller holds the webhook''s position.';

-- From here on: what began before and is still open commits later and is included.
create function ledger_internal.place_webhook(tenant uuid, webhook uuid) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  insert into ledger_internal.webhook_positions as p (tenant_id, webhook_id, epoch, xid, seq)
  values (tenant, webhook, coalesce(ledger_internal.latest_epoch(), 0), pg_snapshot_xmin(pg_current_snapshot()), -1)
  on conflict (webhook_id, tenant_id) do update set epoch = excluded.epoch, xid = excluded.xid, seq = excluded.seq, witness = null;
end
$$;
comment on function ledger_internal.place_webhook(uuid, uuid) is 'Sets a webhook''s position to the feed''s end.';

create function ledger_internal.keep_webhook(document jsonb, minted text) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  manager record := ledger_internal.require_webhook_manager();
  request jsonb;
  said text;
  known ledger_internal.webhooks;
  id uuid;
begin
  perform ledger_internal.require_read_committed();
  if ledger_internal.webhook_ok(document) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.webhook_violations(document));
  end if;
  if not exists (select from public.tenants t where t.tenant_id = manager.tenant_id) then
    perform ledger_internal.refuse('unknown_tenant');
  end if;
  request := ledger_internal.without_nulls(document);
  id := coalesce((request ->> 'webhook_id')::uuid, gen_random_uuid());
  said := coalesce(request ->> 'secret', minted);
  if said is not null and not ledger_internal.webhook_ok(request || jsonb_build_object('secret', said)) then
    perform ledger_internal.refuse('request_invalid');
  end if;
  insert into ledger_internal.webhooks (tenant_id, webhook_id, url, event_types, description, secret, request_digest, created_by, updated_by)
  values (manager.tenant_id, id, request ->> 'url', array(select jsonb_array_elements_text(request -> 'event_types')), request ->> 'description',
    coalesce(said, ledger_internal.new_webhook_secret()), ledger_internal.digest(request), manager.actor_id, manager.actor_id)
  on conflict (webhook_id, tenant_id) do nothing returning * into known;
  if found then
    perform ledger_internal.place_webhook(manager.tenant_id, id);
    return ledger_internal.answer('recorded', ledger_internal.webhook_read(manager.tenant_id, id) || jsonb_build_object('secret', known.secret));
  end if;
  select * into known from ledger_internal.webhooks w where w.webhook_id = id and w.tenant_id = manager.tenant_id;
  if known.request_digest <> ledger_internal.digest(request) then
    return ledger_internal.answer('conflict', ledger_internal.webhook_read(manager.tenant_id, id), 'webhook_conflict');
  end if;
  -- Told again only to who has just said it.
  return ledger_internal.answer('replayed', ledger_internal.webhook_read(manager.tenant_id, id)
    || case when said = known.secret then jsonb_build_object('secret', said) else '{}' end);
end
$$;
comment on function ledger_internal.keep_webhook(jsonb, text) is 'Registers a webhook of the caller''s tenant; minted is the secret where the document has none.';

create function public.register_webhook(webhook jsonb, minted text default null) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.keep_webhook(webhook, minted);
end
$$;
comment on function public.register_webhook(jsonb, text) is 'Registers where the tenant''s events go: {result: recorded | replayed | conflict, record}. The record of a new one carries its secret, once. For operators.';

create function ledger_internal.rotate_webhook_secret(id uuid, document jsonb, minted text) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  manager record := ledger_internal.require_webhook_manager();
  request constant jsonb := ledger_internal.without_nulls(coalesce(document, '{}'));
  overlap interval;
  next_secret text;
  w ledger_internal.webhooks;
begin
  if ledger_internal.webhook_rotation_ok(request || case when minted is null or request ? 'secret' then '{}' else jsonb_build_object('secret', minted) end) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.webhook_rotation_violations(request));
  end if;
  overlap := coalesce((request -> 'previous_valid_ms')::bigint, 86400000) * interval '1 millisecond';
  w := ledger_internal.require_webhook(manager.tenant_id, id);
  next_secret := coalesce(request ->> 'secret', minted, ledger_internal.new_webhook_secret());
  if next_secret = w.secret then
    return ledger_internal.answer('replayed', ledger_internal.webhook_read(manager.tenant_id, id) || jsonb_build_object('secret', next_secret));
  end if;
  update ledger_internal.webhooks h
     set secret = next_secret,
         -- A rotation that is repeated before the last one ran out replaces the new secret, which its caller may never have
         -- got; the one that receivers know stays.
         previous_secret = case when overlap = interval '0' then null
                                when w.previous_until > clock_timestamp() and w.previous_secret <> next_secret then w.previous_secret
                                else w.secret end,
         previous_until = case when overlap > interval '0' then clock_timestamp() + overlap end,
         updated_at = clock_timestamp(), updated_by = manager.actor_id
   where h.webhook_id = id and h.tenant_id = manager.tenant_id;
  return ledger_internal.answer('recorded', ledger_internal.webhook_read(manager.tenant_id, id) || jsonb_build_object('secret', next_secret));
end
$$;
comment on function ledger_internal.rotate_webhook_secret(uuid, jsonb, text) is 'Replaces the secret of a webhook of the caller''s tenant.';

create function public.rotate_webhook(id uuid, rotation jsonb default '{}', minted text default null) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.rotate_webhook_secret(id, rotation, minted);
end
$$;
comment on function public.rotate_webhook(uuid, jsonb, text) is 'Gives a webhook a new secret, told once; the one before signs beside it for previous_valid_ms (24 h when not said, 0: not at all). For operators.';

create function ledger_internal.switch_webhook(id uuid, active boolean) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  manager record := ledger_internal.require_webhook_manager();
  w constant ledger_internal.webhooks := ledger_internal.require_webhook(manager.tenant_id, id);
begin
  if (w.state = 'active') <> active then
    update ledger_internal.webhooks h
       set state = case when active then 'active' else 'disabled' end, disabled_reason = case when not active then 'operator' end,
           updated_at = clock_timestamp(), updated_by = manager.actor_id
     where h.webhook_id = id and h.tenant_id = manager.tenant_id;
    if active then
      update ledger_internal.webhook_positions p set paused_until = null, consecutive_failures = 0 where p.webhook_id = id and p.tenant_id = manager.tenant_id;
      update ledger_internal.webhook_deliveries d set due_at = clock_timestamp() where d.webhook_id = id and d.tenant_id = manager.tenant_id and d.due_at > clock_timestamp();
      if w.disabled_reason = 'position_gone' then
        perform ledger_internal.place_webhook(manager.tenant_id, id);
      end if;
    end if;
  end if;
  return ledger_internal.webhook_read(manager.tenant_id, id);
end
$$;
comment on function ledger_internal.switch_webhook(uuid, boolean) is 'Enables or disables a webhook of the caller''s tenant.';

create function public.enable_webhook(id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.switch_webhook(id, true);
end
$$;
comment on function public.enable_webhook(uuid) is 'Lets a webhook go on where it stood: what happened meanwhile is sent, what waited for another attempt is due at once. For operators.';

create function public.disable_webhook(id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.switch_webhook(id, false);
end
$$;
comment on function public.disable_webhook(uuid) is 'Stops a webhook where it stands; nothing is lost. For operators.';

create function ledger_internal.webhook_of_token(id uuid) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  manager record := ledger_internal.require_webhook_manager();
begin
  return ledger_internal.webhook_read(manager.tenant_id, id);
end
$$;
comment on function ledger_internal.webhook_of_token(uuid) is 'A webhook of the caller''s tenant, or null.';

create function public.get_webhook(id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.webhook_of_token(id);
end
$$;
comment on function public.get_webhook(uuid) is 'One webhook, or null: what waits, what died, how its receiver does. Never its secrets. For operators.';

-- The two lists below page by one key that only grows.
create function ledger_internal.list_parameters(filter jsonb, known text[], cursor_form text, out page_size integer, out place text[])
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  wanted jsonb;
  parameter text;
begin
  if jsonb_typeof(coalesce(filter, '{}')) <> 'object' then
    perform ledger_internal.refuse_query('', 'must be an object of parameters');
  end if;
  wanted := ledger_internal.without_nulls(coalesce(filter, '{}'));
  for parameter in select k from jsonb_object_keys(wanted) k where k <> all (known || array['limit', 'cursor']) loop
    perform ledger_internal.refuse_query(parameter, 'is not a parameter of this list');
  end loop;
  if coalesce(wanted ->> 'limit', '100') !~ '^[0-9]{1,4}$' or coalesce(wanted ->> 'limit', '100')::integer not between 1 and 1000 then
    perform ledger_internal.refuse_query('limit', 'must be a whole number from 1 to 1000');
  end if;
  page_size := coalesce(wanted ->> 'limit', '100')::integer;
  if wanted ? 'cursor' then
    place := regexp_match(wanted ->> 'cursor', cursor_form);
    if place is null then
      perform ledger_internal.refuse_query('cursor', 'must be a next_cursor of this list');
    end if;
  end if;
end
$$;
comment on function ledger_internal.list_parameters(jsonb, text[], text) is 'Page size and place of a list, or a refusal of a parameter.';

create function ledger_internal.webhooks_of_token(filter jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  manager record := ledger_internal.require_webhook_manager();
  page record := ledger_internal.list_parameters(filter, array['state'], '^([0-9]{1,18})$');
  wanted constant text := filter ->> 'state';
  after_number constant bigint := coalesce((page.place)[1]::bigint, 0);
  items jsonb;
  next_cursor text;
begin
  if wanted is not null and wanted not in ('active', 'disabled') then
    perform ledger_internal.refuse_query('state', 'must be active or disabled');
  end if;
  select coalesce(jsonb_agg(ledger_internal.webhook_read(manager.tenant_id, n.webhook_id) order by n.number) filter (where n.n <= page.page_size), '[]'),
         case when max(n.n) > page.page_size then max(n.number) filter (where n.n = page.page_size)::text end
    into items, next_cursor
    from (select w.webhook_id, w.number, row_number() over (order by w.number) as n
            from ledger_internal.webhooks w
           where w.tenant_id = manager.tenant_id and w.number > after_number and (wanted is null or w.state = wanted)
           order by w.number limit page.page_size + 1) n;
  return jsonb_build_object('items', items, 'next_cursor', next_cursor);
end
$$;
comment on function ledger_internal.webhooks_of_token(jsonb) is 'A page of the webhooks of the caller''s tenant.';

create function public.list_webhooks(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.webhooks_of_token(filter);
end
$$;
comment on function public.list_webhooks(jsonb) is 'Webhooks of the tenant by state, in the order they were registered; {items, next_cursor}. For operators.';

create function ledger_internal.dead_letter_read(d ledger_internal.webhook_dead_letters) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return jsonb_build_object('event_id', d.event_id,
    'type', (select e.type from public.os_events e where e.event_id = d.event_id and e.tenant_id is not distinct from d.tenant_id),
    'correlation_id', d.correlation_id, 'attempts', d.attempts, 'first_tried_at', ledger_internal.rfc3339(d.first_tried_at),
    'last_tried_at', ledger_internal.rfc3339(d.last_tried_at), 'last_status', d.last_status, 'last_error', d.last_error, 'dead_at', ledger_internal.rfc3339(d.dead_at));
end
$$;
comment on function ledger_internal.dead_letter_read(ledger_internal.webhook_dead_letters) is 'A dead letter as operators read it.';

create function ledger_internal.dead_letters_of_token(id uuid, filter jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  manager record := ledger_internal.require_webhook_manager();
  page record := ledger_internal.list_parameters(filter, array['correlation_id'], '^([0-9]{1,9})\.([0-9]{1,19})\.([0-9]{1,18})$');
  wanted constant text := filter ->> 'correlation_id';
  after_epoch constant integer := coalesce((page.place)[1]::integer, 0);
  after_xid constant xid8 := coalesce((page.place)[2], '0')::xid8;
  after_seq constant bigint := coalesce((page.place)[3]::bigint, 0);
  items jsonb;
  next_cursor text;
begin
  if ledger_internal.webhook_read(manager.tenant_id, id) is null then
    perform ledger_internal.refuse('unknown_webhook');
  end if;
  select coalesce(jsonb_agg(ledger_internal.dead_letter_read(n.d) order by n.n) filter (where n.n <= page.page_size), '[]'),
         case when max(n.n) > page.page_size then max(concat_ws('.', (n.d).epoch, (n.d).xid, (n.d).seq)) filter (where n.n = page.page_size) end
    into items, next_cursor
    from (select d, row_number() over (order by d.epoch, d.xid, d.seq) as n
            from ledger_internal.webhook_dead_letters d
           where d.webhook_id = id and d.tenant_id = manager.tenant_id and (d.epoch, d.xid, d.seq) > (after_epoch, after_xid, after_seq)
             and (wanted is null or d.correlation_id = wanted)
           order by d.epoch, d.xid, d.seq limit page.page_size + 1) n;
  return jsonb_build_object('items', items, 'next_cursor', next_cursor);
end
$$;
comment on function ledger_internal.dead_letters_of_token(uuid, jsonb) is 'A page of the dead letters of a webhook of the caller''s tenant.';

create function public.list_webhook_dead_letters(id uuid, filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.dead_letters_of_token(id, filter);
end
$$;
comment on function public.list_webhook_dead_letters(uuid, jsonb) is 'Events a webhook''s receiver never took, by correlation_id, in the order of the feed; {items, next_cursor}. For operators.';

create function ledger_internal.put_back_dead_letters(id uuid, document jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  manager record := ledger_internal.require_webhook_manager();
  wanted constant text := document ->> 'event_id';
  most constant integer := 10000;
  correlations text[];
  put_back integer;
begin
  if ledger_internal.webhook_redelivery_ok(document) is not true then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.webhook_redelivery_violations(document));
  end if;
  perform ledger_internal.require_webhook(manager.tenant_id, id);
  with chosen as (
    select d.event_id from ledger_internal.webhook_dead_letters d
     where d.webhook_id = id and d.tenant_id = manager.tenant_id
       and case when wanted is null then (document -> 'all')::boolean else d.event_id = wanted end
     order by d.epoch, d.xid, d.seq limit most
  ), taken as (
    delete from ledger_internal.webhook_dead_letters d using chosen c
     where d.event_id = c.event_id and d.webhook_id is not distinct from id and d.tenant_id is not distinct from manager.tenant_id
    returning d.*
  ), queued as (
    insert into ledger_internal.webhook_deliveries (tenant_id, webhook_id, event_id, correlation_id, epoch, xid, seq)
    select t.tenant_id, t.webhook_id, t.event_id, t.correlation_id, t.epoch, t.xid, t.seq from taken t
    on conflict do nothing
    returning correlation_id
  )
  select count(*), array_agg(distinct q.correlation_id) into put_back, correlations from queued q;
  if wanted is not null and put_back = 0 then
    perform ledger_internal.refuse('unknown_event', 'No dead letter of this webhook has this event_id.');
  end if;
  -- What was due waits behind what was put back before it.
  update ledger_internal.webhook_deliveries d set due_at = null
   where d.webhook_id = id and d.tenant_id = manager.tenant_id and d.correlation_id = any (correlations) and d.due_at is not null;
  perform ledger_internal.order_deliveries(manager.tenant_id, id, correlations);
  return jsonb_build_object('redelivered', put_back,
    'remaining', (select count(*) from ledger_internal.webhook_dead_letters d where d.webhook_id = id and d.tenant_id = manager.tenant_id));
end
$$;
comment on function ledger_internal.put_back_dead_letters(uuid, jsonb) is 'Puts dead letters of a webhook of the caller''s tenant back, at most 10,000 at once.';

create function public.redeliver_webhook(id uuid, redelivery jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.put_back_dead_letters(id, redelivery);
end
$$;
comment on function public.redeliver_webhook(uuid, jsonb) is 'Puts one dead letter ({event_id}) or all of them ({all: true}) back, with all attempts before them: {redelivered, remaining}. For operators.';
