import { describe, expect, test } from 'vitest';
import { compileSchema } from './schema-compiler.ts';
import { hasNestedRepeats } from './schema-guard.ts';

const check = (schema: Record<string, unknown>, value: unknown) => {
  const compiled = compileSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.violations));
  return compiled.check(value, '/result');
};

describe('a checked value', () => {
  test('violations point at the member that is wrong, missing or too many', () => {
    const schema = {
      type: 'object',
      required: ['a', 'c/d'],
      properties: { a: { type: 'integer' }, 'c/d': true },
      additionalProperties: false,
    };
    expect(check(schema, { a: 'x', e: 1 }).map(({ path, rule }) => [path, rule])).toEqual([
      ['/result/c~1d', 'required'],
      ['/result/e', 'additionalProperties'],
      ['/result/a', 'type'],
    ]);
    expect(check(schema, { a: 1, 'c/d': null })).toEqual([]);
  });
  test('2020-12, formats and local references', () => {
    const schema = {
      $defs: { day: { type: 'string', format: 'date' } },
      type: 'array',
      prefixItems: [{ $ref: '#/$defs/day' }],
    };
    expect(check(schema, ['2026-02-30'])).toHaveLength(1);
    expect(check(schema, ['2026-02-28'])).toEqual([]);
  });
  test('the same $id in two schemas', () => {
    expect(check({ $id: 'https://x.example/a', type: 'string' }, 1)).toHaveLength(1);
    expect(check({ $id: 'https://x.example/a', type: 'number' }, 1)).toEqual([]);
  });
  test('a list of distinct members stays fast', () => {
    const items = Array.from({ length: 60_000 }, (_, n) => ({ n, m: [n] }));
    const begun = performance.now();
    expect(check({ uniqueItems: true }, items)).toEqual([]);
    expect(check({ uniqueItems: true }, [...items, { m: [7], n: 7 }])).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});

describe('a schema is refused with its place', () => {
  test.each([
    ['a wrong type', { properties: { a: { type: 'strin' } } }, '/properties/a/type'],
    ['a remote reference', { properties: { a: { $ref: 'https://evil.example/x' } } }, '/properties/a/$ref'],
    ['a relative reference', { $ref: 'other.json#/a' }, '/$ref'],
    ['a pattern that explodes', { pattern: '^(a+)+$' }, '/pattern'],
    ['a pattern name that explodes', { patternProperties: { '(a*)*b': true } }, '/patternProperties/(a*)*b'],
    ['a broken pattern', { pattern: '(' }, ''],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, ''],
    ['a huge one', { enum: Array.from({ length: 20_000 }, (_, n) => `word ${n}`) }, ''],
  ])('%s', (_, schema, path) => {
    const compiled = compileSchema(schema);
    expect(compiled).toMatchObject({ ok: false });
    if (!compiled.ok) expect(compiled.violations[0]?.path).toBe(path);
  });
  test('a member called $ref or pattern is only a name, and a const only data', () => {
    expect(compileSchema({ properties: { $ref: { type: 'string' }, pattern: { type: 'string' } } }).ok).toBe(true);
    expect(compileSchema({ const: { $ref: 'https://x.example' } }).ok).toBe(true);
  });
});

test.each([
  ['(a+)+', true],
  ['(?:a*b?)*c', true],
  ['((a+))*', true],
  ['(a{1,})+', true],
  ['([+*])+', false],
  ['(ab)+', false],
  ['(\\+)+', false],
  ['^[a-z]+-[0-9]+$', false],
])('%s repeats a repeat: %s', (pattern, expected) => {
  expect(hasNestedRepeats(pattern)).toBe(expected);
});
