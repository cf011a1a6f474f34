import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, isStorableText, toStorableText } from './text.ts';

test('NUL and half characters become U+FFFD; everything else stays', () => {
  expect(toStorableText('a\0b\ud83dc\ude00d')).toBe('a\uFFFDb\uFFFDc\uFFFDd');
  expect(toStorableText('grin 😀, ok')).toBe('grin 😀, ok');
  expect(isStorableText('😀')).toBe(true);
  expect(isStorableText('\ud83d')).toBe(false);
  expect(isStorableText('\0')).toBe(false);
});

test('a cut never halves a character', () => {
  expect(cutText('😀😀😀😀', 3)).toBe('😀😀…');
  expect(cutText('😀😀😀', 3)).toBe('😀😀😀');
  expect(cutText('abc', 3)).toBe('abc');
});

test('any text, made storable and cut, is storable and within the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
      const cut = cutText(toStorableText(text), limit);
      expect(isStorableText(cut)).toBe(true);
      expect([...cut].length).toBeLessThanOrEqual(limit);
    }),
  );
});
