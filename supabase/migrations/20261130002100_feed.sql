-- Chapter: the feed: what can no longer be overtaken, in one order. Sync, relay, seals and export read nothing else.

-- One table's part of the feed, as the text of a query. A statement made of such parts merges their indexes and reads no row
-- that it does not give; who runs it forbids sorting, which estimates for the parts would at times prefer. Its parameters: $1 to $3 the position, $4 the latest epoch, $5 the most rows, $6 the tenant, $7 the
-- kinds.
create function ledger_internal.feed_part(ledger_table text, columns text, one_tenant boolean, some_kinds boolean) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return format('(select %2$s from public.%1$I r where (r.epoch, r.xid, r.seq) > ($1, $2, $3)'
      || ' and (r.epoch, r.xid) < ($4, pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()))', ledger_table, columns)
      || case when one_tenant then ' and r.tenant_id = $6' else '' end
      || case when some_kinds and ledger_table = 'tombstones' then ' and r.table_name = any ($7)' else '' end
      || ' order by r.epoch, r.xid, r.seq limit $5)';
end
$$;
comment on function ledger_internal.feed_part(text, text, boolean, boolean) is 'The query of one table''s rows between a position and what an open transaction can still precede.';

-- By name and never as a whole row: to name the row is to fetch each of its documents.
create function ledger_internal.facts_of(ledger_table text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select format('(select to_json(f) from (select %s) f)', string_agg(
             case a.atttypid when 'timestamptz'::regtype then format('ledger_internal.rfc3339(r.%1$I) as %1$I', a.attname) else format('r.%I', a.attname) end,
             ', ' order by a.attnum))
      from pg_catalog.pg_attribute a
     where a.attrelid = format('public.%I', ledger_table)::regclass and a.attnum > 0 and not a.attisdropped
       and a.attname <> all (ledger_internal.document_columns(ledger_table) || array['tenant_id', 'epoch', 'xid', 'seq']));
end
$$;
comment on function ledger_internal.facts_of(text) is 'The facts of a row r of a table, as the text of an expression: a JSON object of its columns without documents and without what stands beside it in the feed; times in UTC with six decimals.';

