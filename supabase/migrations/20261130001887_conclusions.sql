-- Chapter: concluding an invocation: its report, its artifacts and its outcome, in one transaction.

-- Called by accept_outcome for an outcome that says it concludes. The report of this very transaction decides what it may be.
create function ledger_internal.conclude_as(invocation uuid, tenant uuid, envelope jsonb, out origin text, out completion_reason text)
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  made jsonb;
begin
  select ledger_internal.phase_outcome(r.phase_status, r.failure_classification, (r.observation -> 'timed_out')::boolean) into made
    from public.phase_reports r where r.invocation_id = invocation and r.tenant_id is not distinct from tenant and r.xid = pg_current_xact_id();
  origin := 'recorded';
  if not found then
    return;
  end if;
  if envelope ->> 'status' <> made ->> 'status' or envelope #>> '{errors,0,code}' is distinct from made ->> 'code' then
    perform ledger_internal.refuse('conclusion_invalid', null, ledger_internal.mismatch('/status', 'concluded',
      format('must be %s%s, as the phase was concluded', made ->> 'status', coalesce(' with a first error ' || (made ->> 'code'), ''))));
  end if;
  origin := 'concluded';
  completion_reason := made ->> 'completion_reason';
end
$$;
comment on function ledger_internal.conclude_as(uuid, uuid, jsonb) is 'Origin and completion_reason of an outcome recorded with a phase report; refuses another outcome than the report makes.';

