import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPlainJson } from './plain-json.ts';

const pathsOf = (value: unknown) => {
  const plain = toPlainJson(value);
  return plain.ok ? [] : plain.violations.map(({ path }) => path);
};

test('what JSON would lose without a word is named with its path', () => {
  const value = {
    a: Number.NaN,
    'b/~': [1, Number.POSITIVE_INFINITY],
    c: { d: () => 1 },
    e: 10n,
    f: new Map([['x', 1]]),
    g: new Error('lost'),
    h: Promise.resolve(1),
    i: [undefined],
    j: new Uint8Array(2),
    k: new Date(Number.NaN),
    l: 'half \ud83d',
    'm\0': 1,
  };
  expect(pathsOf(value)).toEqual(['/a', '/b~1~0/1', '/c/d', '/e', '/f', '/g', '/h', '/i/0', '/j', '/k', '/l', '/m\0']);
});

test('a value that contains itself, and one that is too deep', () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  expect(pathsOf(loop)).toEqual(['/self']);
  const shared = { x: 1 };
  expect(pathsOf({ a: shared, b: shared })).toEqual([]);
  const nested = (levels: number): unknown => {
    let value = {};
    for (let level = 1; level < levels; level += 1) value = { n: value };
    return value;
  };
  expect(toPlainJson(nested(63), 2).ok).toBe(true);
  expect(toPlainJson(nested(64), 2).ok).toBe(false);
  expect(toPlainJson(nested(50_000), 2).ok).toBe(false);
});

test('undefined members are left out, toJSON is honoured, __proto__ stays a member', () => {
  const plain = toPlainJson({
    gone: undefined,
    at: new Date('2026-05-20T10:00:00Z'),
    url: new URL('https://example.test/a'),
    inner: JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
  });
  expect(JSON.stringify(plain.ok && plain.value)).toBe(
    '{"at":"2026-05-20T10:00:00.000Z","url":"https://example.test/a","inner":{"__proto__":{"x":1},"constructor":2}}',
  );
});

test('a value whose reading throws, or whose toJSON goes on for ever, is refused or converted once', () => {
  const hostile = Object.defineProperty({}, 'x', {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  });
  expect(pathsOf({ a: hostile })).toEqual(['/a']);
  const again = (): object => ({ toJSON: again });
  expect(pathsOf(again())).toEqual(['/toJSON']);
  const itself = { x: 1, toJSON: () => itself };
  expect(pathsOf({ a: itself })).toEqual(['/a/toJSON']);
});

test('every JSON value is copied as it is', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const value: unknown = JSON.parse(text);
      const plain = toPlainJson(value);
      if (plain.ok) expect(JSON.stringify(plain.value)).toBe(JSON.stringify(value));
      else expect(plain.violations.every(({ rule }) => rule === 'storable_text')).toBe(true);
    }),
  );
});