-- Tombstones of the kinds wanted: who reads lineage need not pass the tombstones of a million tool calls. Named alone they
-- are all wanted.
create function ledger_internal.tombstoned_kinds(kinds text[]) returns text[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return nullif(array_remove(kinds, 'tombstones'), '{}');
end
$$;
comment on function ledger_internal.tombstoned_kinds(text[]) is 'Whose tombstones a reader of these kinds wants; null for all.';

create function public.feed(after_epoch integer default 0, after_xid text default '0', after_seq bigint default 0, max_rows integer default 1000,
                            kinds text[] default null, tenant uuid default null, witness text default null, facts boolean default false)
returns table (epoch integer, xid text, seq bigint, tenant_id uuid, kind text, content json)
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off as $$
declare
  ledger_tables constant text[] := ledger_internal.feed_tables();
  of_kinds constant text[] := ledger_internal.tombstoned_kinds(kinds);
  stands boolean;
  parts text;
begin
  if not ledger_internal.epoch_settled() then
    perform ledger_internal.refuse('epoch_unsettled');
  end if;
  if witness is not null then
    -- The row a position was taken from must still be there, or its tombstone: a database set back to an older state shows
    -- in no timeline of its own.
    if witness <> all (ledger_tables) then
      perform ledger_internal.refuse('request_invalid', 'The witness is the kind of the last row read.');
    end if;
    execute format('select exists (select from public.%I r where r.epoch = $1 and r.xid = $2 and r.seq = $3) or exists (select from public.tombstones t where t.row_seq = $3 and t.table_name = $4)', witness)
      into stands using after_epoch, after_xid::xid8, after_seq, witness;
    if not stands then
      perform ledger_internal.refuse('epoch_unsettled', 'The row this position was taken from is gone.');
    end if;
  end if;
  select string_agg(ledger_internal.feed_part(t.name,
           format('r.epoch, r.xid, r.seq, r.tenant_id, %L as kind, %s as content', t.name, case when facts then ledger_internal.facts_of(t.name) else 'to_json(r)' end),
           tenant is not null, of_kinds is not null), ' union all ')
    into parts
    from unnest(ledger_tables) t (name)
   where kinds is null or t.name = any (kinds);
  if parts is null then
    return;
  end if;
  return query execute format('select u.epoch, u.xid::text, u.seq, u.tenant_id, u.kind, u.content from (%s) u order by u.epoch, u.xid, u.seq limit $5', parts)
    using after_epoch, after_xid::xid8, after_seq, (select max(e.epoch) from public.epochs e), least(greatest(max_rows, 1), 10000), tenant, of_kinds;
end
$$;
comment on function public.feed(integer, text, bigint, integer, text[], uuid, text, boolean) is 'Ledger rows after a position (epoch, xid, seq) that no open transaction can still precede, in that order; kind is the table, content the row. Of kinds, tombstones are those of the other kinds named. With witness, the kind of the last row read, refuses a position whose row is gone. With facts, content leaves out documents and what stands beside it, and times are UTC with six decimals. Refuses epoch_unsettled in a restored or copied database.';

-- What the feed withholds because of an open transaction is committed, and a reader is behind by it all the same.
create function ledger_internal.lag_part(ledger_table text, columns text, one_tenant boolean, some_kinds boolean) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return replace(ledger_internal.feed_part(ledger_table, columns, one_tenant, some_kinds),
    '(r.epoch, r.xid) < ($4, pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()))', 'r.epoch <= $4');
end
$$;
comment on function ledger_internal.lag_part(text, text, boolean, boolean) is 'The query of one table''s committed rows after a position, withheld ones included.';

create function public.feed_lag(after_epoch integer default 0, after_xid text default '0', after_seq bigint default 0, kinds text[] default null, tenant uuid default null,
                                out behind integer, out capped boolean, out age_s double precision)
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off as $$
declare
  most constant integer := 100000;
  of_kinds constant text[] := ledger_internal.tombstoned_kinds(kinds);
  latest constant integer := (select max(e.epoch) from public.epochs e);
  counted text;
  first_times text;
  oldest timestamptz;
begin
  if not ledger_internal.epoch_settled() then
    perform ledger_internal.refuse('epoch_unsettled');
  end if;
  select string_agg(ledger_internal.lag_part(t.name, 'r.seq', tenant is not null, of_kinds is not null), ' union all '),
         string_agg(ledger_internal.lag_part(t.name, 'r.recorded_at', tenant is not null, of_kinds is not null), ' union all ')
    into counted, first_times
    from unnest(ledger_internal.feed_tables()) t (name)
   where kinds is null or t.name = any (kinds);
  behind := 0;
  if counted is not null then
    execute format('select count(*) from (select from (%s) u limit $5) c', counted) into behind
      using after_epoch, after_xid::xid8, after_seq, latest, most + 1, tenant, of_kinds;
  end if;
  if behind > 0 then
    -- Transactions write in another order than they began, so the first few of each table are asked, not the first alone.
    execute format('select min(u.recorded_at) from (%s) u', first_times) into oldest
      using after_epoch, after_xid::xid8, after_seq, latest, 100, tenant, of_kinds;
  end if;
  capped := behind > most;
  behind := least(behind, most);
  age_s := coalesce(greatest(extract(epoch from clock_timestamp() - oldest), 0), 0);
end
$$;
comment on function public.feed_lag(integer, text, bigint, text[], uuid) is 'How far a reader of the feed is behind: the committed rows after a position, also those that an open transaction keeps from being read (behind; counting stops at 100,000, then capped), and the age in seconds of the oldest of them by the database''s clock (age_s; 0 when there are none). Refuses epoch_unsettled.';

-- A reader of few rows among many moves its position past those that are not its own, or reads over them for ever.
create function ledger_internal.feed_end(kinds text[], out epoch integer, out xid text, out seq bigint, out kind text)
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off as $$
declare
  parts text;
begin
  select string_agg(format('(select r.epoch, r.xid, r.seq, %1$L as kind from public.%1$I r where (r.epoch, r.xid) < ($1, pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()))'
           || ' order by r.epoch desc, r.xid desc, r.seq desc limit 1)', t.name), ' union all ')
    into parts
    from unnest(ledger_internal.feed_tables()) t (name)
   where t.name = any (kinds);
  execute format('select u.epoch, u.xid::text, u.seq, u.kind from (%s) u order by u.epoch desc, u.xid desc, u.seq desc limit 1', parts) into feed_end.epoch, feed_end.xid, feed_end.seq, feed_end.kind
    using (select max(e.epoch) from public.epochs e);
end
$$;
comment on function ledger_internal.feed_end(text[]) is 'The last row of these kinds that the feed would give now, whosever it is; nulls when there is none.';

-- A transaction left open anywhere in the cluster holds the feed back; this names it.
create function ledger_internal.feed_holders() returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('pid', h.pid, 'user', h.login, 'database', h.database, 'age_s', h.age_s, 'prepared', h.prepared) order by h.age_s desc), '[]')
      from (select a.pid, a.usename::text as login, a.datname::text as database, round(extract(epoch from clock_timestamp() - a.xact_start))::bigint as age_s, null::text as prepared
              from pg_catalog.pg_stat_activity a
             where a.backend_xid is not null and a.pid <> pg_catalog.pg_backend_pid()
            union all
            select null, p.owner::text, p.database::text, round(extract(epoch from clock_timestamp() - p.prepared))::bigint, p.gid
              from pg_catalog.pg_prepared_xacts p) h
     -- Without pg_read_all_stats other logins' ages are hidden; then every holder is named.
     where h.age_s >= 1 or (h.age_s is null and not pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'usage')));
