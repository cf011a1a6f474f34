-- Chapter: append-only, in layers.
--
--   1. grants: nobody but the owner holds UPDATE, DELETE or TRUNCATE; tenants hold INSERT on named columns only
--   2. row-level security, enabled and forced, one named policy per role and command (chapter "row policies")
--   3. the triggers below, `enable always`: they also fire in replica mode, where ordinary triggers do not
--   4. only ledger_retention deletes, through its purge function, and the guard itself writes the tombstone
--
-- What even the owner could do (drop a trigger) is not prevented here; the seals detect it.

create table public.retention_policies (
  policy_id   uuid        not null default gen_random_uuid() primary key,
  tenant_id   uuid        not null,
  table_name  text        not null check (table_name = any (ledger_internal.purgeable_tables())),
  keep_for    interval    not null check (keep_for > interval '0'),
  reason      text        not null check (btrim(reason) <> ''),
  recorded_at timestamptz not null default clock_timestamp(),
  recorded_by text        not null default session_user
);
create policy "the owner states retention policies" on public.retention_policies to current_user using (true) with check (true);
comment on table public.retention_policies is 'The recorded reasons under which rows may be deleted. Without one nothing is.';
comment on column public.retention_policies.policy_id is 'Named by every tombstone the policy leaves.';
comment on column public.retention_policies.tenant_id is 'Whose rows.';
comment on column public.retention_policies.table_name is 'Which table. outcome_ids are never deleted.';
comment on column public.retention_policies.keep_for is 'Rows younger than this stay.';
comment on column public.retention_policies.reason is 'The legal or operational ground.';
comment on column public.retention_policies.recorded_at is 'When the policy was stated.';
comment on column public.retention_policies.recorded_by is 'By which login.';

create table public.tombstones (
  tenant_id   uuid        not null,
  table_name  text        not null,
  row_seq     bigint      not null,
  row_key     jsonb       not null,
  policy_id   uuid        not null references public.retention_policies (policy_id),
  seq         bigint      not null default nextval('ledger_internal.feed_seq'),
  epoch       integer     not null,
  xid         xid8        not null default pg_current_xact_id(),
  recorded_at timestamptz not null default clock_timestamp(),
  recorded_by text        not null default current_user,
  primary key (row_seq, table_name, tenant_id)
);
create index tombstones_policy_id on public.tombstones (policy_id);
-- What ended is found as ended when its outcome went under a policy.
create index tombstones_invocation on public.tombstones ((row_key ->> 'invocation_id'), tenant_id) where table_name = 'agent_invocation_outcomes';
create index tombstones_execution on public.tombstones ((row_key ->> 'execution_id'), tenant_id) where table_name = 'workflow_outcomes';
create unique index tombstones_feed on public.tombstones (epoch, xid, seq);
comment on table public.tombstones is 'What stands where a row was deleted under a retention policy; mirrors delete what it names.';
comment on column public.tombstones.tenant_id is 'Whose row it was.';
comment on column public.tombstones.table_name is 'The table the row stood in.';
comment on column public.tombstones.row_seq is 'The deleted row''s seq.';
comment on column public.tombstones.row_key is 'The identifying members of the deleted row, and no content.';
comment on column public.tombstones.policy_id is 'The policy that allowed it.';

-- Security invoker, so that current_user is whoever deletes.
create function ledger_internal.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  old_row jsonb;
  rule public.retention_policies;
begin
  if tg_op = 'DELETE' and tg_level = 'ROW' and current_user = 'ledger_retention' then
    select * into rule from public.retention_policies p where p.policy_id = nullif(current_setting('ledger_internal.retention_policy', true), '')::uuid;
    -- Not even the retention role deletes what its policy does not name: another tenant's, another table's, a young row.
    if rule.policy_id is null or rule.tenant_id <> old.tenant_id or rule.table_name <> tg_table_name or old.recorded_at >= clock_timestamp() - rule.keep_for then
      perform ledger_internal.refuse('append_only', format('No retention policy lets this row of %s go.', tg_table_name));
    end if;
    old_row := to_jsonb(old);
    insert into public.tombstones (tenant_id, table_name, row_seq, row_key, policy_id, epoch)
    values (old.tenant_id, tg_table_name, old.seq,
            (select jsonb_object_agg(m.key, m.value) from jsonb_each(old_row) m
              where m.key in ('outcome_id', 'invocation_id', 'execution_id', 'event_id', 'link_id', 'tool_call_id',
                              'source_outcome_id', 'target_outcome_id', 'relation', 'source_type')),
            rule.policy_id,
            ledger_internal.current_epoch());
    return old;
  end if;
  perform ledger_internal.refuse('append_only', format('%s on %s is refused for %s.', tg_op, tg_table_name, current_user));
  return null;
