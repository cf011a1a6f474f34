-- Chapter: who may read and write which rows. GENERATED from src/contract/roles.ts by `npm run generate`; do not edit.
--
-- Claims are read once a statement and not once a row: inside (select …), or, of an insert, as the one row of a function
-- scan that the statement keeps.

create or replace function ledger_internal.may_write(ledger_table text, ledger_role text, actor text, source_id text, started_by text) returns boolean
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(case jsonb '{
    "source_definitions": {"operator":"any"},
    "workflow_executions": {"worker":"any","orchestrator":"any"},
    "agent_invocations": {"agent":"own_source","worker":"own_subject","orchestrator":"any","policy_guard":"own_source"},
    "agent_tool_calls": {"agent":"own_source","worker":"own_subject","orchestrator":"any","policy_guard":"own_source"},
    "agent_invocation_outcomes": {"agent":"own_source","worker":"own_subject","orchestrator":"any","policy_guard":"own_source"},
    "workflow_outcomes": {"worker":"own_subject","orchestrator":"any"},
    "late_outcomes": {"agent":"own_source","worker":"own_subject","orchestrator":"any","policy_guard":"own_source"},
    "policy_decisions": {"policy_guard":"others_source"},
    "policy_sets": {"policy_guard":"any"},
    "hitl_requests": {"orchestrator":"any"},
    "hitl_resolutions": {"operator":"others_source"},
    "phase_reports": {"worker":"own_subject_of_others","orchestrator":"others_source"},
    "artifacts": {"worker":"own_subject_of_others","orchestrator":"others_source"},
    "outcome_verifications": {"worker":"others_source","orchestrator":"others_source"},
    "delivery_assessments": {"worker":"others_source","orchestrator":"others_source"},
    "outcome_integrations": {"operator":"others_source"},
    "lifecycle_events": {"worker":"own_subject_of_others","orchestrator":"others_source"},
    "os_events": {"agent":"own_source","worker":"own_subject","orchestrator":"any","policy_guard":"own_source"},
    "agent_lineage_links": {"orchestrator":"any"}
  }' -> ledger_table ->> ledger_role
    when 'any' then true
    when 'own_source' then source_id = actor
    when 'own_subject' then started_by = actor
    when 'others_source' then source_id <> actor
    when 'own_subject_of_others' then started_by = actor and source_id <> actor
  end, false);
end
$$;
comment on function ledger_internal.may_write(text, text, text, text, text) is 'The role matrix: may this role and actor write to this table about a subject of this source, started by this actor.';
revoke all on function ledger_internal.may_write(text, text, text, text, text) from public;

-- source_definitions
create policy "tokens read source_definitions of their tenant" on public.source_definitions for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read source_definitions of the tenants they audit" on public.source_definitions for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read source_definitions" on public.source_definitions for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.source_definitions to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read source_definitions" on public.source_definitions for select to current_user
  using (true);
create policy "the ledger's own triggers write source_definitions" on public.source_definitions for insert to current_user
  with check (true);

create policy "tokens write source_definitions by the role matrix" on public.source_definitions for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = source_definitions.tenant_id
       and case c.ledger_role
      when 'operator' then true
      else false
    end));
grant insert (tenant_id, source_type, source_id, version, domain, governance_class, verify, output_schema, confidence_schema, execution_pattern, default_deadline_ms) on public.source_definitions to authenticated;

-- workflow_executions
create policy "tokens read workflow_executions of their tenant" on public.workflow_executions for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read workflow_executions of the tenants they audit" on public.workflow_executions for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read workflow_executions" on public.workflow_executions for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.workflow_executions to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read workflow_executions" on public.workflow_executions for select to current_user
  using (true);
create policy "the ledger's own triggers write workflow_executions" on public.workflow_executions for insert to current_user
  with check (true);

create policy "tokens write workflow_executions by the role matrix" on public.workflow_executions for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = workflow_executions.tenant_id
       and case c.ledger_role
      when 'worker' then true
      when 'orchestrator' then true
      else false
    end));
grant insert (tenant_id, execution_id, source_id, source_version, domain, governance_class, correlation_id, causation_id, execution_pattern, parent_execution_id, resumed_from_execution_id, verify, deadline_at, traceparent, attributes) on public.workflow_executions to authenticated;

