import { GraphFault } from '../fault.ts';
import type { GraphChanges } from '../graph.ts';
import { type ColumnType, EVIDENCE_COLUMNS, LINK_COLUMNS, OUTCOME_COLUMNS } from './columns.ts';

/** The text that sorts as the instants do. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const HALF_CHARACTER = /\p{Surrogate}/u;
const TIMES = new Set(['started_at', 'completed_at', 'recorded_at', 'awaiting_until']);

/**
 * Refuses what the library would take and change: it rounds a fraction for a whole number, replaces half characters, and keeps
 * any text for a time.
 *
 * @throws GraphFault of kind `row`
 */
export function checkRows({ outcomes, evidence, links }: GraphChanges): void {
  for (const facts of outcomes) checkColumns('outcome', facts.outcome_id, facts, OUTCOME_COLUMNS);
  for (const facts of evidence) checkColumns('outcome', facts.outcome_id, facts, EVIDENCE_COLUMNS);
  for (const facts of links) checkColumns('link', facts.link_id, facts, LINK_COLUMNS);
}

function checkColumns(what: string, id: string, facts: object, columns: Record<string, ColumnType>): void {
  for (const [name, type] of Object.entries(columns)) {
    const value = (facts as Record<string, unknown>)[name] ?? null;
    if (value === null) continue;
    if (!FITS[type](value)) refuse(what, id, name, EXPECTED[type]);
    if (TIMES.has(name) && !TIME.test(value as string)) refuse(what, id, name, 'a time in UTC with six decimals');
  }
}

const FITS: Record<ColumnType, (value: unknown) => boolean> = {
  STRING: (value) => typeof value === 'string' && !HALF_CHARACTER.test(value),
  INT64: Number.isSafeInteger,
  BOOLEAN: (value) => typeof value === 'boolean',
};
const EXPECTED: Record<ColumnType, string> = {
  STRING: 'text without half characters',
  INT64: 'a whole number below 2^53',
  BOOLEAN: 'true or false',
};

function refuse(what: string, id: string, name: string, expected: string): never {
  throw new GraphFault('row', 'row_refused', `${name} of ${what} ${id} is not ${expected}`);
}
