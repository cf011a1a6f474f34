import { processorTime } from './processor.ts';
import { median, quantile } from './statistics.ts';

/**
 * One side of a comparison: `slice` does a fixed amount of work and answers how many operations that were; `pids` are the
 * database sessions that do it.
 */
export type Contender = { name: string; pids?: readonly number[]; slice(): Promise<number> };

/** What one side did, one figure per round: operations per second, and the sessions' processor time in µs per operation. */
export type Rates = { name: string; rates: number[]; processor: number[] };

/** `a` over `b`, round by round. */
export type Ratio = { median: number; low: number; high: number };

/**
 * Runs the contenders in short alternating slices, so that whatever else the machine does in these minutes falls on all
 * of them alike; the order turns from round to round. The first `warmup` rounds are not counted.
 */
export async function interleave(
  contenders: readonly Contender[],
  options: { rounds: number; warmup?: number },
): Promise<Rates[]> {
  const results: Rates[] = contenders.map(({ name }) => ({ name, rates: [], processor: [] }));
  const warmup = options.warmup ?? 1;
  for (let round = -warmup; round < options.rounds; round += 1) {
    const order = contenders.map((contender, index) => ({ contender, index }));
    if (round % 2 !== 0) order.reverse();
    for (const { contender, index } of order) {
      const pids = contender.pids ?? [];
      const worked = processorTime(pids);
      const started = performance.now();
      const operations = await contender.slice();
      const elapsed = performance.now() - started;
      if (round < 0) continue;
      results[index]?.rates.push((operations * 1000) / elapsed);
      results[index]?.processor.push((processorTime(pids) - worked) / operations);
    }
  }
  return results;
}

export function ratio(a: Rates | undefined, b: Rates | undefined): Ratio {
  if (!a || !b) throw new Error('nothing was measured');
  const ratios = a.rates.map((rate, round) => rate / (b.rates[round] ?? Number.NaN));
  return { median: median(ratios), low: quantile(ratios, 0.1), high: quantile(ratios, 0.9) };
}

/** Does `count` operations with `workers` callers at once, each taking the next number when it is free. */
export async function together(
  workers: number,
  count: number,
  operation: (index: number, worker: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async (worker: number) => {
    for (let index = next++; index < count; index = next++) await operation(index, worker);
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
}
