import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../lineage/graph/embedded/index.ts';
import type { Graph } from '../lineage/graph/graph.ts';
import { runRaw } from './support/graph-embedded.ts';
import { describeGraph } from './support/graph-suite.ts';

describeGraph('embedded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-graph-'));
  const directory = join(folder, 'graph');
  // Files cannot be taken from under a process that has them open, so a reset closes what is still open.
  const handles: Graph[] = [];
  return {
    async open({ tenantId }: { tenantId?: string } = {}) {
      const graph = await openEmbedded({ directory, tenantId });
      handles.push(graph);
      return graph;
    },
    async reset() {
      await Promise.all(handles.splice(0).map((graph) => graph.close()));
      rmSync(directory, { recursive: true, force: true });
    },
    refused: [
      {
        what: 'tables of something else',
        code: 'graph_foreign',
        plant: async () => void (await runRaw(directory, ['CREATE NODE TABLE Person(name STRING PRIMARY KEY)'])),
        names: ['Person'],
      },
    ],
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