-- agent_invocations
create policy "tokens read agent_invocations of their tenant" on public.agent_invocations for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read agent_invocations of the tenants they audit" on public.agent_invocations for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read agent_invocations" on public.agent_invocations for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.agent_invocations to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read agent_invocations" on public.agent_invocations for select to current_user
  using (true);
create policy "the ledger's own triggers write agent_invocations" on public.agent_invocations for insert to current_user
  with check (true);

create policy "tokens write agent_invocations by the role matrix" on public.agent_invocations for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = agent_invocations.tenant_id
       and case c.ledger_role
      when 'agent' then agent_invocations.source_id = c.actor_id
      when 'worker' then exists (select from public.workflow_executions s where s.tenant_id = agent_invocations.tenant_id and s.execution_id = agent_invocations.execution_id and s.recorded_by = c.actor_id)
      when 'orchestrator' then true
      when 'policy_guard' then agent_invocations.source_id = c.actor_id
      else false
    end));
grant insert (tenant_id, invocation_id, source_id, source_version, domain, governance_class, correlation_id, causation_id, execution_id, step_id, step_name, attempt, surfaces, verify, recovery_mode, deadline_at, traceparent, attributes) on public.agent_invocations to authenticated;

-- agent_tool_calls
create policy "tokens read agent_tool_calls of their tenant" on public.agent_tool_calls for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read agent_tool_calls of the tenants they audit" on public.agent_tool_calls for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read agent_tool_calls" on public.agent_tool_calls for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.agent_tool_calls to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read agent_tool_calls" on public.agent_tool_calls for select to current_user
  using (true);
create policy "the ledger's own triggers write agent_tool_calls" on public.agent_tool_calls for insert to current_user
  with check (true);

create policy "tokens write agent_tool_calls by the role matrix" on public.agent_tool_calls for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = agent_tool_calls.tenant_id
       and case c.ledger_role
      when 'agent' then agent_tool_calls.source_id = c.actor_id
      when 'worker' then exists (select from public.agent_invocations s where s.tenant_id = agent_tool_calls.tenant_id and s.invocation_id = agent_tool_calls.invocation_id and s.recorded_by = c.actor_id)
      when 'orchestrator' then true
      when 'policy_guard' then agent_tool_calls.source_id = c.actor_id
      else false
    end));
grant insert (tenant_id, invocation_id, tool_call_id, tool_name, status, input, output, error, timing) on public.agent_tool_calls to authenticated;

create policy "retention reads agent_tool_calls" on public.agent_tool_calls for select to ledger_retention
  using (true);
create policy "retention deletes from agent_tool_calls" on public.agent_tool_calls for delete to ledger_retention
  using (true);
grant select, delete on public.agent_tool_calls to ledger_retention;

-- agent_invocation_outcomes
create policy "tokens read agent_invocation_outcomes of their tenant" on public.agent_invocation_outcomes for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read agent_invocation_outcomes of the tenants they audit" on public.agent_invocation_outcomes for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read agent_invocation_outcomes" on public.agent_invocation_outcomes for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.agent_invocation_outcomes to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read agent_invocation_outcomes" on public.agent_invocation_outcomes for select to current_user
  using (true);
create policy "the ledger's own triggers write agent_invocation_outcomes" on public.agent_invocation_outcomes for insert to current_user
  with check (true);

create policy "tokens write agent_invocation_outcomes by the role matrix" on public.agent_invocation_outcomes for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = agent_invocation_outcomes.tenant_id
       and case c.ledger_role
      when 'agent' then agent_invocation_outcomes.source_id = c.actor_id
      when 'worker' then exists (select from public.agent_invocations s where s.tenant_id = agent_invocation_outcomes.tenant_id and s.invocation_id = agent_invocation_outcomes.invocation_id and s.recorded_by = c.actor_id)
      when 'orchestrator' then true
      when 'policy_guard' then agent_invocation_outcomes.source_id = c.actor_id
      else false
    end));
grant insert (tenant_id, invocation_id, outcome_envelope, result_schema_hash, confidence_schema_hash) on public.agent_invocation_outcomes to authenticated;

