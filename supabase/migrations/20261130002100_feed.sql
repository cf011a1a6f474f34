-- Chapter: the feed: what can no longer be overtaken, in one order. Sync, relay, seals and export read nothing else.

create function public.feed(after_epoch integer default 0, after_xid text default '0', after_seq bigint default 0, max_rows integer default 1000,
                            kinds text[] default null, tenant uuid default null, witness text default null)
returns table (epoch integer, xid text, seq bigint, tenant_id uuid, kind text, content jsonb)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  ledger_tables constant text[] := ledger_internal.feed_tables();
  latest integer;
  stands boolean;
  branches text;
  contents text;
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
  select max(e.epoch) into latest from public.epochs e;
  select string_agg(format('(select r.epoch, r.xid, r.seq, r.tenant_id, %1$L as kind from public.%1$I r'
           || ' where (r.epoch, r.xid, r.seq) > ($1, $2, $3) and (r.epoch, r.xid) < ($4, pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()))'
           || ' and ($6 is null or r.tenant_id = $6) order by r.epoch, r.xid, r.seq limit $5)', t.name), ' union all '),
         string_agg(format('when %1$L then (select to_jsonb(r) from public.%1$I r where r.epoch = p.epoch and r.xid = p.xid and r.seq = p.seq)', t.name), ' ')
    into branches, contents
    from unnest(ledger_tables) t (name)
   where kinds is null or t.name = any (kinds);
  if branches is null then
    return;
  end if;
  return query execute format('select p.epoch, p.xid::text, p.seq, p.tenant_id, p.kind, case p.kind %s end from (select * from (%s) u order by u.epoch, u.xid, u.seq limit $5) p order by p.epoch, p.xid, p.seq', contents, branches)
    using after_epoch, after_xid::xid8, after_seq, latest, least(greatest(max_rows, 1), 10000), tenant;
end
$$;
comment on function public.feed(integer, text, bigint, integer, text[], uuid, text) is 'Ledger rows after a position (epoch, xid, seq) that no open transaction can still precede, in that order; kind is the table, content the row. With witness, the kind of the last row read, refuses a position whose row is gone. Refuses epoch_unsettled in a restored or copied database.';

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
  return jsonb_build_object('fingerprint', ledger_internal.schema_fingerprint(), 'epoch', ledger_internal.latest_epoch(), 'epoch_settled', ledger_internal.epoch_settled(),
    'feed', jsonb_build_object('held_back_by', shown, 'degraded', jsonb_path_exists(holders, '$[*] ? (@.age_s > 30)')));
end
$$;
comment on function public.ledger_health() is 'Schema fingerprint, epoch, and what holds the feed back; degraded when that is older than 30 s.';

create function ledger_internal.latest_epoch() returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (select max(e.epoch) from public.epochs e);
end
$$;
comment on function ledger_internal.latest_epoch() is 'The latest epoch, or null before the first write.';
