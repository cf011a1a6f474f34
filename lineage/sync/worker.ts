import { BorrowedGraph } from './borrowed-graph.ts';
import { withLedger } from './guarded-open.ts';
import { mirrorName } from './mirror-name.ts';
import { PACE } from './pace.ts';
import { retryEach } from './quarantine.ts';
import { reconcileSides } from './reconcile.ts';
import { StatusBoard } from './status-board.ts';
import type { Mirror, SyncOptions, SyncPace, SyncWorker } from './types.ts';
import { WorkerLoop } from './worker-loop.ts';

/**
 * Starts a worker that mirrors a ledger into a graph until it is stopped. It returns at once and rejects nothing: a side that
 * cannot be reached, or must not be, shows in `status()` and in the log, and is tried again for ever.
 */
export function startSync(options: SyncOptions): SyncWorker {
  const { log = () => undefined, random = Math.random } = options;
  const pace: SyncPace = { ...PACE, ...options.pace };
  const sides: Mirror = { openLedger: options.openLedger, graph: options.graph };
  const { tenantId } = options.graph;
  const mirror = mirrorName(options.graph);
  const board = new StatusBoard(options.graph, log);
  const graph = new BorrowedGraph(sides);
  const stopping = new AbortController();
  const loop = new WorkerLoop({ sides, graph, board, pace, random, stop: stopping.signal });
  log({ level: 'info', message: 'mirror starting', details: { mirror } });
  const running = loop.run();

  return {
    mirror,
    status: () => board.read(),
    graph: () => graph.current,
    withGraph: (work) => graph.lend(work),
    // Both over a session of their own: the worker's is busy, and holds the lock.
    reconcile: (wanted = {}) =>
      graph.lend((open, ends) => {
        const signal = wanted.signal ? AbortSignal.any([wanted.signal, ends]) : ends;
        return withLedger(sides, (ledger) =>
          reconcileSides({ ledger, graph: open, mirror, tenantId }, { ...wanted, signal }),
        );
      }),
    retryQuarantined: () =>
      graph.lend((open, ends) => withLedger(sides, (ledger) => retryEach(ledger, open, mirror, ends))),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
