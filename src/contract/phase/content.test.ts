import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf, contentOf, isText } from './content.ts';

const bytes = (...values: number[]) => new Uint8Array(values);

test.each([
  ['nothing', bytes(), ''],
  ['text', new TextEncoder().encode('é 😀\r\n'), 'é 😀\r\n'],
  ['a BOM stays', bytes(0xef, 0xbb, 0xbf, 0x61), '\ufeffa'],
  ['a NUL', bytes(0x61, 0), { base64: 'YQA=' }],
  ['what is no UTF-8', bytes(0xff, 0xfe), { base64: '//4=' }],
  ['an overlong form', bytes(0xc0, 0xaf), { base64: 'wK8=' }],
  ['half a surrogate pair', bytes(0xed, 0xa0, 0x80), { base64: '7aCA' }],
])('%s', (_what, given, content) => {
  expect(contentOf(given)).toEqual(content);
});

const comesBack = (given: Uint8Array) => Buffer.from(given).equals(bytesOf(contentOf(given)));
const seed = 6_002;
test(`gives every byte back (seed ${seed})`, () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 70 }),
        fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
      ),
      (given) => {
        expect(comesBack(given)).toBe(true);
      },
    ),
    { seed, numRuns: 1_000 },
  );
  const large = new Uint8Array(300_000).map((_, n) => n % 256);
  expect(comesBack(large)).toBe(true);
});

test.each<[string, Parameters<typeof isText>[0], boolean]>([
  ['nothing', '', true],
  ['a text', 'é', true],
  ['a text with NUL', 'a\0', false],
  ['text in base64', { base64: btoa('plan') }, true],
  ['nothing in base64', { base64: '' }, true],
  ['NUL in base64', { base64: btoa('a\0') }, false],
  ['no UTF-8 in base64', { base64: btoa('\u00ff\u00fe') }, false],
])('%s is text or not', (_what, content, expected) => {
  expect(isText(content)).toBe(expected);
});

test('base64 is decoded once', () => {
  const content = { base64: btoa('a') };
  expect(bytesOf(content)).toBe(bytesOf(content));
});
