-- Chapter: asking why, and what came of it. SQL answers without any graph.
--
-- Breadth first, a level a query, each node once: the cost grows with the nodes reached, not with the paths between them.
-- Cause to effect runs along the link for invoked, contributed-to and escalated-to, and against it for governed-by,
-- because the guard came first.

create function ledger_internal.neighbours(tenants uuid[], frontier uuid[], upstream boolean)
returns table (outcome_id uuid, relation text, via uuid)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  select l.source_outcome_id, l.relation, l.target_outcome_id from public.agent_lineage_links l
   where l.tenant_id = any (tenants) and l.target_outcome_id = any (frontier) and (l.relation <> 'governed-by') = upstream
  union all
  select l.target_outcome_id, l.relation, l.source_outcome_id from public.agent_lineage_links l
   where l.tenant_id = any (tenants) and l.source_outcome_id = any (frontier) and (l.relation = 'governed-by') = upstream;
end
$$;
comment on function ledger_internal.neighbours(uuid[], uuid[], boolean) is 'Direct causes (upstream) or direct effects of a set of outcomes.';

-- What a level reaches that was not reached before. Hashed: the reached set is compared once, not once a neighbour.
create function ledger_internal.new_neighbours(tenants uuid[], frontier uuid[], reached uuid[], upstream boolean)
returns table (outcome_id uuid, relation text, via uuid)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off set enable_mergejoin = off as $$
begin
  return query
  select n.outcome_id, n.relation, n.via from ledger_internal.neighbours(tenants, frontier, upstream) n
    left join unnest(reached) r (id) on r.id = n.outcome_id
   where r.id is null;
end
$$;
comment on function ledger_internal.new_neighbours(uuid[], uuid[], uuid[], boolean) is 'Neighbours of a set of outcomes outside the set already reached.';

create function ledger_internal.walk(root uuid, max_depth integer, upstream boolean)
returns table (depth integer, outcome_id uuid, relation text, via_outcome_id uuid, source_type text, source_id text, source_version text, domain text,
               status text, correlation_id text, completed_at timestamptz, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  tenants constant uuid[] := ledger_internal.readable_tenants();
  cap constant integer := least(coalesce(max_depth, 20), 64);
  level integer := 0;
  frontier uuid[] := array[root];
  reached uuid[] := array[root];
  depths integer[] := array[0];
  relations text[] := array[null];
  vias uuid[] := array[null]::uuid[];
  next_ids uuid[];
  next_relations text[];
  next_vias uuid[];
  beyond uuid[] := '{}';
begin
  if cap < 0 then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '/query/max_depth', 'rule', 'depth', 'message', 'must be a whole number from 0 to 64')));
  end if;
  if not exists (select from public.outcome_ids i where i.outcome_id = root and i.tenant_id = any (tenants)) then
    perform ledger_internal.refuse('unknown_outcome');
  end if;
  loop
    select array_agg(n.outcome_id order by n.outcome_id), array_agg(n.relation order by n.outcome_id), array_agg(n.via order by n.outcome_id)
      into next_ids, next_relations, next_vias
      from (select distinct on (x.outcome_id) x.outcome_id, x.relation, x.via
              from ledger_internal.new_neighbours(tenants, frontier, reached, upstream) x
             order by x.outcome_id, x.relation, x.via) n;
    exit when next_ids is null;
    if level = cap then
      beyond := array(select distinct x.via from ledger_internal.new_neighbours(tenants, frontier, reached, upstream) x);
      exit;
    end if;
    level := level + 1;
    frontier := next_ids;
    reached := reached || next_ids;
    depths := depths || array_fill(level, array[cardinality(next_ids)]);
    relations := relations || next_relations;
    vias := vias || next_vias;
  end loop;
  return query
  select n.depth, n.id, n.relation, n.via, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.correlation_id, o.completed_at, n.id = any (beyond)
    from unnest(reached, depths, relations, vias) with ordinality n (id, depth, relation, via, position)
    left join ledger_internal.outcomes o on o.outcome_id = n.id and o.tenant_id = any (tenants)
   order by n.position;
end
$$;
comment on function ledger_internal.walk(uuid, integer, boolean) is 'Everything upstream or downstream of an outcome, each node once, breadth first; truncated marks nodes with more behind the cap.';