create policy "retention reads agent_invocation_outcomes" on public.agent_invocation_outcomes for select to ledger_retention
  using (true);
create policy "retention deletes from agent_invocation_outcomes" on public.agent_invocation_outcomes for delete to ledger_retention
  using (true);
grant select, delete on public.agent_invocation_outcomes to ledger_retention;

-- workflow_outcomes
create policy "tokens read workflow_outcomes of their tenant" on public.workflow_outcomes for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read workflow_outcomes of the tenants they audit" on public.workflow_outcomes for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read workflow_outcomes" on public.workflow_outcomes for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.workflow_outcomes to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read workflow_outcomes" on public.workflow_outcomes for select to current_user
  using (true);
create policy "the ledger's own triggers write workflow_outcomes" on public.workflow_outcomes for insert to current_user
  with check (true);

create policy "tokens write workflow_outcomes by the role matrix" on public.workflow_outcomes for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = workflow_outcomes.tenant_id
       and case c.ledger_role
      when 'worker' then exists (select from public.workflow_executions s where s.tenant_id = workflow_outcomes.tenant_id and s.execution_id = workflow_outcomes.execution_id and s.recorded_by = c.actor_id)
      when 'orchestrator' then true
      else false
    end));
grant insert (tenant_id, execution_id, outcome_envelope, result_schema_hash, confidence_schema_hash) on public.workflow_outcomes to authenticated;

create policy "retention reads workflow_outcomes" on public.workflow_outcomes for select to ledger_retention
  using (true);
create policy "retention deletes from workflow_outcomes" on public.workflow_outcomes for delete to ledger_retention
  using (true);
grant select, delete on public.workflow_outcomes to ledger_retention;

-- late_outcomes
create policy "tokens read late_outcomes of their tenant" on public.late_outcomes for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read late_outcomes of the tenants they audit" on public.late_outcomes for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read late_outcomes" on public.late_outcomes for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.late_outcomes to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read late_outcomes" on public.late_outcomes for select to current_user
  using (true);
create policy "the ledger's own triggers write late_outcomes" on public.late_outcomes for insert to current_user
  with check (true);

create policy "tokens write late_outcomes by the role matrix" on public.late_outcomes for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = late_outcomes.tenant_id
       and case c.ledger_role
      when 'agent' then late_outcomes.source_id = c.actor_id
      when 'worker' then (exists (select from public.agent_invocations s where s.tenant_id = late_outcomes.tenant_id and s.invocation_id = late_outcomes.invocation_id and s.recorded_by = c.actor_id) or exists (select from public.workflow_executions s where s.tenant_id = late_outcomes.tenant_id and s.execution_id = late_outcomes.execution_id and s.recorded_by = c.actor_id))
      when 'orchestrator' then true
      when 'policy_guard' then late_outcomes.source_id = c.actor_id
      else false
    end));
grant insert (tenant_id, invocation_id, execution_id, outcome_envelope) on public.late_outcomes to authenticated;

create policy "retention reads late_outcomes" on public.late_outcomes for select to ledger_retention
  using (true);
create policy "retention deletes from late_outcomes" on public.late_outcomes for delete to ledger_retention
  using (true);
grant select, delete on public.late_outcomes to ledger_retention;

-- policy_decisions
create policy "tokens read policy_decisions of their tenant" on public.policy_decisions for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read policy_decisions of the tenants they audit" on public.policy_decisions for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read policy_decisions" on public.policy_decisions for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.policy_decisions to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read policy_decisions" on public.policy_decisions for select to current_user
  using (true);
create policy "the ledger's own triggers write policy_decisions" on public.policy_decisions for insert to current_user
  with check (true);

create policy "tokens write policy_decisions by the role matrix" on public.policy_decisions for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = policy_decisions.tenant_id
       and case c.ledger_role
      when 'policy_guard' then true
      else false
    end));
grant insert (tenant_id, invocation_id, execution_id, decision, policy_rule_triggered, risk_score, requires_hitl, evaluated_at, guard_invocation_id, evaluation) on public.policy_decisions to authenticated;

-- policy_sets
create policy "tokens read policy_sets of their tenant" on public.policy_sets for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read policy_sets of the tenants they audit" on public.policy_sets for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read policy_sets" on public.policy_sets for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.policy_sets to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read policy_sets" on public.policy_sets for select to current_user
  using (true);
