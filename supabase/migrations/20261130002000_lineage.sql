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

create function ledger_internal.checked_depth(max_depth integer) returns integer
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if max_depth < 0 then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '/query/max_depth', 'rule', 'depth', 'message', 'must be a whole number from 0 to 64')));
  end if;
  return least(coalesce(max_depth, 20), 64);
end
$$;
comment on function ledger_internal.checked_depth(integer) is 'How deep a walk may go: as asked, at most 64, 20 when nothing is asked; refuses a depth below 0.';

create function ledger_internal.require_outcome(tenants uuid[], outcome uuid) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if not exists (select from public.outcome_ids i where i.outcome_id = outcome and i.tenant_id = any (tenants)) then
    perform ledger_internal.refuse('unknown_outcome');
  end if;
end
$$;
comment on function ledger_internal.require_outcome(uuid[], uuid) is 'Refuses unknown_outcome for an id that none of these tenants has.';

create function ledger_internal.walk(root uuid, max_depth integer, upstream boolean)
returns table (depth integer, outcome_id uuid, relation text, via_outcome_id uuid, source_type text, source_id text, source_version text, domain text,
               status text, correlation_id text, completed_at timestamptz, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  tenants constant uuid[] := ledger_internal.readable_tenants();
  cap constant integer := ledger_internal.checked_depth(max_depth);
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
  perform ledger_internal.require_outcome(tenants, root);
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

-- One shortest chain from a cause to an effect. The levels are those of a walk upstream from the effect, so that from the
-- cause on each next step is known to come nearer.
create function ledger_internal.shortest_chain(tenants uuid[], cause uuid, effect uuid, cap integer)
returns table (place integer, outcome_id uuid, relation text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  level integer := 0;
  frontier uuid[] := array[effect];
  reached uuid[] := array[effect];
  depths integer[] := array[0];
begin
  while cause <> all (frontier) loop
    frontier := case when level < cap then array(select distinct x.outcome_id from ledger_internal.new_neighbours(tenants, frontier, reached, true) x) else '{}' end;
    if frontier = '{}' then
      return;
    end if;
    level := level + 1;
    reached := reached || frontier;
    depths := depths || array_fill(level, array[cardinality(frontier)]);
  end loop;
  place := 0;
  outcome_id := cause;
  loop
    return next;
    exit when place = level;
    place := place + 1;
    select n.outcome_id, n.relation into shortest_chain.outcome_id, shortest_chain.relation
      from ledger_internal.neighbours(tenants, array[shortest_chain.outcome_id], false) n
     where n.outcome_id = any (array(select r.id from unnest(reached, depths) r (id, depth) where r.depth = level - place))
     order by n.outcome_id, n.relation limit 1;
  end loop;
end
$$;
comment on function ledger_internal.shortest_chain(uuid[], uuid, uuid, integer) is 'The outcomes of the shortest chain from a cause to an effect, of equals the one with the least ids; nothing when there is none within the cap.';

create function public.lineage_path(from_outcome uuid, to_outcome uuid, max_depth integer default 20)
returns table ("position" integer, outcome_id uuid, relation text, direction text, source_type text, source_id text, source_version text, domain text,
               status text, correlation_id text, completed_at timestamptz)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  tenants constant uuid[] := ledger_internal.readable_tenants();
  cap constant integer := ledger_internal.checked_depth(max_depth);
begin
  perform ledger_internal.require_outcome(tenants, from_outcome);
  perform ledger_internal.require_outcome(tenants, to_outcome);
  return query
  with forward as materialized (
    select c.* from ledger_internal.shortest_chain(tenants, from_outcome, to_outcome, cap) c
  ), backward as materialized (
    select c.* from ledger_internal.shortest_chain(tenants, to_outcome, from_outcome, cap) c where not exists (select from forward)
  )
  select c.place, c.outcome_id, c.relation, c.direction, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.correlation_id, o.completed_at
    from (select f.*, 'forward' as direction from forward f union all select b.*, 'backward' from backward b) c
    left join ledger_internal.outcomes o on o.outcome_id = c.outcome_id and o.tenant_id = any (tenants)
   order by c.place;
end
$$;
comment on function public.lineage_path(uuid, uuid, integer) is 'One shortest chain between two outcomes, read from cause to effect: direction is forward when it leads from the first to the second, else backward; of equals the one with the least ids. At most max_depth links (20, at most 64); no rows when there is none.';

create function public.lineage_governed(guard_outcome uuid)
returns table (outcome_id uuid, source_type text, source_id text, source_version text, domain text, status text, decision text, governance_class text,
               correlation_id text, completed_at timestamptz)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  tenants constant uuid[] := ledger_internal.readable_tenants();
begin
  perform ledger_internal.require_outcome(tenants, guard_outcome);
  return query
  select l.source_outcome_id, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.decision, o.governance_class, o.correlation_id, o.completed_at
    from public.agent_lineage_links l
    left join ledger_internal.outcomes o on o.outcome_id = l.source_outcome_id and o.tenant_id = l.tenant_id
   where l.tenant_id = any (tenants) and l.target_outcome_id = guard_outcome and l.relation = 'governed-by'
   order by o.completed_at, l.source_outcome_id;
end
$$;
comment on function public.lineage_governed(uuid) is 'What a guard''s outcome governed: every outcome whose governed-by link leads to it, in the order they completed.';

-- A failure explains another when it is a cause of it and came before it. Without "before" a workflow that invokes its own
-- steps would explain the very failures it failed of, and neither would be a root.
create function ledger_internal.failed_causes(tenants uuid[], failures uuid[])
returns table (failure uuid, cause uuid)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  select distinct n.via, c.outcome_id
    from ledger_internal.neighbours(tenants, failures, true) n
   cross join lateral (
     select o.outcome_id, o.completed_at, o.recorded_at from ledger_internal.outcomes o
      where o.outcome_id = n.outcome_id and o.tenant_id = any (tenants) and o.status = any (ledger_internal.failure_statuses()) offset 0
   ) c
   cross join lateral (
     select o.outcome_id, o.completed_at, o.recorded_at from ledger_internal.outcomes o
      where o.outcome_id = n.via and o.tenant_id = any (tenants) offset 0
   ) e
   where (c.completed_at, c.recorded_at, c.outcome_id) < (e.completed_at, e.recorded_at, e.outcome_id);
end
$$;
comment on function ledger_internal.failed_causes(uuid[], uuid[]) is 'Which direct causes of these failures had failed before them.';

-- Level by level over pairs of a failure and what it was traced to, each pair once. Hashed, as in new_neighbours.
create function ledger_internal.ends_of_failures(tenants uuid[], failures uuid[], cap integer)
returns table (outcome_id uuid, failures_explained bigint, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off set enable_mergejoin = off as $$
declare
  level integer := 0;
  traced uuid[] := failures;
  tips uuid[] := failures;
  all_traced uuid[] := failures;
  all_tips uuid[] := failures;
  explained uuid[];
  causes uuid[];
  ends uuid[] := '{}';
  cut uuid[] := '{}';
begin
  while cardinality(tips) > 0 loop
    select coalesce(array_agg(c.failure), '{}'), coalesce(array_agg(c.cause), '{}') into explained, causes
      from ledger_internal.failed_causes(tenants, array(select distinct t.id from unnest(tips) t (id))) c;
    ends := ends || array(select t.id from unnest(tips) t (id) left join (select distinct e.id from unnest(explained) e (id)) e on e.id = t.id where e.id is null);
    if level = cap then
      cut := array(select t.id from unnest(tips) t (id) join (select distinct e.id from unnest(explained) e (id)) e on e.id = t.id);
      exit;
    end if;
    select coalesce(array_agg(n.failure), '{}'), coalesce(array_agg(n.cause), '{}') into traced, tips
      from (select p.failure, c.cause from unnest(traced, tips) p (failure, tip) join unnest(explained, causes) c (failure, cause) on c.failure = p.tip
            except
            select r.failure, r.tip from unnest(all_traced, all_tips) r (failure, tip)) n;
    all_traced := all_traced || traced;
    all_tips := all_tips || tips;
    level := level + 1;
  end loop;
  return query
  select e.id, count(*), false from unnest(ends) e (id) group by e.id
  union all
  select c.id, count(*), true from unnest(cut) c (id) group by c.id;
end
$$;
comment on function ledger_internal.ends_of_failures(uuid[], uuid[], integer) is 'Where the chains of failed causes of these failures end, and how many of them end there; truncated where the cap ended them.';

create function public.lineage_root_causes(from_time timestamptz, to_time timestamptz, max_depth integer default 20)
returns table (outcome_id uuid, failures bigint, source_type text, source_id text, source_version text, domain text, status text, correlation_id text,
               completed_at timestamptz, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  tenants constant uuid[] := ledger_internal.readable_tenants();
  cap constant integer := ledger_internal.checked_depth(max_depth);
begin
  if from_time > to_time then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '/query/to', 'rule', 'order', 'message', 'must not be before the start of the window')));
  end if;
  return query
  select e.outcome_id, e.failures_explained, o.source_type, o.source_id, o.source_version, o.domain, o.status, o.correlation_id, o.completed_at, e.truncated
    from ledger_internal.ends_of_failures(tenants, array(
           select f.outcome_id from ledger_internal.outcomes f
            where f.tenant_id = any (tenants) and f.status = any (ledger_internal.failure_statuses())
              and (from_time is null or f.completed_at >= from_time) and (to_time is null or f.completed_at < to_time)), cap) e
   cross join lateral (
     select x.* from ledger_internal.outcomes x where x.outcome_id = e.outcome_id and x.tenant_id = any (tenants) offset 0
   ) o
   order by e.failures_explained desc, o.completed_at, e.outcome_id;
end
$$;
comment on function public.lineage_root_causes(timestamptz, timestamptz, integer) is 'What the failures (failure, timeout) that completed in a window, its end excluded, come from: each is traced through causes that failed before it to those without such a cause; how many each explains, most first. At most max_depth links (20, at most 64); truncated says that the depth ended the tracing.';

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
      from ledger_internal.open_work w where w.tenant_id = any (tenants) and w.deadline_at < clock_timestamp() and ledger_internal.deadline_of(w) < clock_timestamp() order by w.deadline_at limit max_rows;
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
     where w.tenant_id = any (tenants) and (d.requires_hitl or d.decision = 'escalate') and w.gateway_invocation_id is null limit max_rows;
  end if;
  if wanted is null or wanted = 'decision_unended' then
    return query select 'decision_unended', w.subject_type, w.subject_id::text, null::uuid, d.recorded_at, jsonb_build_object('decision_id', d.decision_id, 'decision', d.decision, 'source_id', w.source_id)
      from ledger_internal.open_work w
     cross join lateral (
       select x.recorded_at, x.decision_id, x.decision from public.policy_decisions x
        where w.subject_type = 'invocation' and x.invocation_id = w.subject_id and x.tenant_id = w.tenant_id
       union all
       select x.recorded_at, x.decision_id, x.decision from public.policy_decisions x
        where w.subject_type = 'execution' and x.execution_id = w.subject_id and x.tenant_id = w.tenant_id
        offset 0
     ) d
     where w.tenant_id = any (tenants) and w.deadline_at < clock_timestamp() order by d.recorded_at limit max_rows;
  end if;
  if wanted is null or wanted = 'decision_unguarded' then
    return query select 'decision_unguarded', d.subject_type, coalesce(d.invocation_id, d.execution_id)::text, null::uuid, d.recorded_at,
           jsonb_build_object('decision_id', d.decision_id, 'decision', d.decision, 'guard_invocation_id', d.guard_invocation_id)
      from public.policy_decisions d
     where d.tenant_id = any (tenants) and d.guard_invocation_id is null order by d.recorded_at limit max_rows;
    return query select 'decision_unguarded', d.subject_type, coalesce(d.invocation_id, d.execution_id)::text, null::uuid, d.recorded_at,
           jsonb_build_object('decision_id', d.decision_id, 'decision', d.decision, 'guard_invocation_id', d.guard_invocation_id)
      from ledger_internal.open_work w join public.policy_decisions d on d.guard_invocation_id = w.subject_id and d.tenant_id = w.tenant_id
     where w.tenant_id = any (tenants) and w.subject_type = 'invocation' order by d.recorded_at limit max_rows;
  end if;
  if wanted is null or wanted = 'escalation_unasked' then
    return query select 'escalation_unasked', o.subject_type, o.subject_id::text, o.outcome_id, o.recorded_at, jsonb_build_object('escalation_target', o.escalation_target, 'source_id', o.source_id)
      from ledger_internal.outcomes o
     where o.tenant_id = any (tenants) and o.status = 'escalated'
       and not exists (select from public.hitl_requests r where r.invocation_id = o.subject_id and r.tenant_id = o.tenant_id)
       and not exists (select from public.hitl_requests r where r.execution_id = o.subject_id and r.tenant_id = o.tenant_id)
     order by o.recorded_at limit max_rows;
  end if;
  if wanted is null or wanted = 'hitl_expired' then
    return query select 'hitl_expired', r.subject_type, r.subject_id::text, null::uuid, r.expires_at, jsonb_build_object('hitl_request_id', r.hitl_request_id)
      from ledger_internal.open_requests r where r.tenant_id = any (tenants) and r.expires_at <= clock_timestamp() order by r.expires_at limit max_rows;
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
      'message', 'must be ' || ledger_internal.gap_words())));
  end if;
  max_rows := least(greatest(coalesce(max_rows, 1000), 1), 10000);
  if current_user = 'authenticated' then
    return query select * from ledger_internal.gaps_of_token(wanted, max_rows);
  else
    return query select * from ledger_internal.gaps_of_auditor(wanted, max_rows);
  end if;
end
$$;
comment on function public.lineage_gaps(text, integer) is 'What the ledger knows to be missing: unresolved_causation, past_deadline, missing_contribution, policy_missing, hitl_missing, undefined_source, decision_unended, decision_unguarded, escalation_unasked, hitl_expired. At most max_rows of each.';

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
