import { expect, it } from 'vitest';
import { retryAfterMs, wordsOf } from './answer.ts';

const NOW = Date.parse('2026-05-20T10:00:00Z');

it.each([
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  ['Wed, 20 May 2026 10:01:00 GMT', 60_000],
  ['Wed, 20 May 2026 09:00:00 GMT', 0],
  [undefined, null],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['2026-05-20', null],
  ['9'.repeat(30), null],
])('Retry-After %j is %j', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected);
});

it('keeps of a body its beginning, in one line of printable text', () => {
  expect(wordsOf(Buffer.from('  no\r\n\u0000\u001b[31m such\u2028thing  '))).toBe('no [31m such thing');
  expect(wordsOf(Buffer.from('x'.repeat(10_000)))).toHaveLength(300);
  expect(wordsOf(Buffer.from([0xff, 0xfe, 0x41]))).toContain('A');
  expect(wordsOf(Buffer.alloc(0))).toBe('');
  // Whole characters: half of one is no text that the ledger could store.
  expect(wordsOf(Buffer.from(`${'x'.repeat(299)}😀y`))).toBe(`${'x'.repeat(299)}😀`);
});
