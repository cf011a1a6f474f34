-- Chapter: tenants and the definitions they run.
--
-- Governance is not self-declared: what an agent or workflow is allowed to claim about itself stands in a definition
-- that an operator wrote, and a start may only raise it.

create table public.tenants (
  tenant_id  uuid        not null primary key,
  name       text        not null check (btrim(name) <> ''),
  open       boolean     not null default false,
  created_at timestamptz not null default clock_timestamp()
);
alter table public.tenants enable row level security;
alter table public.tenants force row level security;
revoke all on public.tenants from public, anon, authenticated, service_role;
create policy "the owner keeps tenants" on public.tenants to current_user using (true) with check (true);
comment on table public.tenants is 'A tenant of this ledger. Made by `outcome-ledger tenant create`.';
comment on column public.tenants.tenant_id is 'app_metadata.tenant_id of its tokens.';
comment on column public.tenants.name is 'What people call it.';
comment on column public.tenants.open is 'True: sources without a definition may start, and lineage_gaps lists them. False: they are refused.';
comment on column public.tenants.created_at is 'When it was made.';

create table public.source_definitions (
  tenant_id              uuid        not null,
  source_type            text        not null,
  source_id              text        not null,
  version                text        not null,
  domain                 text        not null,
  governance_class       text        not null,
  verify                 text,
  output_schema          jsonb,
  output_schema_hash     text,
  confidence_schema      jsonb,
  confidence_schema_hash text,
  execution_pattern      text,
  default_deadline_ms    bigint,
  seq                    bigint      not null,
  epoch                  integer     not null,
  xid                    xid8        not null,
  recorded_at            timestamptz not null,
  recorded_by            text        not null,
  primary key (source_id, version, source_type, tenant_id)
);
create unique index source_definitions_feed on public.source_definitions (epoch, xid, seq);
select ledger_internal.make_append_only('public.source_definitions');
select ledger_internal.describe_common_columns('public.source_definitions');
comment on table public.source_definitions is 'One version of an agent''s or workflow''s contract. A version never changes; a new one is a new row.';
comment on column public.source_definitions.source_type is 'agent or workflow.';
comment on column public.source_definitions.source_id is 'The agent_id or workflow_id.';
comment on column public.source_definitions.version is 'SemVer of the definition.';
comment on column public.source_definitions.domain is 'Domain pack id.';
comment on column public.source_definitions.governance_class is 'autonomous, supervised or restricted; a start may raise it, never lower it.';
comment on column public.source_definitions.verify is 'The verification its outcomes need, or null.';
comment on column public.source_definitions.output_schema is 'JSON Schema 2020-12 of outcome.result, or null.';
comment on column public.source_definitions.output_schema_hash is 'SHA-256 of output_schema as stored; a recorder names it to say which schema it checked.';
comment on column public.source_definitions.confidence_schema is 'JSON Schema 2020-12 of outcome.quality.confidence, or null.';
comment on column public.source_definitions.confidence_schema_hash is 'SHA-256 of confidence_schema as stored.';
comment on column public.source_definitions.execution_pattern is 'The workflow''s primary execution pattern, or null.';
comment on column public.source_definitions.default_deadline_ms is 'Deadline of a start that names none, in milliseconds after the start.';

create function ledger_internal.definition_document(d public.source_definitions) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('source_type', d.source_type, 'source_id', d.source_id, 'version', d.version, 'domain', d.domain,
    'governance_class', d.governance_class, 'verify', d.verify, 'output_schema', d.output_schema,
    'confidence_schema', d.confidence_schema, 'execution_pattern', d.execution_pattern, 'default_deadline_ms', d.default_deadline_ms);
end
$$;
comment on function ledger_internal.definition_document(public.source_definitions) is 'A definition as the document its author sent, defaults filled in.';

create function ledger_internal.accept_definition() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  caller record := ledger_internal.caller();
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  new.governance_class := coalesce(new.governance_class, 'autonomous');
  if not ledger_internal.source_definition_ok(ledger_internal.definition_document(new)) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.source_definition_violations(ledger_internal.definition_document(new)));
  end if;
  if not exists (select from public.tenants t where t.tenant_id = new.tenant_id) then
    perform ledger_internal.refuse('unknown_tenant');
  end if;
  perform ledger_internal.lock_subjects(new.tenant_id, array[concat_ws('/', 'definition', new.source_type, new.source_id, new.version)], '{}');
  if exists (select from public.source_definitions d
              where d.source_id = new.source_id and d.version = new.version and d.source_type = new.source_type and d.tenant_id = new.tenant_id) then
    perform ledger_internal.refuse('definition_conflict');
  end if;
  new.output_schema_hash := encode(sha256(convert_to(new.output_schema::text, 'UTF8')), 'hex');
  new.confidence_schema_hash := encode(sha256(convert_to(new.confidence_schema::text, 'UTF8')), 'hex');
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_definition() is 'Checks a definition and sets what its author may not.';
create trigger accept before insert on public.source_definitions for each row execute function ledger_internal.accept_definition();
