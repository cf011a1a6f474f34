-- Chapter: phases. What an agent said of its run, what was observed, what was concluded, and the files that were left. A report
-- comes with the outcome it concludes, in one transaction, or late beside an outcome that was there before.

create table public.phase_reports (
  tenant_id              uuid        not null,
  invocation_id          uuid        not null,
  execution_id           uuid,
  source_id              text        not null,
  source_version         text        not null,
  domain                 text        not null,
  report_state           text        not null,
  claims                 jsonb       not null,
  claims_total           bigint      not null,
  stands                 bigint,
  warnings               jsonb       not null,
  observation            jsonb       not null,
  phase_status           text        not null,
  failure_classification text,
  reported_failure_reason text,
  reported_side_effects  text,
  deliverable_recovered  boolean     not null,
  error                  text,
  conclusion_digest      text        not null,
  late                   boolean     not null default false,
  seq                    bigint      not null,
  epoch                  integer     not null,
  xid                    xid8        not null,
  recorded_at            timestamptz not null,
  recorded_by            text        not null,
  primary key (invocation_id, tenant_id),
  foreign key (invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id)
);
create unique index phase_reports_feed on public.phase_reports (epoch, xid, seq);
create index phase_reports_rates on public.phase_reports (tenant_id, source_id, source_version, domain)
  include (phase_status, failure_classification, recorded_at) where not late;
select ledger_internal.make_append_only('public.phase_reports');
select ledger_internal.describe_common_columns('public.phase_reports');
comment on table public.phase_reports is 'How one invocation was concluded: the agent''s words as a quotation, the observation, and what they were weighed to be.';
comment on column public.phase_reports.invocation_id is 'The invocation it concludes; at most one report each.';
comment on column public.phase_reports.execution_id is 'The execution the invocation ran in, or null.';
comment on column public.phase_reports.source_id is 'The agent_id.';
comment on column public.phase_reports.source_version is 'SemVer of the agent''s definition at start time.';
comment on column public.phase_reports.domain is 'Domain pack id.';
comment on column public.phase_reports.report_state is 'not_reported, unreadable, success or failure: the claim that stands.';
comment on column public.phase_reports.claims is 'Every claim seen, verbatim, in the order written.';
comment on column public.phase_reports.claims_total is 'How many claims there were, also those too many to keep.';
comment on column public.phase_reports.stands is 'Index into claims of the one that stands, from 0; null when none was kept.';
comment on column public.phase_reports.warnings is 'What was lenient or odd in the claims and the files.';
comment on column public.phase_reports.observation is 'exit_code, stream_intact, cancelled, timed_out, interrupted, as observed.';
comment on column public.phase_reports.phase_status is 'completed, failed, cancelled or interrupted.';
comment on column public.phase_reports.failure_classification is 'platform, correct_refusal or unclassified, concluded by the ledger; failure rates are computed from it alone. Null unless failed.';
comment on column public.phase_reports.reported_failure_reason is 'The agent''s own word for its failure, a quotation; or null.';
comment on column public.phase_reports.reported_side_effects is 'The agent''s own word for its external writes, of a completed phase; or null.';
comment on column public.phase_reports.deliverable_recovered is 'A deliverable of a completed phase is the agent''s last message in place of a file.';
comment on column public.phase_reports.error is 'Why the phase failed, for people; or null.';
comment on column public.phase_reports.conclusion_digest is 'Digest of the request: the same again is a replay.';
comment on column public.phase_reports.late is 'True when the invocation had its outcome already; such a report concludes nothing.';

