import { setTimeout as sleep } from 'node:timers/promises';
import { type Connections, openConnections } from '../ledger/connections.ts';
import type { Start } from '../ledger/envelope.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import { type Rates, together } from '../measure/interleave.ts';
import { quantile } from '../measure/statistics.ts';
import { supply } from '../measure/supply.ts';
import { embeddedGraph, neo4jGraph } from '../mirror/graphs.ts';
import { type SyncProcess, startSyncProcess } from '../mirror/sync-process.ts';
import { comparisonTable } from '../report/comparison.ts';
import { table } from '../report/table.ts';
import { governed } from './record.ts';

const CONNECTIONS = 8;
const SLICE = 600;
const ROUNDS = 10;
const SUSTAINED_MS = 60_000;
/** An outcome and the link to its cause. */
const ROWS_EACH = 2;

/** How far a worker is behind while outcomes are recorded at half the full rate for a minute, and what it costs those who record. */
export async function mirrorLag(): Promise<string> {
  const lags: string[][] = [];
  const costs: Parameters<typeof comparisonTable>[2][number][] = [];
  for (const open of [neo4jGraph, async () => embeddedGraph()]) {
    const graph = await open();
    const server = await startBenchServer();
    try {
      const { urlAs } = await server.database('bench_lag');
      const admin = connect(urlAs('supabase_admin'), 2);
      const tenantId = await seedTenant(admin);
      const starts = await seedStarts(admin, tenantId, 60_000);
      await admin.unsafe('vacuum analyze');
      const ledger = await openConnections(urlAs('ledger_gateway'), tenantId, CONNECTIONS);
      const worker = startSyncProcess({ url: urlAs('ledger_sync'), graph: graph.order(await graph.fresh()) });
      const rows = async () =>
        Number(
          (
            await admin`select (select count(*) from ledger_internal.outcomes) + (select count(*) from public.agent_lineage_links) as n`
          )[0]?.['n'],
        );
      const next = (count: number) => supply(starts.splice(0, count), count)();
      await worker.mirrored(await rows());
      const { alone, beside } = await cost(ledger, tenantId, worker, rows, next);
      costs.push({ what: `${graph.name}, 8 connections as fast as they can`, theirs: alone, ours: beside, bar: 0.95 });
      const rate = (alone.rates.reduce((sum, one) => sum + one, 0) / alone.rates.length) * 0.5;
      lags.push([graph.name, ...(await lag(ledger, tenantId, worker, rows, next, rate))]);
      await worker.stop();
      await ledger.close();
      await admin.end();
    } finally {
      await server.stop();
      await graph.stop();
    }
  }
  const head = ['', 'recorded /s', 'outcomes', 'lag, median ms', 'p95 ms', 'p99 ms', 'most ms', 'p99 under 1 s'];
  return `${table([head, ...lags])}\n\n${comparisonTable('no worker', 'beside a worker', costs)}`;
}

async function cost(
  ledger: Connections,
  tenantId: string,
  worker: SyncProcess,
  rows: () => Promise<number>,
  next: (count: number) => Start[],
): Promise<{ alone: Rates; beside: Rates }> {
  const alone: Rates = { name: 'no worker', rates: [], processor: [] };
  const beside: Rates = { name: 'beside a worker', rates: [], processor: [] };
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? [alone, beside] : [beside, alone]) {
      // A stopped process costs nothing; it catches up, unmeasured, before the next slice.
      if (side === alone) worker.child.kill('SIGSTOP');
      const mine = next(SLICE);
      const started = performance.now();
      await together(CONNECTIONS, mine.length, (index, connection) =>
        ledger.run(connection, governed(tenantId, mine.slice(index, index + 1))),
      );
      if (round >= 0) side.rates.push((SLICE * 1000) / (performance.now() - started));
      worker.child.kill('SIGCONT');
      await worker.mirrored(await rows());
    }
  }
  return { alone, beside };
}

async function lag(
  ledger: Connections,
  tenantId: string,
  worker: SyncProcess,
  rows: () => Promise<number>,
  next: (count: number) => Start[],
  rate: number,
): Promise<string[]> {
  const before = await rows();
  const count = Math.floor((rate * SUSTAINED_MS) / 1000);
  const mine = next(count);
  const committed: number[] = [];
  const started = performance.now();
  const since = Date.now();
  await together(CONNECTIONS, count, async (index, connection) => {
    await sleep(Math.max(0, started + (index * 1000) / rate - performance.now()));
    await ledger.run(connection, governed(tenantId, mine.slice(index, index + 1)));
    committed.push(Date.now());
  });
  const recorded = (count * 1000) / (performance.now() - started);
  await worker.mirrored(before + count * ROWS_EACH);
  const told = worker.said.filter((one) => one.at >= since);
  let place = 0;
  // Mirrored in the order of the feed, which is that of commits but for those at the same moment.
  const lags = committed.map((at, n) => {
    while ((told[place]?.rows ?? Number.POSITIVE_INFINITY) < before + (n + 1) * ROWS_EACH) place += 1;
    return Math.max(0, (told[place]?.at ?? Number.NaN) - at);
  });
  const [p50, p95, p99, most] = [0.5, 0.95, 0.99, 1].map((share) => quantile(lags, share));
  return [recorded, count, p50, p95, p99, most]
    .map((figure) => Math.round(figure ?? Number.NaN).toLocaleString('en'))
    .concat((p99 ?? Number.POSITIVE_INFINITY) < 1000 ? 'met' : '**missed**');
}