end
$$;
comment on function ledger_internal.refuse_change() is 'Refuses UPDATE, DELETE and TRUNCATE; lets the purge function delete and leaves its tombstone.';

-- Every ledger table is made one by this, so that none can miss a layer.
create function ledger_internal.make_append_only(ledger_table regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('alter table %s enable row level security', ledger_table);
  execute format('alter table %s force row level security', ledger_table);
  execute format('revoke all on %s from public, anon, authenticated, service_role', ledger_table);
  execute format('create trigger refuse_change before update or delete on %s for each row execute function ledger_internal.refuse_change()', ledger_table);
  execute format('create trigger refuse_truncate before truncate on %s for each statement execute function ledger_internal.refuse_change()', ledger_table);
  execute format('alter table %s enable always trigger refuse_change', ledger_table);
  execute format('alter table %s enable always trigger refuse_truncate', ledger_table);
end
$$;
comment on function ledger_internal.make_append_only(regclass) is 'Row-level security, no platform grants, and the refusing triggers, for one ledger table.';

-- The columns every ledger row carries mean the same everywhere, so they are described once.
create function ledger_internal.describe_common_columns(ledger_table regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  common record;
begin
  for common in
    select * from (values
      ('tenant_id',   'Whose row it is.'),
      ('seq',         'Position within the transaction order; one sequence for all ledger tables.'),
      ('epoch',       'The life of the database the row was written in; see epochs.'),
      ('xid',         'The transaction that wrote it. Readers order by (epoch, xid, seq).'),
      ('recorded_at', 'When it was written, by the database''s clock.'),
      ('recorded_by', 'The actor that wrote it, from its token.')
    ) as c (column_name, meaning)
  loop
    execute format('comment on column %s.%I is %L', ledger_table, common.column_name, common.meaning);
  end loop;
end
$$;
comment on function ledger_internal.describe_common_columns(regclass) is 'Comments the six columns that every ledger table has.';

-- What tombstones and positions rest on is as immutable as they are; a policy is withdrawn by no longer calling it.
select ledger_internal.make_append_only('public.retention_policies');
select ledger_internal.make_append_only('public.epochs');
select ledger_internal.make_append_only('public.tombstones');
select ledger_internal.describe_common_columns('public.tombstones');

create function ledger_internal.purge(policy uuid, max_rows integer default 1000) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  rule public.retention_policies;
  deleted integer;
begin
  select * into rule from public.retention_policies p where p.policy_id = policy;
  if not found then
    perform ledger_internal.refuse('not_found', 'There is no such retention policy.');
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('outcome-ledger:epoch', 0));
  perform set_config('ledger_internal.retention_policy', policy::text, true);
  execute format(
    'delete from public.%1$I where (tenant_id, seq) in (select r.tenant_id, r.seq from public.%1$I r where r.tenant_id = $1 and r.recorded_at < clock_timestamp() - $2 order by r.epoch, r.xid, r.seq limit $3)',
    rule.table_name) using rule.tenant_id, rule.keep_for, max_rows;
  get diagnostics deleted = row_count;
  perform set_config('ledger_internal.retention_policy', '', true);
  return deleted;
end
$$;
comment on function ledger_internal.purge(uuid, integer) is 'Deletes at most max_rows rows that a recorded policy lets go, each leaving a tombstone; returns how many.';

revoke all on function ledger_internal.refuse_change(), ledger_internal.make_append_only(regclass),
  ledger_internal.describe_common_columns(regclass), ledger_internal.purge(uuid, integer) from public;
grant execute on function ledger_internal.current_epoch(), ledger_internal.refuse_change() to ledger_retention;
grant usage on sequence ledger_internal.feed_seq to ledger_retention;
grant select on public.retention_policies to ledger_retention;
grant select, insert on public.tombstones to ledger_retention;
create policy "retention reads the policies it acts under" on public.retention_policies for select to ledger_retention using (true);

-- The purge function belongs to ledger_retention, so that deleting needs being that role. Its maker becomes it for these
-- lines only; as its maker it could again, which is what the seals and the doctor look for.
grant create on schema ledger_internal to ledger_retention;
grant ledger_retention to current_user with inherit true, set true;
alter function ledger_internal.purge(uuid, integer) owner to ledger_retention;
-- A change of owner takes the old owner's rights along, so the new owner gives it the call back.
do $$
declare
  migrator constant text := current_user;
begin
  set local role ledger_retention;
  execute pg_catalog.format('grant execute on function ledger_internal.purge(uuid, integer) to %I', migrator);
  execute pg_catalog.format('set local role %I', migrator);
end
$$;
revoke create on schema ledger_internal from ledger_retention;
revoke ledger_retention from current_user granted by current_user;
