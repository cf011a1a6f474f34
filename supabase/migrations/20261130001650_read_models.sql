-- Chapter: rows as callers read them. They run with the caller's rights: what a token may not read is absent.

create function ledger_internal.tool_call_read(r public.agent_tool_calls) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.tool_call_document(r) || jsonb_build_object('recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;

create function ledger_internal.decision_read(r public.policy_decisions) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('decision_id', r.decision_id) || ledger_internal.decision_document(r)
      || jsonb_build_object('recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;

create function ledger_internal.event_read(r public.os_events) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('event_id', r.event_id, 'kind', r.kind, 'type', r.type, 'source', r.source, 'invocation_id', r.invocation_id, 'outcome_id', r.outcome_id,
    'correlation_id', r.correlation_id, 'causation_id', r.causation_id, 'occurred_at', ledger_internal.rfc3339(r.occurred_at), 'data', r.data,
    'recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;

create function ledger_internal.link_read(r public.agent_lineage_links) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('link_id', r.link_id, 'source_outcome_id', r.source_outcome_id, 'target_outcome_id', r.target_outcome_id, 'relation', r.relation,
    'origin', r.origin, 'declared_by', r.declared_by, 'recorded_at', ledger_internal.rfc3339(r.recorded_at));
end
$$;

create function ledger_internal.definition_read(r public.source_definitions) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.definition_document(r)
      || jsonb_build_object('output_schema_hash', r.output_schema_hash, 'confidence_schema_hash', r.confidence_schema_hash,
                            'recorded_at', ledger_internal.rfc3339(r.recorded_at), 'recorded_by', r.recorded_by);
end
$$;
comment on function ledger_internal.tool_call_read(public.agent_tool_calls) is 'A tool call as callers read it.';
comment on function ledger_internal.decision_read(public.policy_decisions) is 'A decision as callers read it.';
comment on function ledger_internal.event_read(public.os_events) is 'An event as callers read it.';
comment on function ledger_internal.link_read(public.agent_lineage_links) is 'A link as callers read it.';
comment on function ledger_internal.definition_read(public.source_definitions) is 'A definition as callers read it.';

create function ledger_internal.late_of(tenant uuid, winner uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('outcome', l.outcome_envelope, 'received_at', ledger_internal.rfc3339(l.recorded_at), 'received_by', l.recorded_by) order by l.epoch, l.xid, l.seq)
      from public.late_outcomes l where l.tenant_id = tenant and l.winning_outcome_id = winner);
end
$$;
comment on function ledger_internal.late_of(uuid, uuid) is 'The envelopes that lost to an outcome, or null.';

create function ledger_internal.judged_members(outcome uuid, tenant uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return (select jsonb_build_object('judgment', j.judgment, 'verification', j.verification) from public.outcome_judgments j where j.outcome_id = outcome and j.tenant_id = tenant);
end
$$;
comment on function ledger_internal.judged_members(uuid, uuid) is 'What an outcome is judged to be, beside it wherever it is read: {judgment, verification}.';

create function ledger_internal.agent_outcome_read(o public.agent_invocation_outcomes) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return o.outcome_envelope || jsonb_build_object('invocation_id', o.invocation_id, 'execution_id', o.execution_id,
    'recorded_at', ledger_internal.rfc3339(o.recorded_at), 'recorded_by', o.recorded_by, 'origin', o.origin, 'completion_reason', o.completion_reason,
    'timing_drift_ms', o.timing_drift_ms, 'late', ledger_internal.late_of(o.tenant_id, o.outcome_id)) || ledger_internal.judged_members(o.outcome_id, o.tenant_id);
end
$$;

create function ledger_internal.workflow_outcome_read(o public.workflow_outcomes) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return o.outcome_envelope || jsonb_build_object('invocation_id', null, 'execution_id', o.execution_id,
    'recorded_at', ledger_internal.rfc3339(o.recorded_at), 'recorded_by', o.recorded_by, 'origin', o.origin, 'completion_reason', o.completion_reason,
    'timing_drift_ms', o.timing_drift_ms, 'late', ledger_internal.late_of(o.tenant_id, o.outcome_id)) || ledger_internal.judged_members(o.outcome_id, o.tenant_id);
end
$$;
comment on function ledger_internal.agent_outcome_read(public.agent_invocation_outcomes) is 'An outcome as callers read it: the envelope''s members, and what the ledger knows beside them.';
comment on function ledger_internal.workflow_outcome_read(public.workflow_outcomes) is 'An outcome as callers read it: the envelope''s members, and what the ledger knows beside them.';

-- What a start row says by itself; state and outcome are laid over it.
create function ledger_internal.invocation_start_read(i public.agent_invocations) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('invocation_id', i.invocation_id,
    'source', jsonb_build_object('type', 'agent', 'id', i.source_id, 'version', i.source_version, 'domain', i.domain),
    'governance_class', i.governance_class, 'correlation_id', i.correlation_id, 'causation_id', i.causation_id, 'execution_id', i.execution_id,
    'step_id', i.step_id, 'step_name', i.step_name, 'attempt', i.attempt, 'surfaces', i.surfaces, 'verify', i.verify, 'recovery_mode', i.recovery_mode,
    'deadline_at', ledger_internal.rfc3339(i.deadline_at), 'traceparent', i.traceparent, 'attributes', i.attributes, 'defined', i.defined,
    'started_at', ledger_internal.rfc3339(i.recorded_at), 'recorded_by', i.recorded_by,
    'state', 'running', 'heartbeat_at', null, 'outcome_id', null, 'outcome', null, 'late', null);
end
$$;
comment on function ledger_internal.invocation_start_read(public.agent_invocations) is 'An invocation as it reads at the moment of its start.';

create function ledger_internal.execution_start_read(e public.workflow_executions) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('execution_id', e.execution_id,
    'source', jsonb_build_object('type', 'workflow', 'id', e.source_id, 'version', e.source_version, 'domain', e.domain),
    'governance_class', e.governance_class, 'correlation_id', e.correlation_id, 'causation_id', e.causation_id, 'execution_pattern', e.execution_pattern,
    'parent_execution_id', e.parent_execution_id, 'resumed_from_execution_id', e.resumed_from_execution_id, 'verify', e.verify,
    'deadline_at', ledger_internal.rfc3339(e.deadline_at), 'traceparent', e.traceparent, 'attributes', e.attributes, 'defined', e.defined,
    'started_at', ledger_internal.rfc3339(e.recorded_at), 'recorded_by', e.recorded_by,
    'status', 'running', 'state', 'running', 'outcome_id', null, 'outcome', null, 'late', null);
end
$$;
comment on function ledger_internal.execution_start_read(public.workflow_executions) is 'An execution as it reads at the moment of its start.';

create function ledger_internal.invocation_read(i public.agent_invocations) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  work record;
  ended record;
begin
  select w.deadline_at, w.heartbeat_at into work from ledger_internal.open_work_of_tenant(subject => 'invocation', ids => array[i.invocation_id]) w;
  select o.outcome_id, o.outcome_envelope into ended from public.agent_invocation_outcomes o where o.invocation_id = i.invocation_id and o.tenant_id = i.tenant_id;
  return ledger_internal.invocation_start_read(i) || jsonb_build_object(
    'state', case when work.deadline_at is null then 'ended' else ledger_internal.open_state(work.deadline_at, work.heartbeat_at) end,
    'deadline_at', ledger_internal.rfc3339(coalesce(work.deadline_at, i.deadline_at)),
    'heartbeat_at', ledger_internal.rfc3339(work.heartbeat_at), 'outcome_id', ended.outcome_id, 'outcome', ended.outcome_envelope,
    'late', case when ended.outcome_id is not null then ledger_internal.late_of(i.tenant_id, ended.outcome_id) end);
end
$$;
comment on function ledger_internal.invocation_read(public.agent_invocations) is 'An invocation as callers read it, with its state and its outcome.';

create function ledger_internal.execution_read(e public.workflow_executions) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  work record;
  ended record;
begin
  select w.deadline_at, w.heartbeat_at into work from ledger_internal.open_work_of_tenant(subject => 'execution', ids => array[e.execution_id]) w;
  select o.outcome_id, o.outcome_envelope, o.status, o.completion_reason into ended from public.workflow_outcomes o where o.execution_id = e.execution_id and o.tenant_id = e.tenant_id;
  return ledger_internal.execution_start_read(e) || jsonb_build_object(
    -- Ended without an outcome: it was purged, and what it said is gone with it.
    'status', case when work.deadline_at is not null or ended.outcome_id is not null then ledger_internal.execution_status(ended.status, ended.completion_reason) end,
    'state', case when work.deadline_at is null then 'ended' else ledger_internal.open_state(work.deadline_at, work.heartbeat_at) end,
    'deadline_at', ledger_internal.rfc3339(coalesce(work.deadline_at, e.deadline_at)), 'outcome_id', ended.outcome_id, 'outcome', ended.outcome_envelope,
    'late', case when ended.outcome_id is not null then ledger_internal.late_of(e.tenant_id, ended.outcome_id) end);
end
$$;
comment on function ledger_internal.execution_read(public.workflow_executions) is 'An execution as callers read it, with its status and its outcome.';
