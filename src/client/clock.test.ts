import { expect, test } from 'vitest';
import { startStopwatch } from './clock.ts';

test('a wall clock set back does not shorten or reverse the measurement', () => {
  let wall = Date.parse('2026-05-20T10:00:00.000Z');
  let monotonic = 5_000.25;
  const watch = startStopwatch({ wall: () => wall, monotonic: () => monotonic });
  wall -= 3_600_000;
  monotonic += 41.6;
  expect(watch.stop()).toEqual({
    started_at: '2026-05-20T10:00:00.000Z',
    completed_at: '2026-05-20T10:00:00.042Z',
    duration_ms: 42,
  });
});

test('no time at all is zero, and the times agree with the duration', () => {
  const watch = startStopwatch({ wall: () => 1_000.7, monotonic: () => 3 });
  expect(watch.stop()).toEqual({
    started_at: '1970-01-01T00:00:01.001Z',
    completed_at: '1970-01-01T00:00:01.001Z',
    duration_ms: 0,
  });
  expect(watch.startedAt).toBe('1970-01-01T00:00:01.001Z');
});

test('the system clocks give a finite, growing measurement', async () => {
  const watch = startStopwatch();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { started_at, completed_at, duration_ms } = watch.stop();
  expect(duration_ms).toBeGreaterThanOrEqual(15);
  expect(Date.parse(completed_at) - Date.parse(started_at)).toBe(duration_ms);
});
