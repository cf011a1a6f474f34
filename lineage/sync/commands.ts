// What is done to a mirror from outside its worker: each opens both sides, does its work, and closes them.
import type { Ledger } from '../feed/ledger.ts';
import type { Graph } from '../graph/graph.ts';
import { withGraph, withLedger } from './guarded-open.ts';
import { mirrorName } from './mirror-name.ts';
import { retryEach } from './quarantine.ts';
import { reconcileSides } from './reconcile.ts';
import type { Mirror, ReconcileOptions, ReconcileReport, RetryReport, StatusReport } from './types.ts';

const ROWS_SHOWN = 100;

/** `reconcileSides` over both sides opened for it. Beside a running worker where the graph can be opened twice: Neo4j. */
export function reconcile(sides: Mirror, options: ReconcileOptions = {}): Promise<ReconcileReport> {
  const { tenantId } = sides.graph;
  return withBoth(sides, (ledger, graph, mirror) => reconcileSides({ ledger, graph, mirror, tenantId }, options));
}

/** Tries every quarantined row again; see `retryEach`. */
export function retryQuarantined(sides: Mirror): Promise<RetryReport> {
  return withBoth(sides, async (ledger, graph, mirror) => {
    await graph.prepare();
    return retryEach(ledger, graph, mirror);
  });
}

/**
 * How far a mirror is, and what is in its quarantine. Asks for the lock for a moment, to see whether a worker has it.
 *
 * @throws LedgerRefused, GraphRefused, GraphFault
 */
export function syncStatus(sides: Mirror): Promise<StatusReport> {
  return withBoth(sides, async (ledger, graph, mirror) => {
    // A graph that was never written knows no position; one that must not be is refused here as by a worker.
    await graph.prepare();
    const position = await graph.position();
    const { held_back_by, ...lag } = await ledger.lag(position);
    return {
      mirror,
      graph: { kind: graph.kind, address: graph.address },
      tenant_id: sides.graph.tenantId,
      worker_active: !(await ledger.tryLock(mirror)),
      position,
      lag: { ...lag, measured_at: new Date().toISOString() },
      held_back_by,
      quarantined: await ledger.quarantine.count(mirror),
      quarantine: await ledger.quarantine.list(mirror, ROWS_SHOWN),
    };
  });
}

async function withBoth<T>(
  sides: Mirror,
  work: (ledger: Ledger, graph: Graph, mirror: string) => Promise<T>,
): Promise<T> {
  return withLedger(sides, (ledger) => withGraph(sides, (graph) => work(ledger, graph, mirrorName(sides.graph))));
}
