import type { Sql } from 'postgres';
import type { Document } from './envelopes.ts';

export interface Position {
  epoch: number;
  xid: string;
  seq: string;
}
export interface FeedRow extends Position {
  tenant_id: string;
  kind: string;
  content: Document;
}
export interface Wanted {
  kinds?: string[];
  tenant?: string;
  limit?: number;
}

export const START: Position = { epoch: 0, xid: '0', seq: '0' };
export const positionOf = (row: FeedRow | undefined): Position => row ?? START;

/** One page of the feed after a position. */
export async function readFeed(
  sync: Sql,
  after: Position,
  { kinds, tenant, limit = 10_000 }: Wanted,
): Promise<FeedRow[]> {
  const rows = await sync<FeedRow[]>`
    select * from public.feed(${after.epoch}, ${after.xid}, ${after.seq}, ${limit}, ${kinds ?? null}, ${tenant ?? null})`;
  return [...rows];
}

/**
 * Reads from a position until what was found is enough. Other files' transactions on the shared server hold the feed back
 * for a moment, so what is settled here may come a little later; it must come.
 */
export async function follow(
  sync: Sql,
  from: Position,
  wanted: Wanted,
  enough: (rows: FeedRow[]) => boolean,
  patienceMs = 20_000,
): Promise<FeedRow[]> {
  const found: FeedRow[] = [];
  for (const until = Date.now() + patienceMs; ; ) {
    found.push(...(await readFeed(sync, positionOf(found.at(-1) ?? (from as FeedRow)), wanted)));
    if (enough(found)) return found;
    if (Date.now() > until) throw new Error(`the feed gave ${found.length} rows only`);
  }
}
