-- Chapter: accepting an outcome. BEFORE ROW checks and sets, and writes nothing, so that a row that is not inserted
-- after all claims no id.

-- Everything this outcome refers to is locked with it: its execution, its cause (and the invocation that registered the
-- event it names), and the guard's invocation.
-- One statement looks up what is referred to and locks it, sorted. What that look could not see yet (an event or a decision
-- that committed while this waited) is looked up again under the locks, which are re-entrant.
create function ledger_internal.lock_outcome(subject ledger_internal.subject, out decided public.policy_decisions) returns public.policy_decisions
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  announced_by uuid;
begin
  perform case when k.exclusive then pg_advisory_xact_lock(k.key) else pg_advisory_xact_lock_shared(k.key) end
     from (select hashtextextended(subject.tenant_id || ':' || r.id, 0) as key, bool_or(r.exclusive) as exclusive
             from (values
               (subject.subject_id::text, true),
               (subject.within::text, false),
               (subject.causation_id, false),
               ((select e.invocation_id::text from public.os_events e where e.event_id = subject.causation_id and e.tenant_id is not distinct from subject.tenant_id), false),
               ((select d.guard_invocation_id::text from public.policy_decisions d
                  where d.invocation_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id and subject.subject_type = 'invocation'), false),
               ((select d.guard_invocation_id::text from public.policy_decisions d
                  where d.execution_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id and subject.subject_type = 'execution'), false)
             ) r (id, exclusive)
            where r.id is not null
            group by 1
            union all
           select hashtextextended('outcome-ledger:epoch', 0), false
            order by 1) k;
  if subject.subject_type = 'invocation' then
    select * into decided from public.policy_decisions d where d.invocation_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id;
  else
    select * into decided from public.policy_decisions d where d.execution_id = subject.subject_id and d.tenant_id is not distinct from subject.tenant_id;
  end if;
  if decided.guard_invocation_id is not null then
    perform pg_advisory_xact_lock_shared(hashtextextended(subject.tenant_id || ':' || decided.guard_invocation_id, 0));
  end if;
  select e.invocation_id into announced_by from public.os_events e where e.event_id = subject.causation_id and e.tenant_id is not distinct from subject.tenant_id;
  if announced_by is not null then
    perform pg_advisory_xact_lock_shared(hashtextextended(subject.tenant_id || ':' || announced_by, 0));
  end if;
end
$$;
comment on function ledger_internal.lock_outcome(ledger_internal.subject) is 'The locks of one outcome: exclusive on its subject, shared on all it refers to. Returns the decision about the subject, read under them.';

create function ledger_internal.referred_subjects(subject ledger_internal.subject) returns text[]
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return array[
    subject.within::text,
    subject.causation_id,
    (select e.invocation_id::text from public.os_events e where e.tenant_id is not distinct from subject.tenant_id and e.event_id = subject.causation_id),
    case subject.subject_type
      when 'invocation' then (select d.guard_invocation_id::text from public.policy_decisions d where d.tenant_id is not distinct from subject.tenant_id and d.invocation_id = subject.subject_id)
      else (select d.guard_invocation_id::text from public.policy_decisions d where d.tenant_id is not distinct from subject.tenant_id and d.execution_id = subject.subject_id)
    end];
end
$$;
comment on function ledger_internal.referred_subjects(ledger_internal.subject) is 'Ids an outcome of this subject refers to, as far as they are visible now.';

create function ledger_internal.mismatch(path text, rule text, message text) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_array(jsonb_build_object('path', path, 'rule', rule, 'message', message));
end
$$;
comment on function ledger_internal.mismatch(text, text, text) is 'A list of one violation.';

