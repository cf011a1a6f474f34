import { openConnections } from '../ledger/connections.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import { type Rates, together } from '../measure/interleave.ts';
import { quantile } from '../measure/statistics.ts';
import { supply } from '../measure/supply.ts';
import { comparisonTable } from '../report/comparison.ts';
import { table } from '../report/table.ts';
import { governed } from './record.ts';

const OVERDUE = 100_000;
const BATCH = 100;
const SLICE = 2_000;
const BESIDE = 1_500;

/** A sweep of 100,000 overdue subjects against recording in batches of 100, and what recordings take while a sweep runs. */
export async function sweep(): Promise<string> {
  const server = await startBenchServer();
  try {
    const { urlAs } = await server.database('bench_sweep');
    const admin = connect(urlAs('supabase_admin'), 2);
    const tenantId = await seedTenant(admin);
    await seedStarts(admin, tenantId, OVERDUE);
    await admin.unsafe(`update ledger_internal.open_work set deadline_at = clock_timestamp() - interval '1 second'`);
    const slices = Math.ceil(OVERDUE / 2 / SLICE);
    const ended = await seedStarts(admin, tenantId, slices * SLICE);
    const single = await seedStarts(admin, tenantId, 2 * BESIDE);
    await admin.unsafe('vacuum analyze');
    await admin.unsafe('checkpoint');
    const recorder = await openConnections(urlAs('ledger_gateway'), tenantId, 1);
    const sweeper = connect(urlAs('ledger_sweep'), 1);
    const sweepBatch = async () => {
      const [row] = await sweeper<
        { swept: number }[]
      >`select (public.sweep_overdue(${BATCH}) ->> 'swept')::integer as swept`;
      return row?.swept ?? 0;
    };

    const nextSingle = supply(single, BESIDE);
    const latencies = async (sweeping: boolean) => {
      const times: number[] = [];
      let going = sweeping;
      const running = (async () => {
        while (going) await sweepBatch();
      })();
      const mine = nextSingle();
      await together(1, mine.length, async (index) => {
        const started = performance.now();
        await recorder.run(0, governed(tenantId, mine.slice(index, index + 1)));
        times.push(performance.now() - started);
      });
      going = false;
      await running;
      return times;
    };
    const [alone, beside] = [await latencies(false), await latencies(true)];

    const batches: Rates = { name: 'batch recording', rates: [], processor: [] };
    const swept: Rates = { name: 'sweep', rates: [], processor: [] };
    const nextEnded = supply(ended, SLICE);
    for (let round = 0; round < slices; round += 1) {
      const mine = nextEnded();
      let started = performance.now();
      for (let n = 0; n < mine.length; n += BATCH) await recorder.run(0, governed(tenantId, mine.slice(n, n + BATCH)));
      batches.rates.push((mine.length * 1000) / (performance.now() - started));
      started = performance.now();
      let count = 0;
      for (let n = 0; n < SLICE; n += BATCH) count += await sweepBatch();
      if (count > 0) swept.rates.push((count * 1000) / (performance.now() - started));
    }
    let rest = 0;
    for (let more = await sweepBatch(); more > 0; more = await sweepBatch()) rest += more;
    const [left] = await admin`select count(*)::int as n from ledger_internal.open_work where deadline_at <= now()`;
    if (left?.['n'] !== 0) throw new Error(`${left?.['n']} subjects were not swept, after ${rest}`);
    await sweeper.end();
    await recorder.close();
    await admin.end();
    const figures = (times: number[]) => [0.5, 0.95, 0.99].map((share) => quantile(times, share).toFixed(1));
    return [
      comparisonTable('batches of 100', 'sweep', [
        { what: 'subjects, 1 connection', theirs: batches, ours: swept, bar: 0.5 },
      ]),
      table([
        ['one recording, 1 connection', 'median ms', 'p95 ms', 'p99 ms'],
        ['nobody sweeps', ...figures(alone)],
        ['beside a sweep without pause', ...figures(beside)],
      ]),
    ].join('\n\n');
  } finally {
    await server.stop();
  }
}
