import type { TransactionSql } from 'postgres';
import type { WriteTable } from '../../src/contract/roles.ts';
import type { Document } from './envelopes.ts';

/** Inserts one row straight into a table, naming only the columns given: what a token can do through the Data API. */
export async function insertRow(tx: TransactionSql, table: WriteTable | string, row: Document): Promise<number> {
  const columns = Object.keys(row).join(', ');
  const inserted = await tx.unsafe(
    `insert into public.${table} (${columns}) select ${columns} from jsonb_populate_record(null::public.${table}, $1::text::jsonb)`,
    [JSON.stringify(row)],
  );
  return inserted.count;
}

const A_DAY = 24 * 60 * 60 * 1000;

/** A start document as the row a direct writer would insert. */
export function startRow(start: Document, over: Document = {}): Document {
  const { source, ...members } = start;
  return {
    source_id: source.id,
    source_version: source.version,
    domain: source.domain,
    ...members,
    deadline_at: new Date(Date.now() + A_DAY).toISOString(),
    ...over,
  };
}

/** The terminal row of a start. */
export function outcomeRow(start: Document, envelope: Document, over: Document = {}): Document {
  const subject = start['invocation_id']
    ? { invocation_id: start['invocation_id'] }
    : { execution_id: start['execution_id'] };
  return { ...subject, outcome_envelope: envelope, ...over };
}
