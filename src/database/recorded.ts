// The shape every recording function answers with.
import type { ErrorCode } from '../contract/index.ts';

/** A record the ledger holds, as an API document. */
export type LedgerRecord = Record<string, unknown>;

/**
 * What a recording function answers: `recorded` anew, `replayed` (the same content was there), or `conflict` (other
 * content was there: `record` is the winner, `code` says which conflict).
 */
export interface Recorded {
  result: 'recorded' | 'replayed' | 'conflict';
  code?: ErrorCode;
  record: LedgerRecord;
}

/** One item of a batch: like a single, or refused alone. `refusal` is read with `refusalOf`. */
export type BatchItem = Recorded | { result: 'refused'; refusal: Record<string, unknown> };

/** A page of a list; `next_cursor` is null on the last page. */
export interface Page {
  items: LedgerRecord[];
  next_cursor: string | null;
}

/** The members a list understands, as its SQL function names them. */
export type Filter = Record<string, string | number>;
