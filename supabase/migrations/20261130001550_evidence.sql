-- Chapter: evidence. What others than its agent observed of an outcome: whether a verification passed, whether anything was
-- delivered, whether it was merged; and what an open run says it is doing. Judgments are derived from these rows and from
-- outcomes, and stand nowhere. All evidence about one subject is written under its lock, so that (epoch, seq) says what is latest.

create table public.outcome_verifications (
  tenant_id             uuid        not null,
  verification_id       uuid        not null default gen_random_uuid(),
  outcome_id            uuid        not null,
  source_type           text        not null,
  source_id             text        not null,
  verification          text        not null,
  started               boolean,
  timed_out             boolean,
  system_fault          boolean,
  signal                text,
  exit_code             bigint,
  command               text,
  duration_ms           bigint,
  output_sha256         text,
  output_bytes          bigint,
  output_excerpt        text,
  resolved_verify       text,
  standing_verification text        not null,
  verification_required boolean     not null,
  request_digest        text        not null,
  seq                   bigint      not null,
  epoch                 integer     not null,
  xid                   xid8        not null,
  recorded_at           timestamptz not null,
  recorded_by           text        not null,
  primary key (verification_id, tenant_id),
  foreign key (outcome_id, tenant_id, source_type) references public.outcome_ids (outcome_id, tenant_id, source_type)
);
create index outcome_verifications_outcome on public.outcome_verifications (outcome_id, tenant_id, source_type, epoch, seq) include (standing_verification, verification_required, verification_id);
create unique index outcome_verifications_feed on public.outcome_verifications (epoch, xid, seq);
comment on table public.outcome_verifications is 'What one verification said of an outcome, and how its process ended. The latest counts.';
comment on column public.outcome_verifications.verification_id is 'Its id: the client''s, or minted.';
comment on column public.outcome_verifications.verification is 'passed, failed, timed_out, infrastructure_failure, skipped or unobserved: what its process decides, never its output.';
comment on column public.outcome_verifications.started is 'Whether the process could be started; null without a process.';
comment on column public.outcome_verifications.timed_out is 'Whether it ran past its limit; null without a process.';
comment on column public.outcome_verifications.system_fault is 'Whether the system stood in its way, such as a full disk; null without a process.';
comment on column public.outcome_verifications.signal is 'The signal that ended the process, or null.';
comment on column public.outcome_verifications.exit_code is 'The process''s exit code, or null.';
comment on column public.outcome_verifications.command is 'What was run, or null.';
comment on column public.outcome_verifications.duration_ms is 'How long it ran, in milliseconds, or null.';
comment on column public.outcome_verifications.output_sha256 is 'SHA-256 of all it printed, in hex, or null.';
comment on column public.outcome_verifications.output_bytes is 'How many bytes it printed, or null.';
comment on column public.outcome_verifications.output_excerpt is 'The last of what it printed, for people, or null. Nothing is concluded from it.';
comment on column public.outcome_verifications.resolved_verify is 'What the start row''s verify came to, such as the command behind auto, or skip; or null.';
comment on column public.outcome_verifications.standing_verification is 'What verification says of the outcome as of this row: a no stands until another verification answers.';
comment on column public.outcome_verifications.verification_required is 'Whether the outcome needs a verification, by the latest resolved_verify up to this one, else by its start row.';

create table public.delivery_assessments (
  tenant_id      uuid        not null,
  assessment_id  uuid        not null default gen_random_uuid(),
  outcome_id     uuid        not null,
  source_type    text        not null,
  source_id      text        not null,
  assessment     text        not null,
  reason         text,
  request_digest text        not null,
  seq            bigint      not null,
  epoch          integer     not null,
  xid            xid8        not null,
  recorded_at    timestamptz not null,
  recorded_by    text        not null,
  primary key (assessment_id, tenant_id),
  foreign key (outcome_id, tenant_id, source_type) references public.outcome_ids (outcome_id, tenant_id, source_type)
);
create index delivery_assessments_outcome on public.delivery_assessments (outcome_id, tenant_id, source_type, epoch, seq) include (assessment);
create unique index delivery_assessments_feed on public.delivery_assessments (epoch, xid, seq);
comment on table public.delivery_assessments is 'What a run was seen to deliver. The latest counts.';
comment on column public.delivery_assessments.assessment_id is 'Its id: the client''s, or minted.';
comment on column public.delivery_assessments.assessment is 'delivered; hollow: no output on any channel and no change; or missing_deliverable.';
comment on column public.delivery_assessments.reason is 'What was looked for, and not found; or null.';

