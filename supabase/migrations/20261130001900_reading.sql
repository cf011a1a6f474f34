-- Chapter: reading one, and reading pages. Null when absent or another tenant's; pages are complete, never silently cut.

create function public.get_invocation(id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  i public.agent_invocations;
begin
  select * into i from public.agent_invocations s where s.tenant_id = tenant and s.invocation_id = id;
  if not found then
    return null;
  end if;
  return ledger_internal.invocation_read(i) || jsonb_build_object('tool_calls', (
    select coalesce(jsonb_agg(ledger_internal.tool_call_read(c) order by c.epoch, c.xid, c.seq), '[]')
      from public.agent_tool_calls c where c.tenant_id = tenant and c.invocation_id = id));
end
$$;
comment on function public.get_invocation(uuid) is 'One invocation with its state, tool calls and outcome, or null.';

create function public.get_execution(id uuid) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  e public.workflow_executions;
begin
  select * into e from public.workflow_executions s where s.tenant_id = ledger_internal.tenant_id() and s.execution_id = id;
  return case when found then ledger_internal.execution_read(e) || ledger_internal.execution_phases_read(id) end;
end
$$;
comment on function public.get_execution(uuid) is 'One execution with its status, phases and outcome, or null.';

create function public.get_outcome(id uuid) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  agent public.agent_invocation_outcomes;
  workflow public.workflow_outcomes;
begin
  select * into agent from public.agent_invocation_outcomes o where o.tenant_id = tenant and o.outcome_id = id;
  if found then
    return ledger_internal.agent_outcome_read(agent);
  end if;
  select * into workflow from public.workflow_outcomes o where o.tenant_id = tenant and o.outcome_id = id;
  return case when found then ledger_internal.workflow_outcome_read(workflow) end;
end
$$;
comment on function public.get_outcome(uuid) is 'One outcome, or null: the envelope''s members, with late, judgment and verification beside them.';

create function public.get_event(id text) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  e public.os_events;
begin
  select * into e from public.os_events v where v.tenant_id = ledger_internal.tenant_id() and v.event_id = id;
  return case when found then ledger_internal.event_read(e) end;
end
$$;
comment on function public.get_event(text) is 'One event, or null.';

create function public.get_source_definition(source_type text, source_id text, version text) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  d public.source_definitions;
begin
  select * into d from public.source_definitions s
   where s.tenant_id = ledger_internal.tenant_id() and s.source_type = get_source_definition.source_type
     and s.source_id = get_source_definition.source_id and s.version = get_source_definition.version;
  return case when found then ledger_internal.definition_read(d) end;
end
$$;
comment on function public.get_source_definition(text, text, text) is 'One version of a source''s definition, or null.';

create function ledger_internal.refuse_query(parameter text, message text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '/query/' || parameter, 'rule', 'query', 'message', message)));
end
$$;
comment on function ledger_internal.refuse_query(text, text) is 'Refuses a list''s parameter.';

-- One page of one relation. Where `also` cannot be answered by an index, `most` says how many rows a page looks at: then it may
-- be short, and go on all the same. `matches` maps a filter's parameter to the column it compares; values are bound, never spelled.
create function ledger_internal.page(relation regclass, item text, filter jsonb, matches jsonb, also text default 'true', most integer default null) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  wanted jsonb;
  direction text;
  page_size integer;
  conditions text := '';
  position text[];
  parameter text;
  items jsonb;
  next_cursor text;
  bounds text[];
