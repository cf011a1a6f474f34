import type { OutcomeRecord } from '../../client/documents.ts';
import type { Page } from '../../client/pages.ts';
import type { Colour } from './colour.ts';
import { paintStatus } from './colour.ts';
import { renderTable } from './table.ts';
import { showTime } from './time.ts';

/** Outcomes, a line each, and how to go on where there are more. */
export function renderOutcomes({ items, next_cursor }: Page<OutcomeRecord>, colour: Colour): string {
  if (items.length === 0) return 'no outcomes';
  const table = renderTable(
    items,
    [
      { title: 'status', value: ({ status }) => status, paint: (text) => paintStatus(colour, text) },
      { title: 'source', value: ({ source }) => `${source.type} ${source.id}@${source.version}` },
      { title: 'correlation', value: ({ correlation_id }) => correlation_id },
      { title: 'completed', value: ({ timing }) => showTime(timing.completed_at) },
      { title: 'outcome', value: ({ outcome_id }) => outcome_id, paint: (text) => colour.dim(text) },
      { title: 'error', value: ({ errors }) => errors?.[0]?.code ?? '' },
    ],
    colour,
  );
  return next_cursor === null ? table : `${table}\n${colour.warn(`… there are more: --cursor ${next_cursor}`)}`;
}