create table public.outcome_integrations (
  tenant_id      uuid        not null,
  outcome_id     uuid        not null,
  source_type    text        not null,
  source_id      text        not null,
  reference      text        not null,
  gate_flag      text,
  gate_reason    text,
  request_digest text        not null,
  seq            bigint      not null,
  epoch          integer     not null,
  xid            xid8        not null,
  recorded_at    timestamptz not null,
  recorded_by    text        not null,
  primary key (outcome_id, tenant_id),
  check ((gate_flag is null) = (gate_reason is null)),
  foreign key (outcome_id, tenant_id, source_type) references public.outcome_ids (outcome_id, tenant_id, source_type)
);
create index outcome_integrations_outcome on public.outcome_integrations (outcome_id, tenant_id, source_type);
create unique index outcome_integrations_feed on public.outcome_integrations (epoch, xid, seq);
comment on table public.outcome_integrations is 'What an outcome delivered was merged; at most once. It went through the gate.';
comment on column public.outcome_integrations.reference is 'Where it went: a commit, the address of a pull request.';
comment on column public.outcome_integrations.gate_flag is 'allow_unverified or override_broken, where the gate would not have opened by itself; else null.';
comment on column public.outcome_integrations.gate_reason is 'Why it was let through; null without a flag.';

create table public.lifecycle_events (
  tenant_id          uuid        not null,
  lifecycle_event_id uuid        not null default gen_random_uuid(),
  invocation_id      uuid,
  execution_id       uuid,
  source_id          text        not null,
  lifecycle          text        not null,
  reason             text,
  request_digest     text        not null,
  seq                bigint      not null,
  epoch              integer     not null,
  xid                xid8        not null,
  recorded_at        timestamptz not null,
  recorded_by        text        not null,
  primary key (lifecycle_event_id, tenant_id),
  check (num_nonnulls(invocation_id, execution_id) = 1),
  foreign key (invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id),
  foreign key (execution_id, tenant_id) references public.workflow_executions (execution_id, tenant_id)
);
create index lifecycle_events_invocation on public.lifecycle_events (invocation_id, tenant_id, epoch, seq);
create index lifecycle_events_execution on public.lifecycle_events (execution_id, tenant_id, epoch, seq);
create unique index lifecycle_events_feed on public.lifecycle_events (epoch, xid, seq);
comment on table public.lifecycle_events is 'What an open run is doing, in the words of what runs it. The latest counts.';
comment on column public.lifecycle_events.lifecycle_event_id is 'Its id: the client''s, or minted.';
comment on column public.lifecycle_events.invocation_id is 'The open invocation, or null.';
comment on column public.lifecycle_events.execution_id is 'The open execution, or null.';
comment on column public.lifecycle_events.lifecycle is 'waiting, pending or running; the other words follow from what the ledger holds.';
comment on column public.lifecycle_events.reason is 'What it waits for, or null.';

do $$
declare
  evidence regclass;
begin
  foreach evidence in array array['public.outcome_verifications', 'public.delivery_assessments', 'public.outcome_integrations', 'public.lifecycle_events']::regclass[] loop
    perform ledger_internal.make_append_only(evidence);
    perform ledger_internal.describe_common_columns(evidence);
    execute format('comment on column %s.source_id is %L', evidence, 'The agent_id or workflow_id of what ran: it is no evidence about itself.');
    execute format('comment on column %s.request_digest is %L', evidence, 'Digest of the request: the same again is a replay.');
    if evidence <> 'public.lifecycle_events'::regclass then
      execute format('comment on column %s.outcome_id is %L', evidence, 'The outcome it is about.');
      execute format('comment on column %s.source_type is %L', evidence, 'agent or workflow: which table the outcome stands in.');
    end if;
  end loop;
end
$$;

