import { describe, expect, it } from 'vitest';
import { BatchSize, LARGEST_BATCH, SMALLEST_BATCH } from './batch-size.ts';

describe('the size of a batch', () => {
  it('grows while pages are full, and is small again when little is waiting', () => {
    const sizes = new BatchSize();
    const seen = [];
    for (let n = 0; n < 5; n += 1) {
      seen.push(sizes.next);
      sizes.arrived(sizes.next);
      sizes.taken();
    }
    expect(seen).toEqual([1000, 2000, 4000, 5000, 5000]);
    sizes.arrived(4_999);
    expect(sizes.next).toBe(SMALLEST_BATCH);
  });

  it('stays the same over passing faults, is cut after the third, and recovers slowly', () => {
    const sizes = new BatchSize();
    for (let n = 0; n < 4; n += 1) sizes.arrived(sizes.next);
    const sizesOfTries = [];
    for (let n = 0; n < 5; n += 1) {
      const rows = sizes.next;
      sizesOfTries.push(rows);
      sizes.arrived(rows);
      sizes.failed(rows);
    }
    expect(sizesOfTries).toEqual([5000, 5000, 5000, 2500, 1250]);
    expect(sizes.next).toBe(625);
    let batches = 0;
    for (; sizes.next < LARGEST_BATCH; batches += 1) {
      sizes.arrived(sizes.next);
      sizes.taken();
      expect(batches).toBeLessThan(40);
    }
    expect(batches).toBeGreaterThan(15);
  });

  it('is never cut below a hundred: a graph that is away says nothing about sizes', () => {
    const sizes = new BatchSize();
    for (let n = 0; n < 50; n += 1) sizes.failed(sizes.next);
    expect(sizes.next).toBe(100);
  });
});
