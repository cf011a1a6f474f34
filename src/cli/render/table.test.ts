import { describe, expect, test } from 'vitest';
import { colours } from './colour.ts';
import { renderFields, renderTable } from './table.ts';

const plain = colours(false);
const name = { title: 'name', value: (row: { name: unknown; n: unknown }) => row.name };
const count = { title: 'n', value: (row: { name: unknown; n: unknown }) => row.n, align: 'right' as const };
const columns = [name, count];

describe('table', () => {
  test('aligns columns, right where asked, and leaves no blanks at the ends of lines', () => {
    const text = renderTable(
      [
        { name: 'a', n: 7 },
        { name: 'longer', n: 1234 },
      ],
      columns,
      plain,
    );
    expect(text.split('\n')).toEqual(['name       n', 'a          7', 'longer  1234']);
  });

  test('no rows are no text', () => {
    expect(renderTable([], columns, plain)).toBe('');
  });

  test('counts wide characters as two columns', () => {
    const lines = renderTable(
      [
        { name: '東京', n: 1 },
        { name: 'abcd', n: 2 },
      ],
      columns,
      plain,
    ).split('\n');
    expect(lines).toEqual(['name  n', '東京  1', 'abcd  2']);
  });

  test('spells out control characters, so that a value can neither colour nor move nor break a line', () => {
    const text = renderTable([{ name: 'a\u001b[2Jb\nc\u202ed', n: null }], columns, plain);
    expect(text).toContain('a\\u001b[2Jb\\nc\\u202ed');
    expect(text.split('\n')).toHaveLength(2);
  });

  test('paints after measuring', () => {
    const painted = colours(true);
    const text = renderTable(
      [
        { name: 'bad', n: 1 },
        { name: 'fine', n: 2 },
      ],
      [{ ...name, paint: (value: string) => painted.bad(value) }, count],
      painted,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are taken away
    expect(text.replace(/\u001b\[\d+m/g, '').split('\n')).toEqual(['name  n', 'bad   1', 'fine  2']);
    expect(text).toContain('\u001b[31mbad');
  });
});

test('fields stand in one column; absent ones are left out', () => {
  const text = renderFields(
    [
      ['a', 1],
      ['longer', 'x'],
      ['gone', null],
      ['also gone', undefined],
    ],
    plain,
  );
  expect(text).toBe('a       1\nlonger  x');
});
