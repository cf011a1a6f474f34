import { loadLibrary } from '../../../lineage/graph/embedded/library.ts';
import { createSyncMetrics, startSync } from '../../../lineage/index.ts';
import { listen } from '../http-server.ts';
import { createWorkerApp } from './app.ts';
import { type GraphTarget, GraphUnavailable } from './graph-target.ts';
import type { Log } from './log.ts';
import { openMirror } from './open-mirror.ts';
import { problem, type WorkerProblem } from './problem.ts';
import { controlOf } from './sync-control.ts';

export interface WorkersOptions {
  /** As the login `ledger_sync`, on a session connection. */
  databaseUrl: string;
  graph: GraphTarget;
  /** Mirrors this tenant alone, into a graph of its own. */
  tenantId?: string;
  /** Of `/healthz` and `/metrics`; 0 = any free one. */
  port: number;
  /** Loopback when absent. */
  host?: string;
  /** Lets its holder ask for queries, a catch-up, a reconciliation. */
  controlToken?: string;
  log: Log;
}

/** Workers of this process. */
export interface Workers {
  port: number;
  mirror: string;
  /**
   * Resolves when a transaction pooler was found before the ledger. Sessions, which the worker's lock lives in, do not exist
   * there and never will: that is no state to wait in.
   */
  pooled: Promise<WorkerProblem>;
  /** Finishes requests and the batch in hand. */
  stop(): Promise<void>;
}

/**
 * Runs the sync worker in this process, and serves its health and metrics. An unreachable ledger or graph is no error
 * here: the worker waits for it, and `/healthz` says so.
 *
 * @throws EADDRINUSE
 * @throws GraphUnavailable when the graph's package is not installed
 */
export async function runWorkers(options: WorkersOptions): Promise<Workers> {
  const { databaseUrl, graph, tenantId, port, host, controlToken, log } = options;
  const mirror = openMirror(databaseUrl, graph, tenantId);
  if (graph.kind === 'embedded') await requireLoadable();
  // Taken first: a port in use is found before anything is mirrored.
  const http = await listen({ port, host, ownProcess: true });
  let found: (problem: WorkerProblem) => void = () => undefined;
  const pooled = new Promise<WorkerProblem>((resolve) => {
    found = resolve;
  });
  const sync = startSync({
    ...mirror,
    log: (entry) => {
      log(entry);
      const { code, remedy } = entry.details;
      if (code !== 'pooler_unsupported') return;
      found(problem(503, 'The ledger refuses to be read', code, entry.message, remedy as string));
    },
  });
  const stopping = new AbortController();
  http.open({
    functions: {},
    own: createWorkerApp({
      sync,
      control: controlOf(sync, mirror.openLedger, stopping.signal),
      metrics: createSyncMetrics(() => [sync]).registry,
      controlToken,
      onError: (error) => log({ level: 'error', message: 'a request failed', details: { error: String(error) } }),
    }),
  });
  log({ level: 'info', message: 'listening', details: { port: http.port, mirror: sync.mirror } });
  return {
    port: http.port,
    mirror: sync.mirror,
    pooled,
    async stop() {
      stopping.abort();
      // Queries first: they read the graph that the worker closes.
      await http.close();
      await sync.stop();
    },
  };
}

/** A native part that does not fit this machine will not do so later. */
async function requireLoadable(): Promise<void> {
  await loadLibrary().catch((error: Error) => {
    throw new GraphUnavailable('graph_not_installed', error.message, 'use --graph neo4j, or no graph', {
      cause: error,
    });
  });
}
