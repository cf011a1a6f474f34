// Lineage: explicit links, and the questions auditors ask.
import type { Session } from './connection.ts';
import type { BatchItem, LedgerRecord, Recorded } from './recorded.ts';
import { integer, jsonb, text, uuid } from './statement.ts';

/** Causes (`why`) or effects (`impact`) of an outcome; each node once, `truncated` when the depth cut something off. */
export interface LineageDocument {
  outcome_id: string;
  direction: 'why' | 'impact';
  max_depth: number;
  truncated: boolean;
  nodes: LedgerRecord[];
  links: LedgerRecord[];
}

/** Everything under one correlation id; `open` is what has no outcome yet. */
export interface CorrelationDocument {
  correlation_id: string;
  nodes: LedgerRecord[];
  links: LedgerRecord[];
  open: LedgerRecord[];
}

/** What is missing in the ledger; `truncated` when more gaps exist than were asked for. */
export interface GapsDocument {
  items: LedgerRecord[];
  next_cursor: null;
  truncated: boolean;
}

export function declareLink(session: Session, link: unknown): Promise<Recorded> {
  return session.call('declare_link', jsonb(link));
}

/** At most 100 items; answers in the order sent. */
export function declareLinks(session: Session, links: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('declare_links', jsonb(links));
}

/** The lineage of an outcome to a depth of 1 to 64, or null when there is no such outcome. */
export function lineageDocument(
  session: Session,
  direction: 'why' | 'impact',
  outcomeId: string,
  maxDepth: number,
): Promise<LineageDocument | null> {
  return session.call('lineage_document', text(direction), uuid(outcomeId), integer(maxDepth));
}

export function lineageCorrelation(session: Session, correlationId: string): Promise<CorrelationDocument> {
  return session.call('lineage_correlation_document', text(correlationId));
}

/** Gaps of one kind, or of all kinds when `gap` is null; at most `maxRows`. */
export function lineageGaps(session: Session, gap: string | null, maxRows: number): Promise<GapsDocument> {
  return session.call('lineage_gaps_document', text(gap), integer(maxRows));
}
