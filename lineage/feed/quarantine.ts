import { keyOf } from './changes.ts';
import type { DatabaseSession } from './database-session.ts';
import type { FeedRow, Ledger, QuarantinedRow } from './ledger.ts';
import { arrayOf, type FeedReader } from './reader.ts';

const PUT = `
insert into ledger_internal.sync_quarantine as q (mirror, kind, epoch, xid, seq, tenant_id, row_key, code, reason)
values ($1::text, $2::text, $3::integer, $4::text::xid8, $5::text::bigint, $6::text::uuid, $7::text::jsonb, $8::text, $9::text)
on conflict (mirror, seq) do update
   set kind = excluded.kind, epoch = excluded.epoch, xid = excluded.xid, tenant_id = excluded.tenant_id, row_key = excluded.row_key,
       code = excluded.code, reason = excluded.reason, attempts = q.attempts + 1, last_failed_at = excluded.last_failed_at`;

const LIST = `
select q.mirror, q.kind, q.epoch, q.xid::text as xid, q.seq, q.tenant_id, q.row_key, q.code, q.reason, q.attempts,
       ledger_internal.rfc3339(q.first_failed_at) as first_failed_at, ledger_internal.rfc3339(q.last_failed_at) as last_failed_at
  from ledger_internal.sync_quarantine q where q.mirror = $1::text order by q.seq limit $2::integer`;

const REMOVE = 'delete from ledger_internal.sync_quarantine q where q.mirror = $1::text and q.seq = $2::text::bigint';
const COUNT = 'select count(*)::integer as n from ledger_internal.sync_quarantine q where q.mirror = $1::text';

const LISTED = 1_000;
// NUL is the one letter that Postgres keeps in no text.
const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd');

/** The quarantine of the ledger's mirrors, one row per row of the feed and mirror. */
export function quarantineIn(session: DatabaseSession, reader: FeedReader): Ledger['quarantine'] {
  return {
    async put(mirror: string, row: FeedRow, { code, reason }: { code: string; reason: string }) {
      const place = [row.kind, row.epoch, row.xid, String(row.seq), row.tenant_id];
      await session.query(PUT, [mirror, ...place, JSON.stringify(keyOf(row)), storable(code), storable(reason)]);
    },

    async list(mirror: string, limit: number = LISTED) {
      const rows = await session.query(LIST, [mirror, limit]);
      return rows.map((row) => ({ ...row, seq: Number(row['seq']) })) as unknown as QuarantinedRow[];
    },

    async remove(mirror: string, seq: number) {
      await session.query(REMOVE, [mirror, String(seq)]);
    },

    async current(row: QuarantinedRow) {
      const before = { epoch: row.epoch, xid: row.xid, seq: row.seq - 1 };
      const [found] = await reader.rows(before, 1, arrayOf([row.kind]), null);
      return found && found.epoch === row.epoch && found.xid === row.xid && found.seq === row.seq ? found : null;
    },

    async count(mirror: string) {
      const [row] = await session.query(COUNT, [mirror]);
      return row?.['n'] as number;
    },
  };
}
