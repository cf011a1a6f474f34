import { expect, test } from 'vitest';
import { type Attempt, DEFAULT_RETRY, delayBefore, readRetryAfter, withRetry } from './retry.ts';

const quick = { ...DEFAULT_RETRY, baseDelayMs: 1, maxDelayMs: 2 };

test('waits double, are capped, and are spread between half and all of it', () => {
  const waits = [2, 3, 4, 9, 30].map((next) => [
    delayBefore(next, DEFAULT_RETRY, undefined, () => 0),
    delayBefore(next, DEFAULT_RETRY, undefined, () => 1),
  ]);
  expect(waits).toEqual([
    [50, 100],
    [100, 200],
    [200, 400],
    [2_500, 5_000],
    [2_500, 5_000],
  ]);
});

test('Retry-After is a lower bound, and capped', () => {
  expect(delayBefore(2, DEFAULT_RETRY, 3_000, () => 0)).toBe(3_000);
  expect(delayBefore(2, DEFAULT_RETRY, 3_000, () => 1)).toBe(3_100);
  expect(delayBefore(2, DEFAULT_RETRY, 9_000_000, () => 0)).toBe(60_000);
});

test('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-05-20T10:00:00Z');
  expect(readRetryAfter('2', now)).toBe(2_000);
  expect(readRetryAfter('Wed, 20 May 2026 10:00:05 GMT', now)).toBe(5_000);
  expect(readRetryAfter('Wed, 20 May 2026 09:00:00 GMT', now)).toBe(0);
  expect(readRetryAfter('soon', now)).toBeUndefined();
  expect(readRetryAfter(null, now)).toBeUndefined();
});

test('tries until done', async () => {
  const value = await withRetry<string>(
    async (number) =>
      number < 3 ? { done: false, error: new Error('no'), again: true } : { done: true, value: `at ${number}` },
    quick,
  );
  expect(value).toBe('at 3');
});

test('stops when trying again is useless, and when the attempts are used up', async () => {
  let count = 0;
  const fail = (again: boolean) => async (number: number) => {
    count = number;
    return { done: false, error: new Error(`fault ${number}`), again } satisfies Attempt<never>;
  };
  await expect(withRetry(fail(false), quick)).rejects.toThrow('fault 1');
  expect(count).toBe(1);
  await expect(withRetry(fail(true), { ...quick, attempts: 4 })).rejects.toThrow('fault 4');
  expect(count).toBe(4);
});

test('an abort ends the waiting at once, with its reason', async () => {
  const controller = new AbortController();
  const waiting = withRetry(
    async () => ({ done: false, error: new Error('no'), again: true, retryAfterMs: 60_000 }) satisfies Attempt<never>,
    quick,
    controller.signal,
  );
  setTimeout(() => controller.abort(new Error('enough')), 5);
  await expect(waiting).rejects.toThrow('enough');
});