create policy "the ledger's own triggers write policy_sets" on public.policy_sets for insert to current_user
  with check (true);

create policy "tokens write policy_sets by the role matrix" on public.policy_sets for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = policy_sets.tenant_id
       and case c.ledger_role
      when 'policy_guard' then true
      else false
    end));
grant insert (tenant_id, version, policies, schema, mask, note, checked_hash) on public.policy_sets to authenticated;

-- hitl_requests
create policy "tokens read hitl_requests of their tenant" on public.hitl_requests for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read hitl_requests of the tenants they audit" on public.hitl_requests for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read hitl_requests" on public.hitl_requests for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.hitl_requests to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read hitl_requests" on public.hitl_requests for select to current_user
  using (true);
create policy "the ledger's own triggers write hitl_requests" on public.hitl_requests for insert to current_user
  with check (true);

create policy "tokens write hitl_requests by the role matrix" on public.hitl_requests for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = hitl_requests.tenant_id
       and case c.ledger_role
      when 'orchestrator' then true
      else false
    end));
grant insert (tenant_id, hitl_request_id, invocation_id, execution_id, outcome_id, reason, expires_at) on public.hitl_requests to authenticated;

-- hitl_resolutions
create policy "tokens read hitl_resolutions of their tenant" on public.hitl_resolutions for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read hitl_resolutions of the tenants they audit" on public.hitl_resolutions for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read hitl_resolutions" on public.hitl_resolutions for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.hitl_resolutions to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read hitl_resolutions" on public.hitl_resolutions for select to current_user
  using (true);
create policy "the ledger's own triggers write hitl_resolutions" on public.hitl_resolutions for insert to current_user
  with check (true);

create policy "tokens write hitl_resolutions by the role matrix" on public.hitl_resolutions for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = hitl_resolutions.tenant_id
       and case c.ledger_role
      when 'operator' then true
      else false
    end));
grant insert (tenant_id, hitl_request_id, resolution, reason) on public.hitl_resolutions to authenticated;

-- phase_reports
create policy "tokens read phase_reports of their tenant" on public.phase_reports for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read phase_reports of the tenants they audit" on public.phase_reports for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read phase_reports" on public.phase_reports for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.phase_reports to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read phase_reports" on public.phase_reports for select to current_user
  using (true);
create policy "the ledger's own triggers write phase_reports" on public.phase_reports for insert to current_user
  with check (true);

create policy "tokens write phase_reports by the role matrix" on public.phase_reports for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = phase_reports.tenant_id
       and case c.ledger_role
      when 'worker' then exists (select from public.agent_invocations s where s.tenant_id = phase_reports.tenant_id and s.invocation_id = phase_reports.invocation_id and s.recorded_by = c.actor_id) and phase_reports.source_id <> c.actor_id
      when 'orchestrator' then phase_reports.source_id <> c.actor_id
      else false
    end));
grant insert (tenant_id, invocation_id, report_state, claims, claims_total, stands, warnings, observation, phase_status, failure_classification, reported_failure_reason, reported_side_effects, deliverable_recovered, error, conclusion_digest) on public.phase_reports to authenticated;

-- artifacts
create policy "tokens read artifacts of their tenant" on public.artifacts for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read artifacts of the tenants they audit" on public.artifacts for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read artifacts" on public.artifacts for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.artifacts to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read artifacts" on public.artifacts for select to current_user
  using (true);
create policy "the ledger's own triggers write artifacts" on public.artifacts for insert to current_user
  with check (true);

create policy "tokens write artifacts by the role matrix" on public.artifacts for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = artifacts.tenant_id
       and case c.ledger_role
      when 'worker' then exists (select from public.agent_invocations s where s.tenant_id = artifacts.tenant_id and s.invocation_id = artifacts.invocation_id and s.recorded_by = c.actor_id) and artifacts.source_id <> c.actor_id
      when 'orchestrator' then artifacts.source_id <> c.actor_id
      else false
    end));
grant insert (tenant_id, artifact_id, invocation_id, path, title, type, content, content_bytes, object_key, size_bytes, sha256, recovered, is_primary) on public.artifacts to authenticated;