create function public.lineage_why(outcome uuid, max_depth integer default 20)
returns table (depth integer, outcome_id uuid, relation text, via_outcome_id uuid, source_type text, source_id text, source_version text, domain text,
               status text, correlation_id text, completed_at timestamptz, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from ledger_internal.walk(outcome, max_depth, true);
end
$$;
comment on function public.lineage_why(uuid, integer) is 'What caused an outcome: the outcome at depth 0, then its causes breadth first, each once, to max_depth (20, at most 64).';

create function public.lineage_impact(outcome uuid, max_depth integer default 20)
returns table (depth integer, outcome_id uuid, relation text, via_outcome_id uuid, source_type text, source_id text, source_version text, domain text,
               status text, correlation_id text, completed_at timestamptz, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from ledger_internal.walk(outcome, max_depth, false);
end
$$;
comment on function public.lineage_impact(uuid, integer) is 'What an outcome caused: the outcome at depth 0, then its effects breadth first, each once, to max_depth (20, at most 64).';

create function public.lineage_correlation(correlation text)
returns table (outcome_id uuid, source_type text, source_id text, source_version text, domain text, status text, started_at timestamptz, completed_at timestamptz,
               invocation_id uuid, execution_id uuid, causation_id text, links jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query
  select o.outcome_id, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.started_at, o.completed_at,
         case o.subject_type when 'invocation' then o.subject_id end,
         case o.subject_type when 'execution' then o.subject_id else o.within end,
         o.causation_id,
         (select coalesce(jsonb_agg(jsonb_build_object('relation', l.relation, 'target_outcome_id', l.target_outcome_id) order by l.epoch, l.xid, l.seq), '[]')
            from public.agent_lineage_links l where l.source_outcome_id = o.outcome_id and l.tenant_id = o.tenant_id)
    from ledger_internal.outcomes o
   where o.tenant_id = any (ledger_internal.readable_tenants()) and o.correlation_id = correlation
   order by o.epoch, o.xid, o.seq;
end
$$;
comment on function public.lineage_correlation(text) is 'Every outcome of a business transaction in the order they were recorded, with the links that lead out of each.';

-- Definer: it reads operational state, which nobody may read as a table. Nobody may call it either: its two callers below say
-- whose gaps, and each is granted to one kind of caller. An auditor's login can set request.jwt.claims to anything, so
-- claims must not count for it.
create function ledger_internal.gaps_of_tenants(tenants uuid[], wanted text, max_rows integer)
returns table (gap text, subject_type text, subject_id text, outcome_id uuid, since timestamptz, detail jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if wanted is null or wanted = 'unresolved_causation' then
    return query select 'unresolved_causation', u.subject_type, u.subject_id::text, null::uuid, u.since, jsonb_build_object('causation_id', u.causation_id)
      from ledger_internal.unresolved_causes u where u.tenant_id = any (tenants) order by u.since limit max_rows;
  end if;
  if wanted is null or wanted = 'past_deadline' then
    return query select 'past_deadline', w.subject_type, w.subject_id::text, null::uuid, w.deadline_at, jsonb_build_object('source_id', w.source_id)
      from ledger_internal.open_work w where w.tenant_id = any (tenants) and w.deadline_at < clock_timestamp() order by w.deadline_at limit max_rows;
  end if;
  if wanted is null or wanted = 'missing_contribution' then
    return query select 'missing_contribution', w.subject_type, w.subject_id::text, o.outcome_id, o.recorded_at, jsonb_build_object('execution_id', w.execution_id, 'source_id', w.source_id)
      from ledger_internal.open_work w join public.workflow_outcomes o on o.tenant_id = w.tenant_id and o.execution_id = w.execution_id
     where w.tenant_id = any (tenants) limit max_rows;
  end if;
  if wanted is null or wanted = 'policy_missing' then
    return query select 'policy_missing', w.subject_type, w.subject_id::text, null::uuid, w.opened_at, jsonb_build_object('governance_class', w.governance_class, 'source_id', w.source_id)
      from ledger_internal.open_work w
     where w.tenant_id = any (tenants) and w.governance_class <> 'autonomous'
       and not exists (select from public.policy_decisions d where d.tenant_id = w.tenant_id and d.invocation_id = w.subject_id)
       and not exists (select from public.policy_decisions d where d.tenant_id = w.tenant_id and d.execution_id = w.subject_id)
     order by w.opened_at limit max_rows;
    return query select 'policy_missing', o.subject_type, o.subject_id::text, o.outcome_id, o.recorded_at, jsonb_build_object('governance_class', o.governance_class, 'source_id', o.source_id)
      from ledger_internal.outcomes o
     where o.tenant_id = any (tenants) and o.decision is null and o.governance_class <> 'autonomous' order by o.recorded_at limit max_rows;
  end if;
  if wanted is null or wanted = 'hitl_missing' then
    return query select 'hitl_missing', w.subject_type, w.subject_id::text, null::uuid, d.recorded_at, jsonb_build_object('decision', d.decision, 'requires_hitl', d.requires_hitl, 'source_id', w.source_id)
      from ledger_internal.open_work w
     cross join lateral (
       select x.recorded_at, x.decision, x.requires_hitl from public.policy_decisions x
        where w.subject_type = 'invocation' and x.invocation_id = w.subject_id and x.tenant_id = w.tenant_id
       union all
       select x.recorded_at, x.decision, x.requires_hitl from public.policy_decisions x
        where w.subject_type = 'execution' and x.execution_id = w.subject_id and x.tenant_id = w.tenant_id
        offset 0
     ) d
     where w.tenant_id = any (tenants) and (d.requires_hitl or d.decision = 'escalate') limit max_rows;
  end if;
  if wanted is null or wanted = 'undefined_source' then
    return query select 'undefined_source', u.source_type, u.source_id, null::uuid, u.since, jsonb_build_object('version', u.version)
      from ledger_internal.undefined_sources u
     where u.tenant_id = any (tenants)
       and not exists (select from public.source_definitions d where d.tenant_id = u.tenant_id and d.source_type = u.source_type and d.source_id = u.source_id and d.version = u.version)
     order by u.since limit max_rows;
  end if;
end
$$;
comment on function ledger_internal.gaps_of_tenants(uuid[], text, integer) is 'What is missing in these tenants.';

create function ledger_internal.gaps_of_token(wanted text, max_rows integer)
returns table (gap text, subject_type text, subject_id text, outcome_id uuid, since timestamptz, detail jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from ledger_internal.gaps_of_tenants(array[ledger_internal.tenant_id()], wanted, max_rows);
end
$$;
comment on function ledger_internal.gaps_of_token(text, integer) is 'What is missing in the token''s tenant.';

create function ledger_internal.gaps_of_auditor(wanted text, max_rows integer)
returns table (gap text, subject_type text, subject_id text, outcome_id uuid, since timestamptz, detail jsonb)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from ledger_internal.gaps_of_tenants(ledger_internal.audited_tenants(), wanted, max_rows);
end
$$;
comment on function ledger_internal.gaps_of_auditor(text, integer) is 'What is missing in the tenants this login may audit.';

create function public.lineage_gaps(wanted text default null, max_rows integer default 1000)
returns table (gap text, subject_type text, subject_id text, outcome_id uuid, since timestamptz, detail jsonb)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if not ledger_internal.gap_known(wanted) then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '/query/gap', 'rule', 'one_of',
      'message', 'must be unresolved_causation, past_deadline, missing_contribution, policy_missing, hitl_missing or undefined_source')));
  end if;
  max_rows := least(greatest(coalesce(max_rows, 1000), 1), 10000);
  if current_user = 'authenticated' then
    return query select * from ledger_internal.gaps_of_token(wanted, max_rows);
  else
    return query select * from ledger_internal.gaps_of_auditor(wanted, max_rows);
  end if;
end
$$;
comment on function public.lineage_gaps(text, integer) is 'What the ledger knows to be missing: unresolved_causation, past_deadline, missing_contribution, policy_missing, hitl_missing, undefined_source. At most max_rows of each.';

-- The same answers as one document, with every link among the nodes, for graphs and trees.
create function public.lineage_document(direction text, outcome_id uuid, max_depth integer default 20) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
  document jsonb;
  reached uuid[];
begin
  if not exists (select from public.outcome_ids i where i.outcome_id = lineage_document.outcome_id and i.tenant_id = tenant) then
    return null;
  end if;
  if direction not in ('why', 'impact') then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '/direction', 'rule', 'one_of', 'message', 'must be why or impact')));
  end if;
  select jsonb_build_object('direction', lineage_document.direction, 'outcome_id', lineage_document.outcome_id, 'max_depth', least(coalesce(lineage_document.max_depth, 20), 64),
           'truncated', bool_or(n.truncated),
           'nodes', jsonb_agg(to_jsonb(n) || jsonb_build_object('completed_at', ledger_internal.rfc3339(n.completed_at)) order by n.depth, n.outcome_id)),
         array_agg(n.outcome_id)
    into document, reached
    from ledger_internal.walk(lineage_document.outcome_id, lineage_document.max_depth, lineage_document.direction = 'why') n;
  return document || jsonb_build_object('links', (
    select coalesce(jsonb_agg(jsonb_build_object('link_id', l.link_id, 'source_outcome_id', l.source_outcome_id, 'target_outcome_id', l.target_outcome_id, 'relation', l.relation)
                              order by l.epoch, l.xid, l.seq), '[]')
      from public.agent_lineage_links l
     where l.tenant_id = tenant and l.source_outcome_id = any (reached)
       and l.target_outcome_id in (select r.id from unnest(reached) r (id))));