create function ledger_internal.conclusion_envelope(subject ledger_internal.subject, conclusion jsonb, ended_at timestamptz) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  report constant jsonb := conclusion -> 'report';
  made constant jsonb := ledger_internal.phase_outcome(report ->> 'phase_status', report ->> 'failure_classification', (report #> '{observation,timed_out}')::boolean);
  decided public.policy_decisions;
  start record;
  timing constant jsonb := nullif(conclusion -> 'timing', 'null');
  envelope jsonb;
begin
  select i.recorded_at, i.recovery_mode into start from public.agent_invocations i where i.invocation_id = subject.subject_id and i.tenant_id = subject.tenant_id;
  select * into decided from public.policy_decisions d where d.invocation_id = subject.subject_id and d.tenant_id = subject.tenant_id;
  if decided.decision = 'block' then
    return null;
  end if;
  envelope := ledger_internal.own_envelope(subject, made ->> 'status', case when made ->> 'status' = 'success' then conclusion -> 'result' end,
    case when made ->> 'code' is null then '[]' else jsonb_build_array(jsonb_build_object('code', made -> 'code',
      'message', coalesce(report ->> 'error', case report ->> 'phase_status' when 'cancelled' then 'The phase was cancelled.' else 'The phase was interrupted.' end),
      'recoverable', made ->> 'recoverable' = 'by_recovery_mode' and start.recovery_mode <> 'manual')) end,
    ledger_internal.policy_member(decided), start.recorded_at, ended_at);
  return envelope || jsonb_build_object('quality', conclusion -> 'quality') || case when timing is null then '{}' else jsonb_build_object('timing', timing) end;
end
$$;
comment on function ledger_internal.conclusion_envelope(ledger_internal.subject, jsonb, timestamptz) is 'The envelope of a concluded phase (design section 1); null when a decision blocks it, because then only blocked can be recorded.';

create function ledger_internal.conclusion_read(invocation uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
begin
  return (
    select (ledger_internal.phase_report_document(r) - 'conclusion_digest') || jsonb_build_object('execution_id', r.execution_id, 'late', r.late,
      'recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by,
      'artifacts', (select coalesce(jsonb_agg(ledger_internal.artifact_summary(a) order by a.seq), '[]') from public.artifacts a where a.invocation_id = invocation and a.tenant_id = tenant),
      'outcome_id', o.outcome_id, 'outcome', o.outcome_envelope)
      from public.phase_reports r
      left join public.agent_invocation_outcomes o on o.invocation_id = r.invocation_id and o.tenant_id = r.tenant_id
     where r.invocation_id = invocation and r.tenant_id = tenant);
end
$$;
comment on function ledger_internal.conclusion_read(uuid) is 'How an invocation was concluded, as callers read it, or null.';

create function ledger_internal.artifact_summary(a public.artifacts) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('artifact_id', a.artifact_id, 'path', a.path, 'title', a.title, 'type', a.type, 'size_bytes', a.size_bytes, 'sha256', a.sha256,
    'recovered', a.recovered, 'primary', a.is_primary, 'stored', case when a.object_key is null then 'table' else 'object' end);
end
$$;
comment on function ledger_internal.artifact_summary(public.artifacts) is 'An artifact without its content.';

create function ledger_internal.own_outcome_of(invocation uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (select o.outcome_envelope from public.agent_invocation_outcomes o where o.invocation_id = invocation and o.tenant_id = ledger_internal.tenant_id());
end
$$;
comment on function ledger_internal.own_outcome_of(uuid) is 'The envelope an invocation of the caller''s tenant ended with, or null.';

create function public.conclude_invocation(invocation_id uuid, conclusion jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  known record;
  document jsonb;
  envelope jsonb;
  weighed public.phase_reports;
  kept_late boolean;
  recorded jsonb;
  report constant jsonb := conclusion -> 'report';
begin
  if caller.tenant_id is null then
    perform ledger_internal.require_tenant();
  end if;
  if jsonb_typeof(conclusion) is distinct from 'object' or jsonb_typeof(report) is distinct from 'object' or jsonb_typeof(conclusion -> 'artifacts') is distinct from 'array' then
    perform ledger_internal.refuse_conclusion('', 'object', 'must be an object with digest, report and artifacts');
  end if;
  if coalesce(conclusion ->> 'digest', '') !~ '^[0-9a-f]{64}$' then
    perform ledger_internal.refuse_conclusion('/digest', 'sha256', 'must be 64 hexadecimal digits in lower case');
  end if;
  subject := ledger_internal.subject_of_token('invocation', conclude_invocation.invocation_id);
  perform ledger_internal.require_may_write('phase_reports', caller.ledger_role, caller.actor_id, subject);
  perform ledger_internal.lock_subjects(caller.tenant_id, array[subject.subject_id::text], ledger_internal.referred_subjects(subject));
  select r.conclusion_digest, r.late, r.recorded_at into known from public.phase_reports r where r.invocation_id = subject.subject_id and r.tenant_id = caller.tenant_id;
  if known.conclusion_digest = conclusion ->> 'digest' and not known.late then
    return ledger_internal.answer('replayed', ledger_internal.conclusion_read(subject.subject_id));
  end if;
  -- Before anything is read off it, and also where another conclusion stands.
  document := report || jsonb_build_object('invocation_id', subject.subject_id, 'conclusion_digest', conclusion -> 'digest');
  if not ledger_internal.phase_report_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.phase_report_violations(document));
  end if;
  if known.conclusion_digest is not null then
    weighed := jsonb_populate_record(null::public.phase_reports, document);
    perform ledger_internal.require_standing(weighed);
    perform ledger_internal.require_verdict(weighed);
  end if;
  -- A second conclusion ends when the first was made, so that its retries are one late envelope.
  envelope := ledger_internal.conclusion_envelope(subject, conclusion, coalesce(known.recorded_at, clock_timestamp()));
  if known.conclusion_digest is not null then
    if known.conclusion_digest <> conclusion ->> 'digest' and envelope is not null then
      perform ledger_internal.answer_second('invocation', subject.subject_id, envelope);
    end if;
    return ledger_internal.answer('conflict', ledger_internal.own_outcome_of(subject.subject_id), 'outcome_conflict');
  end if;

  insert into public.phase_reports (invocation_id, report_state, claims, claims_total, stands, warnings, observation, phase_status, failure_classification,
    reported_failure_reason, reported_side_effects, deliverable_recovered, error, conclusion_digest)
  select subject.subject_id, p.report_state, p.claims, p.claims_total, p.stands, p.warnings, p.observation, p.phase_status, p.failure_classification,
         p.reported_failure_reason, p.reported_side_effects, p.deliverable_recovered, p.error, conclusion ->> 'digest'
    from jsonb_populate_record(null::public.phase_reports, report) p
  returning late into kept_late;
  begin
    insert into public.artifacts (invocation_id, path, title, type, content, content_bytes, object_key, size_bytes, sha256, recovered, is_primary)
    select subject.subject_id, a.path, a.title, a.type, a.content, decode(a.content_base64, 'base64'), a.object_key, a.size_bytes, a.sha256, a.recovered, a."primary"
      from jsonb_to_recordset(conclusion -> 'artifacts') as a (path text, title text, type text, content text, content_base64 text, object_key text, size_bytes bigint,
        sha256 text, recovered boolean, "primary" boolean);
  exception when data_exception then
    perform ledger_internal.refuse_conclusion('/artifacts', 'shape', 'must have members of their types, and content_base64 that is base64');
  end;
  if envelope is null then
    if not kept_late then
      perform ledger_internal.refuse('policy_mismatch', 'The recorded decision blocks this invocation: it can only be recorded as blocked.',
        ledger_internal.mismatch('', 'blocked', 'must be recorded as an outcome with status blocked'));
    end if;
    return ledger_internal.answer('conflict', ledger_internal.own_outcome_of(subject.subject_id), 'outcome_conflict');
  end if;
  perform set_config('ledger_internal.concluding', 'on', true);
  recorded := public.record_agent_outcome(subject.subject_id, envelope, nullif(conclusion -> 'checked_schemas', 'null'));
  perform set_config('ledger_internal.concluding', 'off', true);
  if recorded ->> 'result' = 'recorded' then
    return ledger_internal.answer('recorded', ledger_internal.conclusion_read(subject.subject_id));
  end if;
  -- The outcome was there before: the report and its artifacts are kept beside it, as is the envelope.
  return ledger_internal.answer('conflict', recorded -> 'record', 'outcome_conflict');
end
$$;
comment on function public.conclude_invocation(uuid, jsonb) is 'Stores what an agent reported and left, and records the outcome it makes. The same request again is a replay; another one, or one that came late, is outcome_conflict.';

create function public.get_artifact(id uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (
    select ledger_internal.artifact_summary(a) || jsonb_build_object('invocation_id', a.invocation_id, 'execution_id', a.execution_id, 'outcome_id', o.outcome_id,
      'content', a.content, 'content_base64', replace(encode(a.content_bytes, 'base64'), e'\n', ''), 'object_key', a.object_key,
      'recorded_at', ledger_internal.rfc3339(a.recorded_at), 'recorded_by', a.recorded_by)
      from public.artifacts a
      left join public.agent_invocation_outcomes o on o.invocation_id = a.invocation_id and o.tenant_id = a.tenant_id
     where a.artifact_id = id and a.tenant_id = ledger_internal.tenant_id());
end
$$;
comment on function public.get_artifact(uuid) is 'One artifact with its content, or null.';

create function public.begin_conclusion(invocation_id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
begin
  if caller.tenant_id is null then
    perform ledger_internal.require_tenant();
  end if;
  subject := ledger_internal.subject_of_token('invocation', begin_conclusion.invocation_id);
  perform ledger_internal.require_may_write('phase_reports', caller.ledger_role, caller.actor_id, subject);
  return (
    select jsonb_build_object('start', ledger_internal.invocation_start_read(i), 'conclusion_digest', r.conclusion_digest)
      from public.agent_invocations i
      left join public.phase_reports r on r.invocation_id = i.invocation_id and r.tenant_id = i.tenant_id
     where i.invocation_id = subject.subject_id and i.tenant_id = caller.tenant_id);
end
$$;
comment on function public.begin_conclusion(uuid) is 'What a conclusion has to know before it is made: the start row, and the digest of the conclusion that stands, or null. Refuses whoever may not conclude.';
