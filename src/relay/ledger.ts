import { type FeedHolder, judgeHealth, type LedgerHealth } from '../database/index.ts';
import { WorkerSession } from '../worker/session.ts';
import type { RelayQueue } from './types.ts';

/** An event of the ledger's own, as it is sent. */
export interface OsEvent {
  type: string;
  /** The agent or workflow it is about. */
  source: string;
  outcome_id: string | null;
  correlation_id: string | null;
  causation_id: string | null;
  /** RFC 3339. */
  occurred_at: string;
  data: Record<string, unknown> | null;
}

/** An event that may be sent to a webhook now; `event` is null where retention has taken it. */
export interface Due {
  event_id: string;
  /** What it is kept in order within. */
  correlation_id: string;
  /** Failed attempts so far. */
  attempts: number;
  event: OsEvent | null;
}

/** A webhook under lease, and what may be sent to it: of each correlation its first events, in order. */
export interface TurnOrder {
  tenant_id: string;
  webhook_id: string;
  url: string;
  /** Its last attempts failed. */
  failing: boolean;
  /** The current one first. */
  secrets: string[];
  due: Due[];
}

/** What became of an attempt; `failed` and `gone` are attempted again after `retry_in_ms`. */
export interface Result {
  event_id: string;
  result: 'delivered' | 'failed' | 'dead' | 'gone';
  /** HTTP status, when there was an answer. */
  status: number | null;
  /** A code and a few words. */
  error: string | null;
  retry_in_ms: number;
}

export interface Settlement {
  results: Result[];
  /** The receiver asked to be left alone for so long; 0 = it did not. */
  pauseMs: number;
  /** Gives the webhook back. */
  release: boolean;
}

/** An invocation or execution that has ended, with what its span is made from. */
export interface Ended {
  tenant_id: string;
  source_type: 'agent' | 'workflow';
  subject_id: string;
  outcome_id: string;
  status: string;
  correlation_id: string;
  causation_id: string;
  source_id: string;
  source_version: string;
  domain: string;
  governance_class: string;
  decision: string | null;
  origin: string;
  /** RFC 3339, up to nine decimals. */
  started_at: string;
  completed_at: string;
  /** Of its first error. */
  error_code: string | null;
  /** The execution it ran in. */
  execution_id: string | null;
  traceparent: string | null;
  /** The start that its cause leads to, and that of the execution around it. */
  cause: SpanOrigin | null;
  around: SpanOrigin | null;
}

/** What the ids of a subject's span are made from. */
export interface SpanOrigin {
  subject_id: string;
  correlation_id: string;
  traceparent: string | null;
}

/** A place in the feed, opaque here. */
export type TracePlace = Record<string, unknown>;

/** At most so many events wait for one webhook; the rest stays in the feed. */
const MOST_WAITING = 10_000;
/** Events of one turn. */
const TURN_EVENTS = 100;
/** Outcomes of one export. */
const EXPORT_ROWS = 100;

/** The ledger as the relay sees it. Every call throws what `toRefusal` of `src/database` reads. */
export class RelayLedger {
  readonly #session: WorkerSession;
  readonly #leaseMs: number;

  constructor(url: string, leaseMs: number) {
    this.#session = new WorkerSession(url, 'outcome-ledger relay');
    this.#leaseMs = leaseMs;
  }

  /** Refuses a ledger of another schema, and one that was restored and not settled. */
  async check(): Promise<void> {
    const refusal = judgeHealth(await this.#session.ask<LedgerHealth>('select public.ledger_health()'));
    if (refusal) throw refusal;
  }

  take(token: string, maxTurns: number): Promise<{ turns: TurnOrder[]; moved: number }> {
    const statement = 'select ledger_internal.relay_take($1::uuid, $2::integer, $3::integer, $4::integer, $5::integer)';
    return this.#session.ask(statement, [token, maxTurns, TURN_EVENTS, this.#leaseMs, MOST_WAITING]);
  }

  /** False: the lease is somebody else's by now. */
  settle(turn: TurnOrder, token: string, { results, pauseMs, release }: Settlement): Promise<boolean> {
    const statement =
      'select ledger_internal.relay_settle($1::uuid, $2::uuid, $3::uuid, $4::text::jsonb, $5::bigint, $6::integer, $7::text::boolean)';
    const text = JSON.stringify(results);
    const values = [turn.tenant_id, turn.webhook_id, token, text, Math.ceil(pauseMs), this.#leaseMs, String(release)];
    return this.#session.ask(statement, values);
  }

  status(): Promise<Omit<RelayQueue, 'measured_at'> & { held_back_by: FeedHolder[] }> {
    return this.#session.ask('select ledger_internal.relay_status()');
  }

  /** Null while another relay exports under this name. */
  takeEnded(exporter: string, token: string): Promise<{ ended: Ended[]; position: TracePlace | null } | null> {
    const statement = 'select ledger_internal.trace_take($1::text, $2::uuid, $3::integer, $4::integer)';
    return this.#session.ask(statement, [exporter, token, EXPORT_ROWS, this.#leaseMs]);
  }

  settleEnded(exporter: string, token: string, place: TracePlace | null, release: boolean): Promise<boolean> {
    const statement =
      'select ledger_internal.trace_settle($1::text, $2::uuid, $3::text::jsonb, $4::integer, $5::text::boolean)';
    const text = place === null ? null : JSON.stringify(place);
    return this.#session.ask(statement, [exporter, token, text, this.#leaseMs, String(release)]);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
