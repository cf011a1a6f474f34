-- Chapter: starts. A start row is written before anything runs, so that a process that dies leaves a trace with a
-- deadline. It is immutable; what ends it is an outcome.
--
-- Keys lead with the id here and in every later table; only the index that pages a tenant's rows leads with tenant_id. On
-- a young table the planner cannot tell a look-up by id from a read of the tenant, and a cached plan keeps the wrong index
-- while the table grows. The triggers' look-ups therefore compare the tenant with `is not distinct from`, which no index
-- serves, and are left with the id's.

create table public.workflow_executions (
  tenant_id                 uuid        not null,
  execution_id              uuid        not null default gen_random_uuid(),
  source_type               text        not null default 'workflow' check (source_type = 'workflow'),
  source_id                 text        not null,
  source_version            text        not null,
  domain                    text        not null,
  governance_class          text        not null,
  correlation_id            text        not null,
  causation_id              text        not null,
  execution_pattern         text        not null,
  parent_execution_id       uuid,
  resumed_from_execution_id uuid,
  verify                    text,
  deadline_at               timestamptz not null,
  traceparent               text,
  attributes                jsonb,
  defined                   boolean     not null,
  output_schema_hash        text,
  confidence_schema_hash    text,
  request_digest            text        not null,
  seq                       bigint      not null,
  epoch                     integer     not null,
  xid                       xid8        not null,
  recorded_at               timestamptz not null,
  recorded_by               text        not null,
  primary key (execution_id, tenant_id),
  foreign key (parent_execution_id, tenant_id) references public.workflow_executions (execution_id, tenant_id),
  foreign key (resumed_from_execution_id, tenant_id) references public.workflow_executions (execution_id, tenant_id)
);
create index workflow_executions_parent on public.workflow_executions (parent_execution_id, tenant_id);
create index workflow_executions_resumed_from on public.workflow_executions (resumed_from_execution_id, tenant_id);
create index workflow_executions_correlation on public.workflow_executions (correlation_id, tenant_id);
create unique index workflow_executions_feed on public.workflow_executions (epoch, xid, seq);
create index workflow_executions_page on public.workflow_executions (tenant_id, epoch, xid, seq);
comment on table public.workflow_executions is 'The start of one workflow execution, written before it runs. Immutable.';
comment on column public.workflow_executions.execution_id is 'UUID v4 of the execution; made by the client so that a retry is the same call, or minted here.';
comment on column public.workflow_executions.execution_pattern is 'The execution_pattern.primary declared in the workflow contract.';
comment on column public.workflow_executions.parent_execution_id is 'The execution this one is a child of.';
comment on column public.workflow_executions.resumed_from_execution_id is 'The execution this one resumes.';

create table public.agent_invocations (
  tenant_id              uuid        not null,
  invocation_id          uuid        not null default gen_random_uuid(),
  source_type            text        not null default 'agent' check (source_type = 'agent'),
  source_id              text        not null,
  source_version         text        not null,
  domain                 text        not null,
  governance_class       text        not null,
  correlation_id         text        not null,
  causation_id           text        not null,
  execution_id           uuid,
  step_id                text,
  step_name              text,
  attempt                integer     not null default 1,
  surfaces               jsonb,
  verify                 text,
  recovery_mode          text        not null default 'reset',
  deadline_at            timestamptz not null,
  traceparent            text,
  attributes             jsonb,
  defined                boolean     not null,
  output_schema_hash     text,
  confidence_schema_hash text,
  request_digest         text        not null,
  seq                    bigint      not null,
  epoch                  integer     not null,
  xid                    xid8        not null,
  recorded_at            timestamptz not null,
  recorded_by            text        not null,
  primary key (invocation_id, tenant_id),
  foreign key (execution_id, tenant_id) references public.workflow_executions (execution_id, tenant_id)
);
create unique index agent_invocations_attempt on public.agent_invocations (execution_id, tenant_id, step_id, attempt);
create index agent_invocations_correlation on public.agent_invocations (correlation_id, tenant_id);
create unique index agent_invocations_feed on public.agent_invocations (epoch, xid, seq);
create index agent_invocations_page on public.agent_invocations (tenant_id, epoch, xid, seq);
comment on table public.agent_invocations is 'The start of one agent invocation, written before it runs. Immutable.';
comment on column public.agent_invocations.invocation_id is 'UUID v4 of the invocation; made by the client so that a retry is the same call, or minted here.';
comment on column public.agent_invocations.execution_id is 'The workflow execution it runs in, if any.';
comment on column public.agent_invocations.step_id is 'The step of the execution it is an attempt at.';
comment on column public.agent_invocations.step_name is 'What people call that step.';
comment on column public.agent_invocations.attempt is 'Counts from 1; unique per execution and step.';
comment on column public.agent_invocations.surfaces is 'JSON array of the outside surfaces it may write to.';
comment on column public.agent_invocations.recovery_mode is 'reset, inspect or manual: what happens to the step when this attempt is lost.';