create function ledger_internal.refuse_evidence(path text, rule text, message text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.refuse('evidence_invalid', null, jsonb_build_array(jsonb_build_object('path', path, 'rule', rule, 'message', message)));
end
$$;
comment on function ledger_internal.refuse_evidence(text, text, text) is 'Refuses evidence_invalid with one violation.';

-- What every kind of evidence about an outcome begins with. Foreign and unknown answer alike; the subject's lock puts all
-- evidence about it, and the gate, in one order.
create function ledger_internal.begin_evidence(evidence_table text, outcome uuid, key text, out subject ledger_internal.subject, out status text) returns record
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  kind text;
  id uuid;
begin
  perform ledger_internal.require_read_committed();
  select o.subject_type, o.subject_id, o.status into kind, id, begin_evidence.status
    from ledger_internal.outcomes o where o.outcome_id = outcome and o.tenant_id is not distinct from caller.tenant_id;
  if not found then
    perform ledger_internal.refuse('unknown_outcome');
  end if;
  subject := ledger_internal.require_subject(caller.tenant_id, kind, id);
  perform ledger_internal.require_may_write(evidence_table, caller.ledger_role, caller.actor_id, subject);
  if not ledger_internal.status_ran(status) then
    perform ledger_internal.refuse_evidence('/outcome_id', 'ran', format('must be an outcome of something that ran: this one is %s', status));
  end if;
  perform ledger_internal.lock_subjects(caller.tenant_id, array[id::text, key], '{}');
end
$$;
comment on function ledger_internal.begin_evidence(text, uuid, text) is 'The outcome''s subject, locked; refuses unknown outcomes, whoever may not write such evidence, and what never ran.';

create function ledger_internal.verification_document(r public.outcome_verifications) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('verification_id', r.verification_id, 'outcome_id', r.outcome_id, 'verification', r.verification,
    'process', case when num_nonnulls(r.started, r.timed_out, r.system_fault, r.signal, r.exit_code) > 0
                    then jsonb_build_object('started', r.started, 'timed_out', r.timed_out, 'system_fault', r.system_fault, 'signal', r.signal, 'exit_code', r.exit_code) end,
    'command', r.command, 'duration_ms', r.duration_ms, 'output_sha256', r.output_sha256, 'output_bytes', r.output_bytes, 'output_excerpt', r.output_excerpt,
    'resolved_verify', r.resolved_verify);
end
$$;
comment on function ledger_internal.verification_document(public.outcome_verifications) is 'A verification as the document its author sent.';

create function ledger_internal.accept_verification() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  about record;
  document jsonb;
  decided text;
  asked text;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  new.verification_id := coalesce(new.verification_id, gen_random_uuid());
  document := ledger_internal.verification_document(new);
  if not ledger_internal.verification_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.verification_violations(document));
  end if;
  about := ledger_internal.begin_evidence('outcome_verifications', new.outcome_id, 'evidence/' || new.verification_id);
  if exists (select from public.outcome_verifications v where v.verification_id = new.verification_id and v.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('evidence_conflict');
  end if;
  -- Nobody watched an unobserved process to its end, so how it ended decides nothing.
  if document -> 'process' <> 'null' and new.verification <> 'unobserved' then
    decided := ledger_internal.process_verdict(new.started, new.timed_out, new.system_fault, new.signal, new.exit_code);
    if new.verification is distinct from decided then
      perform ledger_internal.refuse_evidence('/verification', 'process', format('must be %s, as the process ended', decided));
    end if;
  end if;
  select (case (about.subject).subject_type
            when 'invocation' then (select i.verify from public.agent_invocations i where i.invocation_id = (about.subject).subject_id and i.tenant_id is not distinct from new.tenant_id)
            else (select x.verify from public.workflow_executions x where x.execution_id = (about.subject).subject_id and x.tenant_id is not distinct from new.tenant_id)
          end) into asked;
  -- Only what leaves the choice open may turn out to need nothing: a verification that was asked for by name stays asked for.
  if new.resolved_verify is not null and not ledger_internal.verification_required(new.resolved_verify)
     and ledger_internal.verification_required(asked) and btrim(asked, e'\t\n\x0b\f\r ') <> 'auto' then
    perform ledger_internal.refuse_evidence('/resolved_verify', 'required', 'must not resolve away the verification that the start row asks for; only auto may come to nothing');
  end if;
  new.source_type := (about.subject).source_type;
  new.source_id := (about.subject).source_id;
  new.verification_required := ledger_internal.verification_required(coalesce(new.resolved_verify, (
    select v.resolved_verify from public.outcome_verifications v
     where v.outcome_id = new.outcome_id and v.tenant_id is not distinct from new.tenant_id and v.resolved_verify is not null order by v.epoch desc, v.seq desc limit 1), asked));
  new.standing_verification := ledger_internal.standing_verification((
    select v.standing_verification from public.outcome_verifications v
     where v.outcome_id = new.outcome_id and v.tenant_id is not distinct from new.tenant_id order by v.epoch desc, v.seq desc limit 1), new.verification);
  new.request_digest := ledger_internal.request_digest(document);
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_verification() is 'Checks a verification: the word is the one its process decides, and its author is not what ran.';
create trigger accept before insert on public.outcome_verifications for each row execute function ledger_internal.accept_verification();

create function ledger_internal.accept_delivery() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  about record;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  new.assessment_id := coalesce(new.assessment_id, gen_random_uuid());
  document := jsonb_build_object('assessment_id', new.assessment_id, 'outcome_id', new.outcome_id, 'assessment', new.assessment, 'reason', new.reason);
  if not ledger_internal.delivery_assessment_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.delivery_assessment_violations(document));
  end if;
  about := ledger_internal.begin_evidence('delivery_assessments', new.outcome_id, 'evidence/' || new.assessment_id);
  if exists (select from public.delivery_assessments d where d.assessment_id = new.assessment_id and d.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('evidence_conflict');
  end if;
  new.source_type := (about.subject).source_type;
  new.source_id := (about.subject).source_id;
  new.request_digest := ledger_internal.request_digest(document);
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_delivery() is 'Checks a delivery assessment and sets what its author may not.';
create trigger accept before insert on public.delivery_assessments for each row execute function ledger_internal.accept_delivery();

create function ledger_internal.accept_integration() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  about record;
  document jsonb;
  given constant jsonb := case when new.gate_flag is not null then jsonb_build_object(new.gate_flag, new.gate_reason) else '{}' end;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  document := jsonb_build_object('outcome_id', new.outcome_id, 'reference', new.reference) || given;
  if not ledger_internal.integration_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.integration_violations(document));
  end if;
  about := ledger_internal.begin_evidence('outcome_integrations', new.outcome_id, null);
  if exists (select from public.outcome_integrations i where i.outcome_id = new.outcome_id and i.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('evidence_conflict', 'The outcome has been integrated already.');
  end if;
  new.gate_flag := ledger_internal.require_gate(new.tenant_id, new.outcome_id, given, caller.ledger_role, '/outcome_id');
  new.gate_reason := case when new.gate_flag is not null then new.gate_reason end;
  new.source_type := (about.subject).source_type;
  new.source_id := (about.subject).source_id;
  new.request_digest := ledger_internal.request_digest(document);
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_integration() is 'Checks an integration: it passes the gate, once an outcome.';
create trigger accept before insert on public.outcome_integrations for each row execute function ledger_internal.accept_integration();

create function ledger_internal.accept_lifecycle_event() returns trigger
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
  new.lifecycle_event_id := coalesce(new.lifecycle_event_id, gen_random_uuid());
  document := jsonb_build_object('lifecycle_event_id', new.lifecycle_event_id, 'invocation_id', new.invocation_id, 'execution_id', new.execution_id,
    'lifecycle', new.lifecycle, 'reason', new.reason);
  if not ledger_internal.lifecycle_event_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.lifecycle_event_violations(document));
  end if;
  subject := ledger_internal.require_subject(caller.tenant_id, case when new.invocation_id is null then 'execution' else 'invocation' end, coalesce(new.invocation_id, new.execution_id));
  perform ledger_internal.require_may_write('lifecycle_events', caller.ledger_role, caller.actor_id, subject);
  perform ledger_internal.lock_subjects(new.tenant_id, array[subject.subject_id::text, 'evidence/' || new.lifecycle_event_id], '{}');
  perform ledger_internal.require_open(subject);
  if exists (select from public.lifecycle_events e where e.lifecycle_event_id = new.lifecycle_event_id and e.tenant_id is not distinct from new.tenant_id) then
    perform ledger_internal.refuse('evidence_conflict');
  end if;
  new.source_id := subject.source_id;
  new.request_digest := ledger_internal.request_digest(document);
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_lifecycle_event() is 'Checks what an open run is said to be doing.';
create trigger accept before insert on public.lifecycle_events for each row execute function ledger_internal.accept_lifecycle_event();

