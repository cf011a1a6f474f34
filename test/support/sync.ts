import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ledger } from '../../lineage/feed/ledger.ts';
import type { Graph, GraphBatch, GraphChanges } from '../../lineage/graph/graph.ts';
import {
  embeddedSource,
  type GraphSource,
  type Mirror,
  openLedger,
  type SyncLogEntry,
  type SyncOptions,
  type SyncStatus,
  type SyncWorker,
  startSync,
} from '../../lineage/index.ts';
import { differences } from './compare-graph.ts';
import type { TestDatabase } from './database.ts';
import type { Document } from './envelopes.ts';
import { overlaid } from './overlaid.ts';
import { randomFrom } from './random.ts';
import { idOf, type SqlLedger } from './sql-ledger.ts';

/** Waits short enough for tests. */
export const FAST = {
  busyMs: 5,
  idleMs: 20,
  standbyMs: 20,
  refusedMs: 40,
  backoffMs: 10,
  backoffMaxMs: 100,
  lagMs: 50,
};

/** Asks until it holds; other files' transactions on the shared server hold the feed back for moments. */
export async function until<T>(
  ask: () => T | Promise<T>,
  holds: (answer: T) => boolean = Boolean,
  patienceMs = 30_000,
): Promise<T> {
  for (const end = Date.now() + patienceMs; ; ) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > end) throw new Error(`not within ${patienceMs} ms: ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A kind of graph under test: how an empty one is made. */
export interface GraphKind {
  readonly kind: Graph['kind'];
  /** An empty graph of its own, gone when the test ends. */
  fresh(tenantId?: string | null): Promise<GraphSource>;
  /** The same graph, opened for another tenant. */
  at(source: GraphSource, tenantId: string | null): GraphSource;
  /** Takes everything out of it, as its operator would; no worker has it open. */
  empty(source: GraphSource): Promise<void>;
}

export const EMBEDDED: GraphKind = {
  kind: 'embedded',
  async fresh(tenantId = null) {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-graph-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return embeddedSource({ directory: path.join(folder, 'graph'), tenantId });
  },
  at: (source, tenantId) => embeddedSource({ directory: source.address, tenantId }),
  empty: (source) => rm(source.address, { recursive: true, force: true }),
};

/** What a test adds to the two sides of a mirror: called before the side itself; what it throws or rejects with is the fault. */
export interface Faults {
  write?(batch: GraphBatch): void | Promise<void>;
  repair?(changes: GraphChanges): void | Promise<void>;
  read?(ledger: Ledger): void | Promise<void>;
}

/** Both sides of a mirror, the real ones, with faults when the test has some. */
export function mirrorOf(database: Pick<TestDatabase, 'urlAs'>, graph: GraphSource, faults: Faults = {}): Mirror {
  return {
    async openLedger() {
      const ledger = await openLedger({ url: database.urlAs('ledger_sync'), tenantId: graph.tenantId });
      return overlaid(ledger, {
        read: async (after, limit) => {
          await faults.read?.(ledger);
          return ledger.read(after, limit);
        },
      });
    },
    graph: {
      ...graph,
      async open() {
        const opened = await graph.open();
        return overlaid(opened, {
          write: async (batch) => {
            await faults.write?.(batch);
            return opened.write(batch);
          },
          repair: async (changes) => {
            await faults.repair?.(changes);
            return opened.repair(changes);
          },
        });
      },
    },
  };
}

/** The ledger with no page longer than so many rows. */
export function inPagesOf(rows: number, ledger: Ledger): Ledger {
  return overlaid(ledger, { read: (after, limit) => ledger.read(after, Math.min(rows, limit)) });
}

export interface TestWorker extends SyncWorker {
  readonly said: SyncLogEntry[];
  /** Waits for a status. */
  until(holds: (status: SyncStatus) => boolean, patienceMs?: number): Promise<SyncStatus>;
}

/** A worker with short waits, stopped when the test ends. */
export function startWorker(sides: Mirror, options: Partial<SyncOptions> = {}): TestWorker {
  const said: SyncLogEntry[] = [];
  const worker = startSync({
    ...sides,
    random: randomFrom(1),
    log: (entry) => said.push(entry),
    ...options,
    pace: { ...FAST, ...options.pace },
  });
  onTestFinished(() => worker.stop());
  return { ...worker, said, until: (holds, patienceMs) => until(() => worker.status(), holds, patienceMs) };
}

/** Waits until the graph of a worker has what the ledger has, once, and nothing else. */
export async function untilEqual(
  database: Pick<TestDatabase, 'admin'>,
  worker: SyncWorker,
  tenantId: string | null = null,
  patienceMs = 60_000,
): Promise<void> {
  const found = await until(
    () =>
      worker
        .withGraph((graph) => differences(database.admin, graph, tenantId))
        .catch((error: Error) => [`${error.message}; ${JSON.stringify(worker.status())}`]),
    (list) => list.length === 0,
    patienceMs,
  );
  if (found.length > 0) throw new Error(found.join('\n'));
}

/** Opens a graph that no worker has open, looks, and closes it. */
export async function look<T>(source: GraphSource, ask: (graph: Graph) => Promise<T>): Promise<T> {
  const graph = await source.open();
  try {
    return await ask(graph);
  } finally {
    await graph.close();
  }
}

/** Records invocations that each cause the next: `length` outcomes, and a link less. Their ids, in order. */
export async function recordChain(ledger: SqlLedger, length: number, over: Document = {}): Promise<string[]> {
  const ids: string[] = [];
  let cause: Document | undefined;
  for (let n = 0; n < length; n += 1) {
    const start = await ledger.start({ ...over, ...(cause ? { causation_id: idOf(cause) } : {}) });
    ids.push(await ledger.end(start));
    cause = start;
  }
  return ids;
}
