import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

test('forgets the oldest, not what was set again', () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.set('c', 4);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([3, undefined, 4]);
});