-- What the envelope alone cannot show: that it speaks of its start row.
create function ledger_internal.start_mismatches(envelope jsonb, subject ledger_internal.subject) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('path', m.path, 'rule', 'matches_start', 'message', 'must equal the start row''s')), '[]')
      from (values
        ('/source/type', envelope #>> '{source,type}', subject.source_type),
        ('/source/id', envelope #>> '{source,id}', subject.source_id),
        ('/source/version', envelope #>> '{source,version}', subject.source_version),
        ('/source/domain', envelope #>> '{source,domain}', subject.domain),
        ('/correlation_id', envelope ->> 'correlation_id', subject.correlation_id),
        ('/causation_id', envelope ->> 'causation_id', subject.causation_id),
        ('/execution_context/execution_pattern', envelope #>> '{execution_context,execution_pattern}', subject.execution_pattern)
      ) as m (path, given, expected)
     where m.given is distinct from m.expected);
end
$$;
comment on function ledger_internal.start_mismatches(jsonb, ledger_internal.subject) is 'Violations of "source, correlation, causation and pattern equal the start row''s".';

-- With a recorded decision the policy member is required and equal to it; without one it is refused.
create function ledger_internal.require_policy(envelope jsonb, subject ledger_internal.subject, recorded public.policy_decisions) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  given jsonb := nullif(envelope -> 'policy', 'null');
  produced boolean := envelope ->> 'status' in ('success', 'partial');
begin
  if recorded.decision_id is null then
    if given is not null then
      perform ledger_internal.refuse('policy_mismatch', 'No decision about this subject is recorded.',
        ledger_internal.mismatch('/policy', 'recorded_decision', 'must be null: no decision about this subject is recorded'));
    end if;
    if produced and subject.governance_class <> 'autonomous' then
      perform ledger_internal.refuse('policy_required', format('Governance class %s needs a recorded decision.', subject.governance_class),
        ledger_internal.mismatch('/policy', 'decision_required', 'needs a recorded decision that allows'));
    end if;
    return;
  end if;
  if given is null
     or given ->> 'decision' <> recorded.decision
     or given ->> 'policy_rule_triggered' is distinct from recorded.policy_rule_triggered
     or (given -> 'risk_score')::numeric <> recorded.risk_score
     or (given -> 'requires_hitl')::boolean <> recorded.requires_hitl
     or ledger_internal.time_order_key(given ->> 'evaluated_at') <> ledger_internal.time_order_key(recorded.evaluated_at)
  then
    perform ledger_internal.refuse('policy_mismatch', null,
      ledger_internal.mismatch('/policy', 'recorded_decision', 'must equal the recorded decision about this subject'),
      jsonb_build_object('policy', jsonb_build_object('decision', recorded.decision, 'policy_rule_triggered', recorded.policy_rule_triggered,
        'risk_score', recorded.risk_score, 'requires_hitl', recorded.requires_hitl, 'evaluated_at', recorded.evaluated_at)));
  end if;
  if produced and (recorded.requires_hitl or recorded.decision = 'escalate') then
    perform ledger_internal.refuse('hitl_required', null,
      ledger_internal.mismatch('/status', 'approval_required', 'needs a human''s approving resolution'));
  end if;
end
$$;
comment on function ledger_internal.require_policy(jsonb, ledger_internal.subject, public.policy_decisions) is 'Holds an envelope against the recorded decision. Refuses policy_mismatch, policy_required, hitl_required.';

create function ledger_internal.require_checked_schemas(envelope jsonb, subject ledger_internal.subject, result_hash text, confidence_hash text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if subject.output_schema_hash is not null and envelope ->> 'status' in ('success', 'partial') and result_hash is distinct from subject.output_schema_hash then
    perform ledger_internal.refuse('schema_unchecked', null,
      ledger_internal.mismatch('/result', 'output_schema', 'must be checked against the definition''s output schema'),
      jsonb_build_object('output_schema_hash', subject.output_schema_hash));
  end if;
  if subject.confidence_schema_hash is not null and jsonb_typeof(envelope #> '{quality,confidence}') = 'number' and confidence_hash is distinct from subject.confidence_schema_hash then
    perform ledger_internal.refuse('schema_unchecked', null,
      ledger_internal.mismatch('/quality/confidence', 'confidence_schema', 'must be checked against the definition''s confidence schema'),
      jsonb_build_object('confidence_schema_hash', subject.confidence_schema_hash));
  end if;
end
$$;
comment on function ledger_internal.require_checked_schemas(jsonb, ledger_internal.subject, text, text) is 'Refuses schema_unchecked unless the recorder names the very schemas the start row knew.';

create function ledger_internal.require_sub_workflows(envelope jsonb, tenant uuid) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  unknown jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', '/execution_context/sub_workflow_outcomes/' || (s.position - 1), 'rule', 'exists', 'message', 'must be a workflow outcome of this tenant'))
    into unknown
    from jsonb_array_elements_text(envelope #> '{execution_context,sub_workflow_outcomes}') with ordinality s (id, position)
   where not exists (select from public.workflow_outcomes o where o.tenant_id is not distinct from tenant and o.outcome_id = s.id::uuid);
  if unknown is not null then
    perform ledger_internal.refuse('envelope_invalid', null, unknown);
  end if;
end
$$;
comment on function ledger_internal.require_sub_workflows(jsonb, uuid) is 'Refuses child outcomes that this tenant does not hold.';

-- Everything both outcome tables check, in the order a caller can mend it.
create function ledger_internal.check_outcome(envelope jsonb, subject ledger_internal.subject, decided public.policy_decisions, result_hash text, confidence_hash text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if not ledger_internal.envelope_ok(envelope) then
    perform ledger_internal.refuse('envelope_invalid', null, ledger_internal.envelope_violations(envelope));
  end if;
  if jsonb_typeof(envelope -> 'outcome_id') = 'string' then
    perform ledger_internal.refuse('outcome_id_refused', null, ledger_internal.mismatch('/outcome_id', 'minted', 'must be absent: the ledger mints it'));
  end if;
  if envelope -> 'source' <> jsonb_build_object('type', subject.source_type, 'id', subject.source_id, 'version', subject.source_version, 'domain', subject.domain)
     or envelope ->> 'correlation_id' <> subject.correlation_id
     or envelope ->> 'causation_id' <> subject.causation_id
     or envelope #>> '{execution_context,execution_pattern}' is distinct from subject.execution_pattern
  then
    perform ledger_internal.refuse('envelope_invalid', null, ledger_internal.start_mismatches(envelope, subject));
  end if;
  if decided.decision_id is not null or subject.governance_class <> 'autonomous' or jsonb_typeof(envelope -> 'policy') = 'object' then
    perform ledger_internal.require_policy(envelope, subject, decided);
  end if;
  if subject.output_schema_hash is not null or subject.confidence_schema_hash is not null then
    perform ledger_internal.require_checked_schemas(envelope, subject, result_hash, confidence_hash);
  end if;
  if jsonb_typeof(envelope #> '{execution_context,sub_workflow_outcomes}') = 'array' then
    perform ledger_internal.require_sub_workflows(envelope, subject.tenant_id);
  end if;
end
$$;
comment on function ledger_internal.check_outcome(jsonb, ledger_internal.subject, public.policy_decisions, text, text) is 'Holds an envelope against the contract, its start row, its decision, its schemas and its children.';

create function ledger_internal.accept_outcome() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  kind constant text := tg_argv[0];
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  decided public.policy_decisions;
  winner uuid;
  envelope jsonb;
  started text;
  completed text;
begin
  -- Foreign and unknown answer alike, before any look-up or lock.
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('unknown_' || kind);
  end if;
  -- Each call of a helper costs about 4 µs for its pinned search_path, so this trigger asks directly what it can.
  if current_setting('transaction_isolation') <> 'read committed' then
    perform ledger_internal.require_read_committed();
  end if;
  if kind = 'invocation' then
    subject := ledger_internal.find_subject(caller.tenant_id, kind, new.invocation_id);
  else
    subject := ledger_internal.find_subject(caller.tenant_id, kind, new.execution_id);
  end if;
  if subject.subject_id is null then
    perform ledger_internal.refuse('unknown_' || kind);
  end if;
  if not ledger_internal.may_write(tg_table_name, caller.ledger_role, caller.actor_id, subject.source_id, subject.started_by) then
    perform ledger_internal.require_may_write(tg_table_name, caller.ledger_role, caller.actor_id, subject);
  end if;
  decided := ledger_internal.lock_outcome(subject);
  if kind = 'invocation' then
    select o.outcome_id into winner from public.agent_invocation_outcomes o where o.tenant_id is not distinct from caller.tenant_id and o.invocation_id = new.invocation_id;
  else
    select o.outcome_id into winner from public.workflow_outcomes o where o.tenant_id is not distinct from caller.tenant_id and o.execution_id = new.execution_id;
  end if;
  if winner is not null then
    -- A recording function answers with the winner; a bare insert can only be refused. Whoever sets the flag by hand
    -- gets an empty answer instead of the refusal, and nothing else.
    if current_setting('ledger_internal.recording', true) = 'on' then
      return null;
    end if;
    perform ledger_internal.refuse('outcome_conflict', null, '[]', jsonb_build_object('outcome_id', winner));
  end if;
  if not exists (select from ledger_internal.open_work w where w.subject_id = subject.subject_id and w.subject_type = kind and w.tenant_id is not distinct from subject.tenant_id) then
    perform ledger_internal.require_open(subject);
  end if;
  perform ledger_internal.check_outcome(new.outcome_envelope, subject, decided, new.result_schema_hash, new.confidence_schema_hash);

  envelope := ledger_internal.normalise_envelope(new.outcome_envelope);
  new.outcome_id := ledger_internal.mint_outcome_id();
  new.outcome_envelope := envelope || jsonb_build_object('outcome_id', new.outcome_id);
  new.source_type := subject.source_type;
  new.status := envelope ->> 'status';
  new.correlation_id := subject.correlation_id;
  new.causation_id := subject.causation_id;
  new.source_id := subject.source_id;
  new.source_version := subject.source_version;
  new.domain := subject.domain;
  new.governance_class := subject.governance_class;
  if kind = 'invocation' then
    new.execution_id := subject.within;
  else
    new.parent_execution_id := subject.within;
  end if;
  new.decision := envelope #>> '{policy,decision}';
  new.escalation_target := envelope #>> '{escalation,escalation_target}';
  started := envelope #>> '{timing,started_at}';
  completed := envelope #>> '{timing,completed_at}';
  -- Only the hash that the start row asked for is kept; any other says nothing.
  new.result_schema_hash := case when new.result_schema_hash = subject.output_schema_hash then new.result_schema_hash end;
  new.confidence_schema_hash := case when new.confidence_schema_hash = subject.confidence_schema_hash then new.confidence_schema_hash end;
  new.started_at := case when length(started) <= 27 then started::timestamptz else ledger_internal.moment(started) end;
  new.completed_at := case when length(completed) <= 27 then completed::timestamptz else ledger_internal.moment(completed) end;
  new.duration_ms := (envelope #> '{timing,duration_ms}')::bigint;
  new.timing_drift_ms := new.duration_ms - floor(extract(epoch from new.completed_at - new.started_at) * 1000);
  new.origin := 'recorded';
  new.seq := nextval('ledger_internal.feed_seq');
  select s.epoch into new.epoch from ledger_internal.checked_servers s
   where s.started_at = pg_postmaster_start_time()
     and s.database_oid = (select d.oid from pg_catalog.pg_database d where d.datname = current_database());
  if new.epoch is null then
    new.epoch := ledger_internal.current_epoch();
  end if;
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_outcome() is 'Checks a terminal row of either outcome table and sets everything its author may not; writes nothing.';

-- Replica mode (a restore) skips accept and publish, and foreign keys with them: this one fires only there, and refuses
-- an outcome whose id is not claimed for its table and tenant.
create function ledger_internal.refuse_unclaimed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if not exists (select from public.outcome_ids i
                  where i.outcome_id = new.outcome_id and i.tenant_id = new.tenant_id and i.source_type = new.source_type) then
    perform ledger_internal.refuse('unclaimed_outcome_id');
  end if;
  return new;
end
$$;
comment on function ledger_internal.refuse_unclaimed() is 'In replica mode: an outcome''s id must be claimed for its table and tenant.';

create function ledger_internal.accept_late() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  won record;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id or num_nonnulls(new.invocation_id, new.execution_id) <> 1 then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  subject := ledger_internal.require_subject(caller.tenant_id, case when new.invocation_id is null then 'execution' else 'invocation' end,
    coalesce(new.invocation_id, new.execution_id));
  perform ledger_internal.require_may_write('late_outcomes', caller.ledger_role, caller.actor_id, subject);
  select o.outcome_id, o.outcome_envelope into won from public.agent_invocation_outcomes o where o.tenant_id is not distinct from new.tenant_id and o.invocation_id = new.invocation_id
  union all
  select o.outcome_id, o.outcome_envelope from public.workflow_outcomes o where o.tenant_id is not distinct from new.tenant_id and o.execution_id = new.execution_id;
  if won.outcome_id is null or ledger_internal.same_content(won.outcome_envelope, new.outcome_envelope) then
    perform ledger_internal.refuse('not_permitted', 'Only an envelope that lost to another one can be late.');
  end if;
  if not ledger_internal.envelope_ok(new.outcome_envelope) then
    perform ledger_internal.refuse('envelope_invalid', null, ledger_internal.envelope_violations(new.outcome_envelope));
  end if;
  new.winning_outcome_id := won.outcome_id;
  new.outcome_envelope := ledger_internal.normalise_envelope(new.outcome_envelope);
  new.content_digest := ledger_internal.digest(new.outcome_envelope);
  -- The same late envelope is kept once, whoever brings it again.
  perform ledger_internal.lock_subjects(new.tenant_id, array['late/' || new.winning_outcome_id || '/' || new.content_digest], array[subject.subject_id::text]);
  if exists (select from public.late_outcomes l where l.winning_outcome_id = new.winning_outcome_id and l.tenant_id = new.tenant_id and l.content_digest = new.content_digest) then
    return null;
  end if;
  new.source_id := subject.source_id;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_late() is 'Keeps an envelope that lost the race, beside the winner.';

create trigger accept before insert on public.agent_invocation_outcomes for each row execute function ledger_internal.accept_outcome('invocation');
create trigger accept before insert on public.workflow_outcomes for each row execute function ledger_internal.accept_outcome('execution');
create trigger accept before insert on public.late_outcomes for each row execute function ledger_internal.accept_late();
create trigger refuse_unclaimed before insert on public.agent_invocation_outcomes for each row execute function ledger_internal.refuse_unclaimed();
create trigger refuse_unclaimed before insert on public.workflow_outcomes for each row execute function ledger_internal.refuse_unclaimed();
alter table public.agent_invocation_outcomes enable replica trigger refuse_unclaimed;
alter table public.workflow_outcomes enable replica trigger refuse_unclaimed;