do $$
declare
  start_table regclass;
  described record;
begin
  foreach start_table in array array['public.workflow_executions', 'public.agent_invocations']::regclass[] loop
    perform ledger_internal.make_append_only(start_table);
    perform ledger_internal.describe_common_columns(start_table);
    for described in
      select * from (values
        ('source_type',            'agent or workflow; constant in this table.'),
        ('source_id',              'The agent_id or workflow_id.'),
        ('source_version',         'SemVer of the definition at start time.'),
        ('domain',                 'Domain pack id.'),
        ('governance_class',       'autonomous, supervised or restricted: the definition''s, or raised by the start.'),
        ('correlation_id',         'Threads everything back to the originating business transaction.'),
        ('causation_id',           'The outcome, event, invocation or execution that directly caused this start.'),
        ('verify',                 'The verification its outcome needs, or null.'),
        ('deadline_at',            'On the database''s clock; past it without an outcome, recovery writes a timeout.'),
        ('traceparent',            'W3C trace context of the caller.'),
        ('attributes',             'Free JSON object, at most 4 KiB.'),
        ('defined',                'Whether a definition of this source and version stood when it started.'),
        ('output_schema_hash',     'Hash of the definition''s output schema at start time; the outcome''s result must have been checked against it.'),
        ('confidence_schema_hash', 'Hash of the definition''s confidence schema at start time.'),
        ('request_digest',         'Digest of the request as sent; a start with the same id and another digest is a conflict.')
      ) as c (column_name, meaning)
    loop
      execute format('comment on column %s.%I is %L', start_table, described.column_name, described.meaning);
    end loop;
  end loop;
end
$$;

create function ledger_internal.execution_document(r public.workflow_executions) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('execution_id', r.execution_id,
    'source', jsonb_build_object('id', r.source_id, 'version', r.source_version, 'domain', r.domain),
    'governance_class', r.governance_class, 'correlation_id', r.correlation_id, 'causation_id', r.causation_id,
    'execution_pattern', r.execution_pattern, 'parent_execution_id', r.parent_execution_id,
    'resumed_from_execution_id', r.resumed_from_execution_id, 'verify', r.verify,
    'deadline_at', ledger_internal.rfc3339(r.deadline_at), 'traceparent', r.traceparent, 'attributes', r.attributes);
end
$$;

create function ledger_internal.invocation_document(r public.agent_invocations) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('invocation_id', r.invocation_id,
    'source', jsonb_build_object('id', r.source_id, 'version', r.source_version, 'domain', r.domain),
    'governance_class', r.governance_class, 'correlation_id', r.correlation_id, 'causation_id', r.causation_id,
    'execution_id', r.execution_id, 'step_id', r.step_id, 'step_name', r.step_name,
    'attempt', case when r.step_id is not null or r.attempt <> 1 then r.attempt end, 'surfaces', r.surfaces,
    'verify', r.verify, 'recovery_mode', r.recovery_mode, 'deadline_at', ledger_internal.rfc3339(r.deadline_at),
    'traceparent', r.traceparent, 'attributes', r.attributes);
end
$$;
comment on function ledger_internal.execution_document(public.workflow_executions) is 'A start row as the document its author sent.';
comment on function ledger_internal.invocation_document(public.agent_invocations) is 'A start row as the document its author sent.';

