import type { GraphChanges, LinkFacts, OutcomeEvidence, OutcomeFacts, OutcomeKey, Position } from '../graph/graph.ts';

/** One stretch of the feed, and where it ends. */
export interface FeedPage {
  /** One entry a row, in feed order; what the mirror does not carry is not among them. */
  rows: FeedRow[];
  /** The position after the last row; null when there was nothing after the given one. */
  to: Position | null;
}

/** A feed row as a change of the graph, with its place. */
export interface FeedRow {
  /** The table it stands in. */
  kind: string;
  epoch: number;
  xid: string;
  seq: number;
  tenant_id: string;
  /** This row's change alone. */
  change: FeedChange;
}

export type FeedChange =
  | { type: 'outcome'; facts: OutcomeFacts }
  | { type: 'link'; facts: LinkFacts }
  /** Evidence as it stands; `facts` null where the row is about no outcome of the ledger. `key` is the row's. */
  | { type: 'evidence'; key: Record<string, string>; facts: OutcomeEvidence | null }
  | { type: 'outcome_deleted'; key: OutcomeKey }
  | { type: 'link_deleted'; key: GraphChanges['deletedLinks'][number] };

/** How far behind a mirror is. */
export interface Lag {
  /** Rows after the position that can be read now; counting stops at 100,000 (`rows_capped`). */
  rows: number;
  rows_capped: boolean;
  /** Age of the oldest of them, in seconds; 0 when there are none. */
  seconds: number;
  /** Transactions older than a second that hold the feed back, oldest first. */
  held_back_by: { pid: number | null; user: string; database: string; age_s: number; prepared?: string | null }[];
}

/** A row that the graph cannot take. Kept in `ledger_internal.sync_quarantine` until it goes through or is gone. */
export interface QuarantinedRow {
  mirror: string;
  kind: string;
  epoch: number;
  xid: string;
  seq: number;
  tenant_id: string;
  /** The ids of the row, no content. */
  row_key: Record<string, unknown>;
  /** The store's code and what it said. */
  code: string;
  reason: string;
  attempts: number;
  first_failed_at: string;
  last_failed_at: string;
}

/** The ledger as a mirror sees it: one session of `ledger_sync`, which reads the feed and keeps the quarantine. */
export interface Ledger {
  /** The ledger's id, the same for all lives of the database; null before its first row. Refuses `schema_outdated` and `epoch_unsettled`. */
  identify(): Promise<string | null>;

  /**
   * Rows of the lineage kinds (both outcome tables, evidence, requests to humans, links, tombstones) after a position, in
   * order; evidence as it stands when they are read.
   *
   * @throws LedgerRefused `epoch_unsettled` in a restored database, or where the position's witness is gone
   */
  read(after: Position | null, limit: number): Promise<FeedPage>;

  lag(after: Position | null): Promise<Lag>;

  /** Takes the lock of the one active worker of `mirror`, held by this session until it ends; false when another has it. */
  tryLock(mirror: string): Promise<boolean>;

  quarantine: {
    put(mirror: string, row: FeedRow, fault: { code: string; reason: string }): Promise<void>;
    list(mirror: string, limit?: number): Promise<QuarantinedRow[]>;
    remove(mirror: string, seq: number): Promise<void>;
    /** The row as it stands in the ledger now, or null when it was purged. */
    current(row: QuarantinedRow): Promise<FeedRow | null>;
    count(mirror: string): Promise<number>;
  };

  /** Outcomes with ids after `after`, in id order, with the evidence about them, for `reconcile`. */
  outcomesAfter(after: string | null, limit: number): Promise<OutcomeFacts[]>;

  /** Ids after `after` that links lead out of, in id order, each once: also where the outcome itself was purged and its links stand. */
  linkSourcesAfter(after: string | null, limit: number): Promise<string[]>;

  /** Links that lead out of these outcomes. */
  linksFrom(sources: string[]): Promise<LinkFacts[]>;

  close(): Promise<void>;
}

/** The ledger refuses to be read; `remedy` says what to do. Codes: those of `src/contract/errors.ts`, and `pooler_unsupported`. */
export class LedgerRefused extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LedgerRefused';
    this.code = code;
    this.remedy = remedy;
  }
}
