import type { LbugValue } from '@ladybugdb/core';
import { GraphFault } from '../fault.ts';
import type { ColumnType } from './columns.ts';
import type { Parameters } from './library.ts';
import type { Row, Run } from './store.ts';

/** Rows in one statement: binding them holds Node's own thread, and more at once are no faster. */
export const CHUNK = 1_000;

export function* chunksOf<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += CHUNK) yield rows.slice(start, start + CHUNK);
}

/** The place of row 0 in a list of values, behind the element that gives the list its type: lists count from 1 here. */
const FIRST_ROW = 2;
const TYPED: Record<ColumnType, LbugValue> = { STRING: '', INT64: 0, BOOLEAN: false };

/**
 * One list a column, as parameters of a statement. The library takes a list's type from its elements, and fails where all
 * are null; an element that belongs to no row gives it one.
 */
export function columnLists<T extends object>(rows: readonly T[], columns: Record<string, ColumnType>): Parameters {
  const lists = Object.entries(columns).map(([name, type]) => [
    name,
    [TYPED[type], ...rows.map((row) => (row as Record<string, LbugValue>)[name] ?? null)],
  ]);
  return Object.fromEntries(lists);
}

/** `UNWIND` over the places of the rows in the lists of `columnLists`. */
export const eachRow = (list: string): string => `UNWIND range(${FIRST_ROW}, size($${list})) AS i`;

/** Rows of keys with the place `i` of their values; keys must stand in the row itself, or the index is not used to find them. */
export function keyRows<T>(rows: readonly T[], keys: (row: T) => Record<string, string>): LbugValue[] {
  return rows.map((row, n) => ({ ...keys(row), i: n + FIRST_ROW }));
}

/** `name: $name[i], …` for what is made, `x.name = $name[r.i], …` for what is changed. */
export const madeOf = (names: readonly string[], place: string): string =>
  names.map((name) => `${name}: $${name}[${place}]`).join(', ');
export const changedTo = (variable: string, names: readonly string[]): string =>
  names.map((name) => `${variable}.${name} = $${name}[r.i]`).join(', ');

/**
 * Runs a statement that answers with the number of rows it reached as `n`. This library has had plans that pass over rows in
 * silence, so every write is counted before its transaction ends.
 */
export async function runCounted(run: Run, text: string, parameters: Parameters, expected: number): Promise<void> {
  const [row] = await run(`${text} RETURN count(*) AS n`, parameters);
  const reached = Number((row as Row)['n']);
  if (reached !== expected) {
    throw new GraphFault(
      'whole',
      'graph_miscounted',
      `the embedded graph reached ${reached} rows of ${expected}; nothing was written: ${text.slice(0, 120)}`,
    );
  }
}
