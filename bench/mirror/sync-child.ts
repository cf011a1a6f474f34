// A sync worker in a process of its own, as it runs beside a ledger. SYNC_ORDER: {url, graph, once}. Says on standard output, a
// document a line: `{at, rows, rss}` at each change of the rows it has written; with `once`, `{done, ms}` at the end of the feed.
import { openLedger } from '../../lineage/feed/open.ts';
import { syncOnce } from '../../lineage/sync/once.ts';
import { embeddedSource, neo4jSource } from '../../lineage/sync/sources.ts';
import { startSync } from '../../lineage/sync/worker.ts';

const { url, graph, once } = JSON.parse(process.env['SYNC_ORDER'] ?? '{}');
const source = graph.kind === 'embedded' ? embeddedSource(graph) : neo4jSource(graph);
const mirror = { openLedger: () => openLedger({ url, tenantId: null }), graph: source };
const say = (document: object) => process.stdout.write(`${JSON.stringify(document)}\n`);
const rss = () => Math.round(process.memoryUsage.rss() / 2 ** 20);

if (once) {
  const started = performance.now();
  const watch = setInterval(() => say({ at: Date.now(), rss: rss() }), 250);
  const { rows } = await syncOnce(mirror);
  clearInterval(watch);
  say({ done: rows, ms: performance.now() - started, rss: rss() });
  process.exit();
}

const worker = startSync(mirror);
let told = -1;
setInterval(() => {
  const { rows_written, state } = worker.status();
  if (state !== 'active' || rows_written === told) return;
  told = rows_written;
  say({ at: Date.now(), rows: rows_written, rss: rss() });
}, 5);
process.on('SIGTERM', () => void worker.stop().then(() => process.exit()));
