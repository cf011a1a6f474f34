import type { Relation } from '../../src/contract/relations.ts';

/** What others observed of an outcome, as it stands: its judgment rests on it. Unlike all other facts these change. */
export interface EvidenceFacts {
  /** What the latest verification said; null where there is none. */
  verification: string | null;
  verification_required: boolean;
  /** What it was last seen to deliver; null where nobody looked. */
  assessment: string | null;
  integrated: boolean;
  /** Until when a human may still answer about an escalated outcome; else null. That time has passed is no change of it. */
  awaiting_until: string | null;
}

/**
 * The facts of an outcome that the mirror carries (design section 8): never `result`, messages or notes, and no judgment.
 * Times are RFC 3339 in UTC with microseconds, as the database prints them; `duration_ms` is a whole number.
 */
export interface OutcomeFacts extends EvidenceFacts {
  outcome_id: string;
  tenant_id: string;
  source_type: 'agent' | 'workflow';
  source_id: string;
  source_version: string;
  domain: string;
  governance_class: string;
  status: string;
  /** The invocation it ended; null for a workflow outcome. */
  invocation_id: string | null;
  /** The execution it ended, or the one its invocation ran in. */
  execution_id: string | null;
  correlation_id: string;
  causation_id: string;
  decision: string | null;
  escalation_target: string | null;
  origin: string;
  completion_reason: string | null;
  started_at: string;
  completed_at: string;
  recorded_at: string;
  duration_ms: number;
}

/** One lineage link as the mirror carries it; the relationship's type is the relation in capitals (`contributed-to` → CONTRIBUTED_TO). */
export interface LinkFacts {
  link_id: string;
  tenant_id: string;
  source_outcome_id: string;
  target_outcome_id: string;
  relation: Relation;
  origin: 'derived' | 'declared';
  declared_by: string | null;
  recorded_at: string;
}

/** What identifies a link in both stores. */
export type LinkKey = Pick<LinkFacts, 'tenant_id' | 'source_outcome_id' | 'target_outcome_id' | 'relation'>;
/** What identifies an outcome in both stores. */
export type OutcomeKey = Pick<OutcomeFacts, 'outcome_id' | 'tenant_id'>;
/** An outcome's evidence without the outcome. */
export type OutcomeEvidence = OutcomeKey & EvidenceFacts;

/**
 * What changed, net of everything in one stretch of the feed: each key stands once over all five lists.
 * A graph applies outcomes, then links (an end that is not there yet becomes a stub: a node with its ids alone), then
 * evidence, then deletions. Evidence about a stub, or about no node, is left out: an outcome brings its own. A deleted
 * outcome that still has links becomes a stub; a stub left without links goes.
 */
export interface GraphChanges {
  outcomes: OutcomeFacts[];
  evidence: OutcomeEvidence[];
  links: LinkFacts[];
  deletedOutcomes: OutcomeKey[];
  deletedLinks: LinkKey[];
}

/** How far a mirror has come in a ledger's feed. It is kept in the graph and moves in the transaction of the rows. */
export interface Position {
  /** Which ledger: the same for all lives of one database, restored copies included. */
  ledger_id: string;
  /** The one tenant this graph mirrors, or null for all. */
  tenant_id: string | null;
  epoch: number;
  /** xid8 as text: above 2^53. */
  xid: string;
  seq: number;
  /** The kind of the last row read, which must still stand at this place: the witness that `feed` checks. */
  kind: string;
}

/** One managed transaction: `changes`, and the position from `from` to `to`. */
export interface GraphBatch {
  changes: GraphChanges;
  /** What the graph must hold now, null = nothing yet. Anything else: `PositionMoved`, and nothing is written. */
  from: Position | null;
  to: Position;
}

export interface QueryOptions {
  /** Milliseconds until the graph gives up. */
  timeoutMs: number;
  /** Rows at most; more are left off and `truncated` says so. */
  maxRows: number;
}

/** Plain JSON: no driver types; integers above 2^53 as text, times as RFC 3339, nodes and relationships as objects of their properties with `labels` or `type`. */
export interface QueryResult {
  columns: string[];
  rows: Record<string, unknown>[];
  truncated: boolean;
}

/** What a mirror needs of a graph store. Two stand behind it and pass one conformance suite. */
export interface Graph {
  readonly kind: 'neo4j' | 'embedded';
  /** Where it is, without credentials. */
  readonly address: string;

  /**
   * Makes constraints before the first write and checks what is there.
   *
   * @throws GraphRefused foreign or twin nodes, another schema version, another tenant filter; with the remedy
   */
  prepare(): Promise<void>;

  position(): Promise<Position | null>;

  /**
   * Applies one batch atomically; idempotent. Rows are sorted by key, so that parallel writers take locks in one order.
   *
   * @throws PositionMoved when the stored position is not `from`
   * @throws GraphFault otherwise; `row` also where an outcome's id or a link's end stands there for another tenant
   */
  write(batch: GraphBatch): Promise<void>;

  /** Applies changes and leaves the position alone: what `reconcile` and a quarantine's retry do. */
  repair(changes: GraphChanges): Promise<void>;

  /** Forgets the position, so that the next pass reads the feed from its start. */
  forgetPosition(): Promise<void>;

  /** Mirrored outcomes with ids after `after`, in id order; a stub has `facts` null. */
  outcomesAfter(after: string | null, limit: number): Promise<{ key: OutcomeKey; facts: OutcomeFacts | null }[]>;

  /** Mirrored links that lead out of these outcomes. */
  linksFrom(sources: string[]): Promise<LinkFacts[]>;

  /** A read-only query; a text that writes is refused before anything changes. */
  query(text: string, parameters: Record<string, unknown>, options: QueryOptions): Promise<QueryResult>;

  close(): Promise<void>;
}
