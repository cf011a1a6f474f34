import { openLedger } from '../../lineage/feed/open.ts';
import { syncOnce } from '../../lineage/sync/once.ts';
import { generateGraph } from '../graph/generate.ts';
import { seedTenant } from '../ledger/seed.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import type { Rates } from '../measure/interleave.ts';
import { quantile } from '../measure/statistics.ts';
import { capturing } from '../mirror/captured.ts';
import { embeddedGraph, type MeasuredGraph, neo4jGraph } from '../mirror/graphs.ts';
import { startSyncProcess } from '../mirror/sync-process.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';
import { table } from '../report/table.ts';

/** 20,200 outcomes, 200,000 links. */
const SHAPE = { name: 'rebuild', layers: 101, width: 200, fan: 10, causes: 'near' } as const;
const ROUNDS = 3;

/** A graph filled from nothing, feed and all, against the same rows in the same batches through the raw driver. */
export async function mirrorRebuild(): Promise<string> {
  const server = await startBenchServer();
  try {
    const { urlAs } = await server.database('bench_rebuild');
    const admin = connect(urlAs('supabase_admin'), 2);
    await generateGraph(admin, await seedTenant(admin), SHAPE);
    await admin.unsafe('vacuum analyze');
    await admin.end();
    const url = urlAs('ledger_sync');
    const { source, batches } = capturing();
    await syncOnce({ openLedger: () => openLedger({ url, tenantId: null }), graph: source });
    const rows = batches.reduce((sum, batch) => sum + batch.outcomes.length + batch.links.length, 0);
    const results: Comparison[] = [];
    const memory: (string | number)[][] = [];
    for (const open of [neo4jGraph, async () => embeddedGraph()]) {
      const graph = await open();
      try {
        const { comparison, rss } = await compare(graph, url, batches, rows);
        results.push(comparison);
        memory.push([graph.name, ...rss]);
      } finally {
        await graph.stop();
      }
    }
    const head = ['worker’s memory, MiB', 'at the start', 'at a quarter', 'at half', 'at the end', 'most'];
    return `${rows.toLocaleString('en')} rows.\n\n${comparisonTable('raw', 'rebuild', results)}\n\n${table([head, ...memory.map((line) => line.map(String))])}`;
  } finally {
    await server.stop();
  }
}

async function compare(
  graph: MeasuredGraph,
  url: string,
  batches: ReturnType<typeof capturing>['batches'],
  rows: number,
): Promise<{ comparison: Comparison; rss: number[] }> {
  const theirs: Rates = { name: 'raw', rates: [], processor: [] };
  const ours: Rates = { name: 'rebuild', rates: [], processor: [] };
  let rss: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const raw = await graph.raw();
    const started = performance.now();
    for (const batch of batches) await raw.write(batch);
    theirs.rates.push((rows * 1000) / (performance.now() - started));
    await raw.close();
    const process = startSyncProcess({ url, graph: graph.order(await graph.fresh()), once: true });
    await process.ended();
    const end = process.said.at(-1);
    if (end?.done !== rows) throw new Error(`the rebuild wrote ${end?.done} rows of ${rows}`);
    ours.rates.push((rows * 1000) / (end.ms ?? Number.NaN));
    const seen = process.said.map((one) => one.rss);
    rss = [0, 0.25, 0.5, 1].map((share) => seen[Math.floor(share * (seen.length - 1))] ?? Number.NaN);
    rss.push(quantile(seen, 1));
  }
  return { comparison: { what: graph.name, theirs, ours, bar: 0.8 }, rss };
}
