// Is a row's fault its own? A store that is set up wrongly refuses every row with the words of one that is bad; parking them
// one by one would empty the whole ledger into the quarantine. So a row is parked only once another row has passed.
import type { FeedRow } from '../feed/ledger.ts';
import { GraphFault } from '../graph/fault.ts';
import { netChanges, outcomeKeyText } from './net-changes.ts';
import type { Session } from './session.ts';

/** So many other rows are tried; when all of them fail too, the fault is the store's. */
export const ROWS_TRIED = 10;

/**
 * Tries other rows: up to ten of the same page, spread over it; where the page has fewer, outcomes from the ledger's start.
 * They are applied without the position, which is idempotent and early at worst.
 */
export async function anotherRowPasses(session: Session, page: readonly FeedRow[], bad: FeedRow): Promise<boolean> {
  const others = page.filter((row) => row !== bad && (row.change.type === 'outcome' || row.change.type === 'link'));
  const stride = Math.max(1, others.length / ROWS_TRIED);
  const tried = Array.from({ length: Math.min(ROWS_TRIED, others.length) }, (_, n) => others[Math.floor(n * stride)]);
  for (const row of tried) if (await passes(session, row as FeedRow)) return true;
  if (tried.length === ROWS_TRIED) return false;

  const inPage = new Set(page.map(({ change }) => (change.type === 'outcome' ? outcomeKeyText(change.facts) : '')));
  for (const facts of await session.ledger.outcomesAfter(null, 2 * ROWS_TRIED)) {
    if (inPage.has(outcomeKeyText(facts))) continue;
    if (await passes(session, { change: { type: 'outcome', facts } })) return true;
  }
  return false;
}

async function passes(session: Session, row: Pick<FeedRow, 'change'>): Promise<boolean> {
  try {
    await session.graph.repair(netChanges([row]));
    return true;
  } catch (error) {
    if (error instanceof GraphFault && error.kind === 'row') return false;
    throw error;
  }
}
