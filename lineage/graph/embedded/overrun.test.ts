import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { QueryRefused } from '../fault.ts';
import { OverrunWatch } from './overrun.ts';

const MIB = 2 ** 20;
let resident: number;
let told: [string, string][];

beforeEach(() => {
  vi.useFakeTimers();
  resident = 100 * MIB;
  told = [];
});
afterEach(() => void vi.useRealTimers());

const watch = () =>
  new OverrunWatch(10 * MIB, (refusal, text) => told.push([refusal.code, text]), {
    resident: () => resident,
    mostGrowth: 50 * MIB,
    graceMs: 2_000,
  });

/** A query in the library that never ends. */
const endless = (began: () => void) => {
  began();
  return new Promise<never>(() => undefined);
};

const codeOf = (asked: Promise<unknown>) => asked.catch((error: QueryRefused) => error.code);

it('leaves a query its limit and a grace, then tells the asker and whoever can end it, once', async () => {
  let code: unknown;
  void codeOf(watch().limit('return 1', 5_000, endless)).then((found) => {
    code = found;
  });
  await vi.advanceTimersByTimeAsync(6_900);
  expect([code, told]).toEqual([undefined, []]);
  await vi.advanceTimersByTimeAsync(300);
  expect([code, told]).toEqual(['query_timeout', [['query_timeout', 'return 1']]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toHaveLength(1);
});

it('one that grows beyond the pool and its share is unbounded at once, however long it might take', async () => {
  const asked = codeOf(watch().limit('return 2', 600_000, endless));
  resident = 160 * MIB;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual([]);
  resident += 1;
  await vi.advanceTimersByTimeAsync(100);
  expect([await asked, told]).toEqual(['query_unbounded', [['query_unbounded', 'return 2']]]);
});

it('one that waits for its turn is told at the limit, and nobody is ended for it', async () => {
  resident = 100 * MIB;
  const asked = codeOf(watch().limit('return 3', 1_000, () => new Promise(() => undefined)));
  resident = 1_000 * MIB;
  await vi.advanceTimersByTimeAsync(1_100);
  expect([await asked, told]).toEqual(['query_timeout', []]);
});

it('leaves alone what ends by itself, also within the grace', async () => {
  const slow = watch().limit('return 4', 1_000, async (began) => {
    began();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    return 'rows';
  });
  await vi.advanceTimersByTimeAsync(2_500);
  expect(await slow).toBe('rows');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([told, vi.getTimerCount()]).toEqual([[], 0]);
});
