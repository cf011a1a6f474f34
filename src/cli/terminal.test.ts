import { expect, test } from 'vitest';
import { mayColour } from './terminal.ts';

test('colour only on a terminal, and never against NO_COLOR or a dumb terminal', () => {
  expect(mayColour(true, {})).toBe(true);
  expect(mayColour(true, { NO_COLOR: '' })).toBe(true);
  expect(mayColour(true, { NO_COLOR: '1' })).toBe(false);
  expect(mayColour(true, { TERM: 'dumb' })).toBe(false);
  expect(mayColour(false, {})).toBe(false);
});
