import { isDeepStrictEqual } from 'node:util';
import type { FeedRow, Ledger, QuarantinedRow } from '../feed/ledger.ts';
import { GraphFault } from '../graph/fault.ts';
import type { Graph } from '../graph/graph.ts';
import { invertedChange, netChanges } from './net-changes.ts';
import type { RetryReport } from './types.ts';

const REASON_LENGTH = 1_000;
/** Rows tried in one go. */
const ROWS_LISTED = 10_000;

/** Parks a row, or counts one more failure of one that is parked. */
export function park(ledger: Ledger, mirror: string, row: FeedRow, fault: GraphFault): Promise<void> {
  return ledger.quarantine.put(mirror, row, { code: fault.code, reason: fault.message.slice(0, REASON_LENGTH) });
}

/**
 * Tries every quarantined row of a mirror as it stands in the ledger now. What goes through leaves the quarantine, and so
 * does what was purged; what fails again stays, with one more attempt and the last reason.
 *
 * Safe beside a running worker: it moves no position.
 *
 * @throws GraphFault a passing or whole one: the rest was not tried
 */
export async function retryEach(
  ledger: Ledger,
  graph: Graph,
  mirror: string,
  signal?: AbortSignal,
): Promise<RetryReport> {
  const report: RetryReport = { repaired: 0, gone: 0, kept: 0 };
  for (const parked of await ledger.quarantine.list(mirror, ROWS_LISTED)) {
    if (signal?.aborted) break;
    report[await retryOne(ledger, graph, parked)] += 1;
  }
  return report;
}

async function retryOne(ledger: Ledger, graph: Graph, parked: QuarantinedRow): Promise<keyof RetryReport> {
  let row = await ledger.quarantine.current(parked);
  if (row === null) {
    await ledger.quarantine.remove(parked.mirror, parked.seq);
    return 'gone';
  }
  try {
    for (let written = false; !written; ) {
      await graph.repair(netChanges([row]));
      // A purge and its tombstone, or newer evidence, may have passed in the graph between the look and the write.
      const now: FeedRow | null = await ledger.quarantine.current(parked);
      if (now === null) await graph.repair(netChanges([invertedChange(row)]));
      written = now === null || isDeepStrictEqual(now.change, row.change);
      row = now ?? row;
    }
  } catch (error) {
    if (!(error instanceof GraphFault) || error.kind !== 'row') throw error;
    await park(ledger, parked.mirror, row, error);
    return 'kept';
  }
  await ledger.quarantine.remove(parked.mirror, parked.seq);
  return 'repaired';
}
