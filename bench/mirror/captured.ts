import type { Graph, GraphChanges, Position } from '../../lineage/graph/graph.ts';
import type { GraphSource } from '../../lineage/sync/types.ts';

/** A graph that keeps nothing but the batches it was given: what a rebuild writes, to be written again without the mirror. */
export function capturing(): { source: GraphSource; batches: GraphChanges[] } {
  const batches: GraphChanges[] = [];
  let position: Position | null = null;
  const refuse = () => Promise.reject(new Error('this graph takes batches alone'));
  const graph: Graph = {
    kind: 'embedded',
    address: 'captured',
    prepare: async () => undefined,
    position: async () => position,
    async write({ changes, to }) {
      batches.push(changes);
      position = to;
    },
    repair: refuse,
    forgetPosition: refuse,
    outcomesAfter: refuse,
    linksFrom: refuse,
    query: refuse,
    close: async () => undefined,
  };
  return { source: { kind: 'embedded', address: 'captured', tenantId: null, open: async () => graph }, batches };
}
