-- Chapter: what a mirror of the feed keeps and asks beside it. Mutable operational state of the sync worker, and the reads
-- with which it compares a graph with the ledger.

create table ledger_internal.sync_quarantine (
  mirror          text        not null,
  kind            text        not null,
  epoch           integer     not null,
  xid             xid8        not null,
  seq             bigint      not null,
  tenant_id       uuid        not null,
  row_key         jsonb       not null,
  code            text        not null,
  reason          text        not null,
  attempts        integer     not null default 1,
  first_failed_at timestamptz not null default clock_timestamp(),
  last_failed_at  timestamptz not null default clock_timestamp(),
  primary key (mirror, seq)
);
alter table ledger_internal.sync_quarantine enable row level security;
alter table ledger_internal.sync_quarantine force row level security;
revoke all on ledger_internal.sync_quarantine from public, anon, authenticated, service_role;
grant select, insert, update, delete on ledger_internal.sync_quarantine to ledger_sync;
create policy "the owner looks after the quarantine" on ledger_internal.sync_quarantine to current_user using (true) with check (true);
create policy "the sync worker keeps its quarantine" on ledger_internal.sync_quarantine to ledger_sync using (true) with check (true);
comment on table ledger_internal.sync_quarantine is 'One feed row that a graph cannot take, and why. It stays until it went through or was purged; the mirror goes on without it.';
comment on column ledger_internal.sync_quarantine.mirror is 'Which mirror: the kind of graph, its address, its tenant.';
comment on column ledger_internal.sync_quarantine.kind is 'The table the row stands in.';
comment on column ledger_internal.sync_quarantine.epoch is 'Its position in the feed.';
comment on column ledger_internal.sync_quarantine.xid is 'Its position in the feed.';
comment on column ledger_internal.sync_quarantine.seq is 'Its position in the feed.';
comment on column ledger_internal.sync_quarantine.tenant_id is 'Whose row it is.';
comment on column ledger_internal.sync_quarantine.row_key is 'The ids of the row, and no content.';
comment on column ledger_internal.sync_quarantine.code is 'The graph''s code for what was wrong.';
comment on column ledger_internal.sync_quarantine.reason is 'What the graph said.';
comment on column ledger_internal.sync_quarantine.attempts is 'How often it was tried.';
comment on column ledger_internal.sync_quarantine.first_failed_at is 'When it was first refused.';
comment on column ledger_internal.sync_quarantine.last_failed_at is 'When it was last refused.';

create function ledger_internal.outcome_facts_after(after uuid, max_rows integer, tenant uuid default null)
returns table (outcome_id uuid, tenant_id uuid, kind text, content json)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return query execute (
    select format('select u.outcome_id, u.tenant_id, u.kind, u.content from (%s) u order by u.outcome_id limit $2', string_agg(
             format('(select r.outcome_id, r.tenant_id, %1$L as kind, %2$s as content from public.%1$I r where r.outcome_id > $1%3$s order by r.outcome_id limit $2)',
                    t.name, ledger_internal.facts_of(t.name), case when tenant is not null then ' and r.tenant_id = $3' end), ' union all '))
      from unnest(array['agent_invocation_outcomes', 'workflow_outcomes']) t (name))
    using coalesce(after, '00000000-0000-0000-0000-000000000000'), max_rows, tenant;
end
$$;
comment on function ledger_internal.outcome_facts_after(uuid, integer, uuid) is 'Outcomes with ids after a given one, in the order of their ids, each as the feed gives its facts.';

create function ledger_internal.link_sources_after(after uuid, max_rows integer, tenant uuid default null) returns setof uuid
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashagg = off as $$
begin
  return query
  select distinct l.source_outcome_id from public.agent_lineage_links l
   where l.source_outcome_id > coalesce(after, '00000000-0000-0000-0000-000000000000') and (tenant is null or l.tenant_id = tenant)
   order by l.source_outcome_id limit max_rows;
end
$$;
comment on function ledger_internal.link_sources_after(uuid, integer, uuid) is 'Outcomes with ids after a given one that links lead out of, in the order of their ids, also where the outcome was purged.';

create function ledger_internal.link_facts_from(sources uuid[], tenant uuid default null)
returns table (tenant_id uuid, content json)
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return query execute format('select r.tenant_id, %s from public.agent_lineage_links r where r.source_outcome_id = any ($1) and ($2 is null or r.tenant_id = $2)',
                              ledger_internal.facts_of('agent_lineage_links'))
    using sources, tenant;
end
$$;
comment on function ledger_internal.link_facts_from(uuid[], uuid) is 'Links that lead out of these outcomes, each as the feed gives its facts.';

-- Evidence changes what is known of an outcome after it was recorded, and a row of it says too little: the latest counts,
-- requests are answered, transactions overtake each other. So a mirror that meets such rows asks how it stands now.
create function ledger_internal.judgment_facts(outcomes uuid[], requests text[] default '{}', tenant uuid default null)
returns table (hitl_request_id text, tenant_id uuid, outcome_id uuid, verification text, verification_required boolean, assessment text, integrated boolean, awaiting_until text)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
  with asked as (
    select null::text as request, a.id, null::uuid as of_tenant from unnest(outcomes) a (id)
    union all
    select q.hitl_request_id, o.outcome_id, q.tenant_id
      from unnest(requests) r (id)
      join public.hitl_requests q on q.hitl_request_id = r.id
     cross join lateral (
       select x.outcome_id from ledger_internal.outcomes x
        where x.subject_type = q.subject_type and x.subject_id = coalesce(q.invocation_id, q.execution_id) and x.tenant_id = q.tenant_id and x.status = 'escalated' offset 0
     ) o
  )
  select a.request, f.tenant_id, f.outcome_id, f.verification, f.verification_required, f.assessment, f.integrated, ledger_internal.rfc3339(f.awaiting_until)
    from asked a
   cross join lateral (
     select x.* from ledger_internal.outcome_facts x where x.outcome_id = a.id and (a.of_tenant is null or x.tenant_id = a.of_tenant) offset 0
   ) f
   where tenant is null or f.tenant_id = tenant;
end
$$;
comment on function ledger_internal.judgment_facts(uuid[], text[], uuid) is 'What judgments of these outcomes rest on as it stands now, and of the escalated outcomes that these requests are about, each with its request.';
