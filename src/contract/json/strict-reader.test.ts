import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStrictJson } from './strict-reader.ts';

const readValue = (text: string | Uint8Array) => {
  const read = readStrictJson(text);
  return read.ok ? read.value : expect.fail(JSON.stringify(read.violations));
};
const rulesOf = (text: string | Uint8Array) => {
  const read = readStrictJson(text);
  return read.ok ? [] : read.violations.map(({ path, rule }) => `${path} ${rule}`);
};

describe('readStrictJson accepts', () => {
  it('what JSON.parse reads, with the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(readValue(text)).toEqual(JSON.parse(text));
      }),
      { seed: 20261130 },
    );
  });

  it('a leading byte order mark, -0 as 0, 1.0 as 1', () => {
    expect(readValue('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(readValue(new Uint8Array([0xef, 0xbb, 0xbf, 0x5b, 0x5d]))).toEqual([]);
    expect(readValue('[-0, -0.0, 1.0, 1e2, 0e-5]')).toEqual([0, 0, 1, 100, 0]);
    expect(Object.is((readValue('[-0]') as number[])[0], 0)).toBe(true);
  });

  it('numbers that a double gives back', () => {
    for (const text of '9007199254740992 0.1 0.30000000000000004 5e-324 1e23 1.7976931348623157e308 100000000000000000000'.split(
      ' ',
    )) {
      expect(readValue(text)).toBe(Number(text));
    }
  });

  it('__proto__ and constructor as members like any other (B031)', () => {
    const value = readValue('{"__proto__":{"x":1},"constructor":2}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"constructor":2}');
  });

  it('whole surrogate pairs, written out or escaped, and control characters that are escaped', () => {
    expect(readValue('["\\ud83d\\ude00", "😀", "\\u0001\\n", "\u007f\u2028"]')).toEqual([
      '😀',
      '😀',
      '\u0001\n',
      '\u007f\u2028',
    ]);
  });

  it('64 levels', () => {
    expect(readValue('['.repeat(64) + ']'.repeat(64))).toBeDefined();
  });
});

describe('readStrictJson refuses, naming the place,', () => {
  it.each([
    ['a key twice', '{"a":{"status":"failure","status":"success"}}', ['/a/status duplicate_key']],
    ['a key twice after unescaping', '{"a":1,"\\u0061":2}', ['/a duplicate_key']],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', ['/__proto__ duplicate_key']],
    ['a NUL value', '{"result":["x","a\\u0000b"]}', ['/result/1 text_storable']],
    ['a NUL key', '{"result":{"a\\u0000":1}}', ['/result/a\u0000 text_storable']],
    ['a lone high surrogate', '{"a":"\\ud83d"}', ['/a text_storable']],
    ['a lone low surrogate', '{"a":"x\\ude00y"}', ['/a text_storable']],
    ['a lone surrogate in a key', '{"\\ud83d":1}', ['/\ud83d text_storable']],
    ['an unescaped lone surrogate', '{"a":"\ud83d"}', ['/a text_storable']],
    ['a number too long', '{"a":[9007199254740993]}', ['/a/0 number_exact']],
    ['a number too big', '{"a/b":1e400}', ['/a~1b number_exact']],
    ['a number too small', '[1e-400, 4e-324]', ['/0 number_exact', '/1 number_exact']],
    ['a fraction too long', '[0.1000000000000000055511151231257827]', ['/0 number_exact']],
    ['a zero of 16,000 decimals', '[0e-16000]', ['/0 number_exact']],
    ['65 levels', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`, [`/a${'/0'.repeat(63)} nesting`]],
    ['a million levels', '['.repeat(1_000_000), [`${'/0'.repeat(64)} nesting`]],
  ])('%s', (_, text, expected) => {
    expect(rulesOf(text)).toEqual(expected);
  });

  it('every fault, not only the first', () => {
    expect(rulesOf('{"a":"\\u0000","a":1e400,"b":[1e400]}')).toEqual([
      '/a text_storable',
      '/a duplicate_key',
      '/a number_exact',
      '/b/0 number_exact',
    ]);
  });

  it('bytes that are no UTF-8', () => {
    expect(rulesOf(new Uint8Array([0x22, 0xff, 0x22]))).toEqual([' utf8']);
  });

  it('more than 1 MiB, in bytes and not in characters', () => {
    const text = JSON.stringify('ä'.repeat(524_287));
    expect(readStrictJson(text).ok).toBe(true);
    expect(readStrictJson(`${text} `)).toMatchObject({ ok: false, tooLarge: true });
    expect(readStrictJson('[1]', { maxBytes: 2 })).toMatchObject({ ok: false, tooLarge: true });
  });

  it.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '[1 2]',
    '01',
    '+1',
    '.5',
    '1.',
    '1e',
    '-',
    'NaN',
    'Infinity',
    'nul',
    'True',
    '"a',
    '"\t"',
    '"\\x"',
    '"\\u12g4"',
    '[] []',
    '// x\n1',
    '\u00a01',
    '\ufeff\ufeff1',
  ])('what is no JSON: %j', (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(rulesOf(text).map((found) => found.split(' ').at(-1))).toEqual(['json_syntax']);
  });

  it('with line and column', () => {
    const read = readStrictJson('{\n  "a": [1, 2,\n  x]\n}');
    expect(read).toMatchObject({
      violations: [
        { path: '/a/2', rule: 'json_syntax', message: 'must be JSON: expected a JSON number at line 3, column 3' },
      ],
    });
  });
});

it('takes time linear in the text', () => {
  const started = performance.now();
  for (const text of [
    `"${'\\u0061'.repeat(170_000)}"`,
    `[${'1'.repeat(1_000_000)}]`,
    `[0.${'0'.repeat(500_000)}1${'0'.repeat(500_000)}]`,
    `[${'1,'.repeat(500_000)}1]`,
    `{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":0`).join(',')}}`,
    `[1${' '.repeat(1_000_000)}`,
  ]) {
    readStrictJson(text);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});
