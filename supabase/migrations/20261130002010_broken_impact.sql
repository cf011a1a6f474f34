-- Chapter: what broken outcomes contributed to. Broken is a judgment: the delivery claimed success, and a verification says
-- that it failed. Who built on it may want to know.

-- Nothing is broken without a verification; said once more, it lets the planner begin with the verifications.
create function ledger_internal.broken_outcomes(tenants uuid[], from_time timestamptz, to_time timestamptz) returns setof uuid
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query
  select j.outcome_id
    from public.outcome_judgments j
    join ledger_internal.outcomes o on o.outcome_id = j.outcome_id and o.tenant_id = j.tenant_id
   where j.tenant_id = any (tenants) and j.verification_id is not null and j.judgment = 'broken'
     and (from_time is null or o.completed_at >= from_time) and (to_time is null or o.completed_at < to_time);
end
$$;
comment on function ledger_internal.broken_outcomes(uuid[], timestamptz, timestamptz) is 'The outcomes judged broken that completed in a window, its end excluded.';

-- All of them at once, level by level, each outcome at its least depth with the least id of the broken outcomes at that
-- distance: of what leads to it a level nearer, each has its own least. Hashed, as in new_neighbours.
create function ledger_internal.reach_of_broken(tenants uuid[], broken uuid[], cap integer)
returns table (depth integer, outcome_id uuid, broken_outcome_id uuid, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off set enable_mergejoin = off as $$
declare
  level integer := 0;
  frontier uuid[] := broken;
  nearest uuid[] := broken;
  reached uuid[] := broken;
  all_nearest uuid[] := broken;
  depths integer[] := array_fill(0, array[cardinality(broken)]);
  next_ids uuid[];
  next_nearest uuid[];
  beyond uuid[] := '{}';
begin
  while cardinality(frontier) > 0 loop
    if level = cap then
      beyond := array(select distinct x.via from ledger_internal.new_neighbours(tenants, frontier, reached, false) x);
      exit;
    end if;
    select coalesce(array_agg(n.id order by n.id), '{}'), coalesce(array_agg(n.nearest order by n.id), '{}') into next_ids, next_nearest
      from (select distinct on (x.outcome_id) x.outcome_id as id, f.nearest
              from ledger_internal.new_neighbours(tenants, frontier, reached, false) x
              join unnest(frontier, nearest) f (id, nearest) on f.id = x.via
             order by x.outcome_id, f.nearest) n;
    level := level + 1;
    frontier := next_ids;
    nearest := next_nearest;
    reached := reached || next_ids;
    all_nearest := all_nearest || next_nearest;
    depths := depths || array_fill(level, array[cardinality(next_ids)]);
  end loop;
  return query
  select r.depth, r.id, r.nearest, b.id is not null
    from unnest(depths, reached, all_nearest) r (depth, id, nearest)
    left join unnest(beyond) b (id) on b.id = r.id;
end
$$;
comment on function ledger_internal.reach_of_broken(uuid[], uuid[], integer) is 'These outcomes and all their effects, each once at its least depth with the broken outcome nearest to it; truncated where the cap cut effects off.';

-- It forbids the planner nothing: what it calls would inherit that, and reach_of_broken wants its hash joins.
create function public.lineage_broken_impact(from_time timestamptz, to_time timestamptz, max_depth integer default 20)
returns table (depth integer, outcome_id uuid, broken_outcome_id uuid, source_type text, source_id text, source_version text, domain text, status text,
               judgment text, correlation_id text, completed_at timestamptz, truncated boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  tenants constant uuid[] := ledger_internal.readable_tenants();
  cap constant integer := ledger_internal.checked_depth(max_depth);
begin
  if from_time > to_time then
    perform ledger_internal.refuse('request_invalid', null, jsonb_build_array(jsonb_build_object('path', '/query/to', 'rule', 'order', 'message', 'must not be before the start of the window')));
  end if;
  return query
  select r.depth, r.outcome_id, r.broken_outcome_id, o.source_type, o.source_id, o.source_version, o.domain, o.status, j.judgment, o.correlation_id, o.completed_at, r.truncated
    from ledger_internal.reach_of_broken(tenants, array(select b.id from ledger_internal.broken_outcomes(tenants, from_time, to_time) b (id)), cap) r
    left join lateral (
      select x.* from ledger_internal.outcomes x where x.outcome_id = r.outcome_id and x.tenant_id = any (tenants) offset 0
    ) o on true
    left join lateral (
      select x.judgment from public.outcome_judgments x where x.outcome_id = r.outcome_id and x.tenant_id = any (tenants) offset 0
    ) j on true
   order by r.depth, r.outcome_id;
end
$$;
comment on function public.lineage_broken_impact(timestamptz, timestamptz, integer) is 'What the outcomes judged broken that completed in a window, its end excluded, contributed to: themselves at depth 0, then their effects breadth first, each once with the broken outcome nearest to it and its own judgment. At most max_depth links (20, at most 64); truncated marks outcomes with more behind the cap.';
