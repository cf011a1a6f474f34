// Each table of the history as one transaction's text. Rows of one execution stand together in the order of `seq`, as they
// would have been recorded.
const STAMP = '1, pg_current_xact_id(), history.at(h.n)';

/**
 * Statements that fill the tables with what `executions` executions of nine agents leave behind; ids before the outcomes
 * that bear them, which replica mode insists on.
 */
export function historyTables(executions: number): string[][] {
  const each = `generate_series(1, ${executions}) h (n)`;
  const agents = `(select n, k, n * 10 + k as m from ${each}, generate_series(1, 9) k) h`;
  const open = `(select m as k, m * ${executions / 2000} as n, 20000000 + m as m from generate_series(1, 2000) m) h`;
  const common = "'1.4.2', case when h.n % 100 = 0 then 'music' else 'art' end";
  const supervised = "case when h.n % 1000 = 0 then 'supervised' else 'autonomous' end";
  return [
    [
      `insert into public.outcome_ids (outcome_id, tenant_id, source_type) select history.id('agent-outcome', h.m), history.tenant(h.n), 'agent' from ${agents};
     insert into public.outcome_ids (outcome_id, tenant_id, source_type) select history.id('workflow-outcome', h.n), history.tenant(h.n), 'workflow' from ${each}`,
      `insert into public.agent_invocations (tenant_id, invocation_id, source_id, source_version, domain, governance_class, correlation_id, causation_id, execution_id,
       step_id, deadline_at, defined, request_digest, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('invocation', h.m), 'agent-' || h.k, ${common}, ${supervised}, 'corr-' || h.n, 'event-' || h.n,
       history.id('execution', h.n), 'step-' || h.k, history.at(h.n + 60), true, repeat('0', 64), h.n * 100 + 10 + h.k, ${STAMP}, 'agent-' || h.k from ${agents};
     insert into public.agent_invocations (tenant_id, invocation_id, source_id, source_version, domain, governance_class, correlation_id, causation_id,
       deadline_at, defined, request_digest, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('invocation', h.m), 'agent-1', ${common}, 'autonomous', 'open-' || h.k, 'event-' || h.n,
       now() + interval '1 day', true, repeat('0', 64), h.n * 100 + 60, ${STAMP}, 'agent-1' from ${open}`,
    ],
    [
      `insert into public.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, outcome_envelope, status, correlation_id, causation_id, source_id,
       source_version, domain, governance_class, execution_id, decision, started_at, completed_at, duration_ms, timing_drift_ms, verification_required, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('invocation', h.m), history.id('agent-outcome', h.m), '{"status": "success"}',
       case when h.m % 100 = 7 or h.n % 10000 = 0 then 'failure' else 'success' end, 'corr-' || h.n, 'event-' || h.n, 'agent-' || h.k, ${common}, ${supervised},
       history.id('execution', h.n), case when h.n % 10000 = 0 then null when h.n % 1000 = 0 then 'allow' end, history.at(h.n), history.at(h.n), 0, 0,
       h.k <= 4, h.n * 100 + 20 + h.k, ${STAMP}, 'agent-' || h.k from ${agents}`,
      `insert into public.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('agent-outcome', h.m)::text, 'emitted', 'os.outcome.succeeded', 'agent-' || h.k, history.id('agent-outcome', h.m),
       'corr-' || h.n, 'event-' || h.n, history.at(h.n), '{"status": "success"}', h.n * 100 + 30 + h.k, ${STAMP}, 'agent-' || h.k from ${agents};
     insert into public.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('workflow-outcome', h.n)::text, 'emitted', 'os.outcome.succeeded', 'workflow-1', history.id('workflow-outcome', h.n),
       'corr-' || h.n, 'event-' || h.n, history.at(h.n), '{"status": "success"}', h.n * 100 + 3, ${STAMP}, 'workflow-1' from ${each};
     insert into public.os_events (tenant_id, event_id, kind, type, source, correlation_id, occurred_at, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), 'event-' || h.n, 'received', 'shop.order.placed', 'shop', 'corr-' || h.n, history.at(h.n), h.n * 100, ${STAMP}, 'shop' from ${each}`,
      `insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('agent-outcome', h.m), 'agent', history.id('workflow-outcome', h.n), 'workflow', 'contributed-to',
       h.n * 100 + 40 + h.k, ${STAMP}, 'workflow-1' from ${agents};
     insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('workflow-outcome', h.n - 1), 'workflow', history.id('workflow-outcome', h.n), 'workflow', 'invoked',
       h.n * 100 + 50, ${STAMP}, 'workflow-1' from ${each} where h.n > 1 and history.tenant(h.n) = history.tenant(h.n - 1)`,
      `insert into public.workflow_outcomes (tenant_id, execution_id, outcome_id, outcome_envelope, status, correlation_id, causation_id, source_id,
       source_version, domain, governance_class, started_at, completed_at, duration_ms, timing_drift_ms, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('execution', h.n), history.id('workflow-outcome', h.n), '{"status": "success"}', 'success', 'corr-' || h.n,
       history.id('workflow-outcome', h.n - 1)::text, 'workflow-1', ${common}, 'autonomous', history.at(h.n), history.at(h.n), 0, 0, h.n * 100 + 2, ${STAMP}, 'workflow-1' from ${each}`,
      `insert into public.workflow_executions (tenant_id, execution_id, source_id, source_version, domain, governance_class, correlation_id, causation_id, execution_pattern,
       deadline_at, defined, request_digest, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('execution', h.n), 'workflow-1', ${common}, 'autonomous', 'corr-' || h.n, history.id('workflow-outcome', h.n - 1)::text,
       'sequential', history.at(h.n + 60), true, repeat('0', 64), h.n * 100 + 1, ${STAMP}, 'workflow-1' from ${each}`,
      `insert into public.policy_decisions (tenant_id, subject_type, invocation_id, decision, risk_score, requires_hitl, evaluated_at, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), 'invocation', history.id('invocation', h.m), 'allow', 0.1, false, '2026-01-01T00:00:00Z', h.n * 100 + 70 + h.k, ${STAMP}, 'guard'
       from ${agents} where h.n % 1000 = 0 and h.n % 10000 <> 0;
     insert into public.policy_decisions (tenant_id, subject_type, invocation_id, decision, risk_score, requires_hitl, evaluated_at, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), 'invocation', history.id('invocation', h.m), 'escalate', 0.9, true, '2026-01-01T00:00:00Z', h.n * 100 + 80, ${STAMP}, 'guard'
       from ${open} where h.k <= 200;
     insert into ledger_internal.open_work (tenant_id, subject_type, subject_id, source_id, domain, correlation_id, governance_class, execution_id, opened_at, deadline_at, heartbeat_at)
     select history.tenant(h.n), 'invocation', history.id('invocation', h.m), 'agent-1', 'art', 'open-' || h.k, case when h.k between 201 and 400 then 'restricted' else 'autonomous' end,
       case when h.k between 401 and 600 then history.id('execution', h.n) end, history.at(h.n),
       case when h.k between 601 and 800 then now() - interval '1 minute' else now() + interval '1 day' end,
       case when h.k between 801 and 1000 then now() - interval '1 hour' end from ${open};
     insert into ledger_internal.unresolved_causes (tenant_id, causation_id, subject_type, subject_id, since)
     select history.tenant(h.n), 'nothing-' || h.k, 'invocation', history.id('invocation', h.m), history.at(h.n) from ${open} where h.k between 1001 and 1200;
     insert into public.outcome_verifications (tenant_id, verification_id, outcome_id, source_type, source_id, verification, standing_verification, command, verification_required, request_digest, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('verification', h.m), history.id('agent-outcome', h.m), 'agent', 'agent-' || h.k,
       v.word, v.word, 'npm test', true, repeat('0', 64), h.n * 100 + 84 + h.k, ${STAMP}, 'verifier'
       from ${agents} cross join lateral (select case when h.n % 20 = 0 then 'failed' when h.n % 50 = 1 then 'timed_out' else 'passed' end as word) v where h.k <= 3;
     insert into public.delivery_assessments (tenant_id, assessment_id, outcome_id, source_type, source_id, assessment, reason, request_digest, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('assessment', h.m), history.id('agent-outcome', h.m), 'agent', 'agent-5', 'hollow', 'nothing', repeat('0', 64), h.n * 100 + 90, ${STAMP}, 'verifier'
       from ${agents} where h.k = 5 and h.n % 100 = 3;
     insert into public.outcome_integrations (tenant_id, outcome_id, source_type, source_id, reference, request_digest, seq, epoch, xid, recorded_at, recorded_by)
     select history.tenant(h.n), history.id('agent-outcome', h.m), 'agent', 'agent-1', 'abc', repeat('0', 64), h.n * 100 + 91, ${STAMP}, 'hanna' from ${agents} where h.k = 1 and h.n % 10 = 7;
     insert into ledger_internal.undefined_sources (tenant_id, source_type, source_id, version, since)
     select history.tenant(h.n), 'agent', 'unknown-' || h.k, '1.0.0', history.at(h.n) from ${open} where h.k between 1201 and 1400`,
    ],
  ];
}
