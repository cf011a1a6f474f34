import type { Sql } from 'postgres';
import { SOURCE } from '../ledger/envelope.ts';
import { unchecked } from '../ledger/seed.ts';

/**
 * A layered graph of outcomes: `layers` layers of `width` outcomes, each caused by `fan` of the layer before.
 * `near`: by those beside it, so that its causes share theirs and paths are many, nodes few; `far`: by any, at random.
 */
export type Shape = { name: string; layers: number; width: number; fan: number; causes: 'near' | 'far' };

/** Writes the graph's outcomes and links; answers ids of the last layer. */
export async function generateGraph(admin: Sql, tenantId: string, shape: Shape): Promise<string[]> {
  const { name, layers, width, fan, causes } = shape;
  const other = causes === 'near' ? `(n.place + f) % ${width}` : `floor(random() * ${width})::integer`;
  const rows = await unchecked(admin, async (tx) => {
    await tx.unsafe(`
      create temp table node on commit drop as
      select l as layer, p as place, gen_random_uuid() as outcome_id, gen_random_uuid() as invocation_id
        from generate_series(0, ${layers - 1}) l, generate_series(0, ${width - 1}) p;
      create unique index on node (layer, place);
      analyze node;
      insert into public.outcome_ids (outcome_id, tenant_id, source_type) select outcome_id, '${tenantId}', 'agent' from node;
      insert into public.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, outcome_envelope, status, correlation_id, causation_id, source_id,
        source_version, domain, governance_class, started_at, completed_at, duration_ms, timing_drift_ms, seq, epoch, xid, recorded_at, recorded_by)
      select '${tenantId}', n.invocation_id, n.outcome_id, '{"status": "success"}', 'success', '${name}-' || n.place, coalesce(c.outcome_id::text, 'event-' || n.place),
        '${SOURCE.id}', '${SOURCE.version}', '${SOURCE.domain}', 'autonomous', now(), now(), 0, 0, nextval('ledger_internal.feed_seq'), 1, pg_current_xact_id(), now(), '${SOURCE.id}'
        from node n left join node c on c.layer = n.layer - 1 and c.place = n.place;
      insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
      select '${tenantId}', c.outcome_id, 'agent', e.effect, 'agent', 'invoked', nextval('ledger_internal.feed_seq'), 1, pg_current_xact_id(), now(), '${SOURCE.id}'
        from (select n.layer - 1 as layer, n.outcome_id as effect, ${other} as place from node n, generate_series(0, ${fan - 1}) f where n.layer > 0) e
        join node c on c.layer = e.layer and c.place = e.place
      on conflict do nothing;
    `);
    return tx<{ outcome_id: string }[]>`select outcome_id from node where layer = ${layers - 1} order by place`;
  });
  return rows.map((row) => row.outcome_id);
}
