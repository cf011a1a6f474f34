import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyRequestInvalid } from './errors.ts';
import { evaluate } from './evaluate.ts';
import { preparePolicySet } from './prepare.ts';
import type { PolicyRequest } from './request.ts';

const REQUEST = { principal: { type: 'Agent', id: 'a' }, action: 'read', resource: { type: 'Doc', id: 'd' } };
const set = await preparePolicySet({ policies: 'permit (principal, action, resource);' });

/** Each violation as `path rule`; empty when the request was asked. */
function refused(request: unknown): string[] {
  try {
    evaluate(set, request as PolicyRequest);
    return [];
  } catch (error) {
    if (!(error instanceof PolicyRequestInvalid)) throw error;
    return error.violations.map(({ path, rule }) => `${path} ${rule}`);
  }
}
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

/** Entities that have parents, and nothing else. */
const crowd = (entities: number, parents: number) =>
  Array.from({ length: entities }, (_, i) => ({
    type: 'E',
    id: `${i}`,
    parents: Array.from({ length: parents }, (_, j) => ({ type: 'F', id: `${j}` })),
  }));

describe('a request is refused for', () => {
  it.each<[string, object, string[]]>([
    ['five decimals', { context: { a: { b: [0.12345] } } }, ['/context/a/b/0 decimal']],
    ['a tiny fraction', { context: { n: 1e-7 } }, ['/context/n decimal']],
    ['a fraction with a rounding error', { context: { n: 0.1 + 0.2 } }, ['/context/n decimal']],
    ['a decimal out of range', { context: { n: [0.5, 1e15] } }, ['/context/n/1 decimal']],
    ['a whole number of over 64 bits', { context: { n: 2 ** 63 } }, ['/context/n long']],
    ['one of over 64 bits below zero', { context: { n: -(2 ** 63) } }, ['/context/n long']],
    [
      'a fraction in the resource',
      { resource: { type: 'Doc', id: 'd', attributes: { n: 0.12345 } } },
      ['/resource/attributes/n decimal'],
    ],
    [
      'a fraction in another entity',
      { entities: [{ type: 'Doc', id: 'x', tags: { n: 0.12345 } }] },
      ['/entities/0/tags/n decimal'],
    ],
    ['a risk score of 1.2', { context: { risk_score: 1.2 } }, ['/context/risk_score score']],
    [
      'a risk score of 1.2, written out',
      { context: { risk_score: { __extn: { fn: 'decimal', arg: '1.2' } } } },
      ['/context/risk_score score'],
    ],
    ['a risk score below 0', { context: { risk_score: -0.1 } }, ['/context/risk_score score']],
    ['a risk score of five decimals', { context: { risk_score: 0.12345 } }, ['/context/risk_score decimal']],
    ['NaN', { context: { risk_score: Number.NaN } }, ['/context/risk_score json']],
    ['infinity', { context: { n: [Number.POSITIVE_INFINITY] } }, ['/context/n/0 json']],
    ['null in a set', { context: { list: [1, null] } }, ['/context/list/1 null_in_set']],
    [
      'several things, each named',
      { context: { a: 1e-9, 'b/c': 2 ** 64, 'd~': [null] } },
      ['/context/a decimal', '/context/b~1c long', '/context/d~0/0 null_in_set'],
    ],
    [
      'an entity with more',
      { context: { a: { __entity: { type: 'A', id: 'x', more: 1 } } } },
      ['/context/a cedar_escape'],
    ],
    [
      'an entity beside others',
      { context: { a: { __entity: { type: 'A', id: 'x' }, b: 1 } } },
      ['/context/a cedar_escape'],
    ],
    ['an entity without an id', { context: { a: { __entity: { type: 'A' } } } }, ['/context/a cedar_escape']],
    [
      'an entity of a bad type',
      { context: { a: { __entity: { type: 'A B', id: 'x' } } } },
      ['/context/a cedar_escape'],
    ],
    [
      'an entity of a reserved type',
      { context: { a: { __entity: { type: 'A::if', id: 'x' } } } },
      ['/context/a cedar_escape'],
    ],
    ['an entity in a text', { context: { a: { __entity: 'A::"x"' } } }, ['/context/a cedar_escape']],
    ['an unknown function', { context: { a: { __extn: { fn: 'unknown', arg: 'x' } } } }, ['/context/a cedar_escape']],
    [
      'several arguments',
      { context: { a: { __extn: { fn: 'decimal', args: ['1.0'] } } } },
      ['/context/a cedar_escape'],
    ],
    [
      'an argument that is no text',
      { context: { a: { __extn: { fn: 'decimal', arg: 1 } } } },
      ['/context/a cedar_escape'],
    ],
    ['a bad decimal', { context: { a: { __extn: { fn: 'decimal', arg: '1.23456' } } } }, ['/context/a cedar_escape']],
    ['an expression', { context: { a: { __expr: 'User::"x"' } } }, ['/context/a cedar_escape']],
    ['U+0000', { context: { a: 'x\0y' } }, ['/context/a text_storable']],
    ['U+0000 in a name', { context: { 'a\0': 1 } }, ['/context/a\0 text_storable']],
    ['half a surrogate pair', { context: { a: ['\ud83d'] } }, ['/context/a/0 text_storable']],
    ['half a surrogate pair in an id', { resource: { type: 'Doc', id: '\ude00' } }, ['/resource/id text_storable']],
    ['a date', { context: { a: new Date(0) } }, ['/context/a json']],
    ['a big integer', { context: { a: 1n } }, ['/context/a json']],
    ['a function', { context: { toJSON: () => ({}) } }, ['/context/toJSON json']],
    ['65 levels', { context: { a: nested(63) } }, [`/context/a${'/a/0'.repeat(31)} nesting`]],
    ['100,000 levels', { context: { a: nested(100_000) } }, [`/context/a${'/0/a'.repeat(31)} nesting`]],
    ['65,536 characters', { context: { a: 'x'.repeat(65_536) } }, [' too_large']],
    ['many small things', { entities: crowd(200, 20) }, [' too_large']],
    ['many numbers', { context: { a: Array.from({ length: 33_000 }, () => 1) } }, [' too_large']],
    ['fewer characters of more bytes', { context: { a: '😀'.repeat(16_384) } }, [' too_large']],
    ['a principal that is none of ours', { principal: { type: 'User', id: 'a' } }, ['/principal/type principal_type']],
    ['no principal', { principal: undefined }, ['/principal object']],
    ['no resource', { resource: null }, ['/resource object']],
    ['a resource in a text', { resource: 'Doc::"d"' }, ['/resource object']],
    ['a resource without an id', { resource: { type: 'Doc' } }, ['/resource/id entity_id']],
    ['an empty id', { resource: { type: 'Doc', id: '' } }, ['/resource/id entity_id']],
    ['a long id', { resource: { type: 'Doc', id: '😀'.repeat(1_001) } }, ['/resource/id entity_id']],
    ['a type that breaks out', { resource: { type: 'Doc::"x" || true', id: 'd' } }, ['/resource/type entity_type']],
    ['a type that is no text', { resource: { type: ['Doc'], id: 'd' } }, ['/resource/type entity_type']],
    [
      'members of its own',
      { effect: 'permit', resource: { type: 'Doc', id: 'd', attrs: {} } },
      ['/effect unknown_member', '/resource/attrs unknown_member'],
    ],
    [
      'attributes that are a list',
      { resource: { type: 'Doc', id: 'd', attributes: [] } },
      ['/resource/attributes object'],
    ],
    ['parents that are no list', { resource: { type: 'Doc', id: 'd', parents: {} } }, ['/resource/parents array']],
    [
      'parents with attributes',
      { resource: { type: 'Doc', id: 'd', parents: [{ type: 'F', id: 'f', attributes: {} }] } },
      ['/resource/parents/0/attributes unknown_member'],
    ],
    [
      'parents that cannot be read, and what comes after them',
      { resource: { type: 'Doc', id: 'd', parents: [{ type: 'F' }, 'F'] }, context: { n: 1e-9 } },
      ['/resource/parents/0/id entity_id', '/resource/parents/1 object', '/context/n decimal'],
    ],
    ['no action', { action: undefined }, ['/action action']],
    ['a blank action', { action: ' ' }, ['/action action']],
    ['an action that is an object', { action: { type: 'Action', id: 'x' } }, ['/action action']],
    ['a context that is a list', { context: [] }, ['/context object']],
    ['entities that are no list', { entities: {} }, ['/entities array']],
    [
      '201 entities',
      { entities: Array.from({ length: 201 }, (_, i) => ({ type: 'D', id: `${i}` })) },
      ['/entities too_many'],
    ],
    [
      'an entity described twice',
      {
        entities: [
          { type: 'D', id: 'x', attributes: {} },
          { type: 'D', id: 'x', attributes: {} },
        ],
      },
      ['/entities/1 entity_duplicate'],
    ],
    [
      'a principal described by somebody else too',
      {
        principal: { type: 'Agent', id: 'a', attributes: { domain: 'art' } },
        entities: [{ type: 'Agent', id: 'a', attributes: { domain: 'bank' } }],
      },
      ['/entities/0 entity_duplicate'],
    ],
  ])('%s', (_, part, expected) => {
    expect(refused({ ...REQUEST, ...part })).toEqual(expected);
  });

  it.each([undefined, null, 'x', 7, []])('being %j', (request) => {
    expect(refused(request)).toHaveLength(1);
  });

  it('a fraction, with the way out', () => {
    expect(() => evaluate(set, { ...REQUEST, context: { n: 0.12345 } })).toThrow(/round it, or send it scaled/);
  });

  it('never for a quoted value: messages repeat nothing of the request', () => {
    try {
      evaluate(set, { ...REQUEST, context: { a: { __extn: { fn: 'decimal', arg: 'secret' } } } });
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify([(error as Error).message, (error as PolicyRequestInvalid).violations])).not.toContain(
        'secret',
      );
    }
  });

  it('no request of plain JSON breaks the engine or is anything but answered or refused', () => {
    const names = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('__proto__', '__entity', '__extn', 'type', 'id', 'risk_score', 'toString'),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.double(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(names, value, { maxKeys: 5 }), value, (context, attributes) => {
        const request = { ...REQUEST, context, resource: { type: 'Doc', id: 'd', attributes } } as PolicyRequest;
        try {
          const { decision, errors } = evaluate(set, request);
          expect(decision === 'allow' || (decision === 'escalate' && errors.length > 0)).toBe(true);
          expect(errors.filter(({ code }) => code === 'engine_failed')).toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(PolicyRequestInvalid);
        }
      }),
      { seed: 20261130, numRuns: 1_000 },
    );
  });
});

