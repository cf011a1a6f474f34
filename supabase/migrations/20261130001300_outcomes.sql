-- Chapter: outcomes. Exactly one terminal row per invocation and per execution, with an id minted here and claimed
-- once across both tables.

create table public.outcome_ids (
  outcome_id  uuid not null primary key,
  tenant_id   uuid not null,
  source_type text not null check (source_type in ('agent', 'workflow')),
  unique (outcome_id, tenant_id, source_type)
);
comment on table public.outcome_ids is 'One minted outcome id and its single claim. Never deleted, also under retention, so that an id is never given twice.';
comment on column public.outcome_ids.outcome_id is 'UUID v4, minted by the server with the terminal row.';
comment on column public.outcome_ids.tenant_id is 'Whose outcome.';
comment on column public.outcome_ids.source_type is 'agent or workflow: which table the outcome stands in.';

create table public.agent_invocation_outcomes (
  tenant_id              uuid        not null,
  invocation_id          uuid        not null,
  outcome_id             uuid        not null,
  source_type            text        not null default 'agent' check (source_type = 'agent'),
  outcome_envelope       jsonb       not null,
  status                 text        not null,
  correlation_id         text        not null,
  causation_id           text        not null,
  source_id              text        not null,
  source_version         text        not null,
  domain                 text        not null,
  governance_class       text        not null,
  execution_id           uuid,
  decision               text,
  escalation_target      text,
  started_at             timestamptz not null,
  completed_at           timestamptz not null,
  duration_ms            bigint      not null,
  timing_drift_ms        bigint      not null,
  result_schema_hash     text,
  confidence_schema_hash text,
  verification_required  boolean     not null default false,
  origin                 text        not null default 'recorded',
  completion_reason      text,
  seq                    bigint      not null,
  epoch                  integer     not null,
  xid                    xid8        not null,
  recorded_at            timestamptz not null,
  recorded_by            text        not null,
  primary key (invocation_id, tenant_id),
  unique (outcome_id, tenant_id, source_type),
  foreign key (invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id),
  foreign key (outcome_id, tenant_id, source_type) references public.outcome_ids (outcome_id, tenant_id, source_type) deferrable initially deferred
);
create index agent_invocation_outcomes_correlation on public.agent_invocation_outcomes (correlation_id, tenant_id);
create index agent_invocation_outcomes_causation on public.agent_invocation_outcomes (causation_id, tenant_id);
create index agent_invocation_outcomes_execution on public.agent_invocation_outcomes (execution_id, tenant_id) where execution_id is not null;
create index agent_invocation_outcomes_failed on public.agent_invocation_outcomes (execution_id, tenant_id) where execution_id is not null and status in ('failure', 'timeout');
create unique index agent_invocation_outcomes_feed on public.agent_invocation_outcomes (epoch, xid, seq);
create index agent_invocation_outcomes_judged on public.agent_invocation_outcomes (tenant_id, source_id, recorded_at);
create index agent_invocation_outcomes_page on public.agent_invocation_outcomes (tenant_id, epoch, xid, seq);
create index agent_invocation_outcomes_escalated on public.agent_invocation_outcomes (tenant_id, recorded_at) where status = 'escalated';
create index agent_invocation_outcomes_ungoverned on public.agent_invocation_outcomes (tenant_id, recorded_at) where decision is null and governance_class <> 'autonomous';
comment on table public.agent_invocation_outcomes is 'The terminal outcome of one agent invocation: at most one row per invocation, never changed.';
comment on column public.agent_invocation_outcomes.invocation_id is 'The invocation it ends.';
comment on column public.agent_invocation_outcomes.execution_id is 'The execution the invocation ran in.';

create table public.workflow_outcomes (
  tenant_id              uuid        not null,
  execution_id           uuid        not null,
  outcome_id             uuid        not null,
  source_type            text        not null default 'workflow' check (source_type = 'workflow'),
  outcome_envelope       jsonb       not null,
  status                 text        not null,
  correlation_id         text        not null,
  causation_id           text        not null,
  source_id              text        not null,
  source_version         text        not null,
  domain                 text        not null,
  governance_class       text        not null,
  parent_execution_id    uuid,
  decision               text,
  escalation_target      text,
  started_at             timestamptz not null,
  completed_at           timestamptz not null,
  duration_ms            bigint      not null,
  timing_drift_ms        bigint      not null,
  result_schema_hash     text,
  confidence_schema_hash text,
  verification_required  boolean     not null default false,
  origin                 text        not null default 'recorded',
  completion_reason      text,
  verdict                text,
  verdict_detail         text,
  seq                    bigint      not null,
  epoch                  integer     not null,
  xid                    xid8        not null,
  recorded_at            timestamptz not null,
  recorded_by            text        not null,
  primary key (execution_id, tenant_id),
  unique (outcome_id, tenant_id, source_type),
  foreign key (execution_id, tenant_id) references public.workflow_executions (execution_id, tenant_id),
  foreign key (outcome_id, tenant_id, source_type) references public.outcome_ids (outcome_id, tenant_id, source_type) deferrable initially deferred
);
create index workflow_outcomes_correlation on public.workflow_outcomes (correlation_id, tenant_id);
create index workflow_outcomes_causation on public.workflow_outcomes (causation_id, tenant_id);
create index workflow_outcomes_parent on public.workflow_outcomes (parent_execution_id, tenant_id) where parent_execution_id is not null;
create unique index workflow_outcomes_feed on public.workflow_outcomes (epoch, xid, seq);
create index workflow_outcomes_judged on public.workflow_outcomes (tenant_id, source_id, recorded_at);
create index workflow_outcomes_page on public.workflow_outcomes (tenant_id, epoch, xid, seq);
create index workflow_outcomes_escalated on public.workflow_outcomes (tenant_id, recorded_at) where status = 'escalated';
create index workflow_outcomes_ungoverned on public.workflow_outcomes (tenant_id, recorded_at) where decision is null and governance_class <> 'autonomous';
comment on table public.workflow_outcomes is 'The terminal outcome of one workflow execution: at most one row per execution, never changed.';
comment on column public.workflow_outcomes.execution_id is 'The execution it ends.';
comment on column public.workflow_outcomes.parent_execution_id is 'The execution it is a child of.';
comment on column public.workflow_outcomes.verdict is 'What an authored flow declared about itself, or null.';
comment on column public.workflow_outcomes.verdict_detail is 'The authored verdict''s detail, or null.';

