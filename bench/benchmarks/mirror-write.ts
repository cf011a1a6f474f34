import { randomFrom } from '../../test/support/random.ts';
import { interleave } from '../measure/interleave.ts';
import { asBatch, batchSource, sizeOf } from '../mirror/batches.ts';
import { embeddedGraph, type MeasuredGraph, neo4jGraph } from '../mirror/graphs.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

const SEED = 4_201;
const BATCH = { outcomes: 1_000, links: 2_000 };
const BY_ROW = { outcomes: 40, links: 80 };
const ROUNDS = 15;

/** The mirror's writes against the raw driver's, batch by batch, and against rows written one by one. */
export async function mirrorWrite(): Promise<string> {
  const results: Comparison[] = [];
  for (const open of [neo4jGraph, async () => embeddedGraph()]) {
    const graph = await open();
    try {
      results.push(...(await compare(graph)));
    } finally {
      await graph.stop();
    }
  }
  return comparisonTable('raw', 'mirror', results);
}

async function compare(graph: MeasuredGraph): Promise<Comparison[]> {
  const mirror = await (await graph.fresh()).open();
  await mirror.prepare();
  const raw = await graph.raw();
  let step = 0;
  const ours = (size: typeof BATCH) => {
    const next = batchSource(randomFrom(SEED), size.outcomes, size.links);
    return {
      name: 'mirror',
      async slice() {
        const rows = next();
        await mirror.write(asBatch(step, rows));
        step += 1;
        return sizeOf(rows);
      },
    };
  };
  const theirs = (size: typeof BATCH, write: (rows: ReturnType<ReturnType<typeof batchSource>>) => Promise<void>) => {
    const next = batchSource(randomFrom(SEED + 1), size.outcomes, size.links);
    return {
      name: 'raw',
      async slice() {
        const rows = next();
        await write(rows);
        return sizeOf(rows);
      },
    };
  };
  const options = { rounds: ROUNDS, warmup: 4 };
  const [byBatch, mirrored] = await interleave([theirs(BATCH, (rows) => raw.write(rows)), ours(BATCH)], options);
  const [byRow, again] = await interleave([theirs(BY_ROW, (rows) => raw.writeOneByOne(rows)), ours(BATCH)], options);
  await mirror.close();
  await raw.close();
  if (!byBatch || !mirrored || !byRow || !again) return [];
  return [
    { what: `${graph.name}: UNWIND and MERGE, the same batches`, theirs: byBatch, ours: mirrored, bar: 0.7 },
    { what: `${graph.name}: row by row`, theirs: byRow, ours: again, bar: 15, times: true },
  ];
}
