// What every graph store promises (`lineage/graph/graph.ts`), run against a real one: `describeGraph('neo4j', startStore)`.
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import type { GraphRefused } from '../../lineage/graph/fault.ts';
import type { Graph } from '../../lineage/graph/graph.ts';
import { checkEvidence } from './graph-suite-evidence.ts';
import { checkJudgments } from './graph-suite-judgments.ts';
import { checkPositions } from './graph-suite-positions.ts';
import { checkQueries } from './graph-suite-queries.ts';
import { checkRefusals } from './graph-suite-refusals.ts';
import { checkRows } from './graph-suite-rows.ts';
import { checkValues } from './graph-suite-values.ts';

/** One graph store that a test file has to itself. */
export interface GraphStore {
  /** A new handle on the one store, not prepared yet; two handles at once are two workers. The suite closes it. */
  open(options?: { tenantId?: string }): Promise<Graph>;
  /** Empties the store behind the handles' back: no node, no position. No handle is open. */
  reset(): Promise<void>;
  /** Graphs that `prepare` must refuse: each puts one into the emptied store, past the interface. Where a store cannot hold such a graph at all, it is left out. */
  refused: { what: string; code: GraphRefused['code']; plant(): Promise<void>; names?: string[] }[];
  /** Ends the store. */
  stop(): Promise<void>;
}

/** What the parts of the suite use: handles that are closed after each test. */
export interface GraphBench {
  store(): GraphStore;
  open(options?: { tenantId?: string }): Promise<Graph>;
  /** Opened and prepared. */
  ready(options?: { tenantId?: string }): Promise<Graph>;
}

export function describeGraph(name: string, start: () => Promise<GraphStore>): void {
  describe(`the graph store ${name}`, () => {
    let store: GraphStore;
    const handles: Graph[] = [];
    const closeAll = () => Promise.all(handles.splice(0).map((graph) => graph.close()));

    beforeAll(async () => {
      store = await start();
    }, 240_000);
    beforeEach(async () => {
      await store.reset();
      return async () => void (await closeAll());
    });
    afterAll(async () => {
      await closeAll();
      await store?.stop();
    });

    const bench: GraphBench = {
      store: () => store,
      async open(options) {
        const graph = await store.open(options);
        handles.push(graph);
        return graph;
      },
      async ready(options) {
        const graph = await bench.open(options);
        await graph.prepare();
        return graph;
      },
    };
    checkRows(bench);
    checkEvidence(bench);
    checkPositions(bench);
    checkValues(bench);
    checkRefusals(bench);
    checkQueries(bench);
    checkJudgments(bench);
  });
}