begin
  if jsonb_typeof(coalesce(filter, '{}')) <> 'object' then
    perform ledger_internal.refuse_query('', 'must be an object of parameters');
  end if;
  wanted := ledger_internal.without_nulls(coalesce(filter, '{}'));
  direction := coalesce(wanted ->> 'order', 'desc');
  if direction not in ('asc', 'desc') then
    perform ledger_internal.refuse_query('order', 'must be asc or desc');
  end if;
  if coalesce(wanted ->> 'limit', '100') !~ '^[0-9]{1,4}$' or coalesce(wanted ->> 'limit', '100')::integer not between 1 and 1000 then
    perform ledger_internal.refuse_query('limit', 'must be a whole number from 1 to 1000');
  end if;
  page_size := coalesce(wanted ->> 'limit', '100')::integer;
  if wanted ? 'cursor' then
    position := regexp_match(wanted ->> 'cursor', '^([0-9]{1,9})\.([0-9]{1,19})\.([0-9]{1,18})$');
    if position is null then
      perform ledger_internal.refuse_query('cursor', 'must be a next_cursor of this list');
    end if;
    conditions := format(' and (r.epoch, r.xid, r.seq) %s (%L::integer, %L::xid8, %L::bigint)', case direction when 'asc' then '>' else '<' end, position[1], position[2], position[3]);
  end if;
  for parameter in select k from jsonb_object_keys(wanted) k where k not in ('limit', 'cursor', 'order', 'from', 'to', 'state') loop
    if not matches ? parameter then
      perform ledger_internal.refuse_query(parameter, 'is not a parameter of this list');
    end if;
    if matches ->> parameter like '%::uuid' then
      if ledger_internal.uuid_or_null(wanted ->> parameter) is null then
        perform ledger_internal.refuse_query(parameter, 'must be a UUID v4 in lower case');
      end if;
      conditions := conditions || format(' and r.%I = %L::uuid', split_part(matches ->> parameter, '::', 1), wanted ->> parameter);
    else
      conditions := conditions || format(' and r.%I = %L', matches ->> parameter, wanted ->> parameter);
    end if;
  end loop;
  foreach parameter in array array['from', 'to'] loop
    if wanted ? parameter then
      if not ledger_internal.time_ok(wanted ->> parameter) then
        perform ledger_internal.refuse_query(parameter, 'must be an RFC 3339 time in UTC');
      end if;
      conditions := conditions || format(' and r.recorded_at %s %L::timestamptz', case parameter when 'from' then '>=' else '<' end, wanted ->> parameter);
    end if;
  end loop;
  if most is not null then
    execute format('select array_agg(concat_ws(''.'', n.epoch, n.xid, n.seq) order by n.at) from (
                      select r.epoch, r.xid, r.seq, row_number() over () as at from %1$s r where r.tenant_id = $1%2$s order by r.epoch %3$s, r.xid %3$s, r.seq %3$s offset $2 - 1 limit 2) n',
      relation, conditions, direction)
    into bounds using tenant, most;
    if bounds[2] is not null then
      position := string_to_array(bounds[1], '.');
      conditions := conditions || format(' and (r.epoch, r.xid, r.seq) %s (%L::integer, %L::xid8, %L::bigint)', case direction when 'asc' then '<=' else '>=' end, position[1], position[2], position[3]);
    end if;
  end if;
  execute format(
    'with page as (select r from %1$s r where r.tenant_id = $1 and %2$s%3$s order by r.epoch %4$s, r.xid %4$s, r.seq %4$s limit $2 + 1),
          numbered as (select p.r, row_number() over (order by (p.r).epoch %4$s, (p.r).xid %4$s, (p.r).seq %4$s) as n from page p)
     select coalesce(jsonb_agg(%5$s(p.r) order by p.n) filter (where p.n <= $2), ''[]''),
            case when max(p.n) > $2 then max(case when p.n = $2 then concat_ws(''.'', (p.r).epoch, (p.r).xid, (p.r).seq) end) end
       from numbered p',
    relation, also, conditions, direction, item)
  into items, next_cursor using tenant, page_size;
  -- Looked at as many as it may: the next page goes on behind the last of them.
  if next_cursor is null and bounds[2] is not null then
    next_cursor := bounds[1];
  end if;
  return jsonb_build_object('items', items, 'next_cursor', next_cursor);
end
$$;
comment on function ledger_internal.page(regclass, text, jsonb, jsonb, text, integer) is 'One page of a tenant''s rows, newest first unless asked otherwise: {items, next_cursor}.';

