import { types } from 'neo4j-driver';
import { describe, expect, it } from 'vitest';
import { partialTimeText, timeText } from './times.ts';

const { Date: CypherDate, DateTime, Duration, LocalDateTime, LocalTime, Time } = types;

describe('times', () => {
  it('writes an instant in UTC with microseconds', () => {
    expect(timeText(new DateTime(2026, 5, 20, 0, 30, 0, 123456000, -4 * 3600))).toBe('2026-05-20T04:30:00.123456Z');
    expect(timeText(new DateTime(2026, 1, 1, 0, 0, 0, 0, 19_800))).toBe('2025-12-31T18:30:00.000000Z');
    expect(timeText(new DateTime(1, 1, 1, 0, 0, 0, 1000, 0))).toBe('0001-01-01T00:00:00.000001Z');
    expect(timeText(new DateTime(99, 12, 31, 23, 59, 59, 999999000, 0))).toBe('0099-12-31T23:59:59.999999Z');
  });

  it('keeps nanoseconds where there are any', () => {
    expect(timeText(new DateTime(2026, 5, 20, 0, 30, 0, 123456789, 0))).toBe('2026-05-20T00:30:00.123456789Z');
  });

  it('takes the bigints that the driver gives', () => {
    const bigints = { year: 2026n, month: 5n, day: 20n, hour: 0n, minute: 30n, second: 0n, nanosecond: 5000n };
    expect(timeText({ ...bigints, timeZoneOffsetSeconds: 0n })).toBe('2026-05-20T00:30:00.000005Z');
  });

  it('leaves a time without a zone, or without a date, what it is', () => {
    expect(timeText(new LocalDateTime(2026, 5, 20, 0, 30, 0, 0))).toBeUndefined();
    expect(partialTimeText(new LocalDateTime(2026, 5, 20, 0, 30, 0, 0))).toBe('2026-05-20T00:30:00.000000');
    expect(partialTimeText(new CypherDate(2026, 5, 20))).toBe('2026-05-20');
    expect(partialTimeText(new LocalTime(0, 30, 5, 0))).toBe('00:30:05.000000');
    expect(partialTimeText(new Time(0, 30, 5, 0, -12_600))).toBe('00:30:05.000000-03:30');
    expect(partialTimeText(new Time(0, 30, 5, 0, 0))).toBe('00:30:05.000000Z');
    expect(timeText(new Duration(1, 2, 3, 4))).toBeUndefined();
    expect(partialTimeText({ some: 'map' })).toBeUndefined();
  });
});
