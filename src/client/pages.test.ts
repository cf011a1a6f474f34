import { expect, test } from 'vitest';
import { listing } from './pages.ts';

const pages = {
  first: { items: [1, 2], next_cursor: 'second' },
  second: { items: [], next_cursor: 'third' },
  third: { items: [3], next_cursor: null },
};
const list = (from: string | null = null) =>
  listing<number>(async (cursor) => pages[(cursor ?? 'first') as keyof typeof pages], from);

test('awaited, a list is its first page', async () => {
  expect(await list()).toEqual(pages.first);
  expect(await list('third')).toEqual(pages.third);
});

test('iterated, it is every item of every page, an empty one between included', async () => {
  const seen: number[] = [];
  for await (const item of list()) seen.push(item);
  expect(seen).toEqual([1, 2, 3]);
  expect(await list().toArray()).toEqual([1, 2, 3]);
  const sizes: number[] = [];
  for await (const page of list().pages()) sizes.push(page.items.length);
  expect(sizes).toEqual([2, 0, 1]);
});

test('nothing is asked before it is used, and a limit is an error, never a cut', async () => {
  let asked = 0;
  const counted = listing<number>(async () => {
    asked += 1;
    return pages.third;
  }, null);
  expect(asked).toBe(0);
  await counted;
  expect(asked).toBe(1);
  await expect(list().toArray({ limit: 2 })).rejects.toThrow('more than 2');
});