create policy "retention reads artifacts" on public.artifacts for select to ledger_retention
  using (true);
create policy "retention deletes from artifacts" on public.artifacts for delete to ledger_retention
  using (true);
grant select, delete on public.artifacts to ledger_retention;

-- outcome_verifications
create policy "tokens read outcome_verifications of their tenant" on public.outcome_verifications for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read outcome_verifications of the tenants they audit" on public.outcome_verifications for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read outcome_verifications" on public.outcome_verifications for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.outcome_verifications to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read outcome_verifications" on public.outcome_verifications for select to current_user
  using (true);
create policy "the ledger's own triggers write outcome_verifications" on public.outcome_verifications for insert to current_user
  with check (true);

create policy "tokens write outcome_verifications by the role matrix" on public.outcome_verifications for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = outcome_verifications.tenant_id
       and case c.ledger_role
      when 'worker' then outcome_verifications.source_id <> c.actor_id
      when 'orchestrator' then outcome_verifications.source_id <> c.actor_id
      else false
    end));
grant insert (tenant_id, verification_id, outcome_id, verification, started, timed_out, system_fault, signal, exit_code, command, duration_ms, output_sha256, output_bytes, output_excerpt, resolved_verify) on public.outcome_verifications to authenticated;

-- delivery_assessments
create policy "tokens read delivery_assessments of their tenant" on public.delivery_assessments for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read delivery_assessments of the tenants they audit" on public.delivery_assessments for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read delivery_assessments" on public.delivery_assessments for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.delivery_assessments to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read delivery_assessments" on public.delivery_assessments for select to current_user
  using (true);
create policy "the ledger's own triggers write delivery_assessments" on public.delivery_assessments for insert to current_user
  with check (true);

create policy "tokens write delivery_assessments by the role matrix" on public.delivery_assessments for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = delivery_assessments.tenant_id
       and case c.ledger_role
      when 'worker' then delivery_assessments.source_id <> c.actor_id
      when 'orchestrator' then delivery_assessments.source_id <> c.actor_id
      else false
    end));
grant insert (tenant_id, assessment_id, outcome_id, assessment, reason) on public.delivery_assessments to authenticated;

-- outcome_integrations
create policy "tokens read outcome_integrations of their tenant" on public.outcome_integrations for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read outcome_integrations of the tenants they audit" on public.outcome_integrations for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read outcome_integrations" on public.outcome_integrations for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.outcome_integrations to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read outcome_integrations" on public.outcome_integrations for select to current_user
  using (true);
create policy "the ledger's own triggers write outcome_integrations" on public.outcome_integrations for insert to current_user
  with check (true);

create policy "tokens write outcome_integrations by the role matrix" on public.outcome_integrations for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = outcome_integrations.tenant_id
       and case c.ledger_role
      when 'operator' then outcome_integrations.source_id <> c.actor_id
      else false
    end));
grant insert (tenant_id, outcome_id, reference, gate_flag, gate_reason) on public.outcome_integrations to authenticated;

-- lifecycle_events
create policy "tokens read lifecycle_events of their tenant" on public.lifecycle_events for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read lifecycle_events of the tenants they audit" on public.lifecycle_events for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read lifecycle_events" on public.lifecycle_events for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.lifecycle_events to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read lifecycle_events" on public.lifecycle_events for select to current_user
  using (true);
create policy "the ledger's own triggers write lifecycle_events" on public.lifecycle_events for insert to current_user
  with check (true);

create policy "tokens write lifecycle_events by the role matrix" on public.lifecycle_events for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = lifecycle_events.tenant_id
       and case c.ledger_role
      when 'worker' then (exists (select from public.agent_invocations s where s.tenant_id = lifecycle_events.tenant_id and s.invocation_id = lifecycle_events.invocation_id and s.recorded_by = c.actor_id) or exists (select from public.workflow_executions s where s.tenant_id = lifecycle_events.tenant_id and s.execution_id = lifecycle_events.execution_id and s.recorded_by = c.actor_id)) and lifecycle_events.source_id <> c.actor_id
      when 'orchestrator' then lifecycle_events.source_id <> c.actor_id
      else false
    end));
