-- Chapter: who may call what. The platform grants EXECUTE on new functions in public to anon and authenticated by name,
-- and Postgres to everyone, so all of it is taken back before anything is given.

do $$
declare
  ours regprocedure;
  about record;
begin
  for ours in
    select p.oid from pg_catalog.pg_proc p
     where (p.pronamespace = 'ledger_internal'::regnamespace
        or (p.pronamespace = 'public'::regnamespace and p.proname in (
             'start_invocation', 'start_invocations', 'start_execution', 'start_executions', 'record_tool_call', 'record_tool_calls', 'heartbeat', 'heartbeats',
             'record_agent_outcome', 'record_workflow_outcome', 'record_outcomes', 'record_policy_decision', 'record_policy_decisions', 'register_event', 'register_events',
             'declare_link', 'declare_links', 'put_source_definition', 'put_source_definitions', 'get_invocation', 'get_execution', 'get_outcome', 'get_event',
             'get_source_definition', 'list_invocations', 'list_executions', 'list_outcomes', 'list_events', 'lineage_why', 'lineage_impact', 'lineage_correlation',
             'lineage_path', 'lineage_governed', 'lineage_root_causes', 'lineage_broken_impact', 'lineage_gaps', 'lineage_document', 'lineage_correlation_document', 'lineage_gaps_document', 'feed', 'feed_lag', 'ledger_health',
             'put_policy_set', 'get_policy_set', 'list_policy_sets', 'policy_subject', 'record_evaluation', 'open_hitl_request', 'resolve_hitl_request', 'get_hitl_request',
             'list_hitl_requests', 'cancel_invocation', 'cancel_execution', 'sweep_overdue', 'register_webhook', 'rotate_webhook', 'enable_webhook', 'disable_webhook',
             'get_webhook', 'list_webhooks', 'list_webhook_dead_letters', 'redeliver_webhook',
             'conclude_invocation', 'get_artifact', 'begin_conclusion', 'list_inputs', 'failure_rates',
             'record_verification', 'assess_delivery', 'record_integration', 'record_lifecycle', 'pass_gate', 'get_judgment', 'list_judgments', 'judgment_statistics')))
       and p.proowner <> 'ledger_retention'::regrole
  loop
    execute format('revoke all on function %s from public, anon, authenticated, service_role', ours);
    select p.pronamespace = 'public'::regnamespace as exposed, p.proname, p.prosecdef, p.prorettype = 'trigger'::regtype as is_trigger
      into about from pg_catalog.pg_proc p where p.oid = ours;
    if about.exposed and about.proname not in ('feed', 'feed_lag', 'sweep_overdue') then
      execute format('grant execute on function %s to authenticated', ours);
    elsif not about.exposed and not about.prosecdef and not about.is_trigger then
      -- Runs with its caller's rights, so it holds no power of its own.
      execute format('grant execute on function %s to authenticated, service_role, ledger_gateway, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal, ledger_retention', ours);
    end if;
  end loop;
end
$$;

-- Helpers that run with their owner's rights are given one by one. None takes a tenant from its caller's word: the tenant
-- is the token's, or that of the auditor's login.
grant execute on function ledger_internal.caller() to authenticated, ledger_auditor, service_role;
grant execute on function
  ledger_internal.open_work_of_tenant(text, text, uuid[]), ledger_internal.beat(uuid), ledger_internal.subject_of_token(text, uuid), ledger_internal.record_ordinary(uuid[], jsonb[], uuid[]),
  ledger_internal.new_sources(text, jsonb), ledger_internal.open_requests_of_tenant(), ledger_internal.cancel(text, uuid, text),
  ledger_internal.announce_gate(uuid, jsonb)
to authenticated;
grant execute on function
  ledger_internal.keep_webhook(jsonb, text), ledger_internal.rotate_webhook_secret(uuid, jsonb, text), ledger_internal.switch_webhook(uuid, boolean),
  ledger_internal.webhook_of_token(uuid), ledger_internal.webhooks_of_token(jsonb), ledger_internal.dead_letters_of_token(uuid, jsonb),
  ledger_internal.put_back_dead_letters(uuid, jsonb)
to authenticated;
grant execute on function ledger_internal.gaps_of_token(text, integer) to authenticated;
grant execute on function ledger_internal.gaps_of_auditor(text, integer), ledger_internal.audited_tenants() to ledger_auditor;
grant execute on function ledger_internal.open_subjects(text, uuid) to authenticated, service_role, ledger_auditor;
grant execute on function ledger_internal.feed_holders(), ledger_internal.latest_epoch(), ledger_internal.epoch_settled(), ledger_internal.ledger_id()
  to authenticated, service_role, ledger_gateway, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;
grant execute on function
  ledger_internal.relay_take(uuid, integer, integer, integer, integer), ledger_internal.relay_settle(uuid, uuid, uuid, jsonb, bigint, integer, boolean),
  ledger_internal.relay_status(), ledger_internal.trace_take(text, uuid, integer, integer), ledger_internal.trace_settle(text, uuid, jsonb, integer, boolean)
to ledger_relay;
grant execute on function ledger_internal.current_epoch() to ledger_retention;
grant execute on function ledger_internal.sweep(integer), public.sweep_overdue(integer) to ledger_sweep;
grant select on ledger_internal.outcomes to authenticated, service_role, ledger_auditor, ledger_sync, ledger_sweep, ledger_relay, ledger_seal;

-- Auditors ask in SQL what tokens ask over HTTP; the workers read the feed.
grant execute on function public.lineage_why(uuid, integer), public.lineage_impact(uuid, integer), public.lineage_correlation(text), public.lineage_gaps(text, integer),
  public.lineage_path(uuid, uuid, integer), public.lineage_governed(uuid), public.lineage_root_causes(timestamptz, timestamptz, integer),
  public.lineage_broken_impact(timestamptz, timestamptz, integer)
to ledger_auditor;
grant execute on function public.feed(integer, text, bigint, integer, text[], uuid, text, boolean), public.feed_lag(integer, text, bigint, text[], uuid) to ledger_sync, ledger_relay, ledger_seal;
grant execute on function public.ledger_health() to ledger_gateway, ledger_sync, ledger_sweep, ledger_relay, ledger_seal, ledger_auditor, service_role;
