import { expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

test.each([
  ['1s', 1],
  ['90s', 90],
  ['15m', 900],
  ['1h', 3600],
  ['7d', 604_800],
  ['365d', 31_536_000],
])('%s is %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(['', '1', 'h', '0h', '-1h', '1.5h', '1 h', '366d', '999999999d', '1w', '1h30m', 'NaNs'])(
  '%j is refused',
  (text) => {
    expect(() => parseDuration(text)).toThrow(/not a duration/);
  },
);
