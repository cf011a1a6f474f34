// Run by sync-kill.ts in a process of its own, to be killed: a sync worker that says on its output what it
// does, and stops in order at any message.
import { embeddedSource, neo4jSource, openLedger, startSync } from '../../lineage/index.ts';
import { NO_CHANGES } from '../../lineage/sync/net-changes.ts';
import { overlaid } from './overlaid.ts';
import type { SyncProcessOrder } from './sync-kill.ts';

const { url, graph, tenantId, torn } = JSON.parse(process.env['SYNC_ORDER'] as string) as SyncProcessOrder;
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const source =
  graph.kind === 'embedded'
    ? embeddedSource({ directory: graph.directory, tenantId })
    : neo4jSource({ ...graph, tenantId });
const worker = startSync({
  openLedger: () => openLedger({ url, tenantId }),
  graph: torn ? { ...source, open: openTorn } : source,
  pace: { idleMs: 20, standbyMs: 50, refusedMs: 500, backoffMaxMs: 500 },
  log: (entry) => say(entry),
});
let rows = -1;
const telling = setInterval(() => {
  const status = worker.status();
  if (status.rows_written === rows) return;
  rows = status.rows_written;
  say({ rows, parked: status.rows_parked });
}, 5);
process.once('message', async () => {
  clearInterval(telling);
  await worker.stop();
  process.exit(0);
});

/** A graph without its guard: the position moves in a transaction of its own, and there the process stands still. */
async function openTorn() {
  const opened = await source.open();
  return overlaid(opened, {
    async write({ changes, from, to }) {
      await opened.write({ changes: NO_CHANGES, from, to });
      if (changes.outcomes.length === 0) return opened.repair(changes);
      say({ torn: true });
      return new Promise<void>(() => undefined);
    },
  });
}
