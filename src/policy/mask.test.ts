import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { maskErrors, maskFaults, maskInput } from './mask.ts';
import { preparePolicySet } from './prepare.ts';

const INPUT = {
  principal: { type: 'Agent', id: 'a' },
  context: {
    email: 'ada@example.com',
    list: [{ email: 'b' }, { name: 'c' }],
    'a/b': 1,
    '~': 2,
    nothing: null,
    deep: { email: { x: 1 } },
  },
};

describe('maskInput', () => {
  it.each<[string, string[], unknown]>([
    ['nothing', [], INPUT.context],
    ['a pointer', ['/context/email'], { ...INPUT.context, email: '[masked]' }],
    ['a pointer into an array', ['/context/list/0'], { ...INPUT.context, list: ['[masked]', { name: 'c' }] }],
    ['a pointer to a whole array', ['/context/list'], { ...INPUT.context, list: '[masked]' }],
    [
      'pointers with escapes',
      ['/context/a~1b', '/context/~0'],
      { ...INPUT.context, 'a/b': '[masked]', '~': '[masked]' },
    ],
    ['null too', ['/context/nothing'], { ...INPUT.context, nothing: '[masked]' }],
    ['a pointer to nothing', ['/context/none', '/context/email/x', '/email'], INPUT.context],
    [
      'a name, wherever it stands',
      ['email'],
      {
        ...INPUT.context,
        email: '[masked]',
        list: [{ email: '[masked]' }, { name: 'c' }],
        deep: { email: '[masked]' },
      },
    ],
    ['a name that is no index', ['0'], INPUT.context],
  ])('%s', (_, masks, context) => {
    const before = structuredClone(INPUT);
    expect(maskInput(INPUT, masks)).toEqual({ ...INPUT, context });
    expect(INPUT).toEqual(before);
  });

  it('__proto__ and constructor as members like any other', () => {
    const masked = maskInput(JSON.parse('{"__proto__":{"secret":1},"constructor":2}'), ['secret', '/constructor']);
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"secret":"[masked]"},"constructor":"[masked]"}');
    expect(maskInput(JSON.parse('{"__proto__":1}'), ['__proto__'])).toEqual(JSON.parse('{"__proto__":"[masked]"}'));
  });
});

it.each<[unknown, string[]]>([
  [[], []],
  [['/context/email', 'email', '/a~0b/~1'], []],
  [
    ['', '/a~2', 7, 'x\0'],
    ['/0 mask', '/1 mask', '/2 mask', '/3 mask'],
  ],
  [['x'.repeat(1_001)], ['/0 mask']],
  ['email', [' array']],
  [Array.from({ length: 101 }, () => 'a'), [' array']],
])('the faults of the masks %j', (masks, expected) => {
  expect(maskFaults(masks).map(({ path, rule }) => `${path} ${rule}`)).toEqual(expected);
});

describe('maskErrors', () => {
  const SCHEMA =
    'entity Agent, Doc; action read appliesTo { principal: Agent, resource: Doc, context: { n: String, d?: String } };';
  const policies = 'permit (principal, action, resource) when { context has d && context.d == "x" };';
  const request = (context: Record<string, unknown>) => ({
    principal: { type: 'Agent', id: 'a' },
    action: 'read',
    resource: { type: 'Doc', id: 'd' },
    context,
  });
  const errorsOf = async (context: Record<string, unknown>, schema: string | null) =>
    evaluate(await preparePolicySet({ policies, schema }), request(context)).errors;

  it.each<[string, Record<string, unknown>, string]>([
    ['a text', { n: 7, d: 'topsecret' }, 'topsecret'],
    ['a text that Cedar escapes', { n: 7, d: 'top\n"secret"\u0001' }, 'secret'],
    ['a number', { n: 9876543, d: 4 }, '9876543'],
  ])('%s that Cedar quotes is withheld', async (_, context, secret) => {
    const errors = await errorsOf(context, SCHEMA);
    expect(errors[0]?.message).toContain(secret);
    const masked = maskErrors(errors, request(context), ['d', '/context/n']);
    expect(masked).toEqual([{ ...errors[0], message: 'withheld: it may quote a masked value' }]);
  });

  it('an address that is none is withheld', async () => {
    const context = { d: { __extn: { fn: 'ip', arg: 'my-secret-host' } } };
    const errors = await errorsOf(context, null);
    expect(errors[0]?.message).toContain('my-secret-host');
    expect(JSON.stringify(maskErrors(errors, request(context), ['/context/d']))).not.toContain('secret');
  });

  it('all else stays', async () => {
    const context = { n: 7, d: 'topsecret' };
    const errors = await errorsOf(context, SCHEMA);
    expect(maskErrors(errors, request(context), [])).toEqual(errors);
    expect(maskErrors(errors, request(context), ['/context/other'])).toEqual(errors);
  });
});
