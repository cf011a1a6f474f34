import { describe, expect, test } from 'vitest';
import { callOf, forSomebody, inline, integer, jsonb, literal, text, uuid } from './statement.ts';

describe('a call', () => {
  const call = callOf('f', [
    uuid('7c9e6679-7425-40de-944b-e07fc1f90ae7'),
    jsonb({ a: "it's" }),
    text('$1 $2'),
    integer(3),
  ]);

  test('casts each parameter on the server', () => {
    expect(call.text).toBe('select public.f($1::text::uuid, $2::text::jsonb, $3::text, $4::text::integer) as answer');
    expect(call.values).toEqual(['7c9e6679-7425-40de-944b-e07fc1f90ae7', `{"a":"it's"}`, '$1 $2', '3']);
  });

  test('that reads is for somebody', () => {
    for (const name of ['get_outcome', 'list_outcomes', 'lineage_document', 'failure_rates']) {
      const { text } = forSomebody(callOf(name, []));
      expect(text).toBe(`select ledger_internal.require_tenant(), public.${name}() as answer`);
    }
    expect(forSomebody(callOf('record_outcomes', []))).toEqual(callOf('record_outcomes', []));
  });

  test('inlines every parameter once, also one that looks like a parameter', () => {
    expect(inline(call)).toBe(
      `select public.f('7c9e6679-7425-40de-944b-e07fc1f90ae7'::text::uuid, '{"a":"it''s"}'::text::jsonb, '$1 $2'::text, '3'::text::integer) as answer`,
    );
  });

  test('sends null for what is absent', () => {
    expect(inline(callOf('f', [jsonb(undefined), text(null)]))).toBe(
      'select public.f(null::text::jsonb, null::text) as answer',
    );
  });

  test('keeps __proto__ as a member', () => {
    expect(jsonb(JSON.parse('{"__proto__":{"a":1}}')).text).toBe('{"__proto__":{"a":1}}');
  });
});

describe('a literal', () => {
  test.each([
    ["a'b", "'a''b'"],
    ["'; drop table x; --", "'''; drop table x; --'"],
    ['a\\', " E'a\\\\'"],
    ["\\'", " E'\\\\'''"],
  ])('%s', (value, expected) => {
    expect(literal(value)).toBe(expected);
  });

  test('never holds NUL, which would cut the message off', () => {
    expect(() => literal('a\0b')).toThrow(RangeError);
  });
});