grant insert (tenant_id, lifecycle_event_id, invocation_id, execution_id, lifecycle, reason) on public.lifecycle_events to authenticated;

-- os_events
create policy "tokens read os_events of their tenant" on public.os_events for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read os_events of the tenants they audit" on public.os_events for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read os_events" on public.os_events for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.os_events to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read os_events" on public.os_events for select to current_user
  using (true);
create policy "the ledger's own triggers write os_events" on public.os_events for insert to current_user
  with check (true);

create policy "tokens write os_events by the role matrix" on public.os_events for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = os_events.tenant_id
       and case c.ledger_role
      when 'agent' then (os_events.invocation_id is null or os_events.source = c.actor_id)
      when 'worker' then (os_events.invocation_id is null or exists (select from public.agent_invocations s where s.tenant_id = os_events.tenant_id and s.invocation_id = os_events.invocation_id and s.recorded_by = c.actor_id))
      when 'orchestrator' then true
      when 'policy_guard' then (os_events.invocation_id is null or os_events.source = c.actor_id)
      else false
    end));
grant insert (tenant_id, event_id, type, source, invocation_id, correlation_id, occurred_at, data) on public.os_events to authenticated;

create policy "retention reads os_events" on public.os_events for select to ledger_retention
  using (true);
create policy "retention deletes from os_events" on public.os_events for delete to ledger_retention
  using (true);
grant select, delete on public.os_events to ledger_retention;

-- agent_lineage_links
create policy "tokens read agent_lineage_links of their tenant" on public.agent_lineage_links for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read agent_lineage_links of the tenants they audit" on public.agent_lineage_links for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read agent_lineage_links" on public.agent_lineage_links for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.agent_lineage_links to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read agent_lineage_links" on public.agent_lineage_links for select to current_user
  using (true);
create policy "the ledger's own triggers write agent_lineage_links" on public.agent_lineage_links for insert to current_user
  with check (true);

create policy "tokens write agent_lineage_links by the role matrix" on public.agent_lineage_links for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = agent_lineage_links.tenant_id
       and case c.ledger_role
      when 'orchestrator' then true
      else false
    end));
grant insert (tenant_id, source_outcome_id, target_outcome_id, relation) on public.agent_lineage_links to authenticated;

create policy "retention reads agent_lineage_links" on public.agent_lineage_links for select to ledger_retention
  using (true);
create policy "retention deletes from agent_lineage_links" on public.agent_lineage_links for delete to ledger_retention
  using (true);
grant select, delete on public.agent_lineage_links to ledger_retention;

-- outcome_ids
create policy "tokens read outcome_ids of their tenant" on public.outcome_ids for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read outcome_ids of the tenants they audit" on public.outcome_ids for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read outcome_ids" on public.outcome_ids for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.outcome_ids to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read outcome_ids" on public.outcome_ids for select to current_user
  using (true);
create policy "the ledger's own triggers write outcome_ids" on public.outcome_ids for insert to current_user
  with check (true);

-- tombstones
create policy "tokens read tombstones of their tenant" on public.tombstones for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read tombstones of the tenants they audit" on public.tombstones for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read tombstones" on public.tombstones for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.tombstones to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

create policy "the ledger's own triggers read tombstones" on public.tombstones for select to current_user
  using (true);
create policy "the ledger's own triggers write tombstones" on public.tombstones for insert to current_user
  with check (true);

-- tenants: a token reads its own row
create policy "tokens read their own tenant" on public.tenants for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read the tenants they audit" on public.tenants for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read tenants" on public.tenants for select to ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
grant select on public.tenants to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

-- epochs and retention policies hold nothing of a tenant's
create policy "everyone who reads the feed reads epochs" on public.epochs for select to ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal
  using (true);
create policy "tokens of a tenant read epochs" on public.epochs for select to authenticated
  using ((select c.tenant_id from ledger_internal.caller() c) is not null);
grant select on public.epochs to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;
create policy "tokens read their tenant's retention policies" on public.retention_policies for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read retention policies of the tenants they audit" on public.retention_policies for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
grant select on public.retention_policies to authenticated, service_role, ledger_auditor;

create policy "retention leaves tombstones" on public.tombstones for insert to ledger_retention
  with check (policy_id is not null);
