import type { JudgmentCell } from '../../contract/judgment/index.ts';
import type { Colour } from './colour.ts';
import { renderTable } from './table.ts';

/** The success contract's table: a line for each cell. */
export function renderJudgmentTable(cells: readonly JudgmentCell[], colour: Colour): string {
  return renderTable(
    cells,
    [
      { title: 'lifecycle', value: (cell) => cell.lifecycle },
      { title: 'verification', value: (cell) => cell.verification },
      { title: 'required', value: (cell) => (cell.required ? 'yes' : 'no') },
      {
        title: 'judgment',
        value: ({ outcome, reason }) => (reason === null ? outcome : `${outcome}: ${reason}`),
        paint: (text, cell) => (cell.counts_as_success ? colour.good(text) : text),
      },
      { title: 'tag', value: (cell) => cell.tag ?? '' },
      { title: 'gate', value: (cell) => cell.gate },
    ],
    colour,
  );
}
