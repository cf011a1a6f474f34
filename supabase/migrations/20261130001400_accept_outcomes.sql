-- Chapter: accepting an outcome. BEFORE ROW checks and sets, and writes nothing, so that a row that is not inserted
-- after all claims no id.

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

-- A human who approved before the decision knew nothing of it.
create function ledger_internal.was_approved(decided public.policy_decisions, subject ledger_internal.subject) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return exists (
    select from public.hitl_requests r join public.hitl_resolutions s on s.hitl_request_id = r.hitl_request_id and s.tenant_id is not distinct from r.tenant_id
     where case subject.subject_type when 'invocation' then r.invocation_id else r.execution_id end = subject.subject_id
       and (r.invocation_id = subject.subject_id or r.execution_id = subject.subject_id)
       and r.tenant_id is not distinct from subject.tenant_id and s.resolution = 'approved' and (s.epoch, s.seq) > (decided.epoch, decided.seq));
end
$$;
comment on function ledger_internal.was_approved(public.policy_decisions, ledger_internal.subject) is 'Whether a human approved the subject after the decision.';

-- A no is final, whoever asked, whatever for, and whether anything was decided.
create function ledger_internal.refuse_rejected(kind text, id uuid, tenant uuid) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if exists (
    select from public.hitl_requests r join public.hitl_resolutions s on s.hitl_request_id = r.hitl_request_id and s.tenant_id is not distinct from r.tenant_id
     where case kind when 'invocation' then r.invocation_id else r.execution_id end = id
       and (r.invocation_id = id or r.execution_id = id) and r.tenant_id is not distinct from tenant and s.resolution = 'rejected') then
    perform ledger_internal.refuse('hitl_rejected', null, ledger_internal.mismatch('/status', 'approval_required', 'a human rejected this subject'));
  end if;
end
$$;
comment on function ledger_internal.refuse_rejected(text, uuid, uuid) is 'Refuses hitl_rejected where a human said no about the subject.';

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
  if recorded.decision = 'block' and envelope ->> 'status' <> 'blocked' then
    perform ledger_internal.refuse('policy_mismatch', 'The recorded decision blocks this subject.',
      ledger_internal.mismatch('/status', 'blocked', 'must be blocked: the recorded decision blocks this subject'));
  end if;
  if produced and (recorded.requires_hitl or recorded.decision = 'escalate') and not ledger_internal.was_approved(recorded, subject) then
    perform ledger_internal.refuse_rejected(subject.subject_type, subject.subject_id, subject.tenant_id);
    perform ledger_internal.refuse('hitl_required', null,
      ledger_internal.mismatch('/status', 'approval_required', 'needs a human''s approving resolution'));
  end if;
  if produced and subject.governance_class <> 'autonomous' and recorded.decision <> 'allow' then
    perform ledger_internal.refuse('policy_required', format('Governance class %s needs a recorded decision that allows.', subject.governance_class),
      ledger_internal.mismatch('/policy', 'decision_required', 'needs a recorded decision that allows'));
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

