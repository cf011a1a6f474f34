import type { Position } from '../graph/graph.ts';
import type { DatabaseSession } from './database-session.ts';
import type { Lag } from './ledger.ts';
import { START } from './place.ts';
import { LINEAGE } from './reader.ts';

const LAG = `
select l.behind, l.capped, l.age_s, ledger_internal.feed_holders() as holders
  from public.feed_lag($1::integer, $2::text, $3::text::bigint, $4::text::text[], $5::text::uuid) l`;

interface Answer {
  behind: number;
  capped: boolean;
  age_s: number;
  holders: Lag['held_back_by'];
}

/** How far behind a position is, on the database's clock. */
export async function readLag(session: DatabaseSession, after: Position | null, tenantId: string | null): Promise<Lag> {
  const { epoch, xid, seq } = after ?? START;
  const [row] = await session.query(LAG, [epoch, xid, String(seq), LINEAGE, tenantId]);
  const { behind, capped, age_s, holders } = row as unknown as Answer;
  return {
    rows: behind,
    rows_capped: capped,
    seconds: age_s,
    // A server that hides other logins' transactions from this one hides their age.
    held_back_by: holders.map((holder) => ({ ...holder, age_s: holder.age_s ?? 0 })),
  };
}