-- Whoever follows events learns of evidence as of outcomes.
create function ledger_internal.publish_evidence() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  evidence constant jsonb := to_jsonb(new);
  correlation text;
begin
  select o.correlation_id into correlation from ledger_internal.outcomes o where o.outcome_id = new.outcome_id and o.tenant_id is not distinct from new.tenant_id;
  perform ledger_internal.announce(new.tenant_id, tg_argv[0], new.source_id, correlation, new.outcome_id::text, new.outcome_id,
    jsonb_strip_nulls(jsonb_build_object('outcome_id', new.outcome_id, 'correlation_id', correlation, 'verification_id', evidence -> 'verification_id',
      'verification', evidence -> 'verification', 'assessment_id', evidence -> 'assessment_id', 'assessment', evidence -> 'assessment', 'reference', evidence -> 'reference',
      'gate_flag', evidence -> 'gate_flag', 'gate_reason', evidence -> 'gate_reason')), new.recorded_by);
  return null;
end
$$;
comment on function ledger_internal.publish_evidence() is 'Emits one os.evidence.* event for each row of evidence about an outcome.';
create trigger publish after insert on public.outcome_verifications for each row execute function ledger_internal.publish_evidence('os.evidence.verification');
create trigger publish after insert on public.delivery_assessments for each row execute function ledger_internal.publish_evidence('os.evidence.delivery');
create trigger publish after insert on public.outcome_integrations for each row execute function ledger_internal.publish_evidence('os.evidence.integration');
