-- Chapter: policy decisions. One binding decision per subject, never changed, refused after the subject's outcome.

create table public.policy_decisions (
  tenant_id             uuid        not null,
  decision_id           uuid        not null default gen_random_uuid() primary key,
  subject_type          text        not null,
  invocation_id         uuid,
  execution_id          uuid,
  decision              text        not null,
  policy_rule_triggered text,
  risk_score            numeric     not null,
  requires_hitl         boolean     not null,
  evaluated_at          text        not null,
  guard_invocation_id   uuid,
  evaluation            jsonb,
  seq                   bigint      not null,
  epoch                 integer     not null,
  xid                   xid8        not null,
  recorded_at           timestamptz not null,
  recorded_by           text        not null,
  check (num_nonnulls(invocation_id, execution_id) = 1),
  unique (invocation_id, tenant_id),
  unique (execution_id, tenant_id),
  foreign key (invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id),
  foreign key (execution_id, tenant_id) references public.workflow_executions (execution_id, tenant_id),
  foreign key (guard_invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id)
);
create index policy_decisions_guard on public.policy_decisions (guard_invocation_id, tenant_id);
create index policy_decisions_unguarded on public.policy_decisions (tenant_id, recorded_at) where guard_invocation_id is null;
create unique index policy_decisions_feed on public.policy_decisions (epoch, xid, seq);
select ledger_internal.make_append_only('public.policy_decisions');
select ledger_internal.describe_common_columns('public.policy_decisions');
comment on table public.policy_decisions is 'The Policy Guard''s binding decision about one invocation or execution.';
comment on column public.policy_decisions.decision_id is 'Minted here.';
comment on column public.policy_decisions.subject_type is 'invocation or execution.';
comment on column public.policy_decisions.invocation_id is 'The invocation it is about, or null.';
comment on column public.policy_decisions.execution_id is 'The execution it is about, or null.';
comment on column public.policy_decisions.decision is 'allow, block or escalate.';
comment on column public.policy_decisions.policy_rule_triggered is 'The rule that drove it, or null.';
comment on column public.policy_decisions.risk_score is '0 to 1.';
comment on column public.policy_decisions.requires_hitl is 'Whether a human must confirm.';
comment on column public.policy_decisions.evaluated_at is 'When the guard evaluated, RFC 3339 as sent.';
comment on column public.policy_decisions.guard_invocation_id is 'The guard''s own invocation; its outcome governs the subject''s.';
comment on column public.policy_decisions.evaluation is 'Of the ledger''s own guard: policy_set_version, policy_ids that decided, the input with masked fields, errors, latency_us; null for an external guard.';

create function ledger_internal.decision_document(r public.policy_decisions) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('invocation_id', r.invocation_id, 'execution_id', r.execution_id, 'decision', r.decision,
    'policy_rule_triggered', r.policy_rule_triggered, 'risk_score', r.risk_score, 'requires_hitl', r.requires_hitl,
    'evaluated_at', r.evaluated_at, 'guard_invocation_id', r.guard_invocation_id, 'evaluation', r.evaluation);
end
$$;
comment on function ledger_internal.decision_document(public.policy_decisions) is 'A decision as the document its guard sent.';

create function ledger_internal.accept_decision() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  guard ledger_internal.subject;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null or new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('not_permitted');
  end if;
  perform ledger_internal.require_read_committed();
  document := ledger_internal.decision_document(new);
  if not ledger_internal.policy_decision_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.policy_decision_violations(document));
  end if;
  new.subject_type := case when new.invocation_id is not null then 'invocation' else 'execution' end;
  subject := ledger_internal.require_subject(caller.tenant_id, new.subject_type, coalesce(new.invocation_id, new.execution_id));
  perform ledger_internal.require_may_write('policy_decisions', caller.ledger_role, caller.actor_id, subject);
  perform ledger_internal.lock_subjects(new.tenant_id, array[subject.subject_id::text], array[new.guard_invocation_id::text]);
  perform ledger_internal.require_open(subject);
  if exists (select from public.policy_decisions d
              where d.tenant_id = new.tenant_id and (d.invocation_id = new.invocation_id or d.execution_id = new.execution_id)) then
    perform ledger_internal.refuse('decision_conflict');
  end if;
  if new.guard_invocation_id is not null then
    guard := ledger_internal.find_subject(caller.tenant_id, 'invocation', new.guard_invocation_id);
    if guard.subject_id is null or guard.source_id <> caller.actor_id or guard.subject_id = subject.subject_id then
      perform ledger_internal.refuse('unknown_invocation', null,
        jsonb_build_array(jsonb_build_object('path', '/guard_invocation_id', 'rule', 'own', 'message', 'must be an invocation of the guard itself')));
    end if;
  end if;
  new.decision_id := gen_random_uuid();
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_decision() is 'Checks a decision and sets what the guard may not.';
create trigger accept before insert on public.policy_decisions for each row execute function ledger_internal.accept_decision();