-- What a good envelope is held against, in the order a caller can mend it.
create function ledger_internal.check_outcome(envelope jsonb, subject ledger_internal.subject, decided public.policy_decisions, result_hash text, confidence_hash text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  mismatches jsonb;
begin
  if jsonb_typeof(envelope -> 'outcome_id') = 'string' then
    perform ledger_internal.refuse('outcome_id_refused', null, ledger_internal.mismatch('/outcome_id', 'minted', 'must be absent: the ledger mints it'));
  end if;
  mismatches := ledger_internal.start_mismatches(envelope, subject);
  if mismatches <> '[]' then
    perform ledger_internal.refuse('envelope_invalid', null, mismatches);
  end if;
  perform ledger_internal.require_policy(envelope, subject, decided);
  if subject.execution_pattern = 'sequential' and envelope ->> 'status' in ('success', 'partial') then
    perform ledger_internal.require_no_failed_phase(subject.tenant_id, subject.subject_id, null, null, '/status');
  end if;
  perform ledger_internal.require_checked_schemas(envelope, subject, result_hash, confidence_hash);
  if jsonb_typeof(envelope #> '{execution_context,sub_workflow_outcomes}') = 'array' then
    perform ledger_internal.require_sub_workflows(envelope, subject.tenant_id);
  end if;
end
$$;
comment on function ledger_internal.check_outcome(jsonb, ledger_internal.subject, public.policy_decisions, text, text) is 'Holds a good envelope against its start row, its decision, its schemas and its children.';

-- A transaction sets up anew every statement and expression of a function that it comes to, and one recording is one
-- transaction: that costs more than running them. So this trigger is three statements (look up and lock, look again under the
-- locks, set the columns), and asks a helper only about what is out of the ordinary.
--
-- Everything the outcome refers to is locked with it, sorted: exclusive its subject, shared its execution, its cause (and
-- the invocation that registered the event it names) and the guard's invocation. What the first look could not see yet, an
-- event or a decision that committed while this waited, is locked after the second look; locks are re-entrant.
create function ledger_internal.accept_outcome() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  kind constant text := tg_argv[0];
  caller record := ledger_internal.caller();
  decided public.policy_decisions;
  id uuid;
  output_hash text;
  confidence_hash text;
  locked boolean;
  winner uuid;
  asked text;
  announcer uuid;
  ruling uuid;
begin
  if caller.tenant_id is null then
    perform ledger_internal.refuse('not_permitted', 'The actor is disabled, or the token names no tenant.');
  end if;
  -- Foreign and unknown answer alike, before any look-up or lock.
  if new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('unknown_' || kind);
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    perform ledger_internal.require_read_committed();
  end if;

  if kind = 'invocation' then
    id := new.invocation_id;
    select i.source_type, i.source_id, i.source_version, i.domain, i.governance_class, i.correlation_id, i.causation_id, i.execution_id,
           i.output_schema_hash, i.confidence_schema_hash, i.verify is not null and ledger_internal.verification_required(i.verify),
           case when ledger_internal.may_write(tg_table_name, caller.ledger_role, caller.actor_id, i.source_id, i.recorded_by) then (
             select bool_and(case when k.exclusive then pg_advisory_xact_lock(k.key) is null else pg_advisory_xact_lock_shared(k.key) is null end) is not null
               from (select l.key, l.exclusive
                       from (values
                         (hashtextextended(caller.tenant_id || ':' || i.invocation_id, 0), true),
                         (hashtextextended(caller.tenant_id || ':' || i.execution_id, 0), false),
                         (hashtextextended(caller.tenant_id || ':' || i.causation_id, 0), false),
                         ((select hashtextextended(caller.tenant_id || ':' || e.invocation_id, 0) from public.os_events e
                            where e.event_id = i.causation_id and e.tenant_id is not distinct from caller.tenant_id), false),
                         ((select hashtextextended(caller.tenant_id || ':' || d.guard_invocation_id, 0) from public.policy_decisions d
                            where d.invocation_id = i.invocation_id and d.tenant_id is not distinct from caller.tenant_id), false),
                         (hashtextextended('outcome-ledger:epoch', 0), false)
                       ) l (key, exclusive)
                      order by l.key, l.exclusive desc) k)
           end
      into new.source_type, new.source_id, new.source_version, new.domain, new.governance_class, new.correlation_id, new.causation_id, new.execution_id,
           output_hash, confidence_hash, new.verification_required, locked
      from public.agent_invocations i where i.invocation_id = id and i.tenant_id is not distinct from caller.tenant_id;
  else
    id := new.execution_id;
    select x.source_type, x.source_id, x.source_version, x.domain, x.governance_class, x.correlation_id, x.causation_id, x.parent_execution_id,
           x.output_schema_hash, x.confidence_schema_hash, x.verify is not null and ledger_internal.verification_required(x.verify),
           case when ledger_internal.may_write(tg_table_name, caller.ledger_role, caller.actor_id, x.source_id, x.recorded_by) then (
             select bool_and(case when k.exclusive then pg_advisory_xact_lock(k.key) is null else pg_advisory_xact_lock_shared(k.key) is null end) is not null
               from (select l.key, l.exclusive
                       from (values
                         (hashtextextended(caller.tenant_id || ':' || x.execution_id, 0), true),
                         (hashtextextended(caller.tenant_id || ':' || x.parent_execution_id, 0), false),
                         (hashtextextended(caller.tenant_id || ':' || x.causation_id, 0), false),
                         ((select hashtextextended(caller.tenant_id || ':' || e.invocation_id, 0) from public.os_events e
                            where e.event_id = x.causation_id and e.tenant_id is not distinct from caller.tenant_id), false),
                         ((select hashtextextended(caller.tenant_id || ':' || d.guard_invocation_id, 0) from public.policy_decisions d
                            where d.execution_id = x.execution_id and d.tenant_id is not distinct from caller.tenant_id), false),
                         (hashtextextended('outcome-ledger:epoch', 0), false)
                       ) l (key, exclusive)
                      order by l.key, l.exclusive desc) k)
           end
      into new.source_type, new.source_id, new.source_version, new.domain, new.governance_class, new.correlation_id, new.causation_id, new.parent_execution_id,
           output_hash, confidence_hash, new.verification_required, locked
      from public.workflow_executions x where x.execution_id = id and x.tenant_id is not distinct from caller.tenant_id;
  end if;
  if not found then
    perform ledger_internal.refuse('unknown_' || kind);
  end if;
  if locked is not true then
    perform ledger_internal.require_may_write(tg_table_name, caller.ledger_role, caller.actor_id, ledger_internal.find_subject(caller.tenant_id, kind, id));
  end if;

  if kind = 'invocation' then
    select (select o.outcome_id from public.agent_invocation_outcomes o where o.invocation_id = id and o.tenant_id is not distinct from caller.tenant_id),
           (select coalesce(w.hitl_request_id, '') from ledger_internal.open_work w where w.subject_id = id and w.subject_type = 'invocation' and w.tenant_id is not distinct from caller.tenant_id),
           (select e.invocation_id from public.os_events e where e.event_id = new.causation_id and e.tenant_id is not distinct from caller.tenant_id),
           (select d.decision_id from public.policy_decisions d where d.invocation_id = id and d.tenant_id is not distinct from caller.tenant_id),
           (select s.epoch from ledger_internal.checked_servers s
             where s.started_at = pg_postmaster_start_time()
               and s.database_oid = (select b.oid from pg_catalog.pg_database b where b.datname = current_database()))
      into winner, asked, announcer, ruling, new.epoch;
  else
    select (select o.outcome_id from public.workflow_outcomes o where o.execution_id = id and o.tenant_id is not distinct from caller.tenant_id),
           (select coalesce(w.hitl_request_id, '') from ledger_internal.open_work w where w.subject_id = id and w.subject_type = 'execution' and w.tenant_id is not distinct from caller.tenant_id),
           (select e.invocation_id from public.os_events e where e.event_id = new.causation_id and e.tenant_id is not distinct from caller.tenant_id),
           (select d.decision_id from public.policy_decisions d where d.execution_id = id and d.tenant_id is not distinct from caller.tenant_id),
           (select s.epoch from ledger_internal.checked_servers s
             where s.started_at = pg_postmaster_start_time()
               and s.database_oid = (select b.oid from pg_catalog.pg_database b where b.datname = current_database()))
      into winner, asked, announcer, ruling, new.epoch;
  end if;
  if winner is not null or asked is null or announcer is not null or ruling is not null or new.epoch is null then
    if announcer is not null then
      perform pg_advisory_xact_lock_shared(hashtextextended(caller.tenant_id || ':' || announcer, 0));
    end if;
    if ruling is not null then
      select * into decided from public.policy_decisions d where d.decision_id = ruling;
      perform pg_advisory_xact_lock_shared(hashtextextended(caller.tenant_id || ':' || decided.guard_invocation_id, 0));
    end if;
    if winner is not null then
      -- A recording function answers with the winner; a bare insert can only be refused. Whoever sets the flag by hand
      -- gets an empty answer instead of the refusal, and nothing else.
      if current_setting('ledger_internal.recording', true) = 'on' then
        return null;
      end if;
      perform ledger_internal.refuse('outcome_conflict', null, '[]', jsonb_build_object('outcome_id', winner));
    end if;
    if asked is null then
      perform ledger_internal.require_open(ledger_internal.find_subject(caller.tenant_id, kind, id));
    end if;
    if new.epoch is null then
      new.epoch := ledger_internal.current_epoch();
    end if;
  end if;

  if not ledger_internal.envelope_ok(new.outcome_envelope) then
    perform ledger_internal.refuse('envelope_invalid', null, ledger_internal.envelope_violations(new.outcome_envelope));
  end if;
  -- A good envelope has these four members in its source and no others, so to hold them is to equal them.
  if kind = 'execution' or ruling is not null or new.governance_class <> 'autonomous' or output_hash is not null or confidence_hash is not null
     or jsonb_typeof(new.outcome_envelope -> 'outcome_id') = 'string' or jsonb_typeof(new.outcome_envelope -> 'policy') = 'object'
     or not new.outcome_envelope @> jsonb_build_object(
              'source', jsonb_build_object('type', new.source_type, 'id', new.source_id, 'version', new.source_version, 'domain', new.domain),
              'correlation_id', new.correlation_id, 'causation_id', new.causation_id)
  then
    perform ledger_internal.check_outcome(new.outcome_envelope, ledger_internal.find_subject(caller.tenant_id, kind, id), decided, new.result_schema_hash, new.confidence_schema_hash);
  end if;
  if asked <> '' and new.outcome_envelope ->> 'status' in ('success', 'partial') then
    perform ledger_internal.refuse_rejected(kind, id, caller.tenant_id);
  end if;

  -- Of the hashes only those that the start row asked for are kept; any other says nothing.
  select caller.tenant_id, e.outcome_id, e.stored || jsonb_build_object('outcome_id', e.outcome_id), e.stored ->> 'status', e.stored #>> '{policy,decision}',
         e.stored #>> '{escalation,escalation_target}', e.started_at, e.completed_at, e.duration_ms, e.duration_ms - floor(extract(epoch from e.completed_at - e.started_at) * 1000),
         case when new.result_schema_hash = output_hash then output_hash end, case when new.confidence_schema_hash = confidence_hash then confidence_hash end,
         'recorded', nextval('ledger_internal.feed_seq'), pg_current_xact_id(), clock_timestamp(), caller.actor_id
    into new.tenant_id, new.outcome_id, new.outcome_envelope, new.status, new.decision,
         new.escalation_target, new.started_at, new.completed_at, new.duration_ms, new.timing_drift_ms,
         new.result_schema_hash, new.confidence_schema_hash,
         new.origin, new.seq, new.xid, new.recorded_at, new.recorded_by
    from (select ledger_internal.mint_outcome_id() as outcome_id, ledger_internal.normalise_envelope(new.outcome_envelope) as stored,
                 case when length(t.started_at) <= 27 then t.started_at::timestamptz else ledger_internal.moment(t.started_at) end as started_at,
                 case when length(t.completed_at) <= 27 then t.completed_at::timestamptz else ledger_internal.moment(t.completed_at) end as completed_at,
                 (new.outcome_envelope #> '{timing,duration_ms}')::bigint as duration_ms
            from (select new.outcome_envelope #>> '{timing,started_at}' as started_at, new.outcome_envelope #>> '{timing,completed_at}' as completed_at) t
          offset 0) e;
  if kind = 'invocation' and current_setting('ledger_internal.concluding', true) = 'on' then
    select c.origin, c.completion_reason into new.origin, new.completion_reason from ledger_internal.conclude_as(id, caller.tenant_id, new.outcome_envelope) c;
  end if;
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

do $$
begin
  -- What the ledger writes itself (see own_outcomes) is written whole by functions that run as the owner.
  execute format('create trigger accept before insert on public.agent_invocation_outcomes for each row when (current_user <> %L) execute function ledger_internal.accept_outcome(''invocation'')', current_user);
  execute format('create trigger accept before insert on public.workflow_outcomes for each row when (current_user <> %L) execute function ledger_internal.accept_outcome(''execution'')', current_user);
end
$$;
create trigger accept before insert on public.late_outcomes for each row execute function ledger_internal.accept_late();
create trigger refuse_unclaimed before insert on public.agent_invocation_outcomes for each row execute function ledger_internal.refuse_unclaimed();
create trigger refuse_unclaimed before insert on public.workflow_outcomes for each row execute function ledger_internal.refuse_unclaimed();
alter table public.agent_invocation_outcomes enable replica trigger refuse_unclaimed;
alter table public.workflow_outcomes enable replica trigger refuse_unclaimed;