create function ledger_internal.outcome_item(o ledger_internal.outcomes) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return public.get_outcome(o.outcome_id);
end
$$;
comment on function ledger_internal.outcome_item(ledger_internal.outcomes) is 'A row of the outcomes view as callers read it.';

create function public.list_outcomes(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.page('ledger_internal.outcomes', 'ledger_internal.outcome_item', filter - 'invocation_id' - 'execution_id',
    '{"correlation_id": "correlation_id", "causation_id": "causation_id", "status": "status", "source_type": "source_type", "source_id": "source_id", "domain": "domain"}',
    ledger_internal.outcome_subject_condition(filter));
end
$$;
comment on function public.list_outcomes(jsonb) is 'Outcomes of the tenant by correlation_id, causation_id, invocation_id, execution_id, status, source_type, source_id, domain, from, to; {items, next_cursor}.';

-- execution_id asks for the execution's own outcome and for those of what ran in it.
create function ledger_internal.outcome_subject_condition(filter jsonb) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  condition text := 'true';
  parameter text;
begin
  foreach parameter in array array['invocation_id', 'execution_id'] loop
    if filter ->> parameter is not null then
      if ledger_internal.uuid_or_null(filter ->> parameter) is null then
        perform ledger_internal.refuse_query(parameter, 'must be a UUID v4 in lower case');
      end if;
      condition := condition || case parameter
        when 'invocation_id' then format(' and r.subject_type = ''invocation'' and r.subject_id = %L::uuid', filter ->> parameter)
        else format(' and (r.within = %1$L::uuid or (r.subject_type = ''execution'' and r.subject_id = %1$L::uuid))', filter ->> parameter) end;
    end if;
  end loop;
  return condition;
end
$$;
comment on function ledger_internal.outcome_subject_condition(jsonb) is 'The condition that invocation_id and execution_id put on a list of outcomes.';

-- A state names open work, whose table is small, or ended work, which is everything else.
create function ledger_internal.state_condition(filter jsonb, subject text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  state constant text := filter ->> 'state';
begin
  if state is null then
    return 'true';
  elsif state = 'ended' then
    return format('exists (select from %s o where o.tenant_id = r.tenant_id and o.%2$I = r.%2$I)',
      case subject when 'invocation' then 'public.agent_invocation_outcomes' else 'public.workflow_outcomes' end, subject || '_id');
  elsif state in ('running', 'stalled', 'overdue') then
    return format('r.%I = any (array(select w.subject_id from ledger_internal.open_work_of_tenant(%L, %L) w))', subject || '_id', state, subject);
  end if;
  perform ledger_internal.refuse_query('state', 'must be running, stalled, overdue or ended');
  return null;
end
$$;
comment on function ledger_internal.state_condition(jsonb, text) is 'The condition that a state puts on a list of starts.';

create function public.list_invocations(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.page('public.agent_invocations', 'ledger_internal.invocation_read', filter,
    '{"source_id": "source_id", "domain": "domain", "correlation_id": "correlation_id", "execution_id": "execution_id::uuid"}',
    ledger_internal.state_condition(filter, 'invocation'));
end
$$;
comment on function public.list_invocations(jsonb) is 'Invocations of the tenant by state, source_id, domain, correlation_id, execution_id, from, to; {items, next_cursor}.';

create function public.list_executions(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.page('public.workflow_executions', 'ledger_internal.execution_read', filter,
    '{"source_id": "source_id", "domain": "domain", "correlation_id": "correlation_id"}',
    ledger_internal.state_condition(filter, 'execution'));
end
$$;
comment on function public.list_executions(jsonb) is 'Executions of the tenant by state, source_id, domain, correlation_id, from, to; {items, next_cursor}.';

create function public.list_events(filter jsonb default '{}') returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return ledger_internal.page('public.os_events', 'ledger_internal.event_read', filter,
    '{"type": "type", "correlation_id": "correlation_id", "invocation_id": "invocation_id::uuid", "outcome_id": "outcome_id::uuid"}');
end
$$;
comment on function public.list_events(jsonb) is 'Events of the tenant by type, correlation_id, invocation_id, outcome_id, from, to; {items, next_cursor}.';
