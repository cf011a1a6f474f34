-- Chapter: what an invocation did between its start row and its terminal row.

create table public.agent_tool_calls (
  tenant_id      uuid        not null,
  invocation_id  uuid        not null,
  tool_call_id   text        not null default gen_random_uuid()::text,
  tool_name      text        not null,
  status         text        not null,
  input          jsonb,
  output         jsonb,
  error          jsonb,
  timing         jsonb       not null,
  source_id      text        not null,
  request_digest text        not null,
  seq            bigint      not null,
  epoch          integer     not null,
  xid            xid8        not null,
  recorded_at    timestamptz not null,
  recorded_by    text        not null,
  primary key (invocation_id, tenant_id, tool_call_id),
  foreign key (invocation_id, tenant_id) references public.agent_invocations (invocation_id, tenant_id)
);
create unique index agent_tool_calls_feed on public.agent_tool_calls (epoch, xid, seq);
select ledger_internal.make_append_only('public.agent_tool_calls');
select ledger_internal.describe_common_columns('public.agent_tool_calls');
comment on table public.agent_tool_calls is 'One tool call of an open invocation.';
comment on column public.agent_tool_calls.invocation_id is 'The invocation that called.';
comment on column public.agent_tool_calls.tool_call_id is 'The caller''s id for the call, or minted here. Retries of a lost reply reuse it.';
comment on column public.agent_tool_calls.tool_name is 'Which tool.';
comment on column public.agent_tool_calls.status is 'succeeded or failed.';
comment on column public.agent_tool_calls.input is 'JSON object the tool was given, or null.';
comment on column public.agent_tool_calls.output is 'What it returned, any JSON.';
comment on column public.agent_tool_calls.error is '{code, message} of a failed call.';
comment on column public.agent_tool_calls.timing is '{started_at, completed_at, duration_ms}.';
comment on column public.agent_tool_calls.source_id is 'The agent, from the start row.';
comment on column public.agent_tool_calls.request_digest is 'Digest of the call as sent; the same id with another digest is a conflict.';

create function ledger_internal.tool_call_document(r public.agent_tool_calls) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return jsonb_build_object('invocation_id', r.invocation_id, 'tool_call_id', r.tool_call_id, 'tool_name', r.tool_name,
    'status', r.status, 'input', r.input, 'output', r.output, 'error', r.error, 'timing', r.timing);
end
$$;
comment on function ledger_internal.tool_call_document(public.agent_tool_calls) is 'A tool call as the document its author sent.';

create function ledger_internal.accept_tool_call() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  caller record := ledger_internal.caller();
  subject ledger_internal.subject;
  document jsonb;
begin
  new.tenant_id := coalesce(new.tenant_id, caller.tenant_id);
  if caller.tenant_id is null then
    perform ledger_internal.refuse('not_permitted', 'The actor is disabled, or the token names no tenant.');
  end if;
  if new.tenant_id <> caller.tenant_id then
    perform ledger_internal.refuse('unknown_invocation');
  end if;
  perform ledger_internal.require_read_committed();
  new.tool_call_id := coalesce(new.tool_call_id, gen_random_uuid()::text);
  document := ledger_internal.tool_call_document(new);
  if not ledger_internal.tool_call_ok(document) then
    perform ledger_internal.refuse('request_invalid', null, ledger_internal.tool_call_violations(document));
  end if;
  subject := ledger_internal.require_subject(caller.tenant_id, 'invocation', new.invocation_id);
  perform ledger_internal.require_may_write('agent_tool_calls', caller.ledger_role, caller.actor_id, subject);
  perform ledger_internal.lock_subjects(new.tenant_id, array[new.invocation_id || '/' || new.tool_call_id], array[new.invocation_id::text]);
  perform ledger_internal.require_open(subject);
  if exists (select from public.agent_tool_calls c where c.invocation_id = new.invocation_id and c.tenant_id = new.tenant_id and c.tool_call_id = new.tool_call_id) then
    perform ledger_internal.refuse('tool_call_conflict');
  end if;
  new.request_digest := ledger_internal.request_digest(document);
  new.source_id := subject.source_id;
  new.seq := nextval('ledger_internal.feed_seq');
  new.epoch := ledger_internal.current_epoch();
  new.xid := pg_current_xact_id();
  new.recorded_at := clock_timestamp();
  new.recorded_by := caller.actor_id;
  return new;
end
$$;
comment on function ledger_internal.accept_tool_call() is 'Checks a tool call and sets what its author may not.';
create trigger accept before insert on public.agent_tool_calls for each row execute function ledger_internal.accept_tool_call();
