import { collectDefaultMetrics, Registry } from 'prom-client';
import { loadLibrary } from '../../../lineage/graph/embedded/library.ts';
import { createSyncMetrics, type OnOverrun, type SyncWorker, startSync } from '../../../lineage/index.ts';
import { listen } from '../http-server.ts';
import { createWorkerApp } from './app.ts';
import { type GraphTarget, GraphUnavailable } from './graph-target.ts';
import { createHealthApp, type RunningWorker } from './health.ts';
import { type LedgerWorkersOptions, startLedgerWorkers } from './ledger-workers.ts';
import type { Log } from './log.ts';
import { openMirror } from './open-mirror.ts';
import { problem, type WorkerProblem } from './problem.ts';
import { controlOf } from './sync-control.ts';

/** The sync worker: both sides of its mirror. */
export interface SyncOrder {
  /** As the login `ledger_sync`, on a session connection. */
  databaseUrl: string;
  graph: GraphTarget;
  /** Mirrors this tenant alone, into a graph of its own. */
  tenantId?: string;
}

export interface WorkersOptions extends Pick<LedgerWorkersOptions, 'sweepUrl' | 'relayUrl' | 'allowLoopback'> {
  /** Absent: nothing is mirrored here. */
  sync?: SyncOrder;
  /** Of `/healthz` and `/metrics`; 0 = any free one. */
  port: number;
  /** Loopback when absent. */
  host?: string;
  /** Lets its holder ask for queries, a catch-up, a reconciliation. */
  controlToken?: string;
  log: Log;
  /** Told of a query that only the end of this process can end. */
  onOverrun?: OnOverrun;
}

/** Workers of this process. */
export interface Workers {
  port: number;
  /**
   * Resolves when the sync worker found a transaction pooler before the ledger. Sessions, which its lock lives in, do not
   * exist there and never will: that is no state to wait in.
   */
  pooled: Promise<WorkerProblem>;
  /** Finishes requests and what each worker has in hand. */
  stop(): Promise<void>;
}

/**
 * Runs workers in this process, and serves their health and metrics. An unreachable ledger or graph is no error here: the
 * worker waits for it, and `/healthz` says so.
 *
 * @throws EADDRINUSE
 * @throws GraphUnavailable when the graph's package is not installed
 * @throws RelayMisconfigured when the environment names an exporter of traces that cannot be used
 */
export async function runWorkers(options: WorkersOptions): Promise<Workers> {
  const { sync: order, sweepUrl, relayUrl, allowLoopback, port, host, controlToken, log } = options;
  const onOverrun: OnOverrun = (refusal, text) => {
    // Whoever asks from now on waits for the next process, rather than to be cut off by the end of this one.
    void http.close();
    options.onOverrun?.(refusal, text);
  };
  const mirror = order && openMirror(order.databaseUrl, order.graph, order.tenantId, onOverrun);
  if (order?.graph.kind === 'embedded') await requireLoadable();
  // Taken first: a port in use is found before anything is mirrored.
  const http = await listen({ port, host, ownProcess: true });
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const stopping = new AbortController();
  const running: RunningWorker[] = [];
  let pooled = new Promise<WorkerProblem>(() => undefined);
  let sync: { worker: SyncWorker; control: ReturnType<typeof controlOf>; stopping: AbortSignal } | undefined;
  try {
    running.push(...startLedgerWorkers({ sweepUrl, relayUrl, allowLoopback, metrics, log }));
  } catch (error) {
    await http.close();
    throw error;
  }
  if (mirror) {
    const started = startMirroring(mirror, log);
    const { worker } = started;
    pooled = started.pooled;
    sync = { worker, control: controlOf(worker, mirror.openLedger, stopping.signal), stopping: stopping.signal };
    createSyncMetrics(() => [worker], metrics);
    running.unshift({ name: 'sync', status: () => worker.status(), stop: () => worker.stop() });
  }
  http.open({
    functions: {},
    own: createWorkerApp({
      health: createHealthApp({ workers: () => running, metrics }),
      sync,
      controlToken,
      onError: (error) => log({ level: 'error', message: 'a request failed', details: { error: String(error) } }),
    }),
  });
  const workers = running.map(({ name }) => name);
  const mirrored = sync ? { mirror: sync.worker.mirror } : {};
  log({ level: 'info', message: 'listening', details: { port: http.port, workers, ...mirrored } });
  return {
    port: http.port,
    pooled,
    async stop() {
      stopping.abort();
      // Queries first: they read the graph that the worker closes.
      await http.close();
      await Promise.all(running.map((worker) => worker.stop()));
    },
  };
}

function startMirroring(mirror: ReturnType<typeof openMirror>, log: Log) {
  let found: (problem: WorkerProblem) => void = () => undefined;
  const pooled = new Promise<WorkerProblem>((resolve) => {
    found = resolve;
  });
  const worker = startSync({
    ...mirror,
    log: (entry) => {
      log(entry);
      const { code, remedy } = entry.details;
      if (code !== 'pooler_unsupported') return;
      found(problem(503, 'The ledger refuses to be read', code, entry.message, remedy as string));
    },
  });
  return { worker, pooled };
}

/** A native part that does not fit this machine will not do so later. */
async function requireLoadable(): Promise<void> {
  await loadLibrary().catch((error: Error) => {
    throw new GraphUnavailable('graph_not_installed', error.message, 'use --graph neo4j, or no graph', {
      cause: error,
    });
  });
}
