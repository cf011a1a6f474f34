-- Chapter: policy sets. One version of a tenant's policies in Cedar; a version never changes, the newest row is in force.

create table public.policy_sets (
  tenant_id      uuid        not null,
  version        text        not null,
  policies       text        not null,
  schema         text,
  mask           jsonb       not null default '[]',
  note           text,
  content_hash   text        not null,
  checked_hash   text        not null,
  request_digest text        not null,
  seq            bigint      not null,
  epoch          integer     not null,
  xid            xid8        not null,
  recorded_at    timestamptz not null,
  recorded_by    text        not null,
  primary key (version, tenant_id)
);
create unique index policy_sets_feed on public.policy_sets (epoch, xid, seq);
create index policy_sets_page on public.policy_sets (tenant_id, epoch, xid, seq);
select ledger_internal.make_append_only('public.policy_sets');
select ledger_internal.describe_common_columns('public.policy_sets');
comment on table public.policy_sets is 'One version of a tenant''s policies. The newest row is the set in force.';
comment on column public.policy_sets.version is 'SemVer of the set.';
comment on column public.policy_sets.policies is 'Cedar policies, as stored.';
comment on column public.policy_sets.schema is 'Cedar schema, as stored, or null.';
comment on column public.policy_sets.mask is 'JSON Pointers that are masked before an input is kept.';
comment on column public.policy_sets.note is 'Why this version, in its author''s words.';
comment on column public.policy_sets.content_hash is 'SHA-256, in hex, of policies and schema; see policy_set_hash.';
comment on column public.policy_sets.checked_hash is 'The hash of the very set that was parsed and validated before it was stored.';
comment on column public.policy_sets.request_digest is 'Digest of the set as sent.';

create function ledger_internal.policy_set_hash(policies text, schema text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return encode(sha256(convert_to(concat('cedar policy set 1', e'\n',
    encode(sha256(convert_to(policies, 'UTF8')), 'hex'), e'\n',
    coalesce(encode(sha256(convert_to(schema, 'UTF8')), 'hex'), 'none'), e'\n'), 'UTF8')), 'hex');
end
$$;
comment on function ledger_internal.policy_set_hash(text, text) is 'SHA-256, in hex, over the hashes of the exact texts; src/policy/hash.ts computes the same.';

create function ledger_internal.policy_set_document(r public.policy_sets) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('version', r.version, 'policies', r.policies, 'schema', r.schema, 'mask', r.mask, 'note', r.note);
end
$$;
comment on function ledger_internal.policy_set_document(public.policy_sets) is 'A policy set as the document its author sent.';

create function ledger_internal.accept_policy_set() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  new.mask := coalesce(new.mask, '[]');
  document := ledger_internal.policy_set_document(new);
  if not ledger_internal.policy_set_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.policy_set_violations(document));
  end if;
  if not ledger_internal.may_write('policy_sets', caller.ledger_role, caller.actor_id, null, null) then
    perform ledger_internal.refuse('not_permitted', ledger_internal.may_write_words('policy_sets', caller.ledger_role, caller.actor_id, null));
  end if;
  if not exists (select from public.tenants t where t.tenant_id = new.tenant_id) then
    perform ledger_internal.refuse('unknown_tenant');
  end if;
  perform ledger_internal.lock_subjects(new.tenant_id, array['policy_set/' || new.version], '{}');
  if exists (select from public.policy_sets s where s.version = new.version and s.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('policy_set_conflict');
  end if;
  new.content_hash := ledger_internal.policy_set_hash(new.policies, new.schema);
  if new.checked_hash is distinct from new.content_hash then
    perform ledger_internal.refuse('policy_set_unchecked', null, '[]', jsonb_build_object('content_hash', new.content_hash));
  end if;
  new.request_digest := ledger_internal.request_digest(document);
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_policy_set() is 'Checks a policy set and sets what its author may not; holds that this very set was validated.';
create trigger accept before insert on public.policy_sets for each row execute function ledger_internal.accept_policy_set();
