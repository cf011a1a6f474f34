import { resolve } from 'node:path';
import { GraphFault } from '../fault.ts';
import type { Graph, GraphBatch, GraphChanges } from '../graph.ts';
import { loadLibrary } from './library.ts';
import { type OnOverrun, OverrunWatch } from './overrun.ts';
import { comparePosition, dropPosition, readPosition, storePosition } from './position.ts';
import { runQuery } from './query.ts';
import { linksFrom, outcomesAfter } from './reads.ts';
import { prepareSchema } from './schema.ts';
import { holdStore } from './shared-store.ts';
import { STORE_DEFAULTS } from './store.ts';
import { applyChanges } from './write.ts';

export interface EmbeddedOptions {
  /** Where its files lie; made when it is not there. Nothing else may lie in it. */
  directory: string;
  /** The one tenant this graph mirrors; left out or null = all. */
  tenantId?: string | null;
  /** Memory for its pages, for what its log holds, and for writes and queries, in bytes (256 MiB). A second handle on the directory shares the first one's. */
  bufferPool?: number;
  /** Called when a query outlives its limit or takes the process's memory, and only the end of the process can end it. */
  onOverrun?: OnOverrun;
}

/** The address of the graph in a directory, without opening it. */
export const embeddedAddress = (directory: string): string => resolve(directory);

/**
 * Opens the graph that needs no server: files in a directory, opened by one process at a time. It is a mirror: what a torn
 * log or damaged files lose, the worker reads from the ledger again.
 *
 * @throws GraphFault `embedded_missing`, `graph_locked` (another process has it open), `graph_files`, `graph_damaged`
 * @throws GraphRefused files of something else or of another version
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Graph> {
  const { directory, tenantId = null, bufferPool, onOverrun } = options;
  const library = await loadLibrary();
  const { store, release } = await holdStore(
    resolve(directory),
    library,
    bufferPool === undefined ? {} : { bufferPool },
  );
  const run = store.run.bind(store);
  const overruns = new OverrunWatch(bufferPool ?? STORE_DEFAULTS.bufferPool, onOverrun);

  /** Applies changes in one transaction, with the position's move if there is one. */
  async function apply(changes: GraphChanges, move?: Pick<GraphBatch, 'from' | 'to'>): Promise<void> {
    const { deletedLinks } = await store.transaction(async (inside) => {
      if (move) await comparePosition(inside, move.from);
      refuseOtherTenants(changes, tenantId);
      const applied = await applyChanges(inside, changes);
      if (move) await storePosition(inside, move.from, move.to);
      return applied;
    });
    if (deletedLinks > 0) store.linksWereDeleted();
  }

  return {
    kind: 'embedded',
    address: embeddedAddress(directory),
    prepare: () => prepareSchema(store, tenantId),
    position: () => readPosition(run),
    write: ({ changes, from, to }) => apply(changes, { from, to }),
    repair: (changes) => apply(changes),
    forgetPosition: () => store.transaction(dropPosition),
    outcomesAfter: (after, limit) => outcomesAfter(run, after, limit),
    linksFrom: (sources) => linksFrom(run, sources),
    query: (text, parameters, options) => runQuery(store, overruns, text, parameters, options),
    close: release,
  };
}

function refuseOtherTenants({ outcomes, evidence, links }: GraphChanges, tenantId: string | null): void {
  const foreign = tenantId && [...outcomes, ...evidence, ...links].find(({ tenant_id }) => tenant_id !== tenantId);
  if (foreign) {
    throw new GraphFault(
      'row',
      'row_refused',
      `a row of tenant ${foreign.tenant_id} is not for the graph of tenant ${tenantId}`,
    );
  }
}
