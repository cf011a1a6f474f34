-- Chapter: who is calling.
--
-- The caller is read from `app_metadata` of the verified token, never from `user_metadata`, which users can edit.
-- A claim that is not a lower-case hyphenated UUID reads as "no tenant", and no tenant reads and writes nothing.

create table ledger_internal.disabled_actors (
  tenant_id   uuid        not null,
  actor_id    text        not null,
  disabled_at timestamptz not null default clock_timestamp(),
  reason      text,
  primary key (actor_id, tenant_id)
);
alter table ledger_internal.disabled_actors enable row level security;
alter table ledger_internal.disabled_actors force row level security;
create policy "the owner keeps the list of disabled actors" on ledger_internal.disabled_actors to current_user using (true) with check (true);
revoke all on ledger_internal.disabled_actors from public, anon, authenticated, service_role;
comment on table ledger_internal.disabled_actors is 'Actors whose tokens are refused although they have not expired.';
comment on column ledger_internal.disabled_actors.tenant_id is 'The tenant the actor belongs to.';
comment on column ledger_internal.disabled_actors.actor_id is 'The actor: app_metadata.actor_id of its tokens.';
comment on column ledger_internal.disabled_actors.disabled_at is 'When it was disabled.';
comment on column ledger_internal.disabled_actors.reason is 'Why, in the operator''s words.';

-- plpgsql, not sql: a `language sql` helper with a pinned search_path costs about three times as much per call.
create function ledger_internal.caller(out tenant_id uuid, out ledger_role text, out actor_id text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  about constant jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb -> 'app_metadata';
  tenant constant text := case jsonb_typeof(about -> 'tenant_id') when 'string' then about ->> 'tenant_id' end;
  actor constant text := case jsonb_typeof(about -> 'actor_id') when 'string' then about ->> 'actor_id' end;
  role constant text := case jsonb_typeof(about -> 'ledger_role') when 'string' then about ->> 'ledger_role' end;
begin
  if tenant ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' and actor <> '' and role <> ''
     and not exists (select from ledger_internal.disabled_actors d where d.actor_id = actor and d.tenant_id = tenant::uuid)
  then
    tenant_id := tenant;
    actor_id := actor;
    ledger_role := role;
  end if;
end
$$;
comment on function ledger_internal.caller() is 'Tenant, ledger role and actor of the current request; all null when the token names no valid tenant or the actor is disabled.';

create function ledger_internal.tenant_id() returns uuid
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (ledger_internal.caller()).tenant_id;
end
$$;
comment on function ledger_internal.tenant_id() is 'The caller''s tenant, or null.';

create function ledger_internal.ledger_role() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (ledger_internal.caller()).ledger_role;
end
$$;
comment on function ledger_internal.ledger_role() is 'The caller''s ledger role, or null.';

create function ledger_internal.actor_id() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (ledger_internal.caller()).actor_id;
end
$$;
comment on function ledger_internal.actor_id() is 'The caller''s actor id, or null.';

-- Auditors log in as themselves; which tenants a login may read is a row here, keyed by session_user, which no
-- `set role` changes.
create table ledger_internal.auditor_tenants (
  login     name not null,
  tenant_id uuid not null,
  primary key (login, tenant_id)
);
alter table ledger_internal.auditor_tenants enable row level security;
alter table ledger_internal.auditor_tenants force row level security;
create policy "the owner keeps the auditors' tenants" on ledger_internal.auditor_tenants to current_user using (true) with check (true);
revoke all on ledger_internal.auditor_tenants from public, anon, authenticated, service_role;
comment on table ledger_internal.auditor_tenants is 'Which tenants an auditor''s database login reads.';
comment on column ledger_internal.auditor_tenants.login is 'The login, as session_user gives it.';
comment on column ledger_internal.auditor_tenants.tenant_id is 'A tenant it may read.';

create function ledger_internal.audited_tenants() returns uuid[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return array(select a.tenant_id from ledger_internal.auditor_tenants a where a.login = session_user);
end
$$;
comment on function ledger_internal.audited_tenants() is 'The tenants this login may audit.';

create function ledger_internal.readable_tenants() returns uuid[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  -- An auditor's login can set request.jwt.claims to anything, so for it claims do not count.
  if pg_has_role(current_user, 'ledger_auditor', 'usage') and current_user <> 'authenticated' then
    return ledger_internal.audited_tenants();
  end if;
  return array_remove(array[ledger_internal.tenant_id()], null);
end
$$;
comment on function ledger_internal.readable_tenants() is 'The token''s tenant, or the tenants an auditor''s login may read.';
