// A process of its own that writes batch after batch into an embedded graph until it is killed.
// Arguments: directory, seed. Says `at N` after the batch that brought the graph to step N; a line that begins with `failed` is an error.
import { openEmbedded } from '../../lineage/graph/embedded/index.ts';
import { batchOf, stepOf } from './graph-embedded-batches.ts';

const [directory = '', seed = '1'] = process.argv.slice(2);
const COUNT = 'match (:Outcome)-[l:INVOKED]->(:Outcome) return count(*) as n';
const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  const graph = await openEmbedded({ directory });
  await graph.prepare();
  say('open');
  for (let step = stepOf(await graph.position()); ; step += 1) {
    await graph.write(batchOf(Number(seed), step));
    say(`at ${step + 1}`);
    // After deletions a query brings a checkpoint with it: that, too, is a moment to be killed in.
    if (step % 2 === 0) await graph.query(COUNT, {}, { timeoutMs: 10_000, maxRows: 1 });
  }
} catch (error) {
  say(`failed ${(error as { code?: string }).code} ${error}`);
  process.exitCode = 1;
}
