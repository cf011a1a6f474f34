-- The schema's fingerprint. GENERATED from the other chapters by `npm run generate`; do not edit.

create or replace function ledger_internal.schema_fingerprint() returns text
language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return 'e77f592a00c2a94319f970ea9b16b54b';
end
$$;
comment on function ledger_internal.schema_fingerprint() is 'Digest of the chapters this schema was made from; functions, workers and doctor refuse another one.';