create table public.artifacts (
  tenant_id     uuid        not null,
  artifact_id   uuid        not null default gen_random_uuid(),
  invocation_id uuid        not null,
  execution_id  uuid,
  source_id     text        not null,
  path          text        not null,
  title         text        not null,
  type          text        not null,
  content       text,
  content_bytes bytea,
  object_key    text,
  size_bytes    bigint      not null,
  sha256        text        not null,
  recovered     boolean     not null,
  is_primary    boolean     not null,
  seq           bigint      not null,
  epoch         integer     not null,
  xid           xid8        not null,
  recorded_at   timestamptz not null,
  recorded_by   text        not null,
  primary key (artifact_id, tenant_id),
  unique (invocation_id, tenant_id, path),
  check (num_nonnulls(content, content_bytes, object_key) = 1),
  foreign key (invocation_id, tenant_id) references public.phase_reports (invocation_id, tenant_id)
);
create unique index artifacts_feed on public.artifacts (epoch, xid, seq);
select ledger_internal.make_append_only('public.artifacts');
select ledger_internal.describe_common_columns('public.artifacts');
comment on table public.artifacts is 'One file that a phase left behind, or its agent''s last message in place of one.';
comment on column public.artifacts.artifact_id is 'Its id, minted.';
comment on column public.artifacts.invocation_id is 'The invocation that left it; its outcome is the artifact''s.';
comment on column public.artifacts.execution_id is 'The execution the invocation ran in, or null.';
comment on column public.artifacts.source_id is 'The agent_id.';
comment on column public.artifacts.path is 'Where it stood, below artifacts/output/.';
comment on column public.artifacts.title is 'The phase''s name and the path; says when it is partial, kept from a failed phase, or recovered.';
comment on column public.artifacts.type is 'The first output type the phase declared, or text.';
comment on column public.artifacts.content is 'The content, when it is text.';
comment on column public.artifacts.content_bytes is 'The content, when it is not text.';
comment on column public.artifacts.object_key is 'Key of the object in the bucket that holds it, <tenant_id>/<sha256>, when it is too large for the table.';
comment on column public.artifacts.size_bytes is 'Size of the content in bytes; of text, in UTF-8.';
comment on column public.artifacts.sha256 is 'SHA-256 of the content''s bytes, in hex; computed here unless an object holds it.';
comment on column public.artifacts.recovered is 'The agent''s last message, in place of a file.';
comment on column public.artifacts.is_primary is 'The deliverable that the next phase gets as one file; one an invocation.';

create function ledger_internal.phase_report_document(r public.phase_reports) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('invocation_id', r.invocation_id, 'report_state', r.report_state, 'claims', r.claims, 'claims_total', r.claims_total, 'stands', r.stands,
    'warnings', r.warnings, 'observation', r.observation, 'phase_status', r.phase_status, 'failure_classification', r.failure_classification,
    'reported_failure_reason', r.reported_failure_reason, 'reported_side_effects', r.reported_side_effects, 'deliverable_recovered', r.deliverable_recovered,
    'error', r.error, 'conclusion_digest', r.conclusion_digest);
end
$$;
comment on function ledger_internal.phase_report_document(public.phase_reports) is 'A phase report as the document its author sent.';

