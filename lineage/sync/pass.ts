import type { FeedPage } from '../feed/ledger.ts';
import { GraphFault } from '../graph/fault.ts';
import type { Position } from '../graph/graph.ts';
import { positionOf, readAfter, type Session } from './session.ts';
import { type WriteListener, writePage } from './write-page.ts';

export interface PassListener extends WriteListener {
  /** Where the graph stands when the pass begins. */
  began(at: Position | null): void;
}

interface Reading {
  page: Promise<FeedPage>;
  limit: number;
}

/**
 * Reads from the graph's position to the end of the feed and writes page by page; while the graph writes one, the next is
 * read, and no more than these two are held. A page that is not full is the last: what comes after it waits for the next pass.
 *
 * @param signal ends the pass after the batch in hand
 */
export async function mirrorPass(session: Session, listener: PassListener, signal: AbortSignal): Promise<void> {
  let from = await positionOf(session);
  listener.began(from);
  let reading: Reading | null = startReading(session, from);
  try {
    while (reading && !signal.aborted) {
      const page: FeedPage = await reading.page;
      if (!endsSomewhere(page)) return;
      session.sizes.arrived(page.rows.length);
      reading = mayBeMore(page, reading.limit) && !signal.aborted ? startReading(session, page.to) : null;
      await write(session, page, from, listener);
      from = page.to;
    }
  } finally {
    // Nothing of this pass may still run when the next begins.
    await reading?.page.catch(() => undefined);
  }
}

async function write(
  session: Session,
  page: FeedPage & { to: Position },
  from: Position | null,
  listener: WriteListener,
): Promise<void> {
  try {
    await writePage(session, page, from, listener);
    session.sizes.taken();
  } catch (error) {
    if (error instanceof GraphFault && error.kind === 'passing') session.sizes.failed(page.rows.length);
    throw error;
  }
}

function startReading(session: Session, after: Position | null): Reading {
  const limit = session.sizes.next;
  const page = readAfter(session, after, limit);
  // It is awaited later; until then its failure is nobody's surprise.
  page.catch(() => undefined);
  return { page, limit };
}

/** A page without any row of the mirror's is a stretch of other tables' tombstones. */
function mayBeMore(page: FeedPage, limit: number): boolean {
  return page.rows.length >= limit || page.rows.length === 0;
}

function endsSomewhere(page: FeedPage): page is FeedPage & { to: Position } {
  return page.to !== null;
}
