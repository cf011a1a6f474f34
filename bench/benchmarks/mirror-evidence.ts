import type { Sql } from 'postgres';
import { openLedger } from '../../lineage/feed/open.ts';
import { syncOnce } from '../../lineage/sync/once.ts';
import type { GraphSource } from '../../lineage/sync/types.ts';
import { SOURCE } from '../ledger/envelope.ts';
import { seedTenant, unchecked } from '../ledger/seed.ts';
import { type BenchServer, connect, startBenchServer } from '../ledger/server.ts';
import type { Rates } from '../measure/interleave.ts';
import { embeddedGraph, neo4jGraph } from '../mirror/graphs.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

/** Outcomes in a round, and verifications of them in the same one. */
const SLICE = 10_000;
const ROUNDS = 5;

/** New outcomes mirrored, against verifications of them: feed, look-ups and graph. */
export async function mirrorEvidence(): Promise<string> {
  const server = await startBenchServer();
  try {
    const results: Comparison[] = [];
    for (const open of [neo4jGraph, async () => embeddedGraph()]) {
      const graph = await open();
      try {
        const { theirs, ours } = await alternate(
          server,
          graph.name.toLowerCase().replace(/\W/g, ''),
          await graph.fresh(),
        );
        results.push({ what: graph.name, theirs, ours, bar: 0.5 });
      } finally {
        await graph.stop();
      }
    }
    return comparisonTable('outcomes', 'evidence', results);
  } finally {
    await server.stop();
  }
}

/** A round is so many outcomes, mirrored, then as many verifications of them, mirrored; the first one is not counted. */
async function alternate(
  server: BenchServer,
  name: string,
  graph: GraphSource,
): Promise<{ theirs: Rates; ours: Rates }> {
  const { urlAs } = await server.database(`bench_evidence_${name}`);
  const admin = connect(urlAs('supabase_admin'), 1);
  const tenantId = await seedTenant(admin);
  const mirror = { openLedger: () => openLedger({ url: urlAs('ledger_sync'), tenantId: null }), graph };
  const rate = async () => {
    await admin.unsafe('analyze');
    const started = performance.now();
    const { rows } = await syncOnce(mirror);
    if (rows !== SLICE) throw new Error(`the mirror wrote ${rows} rows of ${SLICE}`);
    return (rows * 1000) / (performance.now() - started);
  };
  const theirs: Rates = { name: 'outcomes', rates: [], processor: [] };
  const ours: Rates = { name: 'evidence', rates: [], processor: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const ids = await outcomes(admin, tenantId);
    const mirrored = await rate();
    await verifications(admin, tenantId, ids);
    const refreshed = await rate();
    if (round < 0) continue;
    theirs.rates.push(mirrored);
    ours.rates.push(refreshed);
  }
  await admin.end();
  return { theirs, ours };
}

const STAMP = `nextval('ledger_internal.feed_seq'), 1, pg_current_xact_id(), now(), '${SOURCE.id}'`;

async function outcomes(admin: Sql, tenantId: string): Promise<string[]> {
  const rows = await unchecked(admin, (tx) =>
    tx.unsafe<{ outcome_id: string }[]>(`
      with ids as (insert into public.outcome_ids (outcome_id, tenant_id, source_type)
                   select gen_random_uuid(), '${tenantId}', 'agent' from generate_series(1, ${SLICE}) returning outcome_id)
      insert into public.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, outcome_envelope, status, correlation_id, causation_id, source_id,
        source_version, domain, governance_class, started_at, completed_at, duration_ms, timing_drift_ms, verification_required, seq, epoch, xid, recorded_at, recorded_by)
      select '${tenantId}', gen_random_uuid(), i.outcome_id, '{"status": "success"}', 'success', 'corr-' || i.outcome_id, 'event', '${SOURCE.id}', '${SOURCE.version}',
             '${SOURCE.domain}', 'autonomous', now(), now(), 0, 0, true, ${STAMP} from ids i returning outcome_id`),
  );
  return rows.map((row) => row.outcome_id);
}

async function verifications(admin: Sql, tenantId: string, ids: readonly string[]): Promise<void> {
  await unchecked(admin, (tx) =>
    tx.unsafe(
      `insert into public.outcome_verifications (tenant_id, outcome_id, source_type, source_id, verification, standing_verification, verification_required, request_digest, seq, epoch, xid, recorded_at, recorded_by)
       select '${tenantId}', i.id, 'agent', '${SOURCE.id}', v.word, v.word, true, 'digest', ${STAMP}
         from unnest($1::text::uuid[]) i (id) cross join lateral (select case when random() < 0.9 then 'passed' else 'failed' end as word where i.id is not null) v order by random()`,
      [`{${ids.join(',')}}`],
    ),
  );
}
