import { BatchSize } from './batch-size.ts';
import { retryEach } from './quarantine.ts';
import { comparePage } from './reconcile-page.ts';
import { repairPage } from './repair.ts';
import { beginSession, positionOf, readAfter, type Session } from './session.ts';
import { type Compared, type ReconcileOptions, type ReconcileReport, SyncRefused } from './types.ts';

const PAGE_SIZE = 500;

/**
 * Compares ledger and graph in id order, page by page, and repairs what the graph lacks, has otherwise, or has beyond the
 * ledger; then tries the quarantine, and forgets a position whose row is gone from the ledger, so that the feed is read anew.
 *
 * Safe beside a running worker: what it writes is what the ledger has, and it moves no position. Rows recorded in the last
 * moments count as missing then, because they are on their way.
 *
 * @throws LedgerRefused, GraphRefused as a worker would be
 * @throws GraphFault passing and whole ones; what was repaired so far stays repaired
 */
export async function reconcileSides(
  sides: Pick<Session, 'ledger' | 'graph' | 'mirror' | 'tenantId'>,
  { dryRun = false, pageSize = PAGE_SIZE, signal }: ReconcileOptions = {},
): Promise<ReconcileReport> {
  const { ledger, graph, mirror } = sides;
  const session = await beginSession({ ...sides, sizes: new BatchSize() });
  const report: ReconcileReport = {
    outcomes: { checked: 0, missing: 0, different: 0, surplus: 0 },
    links: { checked: 0, missing: 0, different: 0, surplus: 0 },
    repaired: 0,
    refused: 0,
    quarantine: null,
    position_reset: false,
  };
  const gone = await positionIsGone(session);
  for (let after: string | null = null; ; ) {
    signal?.throwIfAborted();
    const page = await comparePage(ledger, graph, after, pageSize);
    count(report.outcomes, page.outcomes);
    count(report.links, page.links);
    if (!dryRun) {
      const { repaired, refused } = await repairPage(ledger, graph, page, pageSize);
      report.repaired += repaired;
      report.refused += refused;
    }
    after = page.stretch.end;
    if (after === null) break;
  }
  if (dryRun) return report;
  report.quarantine = await retryEach(ledger, graph, mirror, signal);
  if (gone) {
    // Last: until then the worker is refused, and nobody takes the graph for whole.
    await graph.forgetPosition();
    report.position_reset = true;
  }
  return report;
}

async function positionIsGone(session: Session): Promise<boolean> {
  const position = await positionOf(session);
  if (position === null) return false;
  try {
    await readAfter(session, position, 1);
    return false;
  } catch (error) {
    if (error instanceof SyncRefused && error.code === 'position_gone') return true;
    throw error;
  }
}

function count(sum: Compared, page: { checked: number; missing: unknown[]; different: unknown[]; surplus: unknown[] }) {
  sum.checked += page.checked;
  sum.missing += page.missing.length;
  sum.different += page.different.length;
  sum.surplus += page.surplus.length;
}
