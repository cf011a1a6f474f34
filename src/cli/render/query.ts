import type { NamedQuery, QueryResult } from '../../../lineage/index.ts';
import type { Colour } from './colour.ts';
import { renderTable } from './table.ts';

/** Rows as a table, and how many; columns in the order of the query. */
export function renderResult({ columns, rows, truncated }: QueryResult, colour: Colour): string {
  const shown = columns.map((name) => ({ title: name, value: (row: Record<string, unknown>) => row[name] }));
  const count = colour.dim(`(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`);
  const more = truncated ? [colour.warn('… there are more: narrow the query, or page with SKIP and LIMIT')] : [];
  return [renderTable(rows, shown, colour), count, ...more].filter((part) => part !== '').join('\n');
}

/** Each query with its parameters, ready to be typed. */
export function renderQueries(
  queries: readonly Pick<NamedQuery, 'name' | 'summary' | 'parameters'>[],
  colour: Colour,
): string {
  return queries
    .map(({ name, summary, parameters }) => {
      const lines = renderTable(
        parameters,
        [
          { title: '', value: () => ' ' },
          { title: 'parameter', value: (parameter) => parameter.name },
          { title: 'type', value: (parameter) => parameter.type },
          { title: 'default', value: (parameter) => (parameter.required ? 'required' : (parameter.default ?? 'none')) },
          { title: 'about', value: (parameter) => parameter.about },
        ],
        colour,
      );
      return `${colour.bold(name)}  ${summary}\n${lines}`;
    })
    .join('\n\n');
}
