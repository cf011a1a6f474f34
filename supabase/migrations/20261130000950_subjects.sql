-- Chapter: the subject of a write: an invocation or an execution, with what its start row says.

create type ledger_internal.subject as (
  tenant_id              uuid,
  subject_type           text,
  subject_id             uuid,
  source_type            text,
  source_id              text,
  source_version         text,
  domain                 text,
  governance_class       text,
  correlation_id         text,
  causation_id           text,
  within                 uuid,
  execution_pattern      text,
  output_schema_hash     text,
  confidence_schema_hash text,
  started_by             text
);
comment on type ledger_internal.subject is 'What the start row of an invocation or an execution says; `within` is the execution around it.';

create function ledger_internal.find_subject(tenant uuid, kind text, id uuid) returns ledger_internal.subject
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  found_subject ledger_internal.subject;
begin
  if kind = 'invocation' then
    select i.tenant_id, 'invocation', i.invocation_id, i.source_type, i.source_id, i.source_version, i.domain, i.governance_class,
           i.correlation_id, i.causation_id, i.execution_id, null, i.output_schema_hash, i.confidence_schema_hash, i.recorded_by
      into found_subject
      from public.agent_invocations i where i.tenant_id is not distinct from tenant and i.invocation_id = id;
  else
    select e.tenant_id, 'execution', e.execution_id, e.source_type, e.source_id, e.source_version, e.domain, e.governance_class,
           e.correlation_id, e.causation_id, e.parent_execution_id, e.execution_pattern, e.output_schema_hash, e.confidence_schema_hash, e.recorded_by
      into found_subject
      from public.workflow_executions e where e.tenant_id is not distinct from tenant and e.execution_id = id;
  end if;
  return found_subject;
end
$$;
comment on function ledger_internal.find_subject(uuid, text, uuid) is 'The subject, or null when this tenant has none of that id.';

-- Foreign and unknown answer alike.
create function ledger_internal.require_subject(tenant uuid, kind text, id uuid) returns ledger_internal.subject
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  found_subject ledger_internal.subject := ledger_internal.find_subject(tenant, kind, id);
begin
  if found_subject.subject_id is null then
    perform ledger_internal.refuse('unknown_' || kind);
  end if;
  return found_subject;
end
$$;
comment on function ledger_internal.require_subject(uuid, text, uuid) is 'The subject, or a refusal: unknown_invocation, unknown_execution.';

create function ledger_internal.subject_of_token(kind text, id uuid) returns ledger_internal.subject
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.require_subject((ledger_internal.caller()).tenant_id, kind, id);
end
$$;
comment on function ledger_internal.subject_of_token(text, uuid) is 'A subject of the caller''s tenant, or a refusal: unknown_invocation, unknown_execution.';

-- The actor and the source are the caller's own words, so saying which of them does not fit tells it nothing new.
create function ledger_internal.may_write_words(ledger_table text, ledger_role text, actor text, source_id text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return case
    when ledger_internal.may_write(ledger_table, ledger_role, actor, actor, null)
      then format('Role %s may write %s about its own source only: the source is %s, the token''s actor_id %s.', ledger_role, ledger_table, source_id, actor)
    when ledger_internal.may_write(ledger_table, ledger_role, actor, source_id, actor)
      then format('Role %s may write %s only about what it started itself, or what runs in an execution it started.', ledger_role, ledger_table)
    else format('Role %s may not write %s%s.', coalesce(ledger_role, 'none'), ledger_table,
                case when ledger_internal.may_write(ledger_table, ledger_role, actor, actor || '.', null) then ' about its own source' else '' end)
  end;
end
$$;
comment on function ledger_internal.may_write_words(text, text, text, text) is 'Why the role matrix refuses, for the refusal''s detail.';

create function ledger_internal.require_may_write(ledger_table text, ledger_role text, actor text, subject ledger_internal.subject) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if not ledger_internal.may_write(ledger_table, ledger_role, actor, subject.source_id, subject.started_by) then
    perform ledger_internal.refuse('not_permitted', ledger_internal.may_write_words(ledger_table, ledger_role, actor, subject.source_id));
  end if;
end
$$;
comment on function ledger_internal.require_may_write(text, text, text, ledger_internal.subject) is 'Holds a write against the role matrix, ownership included.';

-- Called under the subject's lock: after its outcome a subject takes nothing more.
create function ledger_internal.require_open(subject ledger_internal.subject) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if not exists (
    select from ledger_internal.open_work w
     where w.tenant_id is not distinct from subject.tenant_id and w.subject_type = subject.subject_type and w.subject_id = subject.subject_id) then
    perform ledger_internal.refuse(subject.subject_type || '_closed');
  end if;
end
$$;
comment on function ledger_internal.require_open(ledger_internal.subject) is 'Refuses invocation_closed or execution_closed once the subject has its outcome.';