-- What both kinds of start share: the definition's word against the start's, and the deadline.
create function ledger_internal.settle_start(
  tenant uuid, kind text, id text, version text, domain text,
  inout governance_class text, inout verify text, inout deadline_at timestamptz, inout execution_pattern text,
  out defined boolean, out output_schema_hash text, out confidence_schema_hash text
) language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  owner record;
  d public.source_definitions;
begin
  select t.open into owner from public.tenants t where t.tenant_id = tenant;
  if not found then
    perform ledger_internal.refuse('unknown_tenant');
  end if;
  select * into d from public.source_definitions s
   where s.tenant_id = tenant and s.source_type = kind and s.source_id = id and s.version = settle_start.version;
  defined := found;
  if not defined and not owner.open then
    perform ledger_internal.refuse('undefined_source', null,
      jsonb_build_array(jsonb_build_object('path', '/source', 'rule', 'defined', 'message', format('%s %s %s has no definition in this tenant', kind, id, version))));
  end if;
  if defined then
    if d.domain <> domain then
      perform ledger_internal.refuse('request_invalid', null,
        jsonb_build_array(jsonb_build_object('path', '/source/domain', 'rule', 'definition', 'message', 'must be the definition''s domain')));
    end if;
    if ledger_internal.governance_rank(governance_class) < ledger_internal.governance_rank(d.governance_class) then
      perform ledger_internal.refuse('governance_lowered', null,
        jsonb_build_array(jsonb_build_object('path', '/governance_class', 'rule', 'definition', 'message', format('must be %s or stricter', d.governance_class))));
    end if;
    if d.verify is not null and verify is distinct from d.verify and verify is not null then
      perform ledger_internal.refuse('governance_lowered', null,
        jsonb_build_array(jsonb_build_object('path', '/verify', 'rule', 'definition', 'message', 'must be absent or the definition''s verify')));
    end if;
    verify := coalesce(d.verify, verify);
    output_schema_hash := d.output_schema_hash;
    confidence_schema_hash := d.confidence_schema_hash;
  end if;
  governance_class := coalesce(governance_class, d.governance_class, 'autonomous');
  if execution_pattern <> d.execution_pattern then
    perform ledger_internal.refuse('request_invalid', null,
      jsonb_build_array(jsonb_build_object('path', '/execution_pattern', 'rule', 'definition', 'message', 'must be absent or the definition''s pattern')));
  end if;
  execution_pattern := coalesce(execution_pattern, d.execution_pattern);
  if deadline_at is null then
    deadline_at := clock_timestamp() + coalesce(d.default_deadline_ms * interval '1 millisecond', ledger_internal.default_deadline(kind));
  end if;
  -- now(), the transaction's start: a relative deadline of a millisecond is not past because its batch took two.
  if deadline_at <= now() or deadline_at > clock_timestamp() + ledger_internal.longest_deadline() then
    perform ledger_internal.refuse('deadline_invalid', null,
      jsonb_build_array(jsonb_build_object('path', '/deadline_at', 'rule', 'deadline', 'message', 'must lie ahead, at most 30 days, by the database''s clock')));
  end if;
end
$$;
comment on function ledger_internal.settle_start(uuid, text, text, text, text, text, text, timestamptz, text) is
  'Holds a start against its source''s definition and fills what it left open. Refuses unknown_tenant, undefined_source, governance_lowered, deadline_invalid.';

