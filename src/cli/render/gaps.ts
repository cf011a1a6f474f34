import type { Gap, GapsDocument } from '../../client/documents.ts';
import type { Colour } from './colour.ts';
import { renderTable } from './table.ts';
import { showTime } from './time.ts';

/** @param kind the one kind that was looked for; absent: all were */
export function renderGaps(document: GapsDocument, colour: Colour, kind?: string): string {
  if (document.items.length === 0) {
    if (kind !== undefined) return `no ${kind} gaps; other kinds were not looked for`;
    return colour.good('no gaps: every outcome is caused, governed and whole');
  }
  const table = renderTable(
    document.items,
    [
      { title: 'gap', value: (item) => item.gap, paint: (text) => colour.warn(text) },
      { title: 'subject', value: (item) => item.subject_type },
      { title: 'id', value: (item) => item.subject_id },
      { title: 'since', value: (item) => showTime(item.since) },
      { title: 'detail', value: (item) => detailOf(item.detail) },
    ],
    colour,
  );
  return document.truncated ? `${table}\n${colour.warn('… there are more than were asked for')}` : table;
}

function detailOf(detail: Gap['detail']): string {
  if (detail === null) return '';
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
