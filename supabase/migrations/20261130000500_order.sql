-- Chapter: the order of everything.
--
-- Readers order rows by (epoch, xid, seq), never by id or time: an id is given out at insert and becomes visible at
-- commit, so "id above my last" loses rows. `xid` with the snapshot's horizon says what can no longer be overtaken;
-- one sequence for every ledger table makes the order total; `epoch` separates the lives of a database, because a
-- restored or copied one starts its transaction ids anew.

create sequence ledger_internal.feed_seq;
revoke all on sequence ledger_internal.feed_seq from public, anon, authenticated, service_role;
comment on sequence ledger_internal.feed_seq is 'Gives `seq` to every ledger row, whatever its table.';

create table public.epochs (
  epoch             integer     not null primary key,
  system_identifier bigint      not null,
  database_oid      oid         not null,
  opened_at         timestamptz not null default clock_timestamp(),
  opened_by         text        not null default session_user,
  reason            text        not null
);
create policy "the owner opens epochs" on public.epochs to current_user using (true) with check (true);
comment on table public.epochs is 'One life of this database: a restored or copied database must open a new one before workers and functions go on.';
comment on column public.epochs.epoch is 'Counts from 1; part of every row''s position.';
comment on column public.epochs.system_identifier is 'pg_control_system().system_identifier of the cluster that opened it.';
comment on column public.epochs.database_oid is 'The database''s oid in that cluster.';
comment on column public.epochs.opened_at is 'When it was opened.';
comment on column public.epochs.opened_by is 'The login that opened it.';
comment on column public.epochs.reason is 'Why: the first use, or what the operator said.';

-- Reading pg_control costs 16 µs, too much for every row, so what a check found is kept for this run of the server: a
-- restored database never meets the start time it was dumped with, nor one copied inside the server its own oid.
create table ledger_internal.checked_servers (
  started_at   timestamptz not null,
  database_oid oid         not null,
  epoch        integer     not null,
  primary key (started_at, database_oid)
);
alter table ledger_internal.checked_servers enable row level security;
alter table ledger_internal.checked_servers force row level security;
create policy "the owner remembers checked servers" on ledger_internal.checked_servers to current_user using (true) with check (true);
revoke all on ledger_internal.checked_servers from public, anon, authenticated, service_role;
comment on table ledger_internal.checked_servers is 'Runs of the server whose identity was compared with the latest epoch.';
comment on column ledger_internal.checked_servers.started_at is 'pg_postmaster_start_time() of that run.';
comment on column ledger_internal.checked_servers.database_oid is 'This database''s oid in it.';
comment on column ledger_internal.checked_servers.epoch is 'The epoch rows written in that run belong to.';

create function ledger_internal.epoch_settled() returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  latest record;
begin
  select e.system_identifier, e.database_oid into latest from public.epochs e order by e.epoch desc limit 1;
  return not found
    or (latest.system_identifier = (select c.system_identifier from pg_catalog.pg_control_system() c)
        and latest.database_oid = (select d.oid from pg_catalog.pg_database d where d.datname = current_database()));
end
$$;
comment on function ledger_internal.epoch_settled() is 'False when this database was restored or copied since its latest epoch was opened.';

-- Without the locks; who calls it holds them.
create function ledger_internal.insert_epoch(reason text) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  opened integer;
begin
  insert into public.epochs (epoch, system_identifier, database_oid, reason)
  select coalesce((select max(e.epoch) from public.epochs e), 0) + 1, c.system_identifier, d.oid, insert_epoch.reason
    from pg_catalog.pg_control_system() c, pg_catalog.pg_database d
   where d.datname = current_database()
  returning epoch into opened;
  insert into ledger_internal.checked_servers as s (started_at, database_oid, epoch)
  select pg_postmaster_start_time(), d.oid, opened from pg_catalog.pg_database d where d.datname = current_database()
  on conflict (started_at, database_oid) do update set epoch = excluded.epoch;
  return opened;
end
$$;
comment on function ledger_internal.insert_epoch(text) is 'Writes the next epoch and remembers that this server was checked.';

-- Exclusive where every writer holds shared: it waits for the rows of the epoch that ends, and later writers read the new
-- one. A row that committed below an epoch already read would be lost to the feed.
create function ledger_internal.open_epoch(reason text default 'opened by hand') returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('outcome-ledger:epoch', 0));
  perform ledger_internal.rebuild_open_work();
  return ledger_internal.insert_epoch(reason);
end
$$;
comment on function ledger_internal.open_epoch(text) is 'Opens a new epoch: everything written before is settled, everything after belongs to it. Rebuilds open work, which a restore of public alone leaves behind. Run by `outcome-ledger epoch new`.';

