import { LINEAGE_TABLES } from '../../src/contract/ledger-tables.ts';
import type { Position } from '../graph/graph.ts';
import { feedRow, type RawRow } from './changes.ts';
import type { DatabaseSession, Parameter, Row } from './database-session.ts';
import { readEvidence } from './evidence.ts';
import type { Identity } from './identity.ts';
import type { FeedPage, FeedRow } from './ledger.ts';
import { isAfter, type Place, type RowPlace, START } from './place.ts';

/** A text array's literal; the names of tables need no quotes. */
export const arrayOf = (names: readonly string[]): string => `{${names.join(',')}}`;
export const LINEAGE = arrayOf(LINEAGE_TABLES);

const FEED = `
select f.epoch, f.xid, f.seq, f.tenant_id, f.kind, f.content
  from public.feed($1::integer, $2::text, $3::text::bigint, $4::integer, $5::text::text[], $6::text::uuid, $7::text, facts => true) f`;

const END = 'select e.epoch, e.xid, e.seq, e.kind from ledger_internal.feed_end($1::text::text[]) e';

/** How often the feed's end is looked for, and how far it must lie ahead to be worth a position of its own. */
const END_EVERY_MS = 1_000;
const FAR = 10_000;

/** Reads the lineage of one tenant, or of all, from the feed. */
export class FeedReader {
  readonly #session: DatabaseSession;
  readonly #identity: Identity;
  readonly #tenantId: string | null;
  #end: RowPlace | null = null;
  #endAskedAt = Number.NEGATIVE_INFINITY;

  constructor(session: DatabaseSession, identity: Identity, tenantId: string | null) {
    this.#session = session;
    this.#identity = identity;
    this.#tenantId = tenantId;
  }

  async page(after: Position | null, limit: number): Promise<FeedPage> {
    await this.#lookForEnd();
    const rows = await this.rows(after ?? START, limit, LINEAGE, after?.kind ?? null);
    const last = rows.length < limit ? this.#endAfter(rows.at(-1) ?? after ?? START) : undefined;
    const to = last ?? rows.at(-1);
    return { rows, to: to ? await this.#positionAt(to) : null };
  }

  /** Feed rows of these kinds after a place, no more than `limit`. */
  async rows(after: Place, limit: number, kinds: string, witness: string | null): Promise<FeedRow[]> {
    const values: Parameter[] = [after.epoch, after.xid, String(after.seq), limit, kinds, this.#tenantId, witness];
    const found = (await this.#session.query(FEED, values)) as unknown as RawRow[];
    // After the rows, so that nothing of what they tell is missing.
    const evidence = await readEvidence(this.#session, this.#tenantId, found);
    return found.map((row) => feedRow(row, evidence));
  }

  // Asked before the rows: what comes before this end and is not among them is not this reader's. It is kept for a while,
  // which is as true as before.
  async #lookForEnd(): Promise<void> {
    const now = performance.now();
    if (now - this.#endAskedAt < END_EVERY_MS) return;
    this.#endAskedAt = now;
    const [row] = await this.#session.query(END, [LINEAGE]);
    this.#end = row?.['kind'] ? endOf(row) : null;
  }

  /**
   * The feed's end where it lies far ahead: other tenants' rows, which every later page would pass again. The position moves
   * over them, and its witness is the last of them.
   */
  #endAfter(place: Place): RowPlace | undefined {
    return this.#end && isAfter(this.#end, place) && this.#end.seq - place.seq > FAR ? this.#end : undefined;
  }

  async #positionAt({ epoch, xid, seq, kind }: RowPlace): Promise<Position> {
    const ledger_id = await this.#identity.id();
    // There is a row, so there is an epoch.
    return { ledger_id: ledger_id as string, tenant_id: this.#tenantId, epoch, xid, seq, kind };
  }
}

function endOf(row: Row): RowPlace {
  return {
    epoch: row['epoch'] as number,
    xid: row['xid'] as string,
    seq: Number(row['seq']),
    kind: row['kind'] as string,
  };
}