describe('a request may have', () => {
  it.each<[string, object]>([
    ['nothing but who, what and on what', {}],
    [
      'null for what is absent',
      {
        context: null,
        entities: null,
        principal: { type: 'Agent', id: 'a', attributes: null, parents: null, tags: null },
      },
    ],
    ['62 levels of context', { context: { a: nested(62) } }],
    ['the principal named again', { entities: [{ type: 'Agent', id: 'a' }], resource: { type: 'Agent', id: 'a' } }],
    [
      '200 entities in a chain',
      {
        entities: Array.from({ length: 200 }, (_, i) => ({
          type: 'D',
          id: `${i}`,
          parents: [{ type: 'D', id: `${i + 1}` }],
        })),
      },
    ],
    ['a resource of any name', { resource: { type: 'Art::Edition_2', id: 'e "\\ 😀' } }],
    ['60,000 characters', { context: { a: 'x'.repeat(60_000) } }],
    ['100 entities of 10 parents', { entities: crowd(100, 10) }],
    ['members that begin with two underscores', { context: { __typename: 'x' } }],
  ])('%s', (_, part) => {
    expect(refused({ ...REQUEST, ...part })).toEqual([]);
    expect(evaluate(set, { ...REQUEST, ...part })).toMatchObject({ decision: 'allow', errors: [] });
  });
});
