// Phases: concluding an invocation, and what a later phase of its execution starts from.
import type { Session } from './connection.ts';
import type { CheckedSchemas } from './outcomes.ts';
import type { LedgerRecord, Recorded } from './recorded.ts';
import { jsonb, uuid } from './statement.ts';

/** What is read here of an invocation's start row, which never changes; the record has more members. */
export interface InvocationStartRecord extends LedgerRecord {
  source: { id: string; version: string; domain: string };
  correlation_id: string;
  causation_id: string;
  step_id: string | null;
  step_name: string | null;
}

/** An artifact to be kept: its content as text, or as base64, or where in the object store it lies already. */
export type NewArtifact = { path: string; title: string; type: string; recovered: boolean; primary: boolean } & (
  | { content: string }
  | { content_base64: string }
  | { object_key: string; size_bytes: number; sha256: string }
);

/** A phase as it was weighed. */
export interface Conclusion {
  /** SHA-256, in hex, of the request's canonical form: tells a replay from a conflict. */
  digest: string;
  /** What the agent said, what was observed, and what was concluded from both. */
  report: unknown;
  artifacts: readonly NewArtifact[];
  /** The outcome's result; null unless the phase completed. */
  result: Record<string, unknown> | null;
  quality: unknown;
  /** Null: from the start's `recorded_at` to now. */
  timing: unknown;
  checked_schemas: CheckedSchemas | null;
}

/** Report, artifacts and outcome in one transaction. Of a conflict the record is the envelope that won. */
export function concludeInvocation(session: Session, invocationId: string, conclusion: Conclusion): Promise<Recorded> {
  return session.call('conclude_invocation', uuid(invocationId), jsonb(conclusion));
}

/** What a conclusion has to know before it is made. */
export interface BegunConclusion {
  start: InvocationStartRecord;
  /** Of the conclusion that stands; null when there is none. */
  conclusion_digest: string | null;
}

/** Refuses `unknown_invocation`, and `not_permitted` whoever may not conclude this invocation. Writes nothing. */
export function beginConclusion(session: Session, invocationId: string): Promise<BegunConclusion> {
  return session.call('begin_conclusion', uuid(invocationId));
}

/** The artifacts of the earlier phases of its execution, as the files they are to this one. */
export function listInputs(session: Session, invocationId: string): Promise<LedgerRecord> {
  return session.call('list_inputs', uuid(invocationId));
}
