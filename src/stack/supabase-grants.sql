-- The default privileges of existing Supabase projects: whatever `postgres` makes in schema public is granted to the
-- API's roles at once. New projects grant less; the ledger's migrations must hold against the wider ones.
alter default privileges for role postgres in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to postgres, anon, authenticated, service_role;
