import type {
  EventRecord,
  ExecutionRecord,
  InvocationRecord,
  LineageDocument,
  OutcomeRecord,
} from '../client/documents.ts';
import { Failure } from './failure.ts';
import { getJson, type Reader } from './http.ts';
import { UUID } from './options.ts';

/** What an outcome says caused it, where the lineage answer holds no outcome for that. */
export interface RecordedCause {
  /** The outcome that was caused. */
  outcome_id: string;
  causation_id: string;
  /** What the causation id names; null when nothing of that name is recorded. */
  kind: 'event' | 'outcome' | 'invocation' | 'execution' | null;
  /** Of an event, or of the event that an outcome emitted. */
  type: string | null;
  /** Who sent the event, or does the work. */
  source: string | null;
  /** Of an invocation or execution. */
  state: string | null;
}

/** Links that are written for a causation id; the others say how work came together, not what set it off. */
const CAUSAL = new Set<string>(['invoked', 'escalated-to']);
/** Each leaf costs a few requests: a wide answer must not become hundreds. */
const MOST_LEAVES = 20;

/**
 * Looks up the recorded cause of every outcome at which the chain ends: of `why` those without a causal link, of
 * `impact` the first alone, since all others stand below their cause. At most twenty; `left_out` counts the rest.
 */
export async function causesOf(
  reader: Reader,
  document: Pick<LineageDocument, 'outcome_id' | 'direction' | 'nodes' | 'links'>,
): Promise<{ causes: RecordedCause[]; left_out: number }> {
  const caused = new Set(
    document.links.filter((link) => CAUSAL.has(link.relation)).map((link) => link.target_outcome_id),
  );
  const leaves = document.nodes
    .map((node) => node.outcome_id)
    .filter((id) => !caused.has(id) && (document.direction === 'why' || id === document.outcome_id));
  const causes = await Promise.all(leaves.slice(0, MOST_LEAVES).map((id) => causeOf(reader, id)));
  return { causes, left_out: Math.max(0, leaves.length - MOST_LEAVES) };
}

async function causeOf(reader: Reader, outcome_id: string): Promise<RecordedCause> {
  const { causation_id } = await getJson<OutcomeRecord>(reader, `/outcomes/${outcome_id}`);
  const cause = { outcome_id, causation_id, kind: null, type: null, source: null, state: null };
  const event = await find<EventRecord>(reader, 'events', causation_id);
  if (event) {
    // An outcome's own event bears the outcome's id, which is what the caller meant.
    const kind = event.outcome_id === causation_id ? 'outcome' : 'event';
    return { ...cause, kind, type: event.type, source: event.source ?? null };
  }
  const subject = await findSubject(reader, causation_id);
  if (!subject) return cause;
  return { ...cause, kind: subject.kind, source: subject.record.source.id, state: subject.record.state };
}

export type Subject = { kind: 'invocation'; record: InvocationRecord } | { kind: 'execution'; record: ExecutionRecord };

/** The invocation or execution of this id; undefined when there is none, or the id is not of that form. */
export async function findSubject(reader: Reader, id: string): Promise<Subject | undefined> {
  if (!UUID.test(id)) return undefined;
  const invocation = await find<InvocationRecord>(reader, 'invocations', id);
  if (invocation) return { kind: 'invocation', record: invocation };
  const execution = await find<ExecutionRecord>(reader, 'executions', id);
  return execution && { kind: 'execution', record: execution };
}

async function find<T>(reader: Reader, route: string, id: string): Promise<T | undefined> {
  // A path loses `.` and `..`, and `health` is the function's own: an id of that name is asked for by its spelling.
  if (id === '.' || id === '..') return undefined;
  try {
    return await getJson<T>(reader, `/${route}/${id === 'health' ? '%68ealth' : encodeURIComponent(id)}`);
  } catch (error) {
    if (error instanceof Failure && error.problem.status === 404) return undefined;
    throw error;
  }
}
