import { describe, expect, test } from 'vitest';
import { checkWith, compileSchema } from './schema-compiler.ts';

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
    const items = Array.from({ length: 9_999 }, (_, n) => ({ n, m: [n] }));
    const begun = performance.now();
    expect(check({ uniqueItems: true }, items)).toEqual([]);
    expect(check({ uniqueItems: true }, [...items, { m: [7], n: 7 }])).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(5000);
  });
  test('a list too long to look for duplicates in is a mismatch that says so', () => {
    const items = Array.from({ length: 10_001 }, (_, n) => n);
    expect(check({ uniqueItems: true }, items)).toEqual([
      { path: '/result', rule: 'uniqueItems', message: expect.stringContaining('at most 10000 items') },
    ]);
    const again = { allOf: Array.from({ length: 100 }, () => ({ uniqueItems: true })) };
    expect(check(again, ['x'.repeat(200_000)])[0]?.message).toContain('too much');
    expect(check({ uniqueItems: true }, [1, 1])[0]?.message).toContain('duplicate');
  });
  test('a member is what the document holds, not what objects inherit', () => {
    expect(check({ required: ['toString'] }, {})).toMatchObject([{ path: '/result/toString', rule: 'required' }]);
    expect(check({ properties: { constructor: { type: 'string' } } }, {})).toEqual([]);
    const inherited = JSON.parse('{"__proto__":{"a":1}}');
    expect(check({ additionalProperties: false }, inherited)).toMatchObject([{ path: '/result/__proto__' }]);
  });
  test('a schema that cannot be evaluated is a mismatch, not a failure', () => {
    const endless = { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, properties: { x: { $ref: '#/$defs/a' } } };
    expect(check(endless, { x: 1 })).toMatchObject([{ path: '/result', rule: 'schema_evaluates' }]);
    expect(check(endless, {})).toEqual([]);
  });
  test.each([
    ['a promise that rejects', () => Promise.reject(new Error('later'))],
    ['a promise of true', async () => true],
    ['nothing', () => undefined],
    ['1', () => 1],
    ['false without errors', () => false],
    [
      'an exception',
      () => {
        throw new Error('now');
      },
    ],
  ])('a validator that answers %s matches nothing', async (_, validate) => {
    expect(checkWith(validate)(1, '/result')).toMatchObject([{ path: '/result', rule: 'schema_evaluates' }]);
    // An unheard rejection would end the run here.
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  test('one schema’s names mean nothing to another', () => {
    for (const $id of ['https://json-schema.org/draft/2020-12/schema', 'http://JSON-schema.org/schema']) {
      expect(compileSchema({ $id, type: 'string' })).toMatchObject({ ok: false, violations: [{ path: '/$id' }] });
    }
    compileSchema({ $id: 'https://x.example/b', $defs: { c: { $id: 'https://x.example/c' } }, type: 'strin' });
    expect(check({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }, 1)).toHaveLength(1);
    expect(check({ $id: 'https://x.example/b', $defs: { c: { $id: 'https://x.example/c' } } }, 1)).toEqual([]);
  });
});

describe('a schema is refused with its place', () => {
  test.each([
    ['a wrong type', { properties: { a: { type: 'strin' } } }, '/properties/a/type'],
    ['a remote reference', { properties: { a: { $ref: 'https://evil.example/x' } } }, '/properties/a/$ref'],
    ['a relative reference', { $ref: 'other.json#/a' }, '/$ref'],
    ['a pattern that explodes', { pattern: '^(a+)+$' }, '/pattern'],
    ['a pattern name that explodes', { patternProperties: { '(a*)*b': true } }, '/patternProperties/(a*)*b'],
    ['a name pattern of names that explodes', { propertyNames: { pattern: '^(a|a)*$' } }, '/propertyNames/pattern'],
    [
      'a pattern behind a dependency',
      { dependencies: { const: { pattern: '(a|a)*' } } },
      '/dependencies/const/pattern',
    ],
    ['a reference into data', { const: { pattern: '(a|a)*' }, not: { $ref: '#/const' } }, '/not/$ref'],
    ['an escaped one', { const: { pattern: '(a|a)*' }, not: { $ref: '#/%63onst' } }, '/not/$ref'],
    ['one to a data word between names', { $ref: '#/a%2Fproperties/const' }, '/$ref'],
    ['a reference to a list of names', { x: { properties: { type: true } }, $ref: '#/x/properties' }, '/$ref'],
    ['an anchor among names', { x: { dependentSchemas: { $anchor: 'a' } } }, '/x/dependentSchemas/$anchor'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema'],
    ['a promise', { $async: true }, '/$async'],
    ['a promise not made', { $async: false }, '/$async'],
    ['a promise below', { allOf: [{ properties: { a: { $async: true } } }] }, '/allOf/0/properties/a/$async'],
    ['a promise behind a reference', { $defs: { a: { $async: true } }, $ref: '#/$defs/a' }, '/$defs/a/$async'],
    ['a dynamic reference', { items: { $dynamicRef: '#a' } }, '/items/$dynamicRef'],
    ['a dynamic anchor', { $dynamicAnchor: 'a' }, '/$dynamicAnchor'],
    ['a recursive reference', { items: { $recursiveRef: '#' } }, '/items/$recursiveRef'],
    ['a property __proto__', JSON.parse('{"properties":{"__proto__":{}}}'), '/properties/__proto__'],
    ['a required __proto__', { required: ['a', '__proto__'] }, '/required/1'],
    ['a required __proto__ of another', { dependentRequired: { a: ['__proto__'] } }, '/dependentRequired/a/0'],
    ['a deep one', Array.from({ length: 70 }).reduce<object>((not) => ({ not }), {}) as Record<string, unknown>, ''],
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
    expect(compileSchema({ properties: { $async: true, const: {} }, $ref: '#/properties/const' }).ok).toBe(true);
    expect(compileSchema({ enum: ['__proto__', { $async: true }] }).ok).toBe(true);
  });
});
