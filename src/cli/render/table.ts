import CliTable from 'cli-table3';
import { clean } from './clean.ts';
import type { Colour } from './colour.ts';

export interface Column<Row> {
  title: string;
  value: (row: Row) => unknown;
  align?: 'left' | 'right';
  /** Applied to the cleaned text. */
  paint?: (text: string, row: Row) => string;
}

/** Aligned columns without borders: a header, then one line per row; nothing at all for no rows. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], colour: Colour): string {
  if (rows.length === 0) return '';
  const table = new CliTable({
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    head: columns.map((column) => colour.dim(column.title)),
    colAligns: columns.map((column) => column.align ?? 'left'),
  });
  for (const row of rows) {
    table.push(
      columns.map((column) => {
        const text = clean(column.value(row));
        return column.paint ? column.paint(text, row) : text;
      }),
    );
  }
  return trimLines(table.toString());
}

/** `name  value` lines with the values in one column; entries whose value is null or undefined are left out. */
export function renderFields(entries: readonly (readonly [string, unknown])[], colour: Colour, indent = ''): string {
  const shown = entries.filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${indent}${colour.dim(name.padEnd(width))}  ${clean(value)}`).join('\n');
}

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