create table public.late_outcomes (
  tenant_id          uuid        not null,
  winning_outcome_id uuid        not null,
  content_digest     text        not null,
  invocation_id      uuid,
  execution_id       uuid,
  outcome_envelope   jsonb       not null,
  source_id          text        not null,
  seq                bigint      not null,
  epoch              integer     not null,
  xid                xid8        not null,
  recorded_at        timestamptz not null,
  recorded_by        text        not null,
  primary key (winning_outcome_id, tenant_id, content_digest),
  check (num_nonnulls(invocation_id, execution_id) = 1)
);
create unique index late_outcomes_feed on public.late_outcomes (epoch, xid, seq);
comment on table public.late_outcomes is 'A terminal envelope that lost the race to an earlier one. Kept as evidence; never becomes an outcome.';
comment on column public.late_outcomes.winning_outcome_id is 'The outcome that was there first.';
comment on column public.late_outcomes.content_digest is 'Digest of the envelope; the same late envelope is kept once.';
comment on column public.late_outcomes.invocation_id is 'The invocation it was about, or null.';
comment on column public.late_outcomes.execution_id is 'The execution it was about, or null.';
comment on column public.late_outcomes.outcome_envelope is 'The envelope as it came, without an outcome_id.';
comment on column public.late_outcomes.source_id is 'The agent_id or workflow_id of the subject.';

do $$
declare
  ledger_table regclass;
  described record;
begin
  perform ledger_internal.make_append_only('public.outcome_ids');
  perform ledger_internal.make_append_only('public.late_outcomes');
  perform ledger_internal.describe_common_columns('public.late_outcomes');
  foreach ledger_table in array array['public.agent_invocation_outcomes', 'public.workflow_outcomes']::regclass[] loop
    perform ledger_internal.make_append_only(ledger_table);
    perform ledger_internal.describe_common_columns(ledger_table);
    for described in
      select * from (values
        ('outcome_id',             'UUID v4 minted here; unique across tenants and both outcome tables.'),
        ('source_type',            'agent or workflow; constant in this table.'),
        ('outcome_envelope',       'The complete envelope. The columns beside it are set from it, for filtering.'),
        ('status',                 'success, partial, failure, blocked, escalated, timeout or skipped.'),
        ('correlation_id',         'From the envelope.'),
        ('causation_id',           'From the envelope.'),
        ('source_id',              'The agent_id or workflow_id.'),
        ('source_version',         'SemVer of the definition at start time.'),
        ('domain',                 'Domain pack id.'),
        ('governance_class',       'From the start row.'),
        ('decision',               'policy.decision of the envelope, or null.'),
        ('escalation_target',      'escalation.escalation_target of the envelope, or null.'),
        ('started_at',             'timing.started_at, cut to microseconds.'),
        ('completed_at',           'timing.completed_at, cut to microseconds.'),
        ('duration_ms',            'timing.duration_ms.'),
        ('timing_drift_ms',        'duration_ms less the difference of the two times.'),
        ('result_schema_hash',     'The output schema the recorder says it checked the result against.'),
        ('confidence_schema_hash', 'The confidence schema the recorder says it checked.'),
        ('verification_required',  'Whether the start row''s verify asks for a verification.'),
        ('origin',                 'recorded, concluded, swept, canceled or run: what wrote the outcome.'),
        ('completion_reason',      'The run''s or attempt''s closed completion word, or null.')
      ) as c (column_name, meaning)
    loop
      execute format('comment on column %s.%I is %L', ledger_table, described.column_name, described.meaning);
    end loop;
  end loop;
end
$$;

-- The one minting function of both outcome tables: an outcome id exists from the moment its terminal row does.
create function ledger_internal.mint_outcome_id() returns uuid
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return gen_random_uuid();
end
$$;
comment on function ledger_internal.mint_outcome_id() is 'Mints the id of a terminal row. Called by the accept triggers of both outcome tables, by record_ordinary, and by nothing else.';
