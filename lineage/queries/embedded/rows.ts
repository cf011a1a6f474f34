import type { Properties } from './steps.ts';

export type Row = Record<string, unknown>;

const FACTS = [
  'source_type',
  'source_id',
  'source_version',
  'domain',
  'status',
  'correlation_id',
  'causation_id',
  'invocation_id',
  'execution_id',
  'decision',
  'governance_class',
  'started_at',
  'completed_at',
] as const;

/** Facts as columns: null for what the outcome lacks, as all of them are for a stub. */
export function columnsOf(outcome: Properties | undefined): Row {
  return Object.fromEntries(FACTS.map((name) => [name, outcome?.[name] ?? null]));
}

/** As Neo4j and SQL order times: what has none comes last. */
export function byTimeAndId(a: Row, b: Row): number {
  return compare(a['completed_at'] ?? '~', b['completed_at'] ?? '~') || compare(a['outcome_id'], b['outcome_id']);
}

const compare = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0);
