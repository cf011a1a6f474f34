import { expect, it } from 'vitest';
import { AnswerSize } from './answer-size.ts';

it('takes ten thousand rows of facts', () => {
  const size = new AnswerSize();
  const row = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`column_${n}`, 'x'.repeat(100)]));
  for (let n = 0; n < 10_000; n += 1) size.add(row);
});

it.each([
  ['texts', { x: 'x'.repeat(1_000_000) }],
  ['lists', { x: Array.from({ length: 100_000 }, (_, n) => n) }],
  ['lists of lists', { x: Array.from({ length: 1_000 }, () => ({ y: Array.from({ length: 100 }, () => null) })) }],
])('refuses a few rows of long %s before they are all read', (_, row) => {
  const size = new AnswerSize();
  let rows = 0;
  const read = () => {
    for (; rows < 1_000; rows += 1) size.add(row);
  };
  expect(read).toThrow(
    expect.objectContaining({ code: 'query_unbounded', message: expect.stringContaining('64 MiB') }),
  );
  expect(rows).toBeLessThan(100);
});