create function ledger_internal.refuse_conclusion(path text, rule text, message text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.refuse('conclusion_invalid', null, jsonb_build_array(jsonb_build_object('path', path, 'rule', rule, 'message', message)));
end
$$;
comment on function ledger_internal.refuse_conclusion(text, text, text) is 'Refuses conclusion_invalid with one violation.';

-- What the report and the observation make is a table (src/contract/phase/verdicts.ts); the artifact rule alone may turn
-- a phase that nothing stands against into a failed one.
create function ledger_internal.require_standing(r public.phase_reports) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  strongest record;
begin
  if exists (select from jsonb_array_elements(r.claims) c where ledger_internal.report_state_rank(c ->> 'state') is null or c ->> 'state' = 'not_reported') then
    perform ledger_internal.refuse_conclusion('/report/claims', 'state', 'must each have a state: success, failure or unreadable');
  end if;
  select c.place - 1 as index, c.claim ->> 'state' as state into strongest
    from jsonb_array_elements(r.claims) with ordinality c (claim, place)
   order by ledger_internal.report_state_rank(c.claim ->> 'state') desc, c.place desc limit 1;
  if r.stands is distinct from strongest.index or r.claims_total < jsonb_array_length(r.claims) then
    perform ledger_internal.refuse_conclusion('/report/stands', 'strongest', 'must be the index of the strongest claim, of equals the last; null when there is none');
  end if;
  if r.report_state <> coalesce(strongest.state, 'not_reported') then
    perform ledger_internal.refuse_conclusion('/report/report_state', 'stands', 'must be the state of the claim that stands');
  end if;
end
$$;
comment on function ledger_internal.require_standing(public.phase_reports) is 'Refuses conclusion_invalid unless the strongest claim stands, of equals the later.';

create function ledger_internal.require_verdict(r public.phase_reports) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  standing constant jsonb := r.claims -> r.stands::integer;
  verdict constant text[] := ledger_internal.phase_verdict(
    (r.observation -> 'cancelled')::boolean, (r.observation -> 'interrupted')::boolean, (r.observation -> 'timed_out')::boolean,
    coalesce((r.observation ->> 'exit_code')::numeric = 0, false), (r.observation -> 'stream_intact')::boolean, r.report_state, standing ->> 'failure_reason');
begin
  if array[r.phase_status, r.failure_classification] is distinct from verdict
     and (verdict[1] <> 'completed' or r.phase_status <> 'failed' or r.failure_classification is distinct from 'platform') then
    perform ledger_internal.refuse_conclusion('/report/phase_status', 'verdict', format('must be %s with failure_classification %s, as the report and the observation make it', verdict[1], coalesce(verdict[2], 'null')));
  end if;
  if r.reported_failure_reason is distinct from (case when verdict[2] in ('correct_refusal', 'unclassified') then standing ->> 'failure_reason' end) then
    perform ledger_internal.refuse_conclusion('/report/reported_failure_reason', 'quotation', 'must be the standing claim''s own word, where the class is correct_refusal or unclassified; else null');
  end if;
  if r.reported_side_effects is distinct from (case when r.phase_status = 'completed' then standing ->> 'side_effects' end) then
    perform ledger_internal.refuse_conclusion('/report/reported_side_effects', 'quotation', 'must be the standing claim''s own word, of a completed phase; else null');
  end if;
  if r.deliverable_recovered and r.phase_status <> 'completed' then
    perform ledger_internal.refuse_conclusion('/report/deliverable_recovered', 'completed', 'must be false unless the phase completed');
  end if;
end
$$;
comment on function ledger_internal.require_verdict(public.phase_reports) is 'Refuses conclusion_invalid unless what was concluded is what the report and the observation make.';

create function ledger_internal.accept_phase_report() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  document := ledger_internal.phase_report_document(new);
  if not ledger_internal.phase_report_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.phase_report_violations(document));
  end if;
  subject := ledger_internal.require_subject(caller.tenant_id, 'invocation', new.invocation_id);
  perform ledger_internal.require_may_write('phase_reports', caller.ledger_role, caller.actor_id, subject);
  perform ledger_internal.lock_subjects(new.tenant_id, array[new.invocation_id::text], '{}');
  if exists (select from public.phase_reports r where r.invocation_id = new.invocation_id and r.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('outcome_conflict', 'The invocation has been concluded already.');
  end if;
  perform ledger_internal.require_standing(new);
  perform ledger_internal.require_verdict(new);
  new.late := not exists (
    select from ledger_internal.open_work w where w.subject_id = new.invocation_id and w.subject_type = 'invocation' and w.tenant_id is not distinct from new.tenant_id);
  new.execution_id := subject.within;
  new.source_id := subject.source_id;
  new.source_version := subject.source_version;
  new.domain := subject.domain;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_phase_report() is 'Checks a phase report and sets what its author may not.';
create trigger accept before insert on public.phase_reports for each row execute function ledger_internal.accept_phase_report();

-- Artifacts come with their report: whoever may write that was asked there.
create function ledger_internal.accept_artifact() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  report record;
  bytes bytea;
  size bigint;
  hash text;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  select r.execution_id, r.source_id, r.epoch, r.recorded_by into report from public.phase_reports r
   where r.invocation_id = new.invocation_id and r.tenant_id is not distinct from new.tenant_id and r.xid = pg_current_xact_id();
  if report.recorded_by is distinct from caller.actor_id then
    perform ledger_internal.require_may_write('artifacts', caller.ledger_role, caller.actor_id, ledger_internal.require_subject(caller.tenant_id, 'invocation', new.invocation_id));
  end if;
  if report.recorded_by is null then
    perform ledger_internal.refuse('conclusion_invalid', 'An artifact is stored with the report of its phase, in one transaction.');
  end if;
  if num_nonnulls(new.content, new.content_bytes, new.object_key) <> 1 then
    perform ledger_internal.refuse_conclusion('/artifacts', 'one_content', 'must have exactly one of content, content_bytes and object_key');
  end if;
  if new.object_key is null then
    bytes := coalesce(new.content_bytes, convert_to(new.content, 'UTF8'));
    size := octet_length(bytes);
    if size > ledger_internal.artifact_max_bytes() then
      perform ledger_internal.refuse('artifact_too_large', format('%s has %s bytes; at most %s stand in the table.', new.path, size, ledger_internal.artifact_max_bytes()));
    end if;
    hash := encode(sha256(bytes), 'hex');
    if new.sha256 <> hash or new.size_bytes <> size then
      perform ledger_internal.refuse_conclusion('/artifacts', 'sha256', 'must have the sha256 and the size of its content: ' || new.path);
    end if;
    new.sha256 := hash;
    new.size_bytes := size;
  end if;
  if exists (select from public.artifacts a where a.invocation_id = new.invocation_id and a.tenant_id is not distinct from new.tenant_id and a.path = new.path) then
    perform ledger_internal.refuse_conclusion('/artifacts', 'unique', 'must have no path twice: ' || new.path);
  end if;
  -- The object is fetched in the ledger's own right, so that its key may name nobody else's.
  if new.object_key <> new.tenant_id || '/' || new.sha256 then
    perform ledger_internal.refuse_conclusion('/artifacts', 'object_key', 'must be the tenant_id and the sha256 of the content: ' || new.path);
  end if;
  new.artifact_id := coalesce(new.artifact_id, gen_random_uuid());
  document := jsonb_build_object('invocation_id', new.invocation_id, 'path', new.path, 'title', new.title, 'type', new.type, 'recovered', new.recovered,
    'primary', new.is_primary, 'sha256', new.sha256, 'size_bytes', new.size_bytes);
  if not ledger_internal.artifact_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.artifact_violations(document));
  end if;
  new.execution_id := report.execution_id;
  new.source_id := report.source_id;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := report.epoch;
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_artifact() is 'Checks an artifact and sets what its author may not; what stands in the table has its hash computed here.';
create trigger accept before insert on public.artifacts for each row execute function ledger_internal.accept_artifact();

