import type { FeedPage, FeedRow } from '../feed/ledger.ts';
import { GraphFault } from '../graph/fault.ts';
import type { Position } from '../graph/graph.ts';
import { countOf, NO_CHANGES, netChanges } from './net-changes.ts';
import { park as parkRow } from './quarantine.ts';
import type { Session } from './session.ts';
import { anotherRowPasses, ROWS_TRIED } from './whole-batch.ts';

/** What is told while rows go into the graph. */
export interface WriteListener {
  /** One transaction landed, with so many rows of the feed; the graph stands at `at` now. */
  wrote(rows: number, at: Position): void;
  /** A row went into the quarantine. */
  parked(row: FeedRow, fault: GraphFault): void;
}

/**
 * Writes one page. Where the graph cannot take a row, the page is halved until that row stands alone; it goes into the
 * quarantine, and the rest lands. A kill at any moment repeats at most what is idempotent: the row is parked before the
 * graph's position moves over it.
 *
 * @throws GraphFault passing and whole ones; `rows_all_refused` (whole) when no other row passes either
 * @throws PositionMoved
 */
export async function writePage(
  session: Session,
  page: FeedPage & { to: Position },
  from: Position | null,
  listener: WriteListener,
): Promise<void> {
  // How many rows may be parked before another one must be seen to pass.
  let trust = 0;

  const write = async (rows: FeedRow[], after: Position | null, to: Position): Promise<void> => {
    try {
      const changes = netChanges(rows);
      await session.graph.write({ changes, from: after, to });
      // A row that changes nothing passes anywhere.
      if (countOf(changes) > 0) trust = ROWS_TRIED;
      listener.wrote(rows.length, to);
    } catch (error) {
      if (!(error instanceof GraphFault) || error.kind !== 'row') throw error;
      if (rows.length > 1) {
        const half = Math.ceil(rows.length / 2);
        const between = positionAt(rows[half - 1] as FeedRow, page.to);
        await write(rows.slice(0, half), after, between);
        await write(rows.slice(half), between, to);
      } else {
        await park(rows[0], error, after, to);
      }
    }
  };

  const park = async (row: FeedRow | undefined, fault: GraphFault, after: Position | null, to: Position) => {
    if (!row) throw refusesAll(fault);
    if (trust === 0) {
      if (!(await anotherRowPasses(session, page.rows, row))) throw refusesAll(fault);
      trust = ROWS_TRIED;
    }
    trust -= 1;
    await parkRow(session.ledger, session.mirror, row, fault);
    await session.graph.write({ changes: NO_CHANGES, from: after, to });
    listener.parked(row, fault);
    listener.wrote(0, to);
  };

  await write(page.rows, from, page.to);
}

/** The position after a row in the middle of a page that ends at `end`. */
function positionAt(row: FeedRow, end: Position): Position {
  const { epoch, xid, seq, kind } = row;
  return { ledger_id: end.ledger_id, tenant_id: end.tenant_id, epoch, xid, seq, kind };
}

function refusesAll(fault: GraphFault): GraphFault {
  return new GraphFault(
    'whole',
    'rows_all_refused',
    `the graph refuses every row that was tried, so the fault is not a row’s: ${fault.code}: ${fault.message}`,
    { cause: fault },
  );
}