end
$$;
comment on function ledger_internal.feed_holders() is 'Transactions older than a second that hold the feed back: pid, user, database, age_s; prepared ones by their name.';

create function public.ledger_health() returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  holders constant jsonb := ledger_internal.feed_holders();
  -- Who else works on this cluster is the operators' business, not a tenant's.
  shown constant jsonb := case when current_user = 'authenticated' then '[]' else holders end;
begin
  return jsonb_build_object('fingerprint', ledger_internal.schema_fingerprint(), 'ledger_id', ledger_internal.ledger_id(), 'epoch', ledger_internal.latest_epoch(), 'epoch_settled', ledger_internal.epoch_settled(),
    'feed', jsonb_build_object('held_back_by', shown, 'degraded', jsonb_path_exists(holders, '$[*] ? (@.age_s > 30)')));
end
$$;
comment on function public.ledger_health() is 'Schema fingerprint, the ledger''s id, epoch, and what holds the feed back; degraded when that is older than 30 s.';

create function ledger_internal.latest_epoch() returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (select max(e.epoch) from public.epochs e);
end
$$;
comment on function ledger_internal.latest_epoch() is 'The latest epoch, or null before the first write.';

-- From the first epoch, which every dump carries: restored and copied, it stays the same ledger. A UUID v8 (RFC 9562).
create function ledger_internal.ledger_id() returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select overlay(overlay(left(encode(sha256(convert_to(concat_ws(' ', e.system_identifier, e.database_oid, ledger_internal.rfc3339(e.opened_at)), 'UTF8')), 'hex'), 32)
                           placing '8' from 13) placing '8' from 17)::uuid
      from public.epochs e order by e.epoch limit 1);
end
$$;
comment on function ledger_internal.ledger_id() is 'Which ledger this is, the same for all lives of its database, restored copies included; null before the first write.';