end
$$;
comment on function public.lineage_document(text, uuid, integer) is 'lineage_why or lineage_impact as one document with the links among its nodes; null when the outcome is unknown.';

create function public.lineage_correlation_document(correlation_id text) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  tenant constant uuid := ledger_internal.tenant_id();
begin
  return jsonb_build_object('correlation_id', lineage_correlation_document.correlation_id,
    'nodes', (select coalesce(jsonb_agg((to_jsonb(n) - 'links') || jsonb_build_object('started_at', ledger_internal.rfc3339(n.started_at), 'completed_at', ledger_internal.rfc3339(n.completed_at))), '[]')
                from public.lineage_correlation(lineage_correlation_document.correlation_id) n),
    'links', (select coalesce(jsonb_agg(jsonb_build_object('link_id', l.link_id, 'source_outcome_id', l.source_outcome_id, 'target_outcome_id', l.target_outcome_id, 'relation', l.relation)
                                        order by l.epoch, l.xid, l.seq), '[]')
                from ledger_internal.outcomes o
                join public.agent_lineage_links l on l.source_outcome_id = o.outcome_id and l.tenant_id = o.tenant_id
               where o.tenant_id = tenant and o.correlation_id = lineage_correlation_document.correlation_id),
    'open', (select coalesce(jsonb_agg(jsonb_build_object('subject_type', w.subject_type, 'subject_id', w.subject_id, 'source_id', w.source_id,
                                       'state', ledger_internal.open_state(w.deadline_at, w.heartbeat_at), 'started_at', ledger_internal.rfc3339(w.opened_at), 'deadline_at', ledger_internal.rfc3339(w.deadline_at))
                                       order by w.opened_at), '[]')
               from (select 'invocation' as kind, array(select i.invocation_id from public.agent_invocations i where i.tenant_id = tenant and i.correlation_id = lineage_correlation_document.correlation_id) as ids
                     union all
                     select 'execution', array(select e.execution_id from public.workflow_executions e where e.tenant_id = tenant and e.correlation_id = lineage_correlation_document.correlation_id)) s
              cross join lateral ledger_internal.open_work_of_tenant(subject => s.kind, ids => s.ids) w));
end
$$;
comment on function public.lineage_correlation_document(text) is 'A business transaction as one document: its outcomes, the links that lead out of them, and what is still open.';

create function public.lineage_gaps_document(gap text default null, max_rows integer default 1000) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select jsonb_build_object(
             'items', coalesce(jsonb_agg(to_jsonb(g) - 'nth' || jsonb_build_object('since', ledger_internal.rfc3339(g.since))) filter (where g.nth <= lineage_gaps_document.max_rows), '[]'),
             'next_cursor', null, 'truncated', coalesce(bool_or(g.nth > lineage_gaps_document.max_rows), false))
      from (select n.*, row_number() over (partition by n.gap, n.outcome_id is null order by n.since) as nth
              from public.lineage_gaps(lineage_gaps_document.gap, least(lineage_gaps_document.max_rows, 9999) + 1) n) g);
end
$$;
comment on function public.lineage_gaps_document(text, integer) is 'lineage_gaps as one document; truncated says when some were left out.';
