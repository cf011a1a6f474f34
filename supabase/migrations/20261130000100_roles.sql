-- Chapter: who exists.
--
-- Two schemas: `public` holds the ledger tables and the exposed functions (Studio and the Data API show them);
-- `ledger_internal` holds triggers, helpers and mutable operational state, and must never be exposed.
--
-- Every role is made without a password and without login; `outcome-ledger roles password` turns one on.
-- A migration that carried a password would publish it.

create schema ledger_internal;
revoke all on schema ledger_internal from public;
comment on schema ledger_internal is 'Triggers, helpers and mutable operational state of Outcome Ledger. Never exposed through the Data API.';

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('ledger_gateway',   'noinherit', 'The edge functions'' login: owns nothing, can only become authenticated.'),
      ('ledger_sync',      'inherit',   'The worker that mirrors the feed into a graph: reads, and keeps its quarantine.'),
      ('ledger_sweep',     'inherit',   'The worker that times out what passed its deadline.'),
      ('ledger_relay',     'inherit',   'The worker that delivers events: reads, and keeps what waits for delivery.'),
      ('ledger_seal',      'inherit',   'The worker that closes the feed into signed digests: reads only.'),
      ('ledger_auditor',   'inherit',   'What auditors'' logins are members of: reads the tenants named in auditor_tenants.'),
      ('ledger_retention', 'noinherit', 'Owns the purge function. Nobody is a member; nobody logs in.')
    ) as r (role_name, inherits, purpose)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted.role_name) then
      execute pg_catalog.format('create role %I nologin %s', wanted.role_name, wanted.inherits);
    end if;
  end loop;
end
$$;

-- The gateway may become `authenticated` and nothing else. Without inheritance a request whose `begin` failed runs with
-- no rights at all instead of the login's.
grant authenticated to ledger_gateway with inherit false, set true;

-- A transaction that stays open holds the whole feed back, so the ledger's own logins are bounded.
do $$
declare
  worker text;
begin
  foreach worker in array array['ledger_gateway', 'ledger_sync', 'ledger_sweep', 'ledger_relay', 'ledger_seal'] loop
    execute pg_catalog.format('alter role %I set idle_in_transaction_session_timeout = %L', worker, '30s');
    execute pg_catalog.format('alter role %I set transaction_timeout = %L', worker, case when worker = 'ledger_gateway' then '30s' else '300s' end);
  end loop;
end
$$;

-- Nor may a request wait without end for somebody's lock: it answers 503 and is sent again.
alter role ledger_gateway set lock_timeout = '10s';

-- Every function of the ledger pins `search_path = pg_catalog, pg_temp`. An empty path would still look into pg_temp first,
-- for types: a login with raw SQL could shadow jsonb with a domain of its own and run code as a definer function's owner.

-- USAGE only lets a caller name what it was granted; each helper is granted by itself.
grant usage on schema ledger_internal to authenticated, service_role, ledger_gateway, ledger_sync, ledger_sweep, ledger_relay, ledger_seal, ledger_auditor, ledger_retention;
grant usage on schema public to ledger_gateway, ledger_sync, ledger_sweep, ledger_relay, ledger_seal, ledger_auditor, ledger_retention;