create function ledger_internal.current_epoch() returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  known integer;
begin
  select s.epoch into known from ledger_internal.checked_servers s
   where s.started_at = pg_postmaster_start_time()
     and s.database_oid = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  if found then
    return known;
  end if;
  -- The first writer of a server's run checks it; the others wait for that.
  perform pg_advisory_xact_lock(hashtextextended('outcome-ledger:check', 0));
  select s.epoch into known from ledger_internal.checked_servers s
   where s.started_at = pg_postmaster_start_time()
     and s.database_oid = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  if found then
    return known;
  end if;
  select max(e.epoch) into known from public.epochs e;
  if known is null then
    return ledger_internal.insert_epoch('first use');
  end if;
  if not ledger_internal.epoch_settled() then
    perform ledger_internal.refuse('epoch_unsettled');
  end if;
  insert into ledger_internal.checked_servers (started_at, database_oid, epoch)
  select pg_postmaster_start_time(), d.oid, known from pg_catalog.pg_database d where d.datname = current_database();
  return known;
end
$$;
comment on function ledger_internal.current_epoch() is 'The epoch new rows belong to; refuses epoch_unsettled in a restored or copied database. Its caller holds the epoch''s lock, which lock_subjects takes.';

-- Locks come first, all of them in one statement, sorted by key: exclusive on what a writer owns, shared on what it
-- refers to. Two outcomes that refer to each other would otherwise commit together and each miss the other.
create function ledger_internal.lock_subjects(tenant uuid, own text[], refs text[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform case when keys.exclusive then pg_advisory_xact_lock(keys.key) else pg_advisory_xact_lock_shared(keys.key) end
     from (select hashtextextended(tenant || ':' || subject.id, 0) as key, bool_or(subject.exclusive) as exclusive
             from (select unnest(own) as id, true as exclusive union all select unnest(refs), false) subject
            where subject.id is not null
            group by 1
            union all
           select hashtextextended('outcome-ledger:epoch', 0), false
            order by 1) keys;
end
$$;
comment on function ledger_internal.lock_subjects(uuid, text[], text[]) is 'Takes the transaction-level locks of a write, exclusive on own, shared on refs and on the epoch, sorted.';

-- The one check of isolation: under a snapshot taken earlier a writer would not see what its locks waited for.
create function ledger_internal.require_read_committed() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform ledger_internal.refuse('isolation_unsupported', 'This transaction runs at ' || current_setting('transaction_isolation') || '.');
  end if;
end
$$;
comment on function ledger_internal.require_read_committed() is 'Refuses any isolation level other than read committed.';

-- jsonb keeps the spelling of a number: 1.0 and 1 are equal and read differently.
create function ledger_internal.canonical(document jsonb) returns jsonb
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return case jsonb_typeof(document)
    when 'number' then to_jsonb(trim_scale(document::numeric))
    when 'array' then (select coalesce(jsonb_agg(ledger_internal.canonical(e.value) order by e.position), '[]') from jsonb_array_elements(document) with ordinality e (value, position))
    when 'object' then (select coalesce(jsonb_object_agg(m.key, ledger_internal.canonical(m.value)), '{}') from jsonb_each(document) m)
    else document
  end;
end
$$;
comment on function ledger_internal.canonical(jsonb) is 'A document with every number in its shortest spelling.';

-- What a replay is compared with: the digest of the request as it was sent.
create function ledger_internal.digest(document jsonb) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_typeof(document) = 'object' then
    document := (select coalesce(jsonb_object_agg(m.key, m.value), '{}') from jsonb_each(document) m where m.value <> 'null');
  end if;
  if document::text ~ '\.[0-9]*0([^0-9]|$)' then
    document := ledger_internal.canonical(document);
  end if;
  return encode(sha256(convert_to(document::text, 'UTF8')), 'hex');
end
$$;
comment on function ledger_internal.digest(jsonb) is 'SHA-256, in hex, of a document without its top-level null members, numbers in their shortest spelling.';

-- A replay is told by the digest of the request, which the recording function knows and the row does not: members that the
-- trigger fills in are not the caller's. It travels in a setting of the transaction; a bare insert has none.
create function ledger_internal.request_digest(document jsonb) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  said constant text := current_setting('ledger_internal.request_digest', true);
begin
  return case when said ~ '^[0-9a-f]{64}$' then said else ledger_internal.digest(document) end;
end
$$;
comment on function ledger_internal.request_digest(jsonb) is 'The digest of the request that a recording function is writing, or of the row as a document.';

create function ledger_internal.uuid_or_null(value text) returns uuid
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if value ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' then
    return value::uuid;
  end if;
  return null;
end
$$;
comment on function ledger_internal.uuid_or_null(text) is 'The UUID v4 a text spells in lower case with hyphens, or null.';

create function ledger_internal.rfc3339(moment timestamptz) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
end
$$;
comment on function ledger_internal.rfc3339(timestamptz) is 'A moment as RFC 3339 in UTC with six decimals.';

-- A typed time keeps microseconds and never rounds up: 23:59:59.9999999Z must not become the next day.
create function ledger_internal.moment(value text) returns timestamptz
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if length(value) > 27 then
    value := regexp_replace(value, '(\.[0-9]{6})[0-9]+', '\1');
  end if;
  return value::timestamptz;
end
$$;
comment on function ledger_internal.moment(text) is 'A checked RFC 3339 time as timestamptz, cut to microseconds.';
