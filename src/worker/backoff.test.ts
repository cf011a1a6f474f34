import { expect, it } from 'vitest';
import { Backoff } from './backoff.ts';

it('doubles, is capped, and lies between half and all of it', () => {
  const [least, most] = [new Backoff(100, 1_000, () => 0), new Backoff(100, 1_000, () => 1)];
  const waits = (backoff: Backoff) => Array.from({ length: 6 }, () => backoff.next());
  expect(waits(least)).toEqual([50, 100, 200, 400, 500, 500]);
  expect(waits(most)).toEqual([100, 200, 400, 800, 1000, 1000]);
  most.reset();
  expect(most.next()).toBe(100);
  for (let n = 0; n < 2_000; n += 1) expect(most.next()).toBeLessThanOrEqual(1_000);
});