create function ledger_internal.require_open_execution(tenant uuid, execution uuid, path text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if not exists (select from public.workflow_executions e where e.tenant_id is not distinct from tenant and e.execution_id = execution) then
    perform ledger_internal.refuse('unknown_execution', null,
      jsonb_build_array(jsonb_build_object('path', path, 'rule', 'exists', 'message', 'must be an execution of this tenant')));
  end if;
  -- Open work, not the outcome: a purged outcome does not open its execution again.
  if not exists (select from ledger_internal.open_work w where w.subject_id = execution and w.subject_type = 'execution' and w.tenant_id is not distinct from tenant) then
    perform ledger_internal.refuse('execution_closed');
  end if;
end
$$;
comment on function ledger_internal.require_open_execution(uuid, uuid, text) is 'Refuses unknown_execution, or execution_closed once the execution has its outcome.';

-- What causation_id can name shares one space per tenant, and a cause resolves to one thing: an id that stands for one kind
-- cannot be taken for another, or an agent could pass for somebody else's cause. Called under the id's exclusive lock.
create function ledger_internal.require_free_id(tenant uuid, id text, kind text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  as_uuid constant uuid := ledger_internal.uuid_or_null(id);
begin
  if (as_uuid is not null and exists (select from public.outcome_ids o where o.outcome_id = as_uuid and o.tenant_id is not distinct from tenant))
     or (kind <> 'event' and exists (select from public.os_events e where e.event_id = id and e.tenant_id is not distinct from tenant))
     or (kind <> 'invocation' and exists (select from public.agent_invocations i where i.invocation_id = as_uuid and i.tenant_id is not distinct from tenant))
     or (kind <> 'execution' and exists (select from public.workflow_executions x where x.execution_id = as_uuid and x.tenant_id is not distinct from tenant))
  then
    perform ledger_internal.refuse(kind || '_conflict', 'The id stands for something else already.');
  end if;
end
$$;
comment on function ledger_internal.require_free_id(uuid, text, text) is 'Refuses an id that already names an outcome, or another kind of thing in this tenant.';

-- The first failed phase ends a sequential execution: another start, or a completion, comes too late, until a later attempt
-- at the failed step completes. Starts of such an execution hold it exclusively, so that a failing outcome, which holds it
-- shared, is either seen here or comes after.
create function ledger_internal.require_no_failed_phase(tenant uuid, execution uuid, step text, next_attempt integer, path text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  failed record;
begin
  select i.step_id, i.invocation_id into failed
    from public.agent_invocation_outcomes o
    join public.agent_invocations i on i.invocation_id = o.invocation_id and i.tenant_id = o.tenant_id
   where o.execution_id = execution and o.tenant_id is not distinct from tenant and o.status in ('failure', 'timeout')
     and ledger_internal.execution_status(o.status, o.completion_reason) = 'failed'
     and (step is null or i.step_id is distinct from step or i.attempt >= next_attempt)
     and not exists (select from public.agent_invocations l
                       join public.agent_invocation_outcomes r on r.invocation_id = l.invocation_id and r.tenant_id = l.tenant_id
                      where l.execution_id = execution and l.tenant_id is not distinct from tenant and l.step_id = i.step_id and l.attempt > i.attempt
                        and r.status in ('success', 'partial'))
   order by o.epoch, o.xid, o.seq limit 1;
  if found then
    perform ledger_internal.refuse('phase_failed',
      case when failed.step_id is null then format('Invocation %s failed, has no step that could be tried again, and the execution is sequential.', failed.invocation_id)
           else format('Step %s failed, and the execution is sequential.', failed.step_id) end,
      jsonb_build_array(jsonb_build_object('path', path, 'rule', 'phase_failed', 'message', 'must have no failed phase')));
  end if;
end
$$;
comment on function ledger_internal.require_no_failed_phase(uuid, uuid, text, integer, text) is 'Refuses phase_failed when a phase of the execution, other than the step that is tried again, has failed and was not made good.';

create function ledger_internal.sequential_execution(tenant uuid, execution text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (select execution from public.workflow_executions e
           where e.execution_id = ledger_internal.uuid_or_null(execution) and e.tenant_id is not distinct from tenant and e.execution_pattern = 'sequential');
end
$$;
comment on function ledger_internal.sequential_execution(uuid, text) is 'The execution''s id when its pattern is sequential, else null: what a start in it locks exclusively.';

-- The look before the locks may have missed an execution whose own start had not committed; then its lock is taken here. Two
-- such starts may deadlock over that; they are tried again.
create function ledger_internal.require_unfailed(tenant uuid, execution uuid, step text, next_attempt integer, path text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if ledger_internal.sequential_execution(tenant, execution::text) is not null then
    perform ledger_internal.lock_subjects(tenant, array[execution::text], '{}');
    perform ledger_internal.require_no_failed_phase(tenant, execution, step, next_attempt, path);
  end if;
end
$$;
comment on function ledger_internal.require_unfailed(uuid, uuid, text, integer, text) is 'Refuses phase_failed for a start in a sequential execution one of whose phases has failed.';

create function ledger_internal.accept_execution() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  settled record;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  new.execution_id := coalesce(new.execution_id, gen_random_uuid());
  document := ledger_internal.execution_document(new);
  if not ledger_internal.execution_start_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.execution_start_violations(document));
  end if;
  perform ledger_internal.lock_subjects(new.tenant_id, array[new.execution_id::text, ledger_internal.sequential_execution(new.tenant_id, new.parent_execution_id::text)],
    array[new.parent_execution_id::text, new.resumed_from_execution_id::text, new.causation_id]);
  perform ledger_internal.require_free_id(new.tenant_id, new.execution_id::text, 'execution');
  if exists (select from public.workflow_executions e where e.execution_id = new.execution_id and e.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('execution_conflict');
  end if;
  settled := ledger_internal.settle_start(new.tenant_id, 'workflow', new.source_id, new.source_version, new.domain,
    new.governance_class, new.verify, new.deadline_at, new.execution_pattern);
  if settled.execution_pattern is null then
    perform ledger_internal.refuse('request_invalid', null,
      jsonb_build_array(jsonb_build_object('path', '/execution_pattern', 'rule', 'required', 'message', 'is required when the definition names none')));
  end if;
  if new.causation_id = new.execution_id::text or new.parent_execution_id = new.execution_id or new.resumed_from_execution_id = new.execution_id then
    perform ledger_internal.refuse('lineage_invalid', 'An execution cannot be its own cause, parent or predecessor.');
  end if;
  if new.parent_execution_id is not null then
    perform ledger_internal.require_open_execution(new.tenant_id, new.parent_execution_id, '/parent_execution_id');
    perform ledger_internal.require_unfailed(new.tenant_id, new.parent_execution_id, null, null, '/parent_execution_id');
  end if;
  if new.resumed_from_execution_id is not null and not exists (
    select from public.workflow_executions e where e.tenant_id is not distinct from new.tenant_id and e.execution_id = new.resumed_from_execution_id) then
    perform ledger_internal.refuse('unknown_execution', null,
      jsonb_build_array(jsonb_build_object('path', '/resumed_from_execution_id', 'rule', 'exists', 'message', 'must be an execution of this tenant')));
  end if;
  new.request_digest := ledger_internal.request_digest(document);
  new.source_type := 'workflow';
  new.governance_class := settled.governance_class;
  new.verify := settled.verify;
  new.deadline_at := settled.deadline_at;
  new.execution_pattern := settled.execution_pattern;
  new.defined := settled.defined;
  new.output_schema_hash := settled.output_schema_hash;
  new.confidence_schema_hash := settled.confidence_schema_hash;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_execution() is 'Checks an execution''s start and sets what its author may not.';

create function ledger_internal.attempt_key(execution text, step text, attempt text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return case when execution is not null and step is not null then concat_ws('/', 'attempt', execution, coalesce(attempt, '1'), step) end;
end
$$;
comment on function ledger_internal.attempt_key(text, text, text) is 'What two starts of one attempt at one step of one execution lock; null outside a step.';

create function ledger_internal.accept_invocation() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  settled record;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  new.invocation_id := coalesce(new.invocation_id, gen_random_uuid());
  new.recovery_mode := coalesce(new.recovery_mode, 'reset');
  new.attempt := coalesce(new.attempt, 1);
  document := ledger_internal.invocation_document(new);
  if not ledger_internal.invocation_start_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.invocation_start_violations(document));
  end if;
  perform ledger_internal.lock_subjects(new.tenant_id, array[new.invocation_id::text, ledger_internal.attempt_key(new.execution_id::text, new.step_id, new.attempt::text),
      ledger_internal.sequential_execution(new.tenant_id, new.execution_id::text)],
    array[new.execution_id::text, new.causation_id]);
  if not ledger_internal.may_write('agent_invocations', caller.ledger_role, caller.actor_id, new.source_id,
       (select e.recorded_by from public.workflow_executions e where e.execution_id = new.execution_id and e.tenant_id is not distinct from new.tenant_id)) then
    perform ledger_internal.refuse('not_permitted', ledger_internal.may_write_words('agent_invocations', caller.ledger_role, caller.actor_id, new.source_id),
      jsonb_build_array(jsonb_build_object('path', '/source/id', 'rule', 'role', 'message', format('is %s; the token is role %s, actor_id %s', new.source_id, caller.ledger_role, caller.actor_id))));
  end if;
  perform ledger_internal.require_free_id(new.tenant_id, new.invocation_id::text, 'invocation');
  if exists (select from public.agent_invocations i where i.invocation_id = new.invocation_id and i.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('invocation_conflict');
  end if;
  settled := ledger_internal.settle_start(new.tenant_id, 'agent', new.source_id, new.source_version, new.domain,
    new.governance_class, new.verify, new.deadline_at, null);
  if new.causation_id = new.invocation_id::text then
    perform ledger_internal.refuse('lineage_invalid', 'An invocation cannot be its own cause.');
  end if;
  if new.execution_id is not null then
    perform ledger_internal.require_open_execution(new.tenant_id, new.execution_id, '/execution_id');
    if new.step_id is not null and exists (
      select from public.agent_invocations i
       where i.tenant_id is not distinct from new.tenant_id and i.execution_id = new.execution_id and i.step_id = new.step_id and i.attempt = new.attempt
         and i.invocation_id <> new.invocation_id) then
      perform ledger_internal.refuse('attempt_conflict');
    end if;
    perform ledger_internal.require_unfailed(new.tenant_id, new.execution_id, new.step_id, new.attempt, '/execution_id');
  end if;
  new.request_digest := ledger_internal.request_digest(document);
  new.source_type := 'agent';
  new.governance_class := settled.governance_class;
  new.verify := settled.verify;
  new.deadline_at := settled.deadline_at;
  new.defined := settled.defined;
  new.output_schema_hash := settled.output_schema_hash;
  new.confidence_schema_hash := settled.confidence_schema_hash;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_invocation() is 'Checks an invocation''s start and sets what its author may not.';

-- After the start row stands: it is open work; its source may be undefined; its cause may be unknown yet; and it may be
-- the cause that others wait for.
create function ledger_internal.publish_start() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- Only the branch of this trigger's own table is ever planned.
  if tg_argv[0] = 'invocation' then
    insert into ledger_internal.open_work (tenant_id, subject_type, subject_id, source_id, domain, correlation_id, governance_class, execution_id, opened_at, deadline_at)
    select n.tenant_id, 'invocation', n.invocation_id, n.source_id, n.domain, n.correlation_id, n.governance_class, n.execution_id, n.recorded_at, n.deadline_at from fresh n;
    insert into ledger_internal.unresolved_causes (tenant_id, causation_id, subject_type, subject_id, since)
    select n.tenant_id, n.causation_id, 'invocation', n.invocation_id, n.recorded_at from fresh n where not ledger_internal.cause_known(n.tenant_id, n.causation_id);
    delete from ledger_internal.unresolved_causes u using fresh n where u.causation_id = n.invocation_id::text and u.tenant_id = n.tenant_id;
  else
    insert into ledger_internal.open_work (tenant_id, subject_type, subject_id, source_id, domain, correlation_id, governance_class, execution_id, opened_at, deadline_at)
    select n.tenant_id, 'execution', n.execution_id, n.source_id, n.domain, n.correlation_id, n.governance_class, n.parent_execution_id, n.recorded_at, n.deadline_at from fresh n;
    insert into ledger_internal.unresolved_causes (tenant_id, causation_id, subject_type, subject_id, since)
    select n.tenant_id, n.causation_id, 'execution', n.execution_id, n.recorded_at from fresh n where not ledger_internal.cause_known(n.tenant_id, n.causation_id);
    delete from ledger_internal.unresolved_causes u using fresh n where u.causation_id = n.execution_id::text and u.tenant_id = n.tenant_id;
  end if;
  insert into ledger_internal.undefined_sources (tenant_id, source_type, source_id, version, since)
  select n.tenant_id, n.source_type, n.source_id, n.source_version, n.recorded_at from fresh n
   where not n.defined
     and not exists (select from ledger_internal.undefined_sources u
                      where u.source_id = n.source_id and u.version = n.source_version and u.source_type = n.source_type and u.tenant_id = n.tenant_id)
   order by n.source_id, n.source_version
  on conflict do nothing;
  return null;
end
$$;
comment on function ledger_internal.publish_start() is 'Opens the work and notes what the start leaves to be resolved.';

create trigger accept before insert on public.workflow_executions for each row execute function ledger_internal.accept_execution();
create trigger publish after insert on public.workflow_executions referencing new table as fresh for each statement execute function ledger_internal.publish_start('execution');
do $$
begin
  -- The ledger's own functions write starts too (the HITL gateway's); they run as the owner and write them whole.
  execute format('create trigger accept before insert on public.agent_invocations for each row when (current_user <> %L) execute function ledger_internal.accept_invocation()', current_user);
end
$$;
create trigger publish after insert on public.agent_invocations referencing new table as fresh for each statement execute function ledger_internal.publish_start('invocation');

-- Open work is operational state: a restore of public alone comes without it, and a subject without it could never end.
create function ledger_internal.rebuild_open_work() returns bigint
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  rebuilt bigint;
begin
  insert into ledger_internal.open_work (tenant_id, subject_type, subject_id, source_id, domain, correlation_id, governance_class, execution_id, opened_at, deadline_at)
  select i.tenant_id, 'invocation', i.invocation_id, i.source_id, i.domain, i.correlation_id, i.governance_class, i.execution_id, i.recorded_at, i.deadline_at
    from public.agent_invocations i
   where not exists (select from public.agent_invocation_outcomes o where o.invocation_id = i.invocation_id and o.tenant_id = i.tenant_id)
     and not exists (select from public.tombstones t where t.table_name = 'agent_invocation_outcomes' and t.tenant_id = i.tenant_id and t.row_key ->> 'invocation_id' = i.invocation_id::text)
  union all
  select e.tenant_id, 'execution', e.execution_id, e.source_id, e.domain, e.correlation_id, e.governance_class, e.parent_execution_id, e.recorded_at, e.deadline_at
    from public.workflow_executions e
   where not exists (select from public.workflow_outcomes o where o.execution_id = e.execution_id and o.tenant_id = e.tenant_id)
     and not exists (select from public.tombstones t where t.table_name = 'workflow_outcomes' and t.tenant_id = e.tenant_id and t.row_key ->> 'execution_id' = e.execution_id::text)
  on conflict do nothing;
  get diagnostics rebuilt = row_count;
  insert into ledger_internal.open_requests (tenant_id, hitl_request_id, subject_type, subject_id, opened_at, expires_at)
  select distinct on (coalesce(r.invocation_id, r.execution_id), r.subject_type, r.tenant_id)
         r.tenant_id, r.hitl_request_id, r.subject_type, coalesce(r.invocation_id, r.execution_id), r.recorded_at, r.expires_at
    from public.hitl_requests r
   where not exists (select from public.hitl_resolutions s where s.hitl_request_id = r.hitl_request_id and s.tenant_id = r.tenant_id)
     and not exists (select from ledger_internal.outcomes o where o.subject_id = coalesce(r.invocation_id, r.execution_id) and o.tenant_id = r.tenant_id and o.status <> 'escalated')
   order by coalesce(r.invocation_id, r.execution_id), r.subject_type, r.tenant_id, r.epoch desc, r.xid desc, r.seq desc
  on conflict do nothing;
  update ledger_internal.open_work w
     set hitl_request_id = r.hitl_request_id,
         gateway_invocation_id = (select s.gateway_invocation_id from public.hitl_resolutions s where s.hitl_request_id = r.hitl_request_id and s.tenant_id = r.tenant_id)
    from public.hitl_requests r
   where coalesce(r.invocation_id, r.execution_id) = w.subject_id and r.subject_type = w.subject_type and r.tenant_id = w.tenant_id and w.hitl_request_id is null;
  return rebuilt;
end
$$;
comment on function ledger_internal.rebuild_open_work() is 'Opens again every start that has neither an outcome nor the tombstone of one; returns how many were missing.';