-- A report that is not late stands with the outcome it makes, or not at all. Asked when the transaction ends, because the
-- outcome comes last.
create function ledger_internal.require_concluded() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  kept record;
begin
  if not exists (
    select from public.agent_invocation_outcomes o
     where o.invocation_id = new.invocation_id and o.tenant_id = new.tenant_id and o.origin = 'concluded' and o.xid = new.xid) then
    perform ledger_internal.refuse('conclusion_invalid', 'A report is stored with the outcome it makes, in one transaction: conclude_invocation does.');
  end if;
  select count(*) as all_of_them, count(*) filter (where a.is_primary) as primaries, coalesce(bool_or(a.recovered), false) as recovered into kept
    from public.artifacts a where a.invocation_id = new.invocation_id and a.tenant_id = new.tenant_id;
  if new.phase_status = 'completed' and kept.all_of_them = 0 then
    perform ledger_internal.refuse_conclusion('/artifacts', 'required', 'must have at least one entry: every completed phase produces an artifact');
  end if;
  if kept.all_of_them > 0 and kept.primaries <> 1 then
    perform ledger_internal.refuse_conclusion('/artifacts', 'primary', 'must have exactly one primary entry');
  end if;
  if new.phase_status = 'completed' and new.deliverable_recovered <> kept.recovered then
    perform ledger_internal.refuse_conclusion('/report/deliverable_recovered', 'recovered', 'must say whether an artifact is recovered');
  end if;
  return null;
end
$$;
comment on function ledger_internal.require_concluded() is 'At commit: a report that is not late has its outcome, and a completed phase an artifact.';
create constraint trigger require_concluded after insert on public.phase_reports deferrable initially deferred
  for each row when (not new.late) execute function ledger_internal.require_concluded();
