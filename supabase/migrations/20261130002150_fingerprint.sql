-- The schema's fingerprint. GENERATED from the other chapters by `npm run generate`; do not edit.

create or replace function ledger_internal.schema_fingerprint() returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return 'e99d40a638716e0f0b7936d5e814e67e';
end
$$;
comment on function ledger_internal.schema_fingerprint() is 'Digest of the chapters this schema was made from; functions, workers and doctor refuse another one.';
