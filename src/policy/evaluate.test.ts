import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { preparePolicySet } from './prepare.ts';
import type { PolicyRequest } from './request.ts';

const REQUEST: PolicyRequest = {
  principal: { type: 'Agent', id: 'art-agt-003', attributes: { version: '1.0.0', domain: 'art' } },
  action: 'allocate',
  resource: { type: 'Edition', id: 'ed-1' },
  context: {},
};
const ask = async (policies: string, request: Partial<PolicyRequest> = {}, schema?: string) =>
  evaluate(await preparePolicySet({ policies, schema }), { ...REQUEST, ...request });

const permit = (id: string, annotations = '', condition = 'true') =>
  `@id("${id}") ${annotations} permit (principal, action, resource) when { ${condition} };`;
const forbid = (id: string, annotations = '', condition = 'true') =>
  `@id("${id}") ${annotations} forbid (principal, action, resource) when { ${condition} };`;
const ESCALATE = '@decision("escalate")';
const risk = (score: string) => `@risk_score("${score}")`;

interface Row {
  what: string;
  set: string[];
  context?: Record<string, unknown>;
  is: [decision: string, rule: string | null, risk: number, hitl: boolean];
  determining: string[];
  failed?: (string | null)[];
}

const ROWS: Row[] = [
  { what: 'a permit', set: [permit('p')], is: ['allow', 'p', 0, false], determining: ['p'] },
  {
    what: 'two permits: the first in the text is the rule',
    set: [permit('z'), permit('a')],
    is: ['allow', 'z', 0, false],
    determining: ['z', 'a'],
  },
  {
    what: 'permits with scores: the highest',
    set: [permit('p', risk('0.2')), permit('q', risk('0.35')), permit('r')],
    is: ['allow', 'p', 0.35, false],
    determining: ['p', 'q', 'r'],
  },
  {
    what: 'a permit that did not match gives no score and no human',
    set: [permit('p', risk('0.2')), permit('q', `${risk('0.9')} @requires_hitl("true")`, 'context has x')],
    is: ['allow', 'p', 0.2, false],
    determining: ['p'],
  },
  {
    what: 'one permit of two asks a human',
    set: [permit('p', '@requires_hitl("false")'), permit('q', '@requires_hitl("true")')],
    is: ['allow', 'p', 0, true],
    determining: ['p', 'q'],
  },
  {
    what: "the request's own score, when the policies give none",
    set: [permit('p')],
    context: { risk_score: 0.4 },
    is: ['allow', 'p', 0.4, false],
    determining: ['p'],
  },
  {
    what: "the request's own score, when it is higher",
    set: [permit('p', risk('0.1'))],
    context: { risk_score: 0.4 },
    is: ['allow', 'p', 0.4, false],
    determining: ['p'],
  },
  {
    what: "the policies' score, when it is higher",
    set: [permit('p', risk('0.5'))],
    context: { risk_score: 0.4 },
    is: ['allow', 'p', 0.5, false],
    determining: ['p'],
  },
  {
    what: "the request's own score, written out",
    set: [permit('p', risk('0.5'))],
    context: { risk_score: { __extn: { fn: 'decimal', arg: '0.6' } } },
    is: ['allow', 'p', 0.6, false],
    determining: ['p'],
  },
  {
    what: 'nothing matches',
    set: [permit('p', '', 'false'), permit('q', '', 'context has x')],
    is: ['block', 'default-deny', 1, false],
    determining: [],
  },
  {
    what: 'nothing matches, but the risk is known',
    set: [permit('p', '', 'context has x')],
    context: { risk_score: 0 },
    is: ['block', 'default-deny', 0, false],
    determining: [],
  },
  {
    what: 'a forbid over a permit',
    set: [permit('p', `${risk('0.9')} @requires_hitl("true")`), forbid('f', risk('0.7'))],
    is: ['block', 'f', 0.7, false],
    determining: ['f'],
  },
  {
    what: 'a forbid alone',
    set: [forbid('f', '@decision("block")'), permit('p', '', 'context has x')],
    is: ['block', 'f', 1, false],
    determining: ['f'],
  },
  {
    what: 'a forbid that escalates',
    set: [permit('p'), forbid('f', ESCALATE)],
    is: ['escalate', 'f', 1, true],
    determining: ['f'],
  },
  {
    what: 'forbids that all escalate: the first is the rule, the highest score counts',
    set: [forbid('f', `${ESCALATE} ${risk('0.3')}`), forbid('g', `${ESCALATE} ${risk('0.6')} @requires_hitl("true")`)],
    is: ['escalate', 'f', 0.6, true],
    determining: ['f', 'g'],
  },
  {
    what: 'one forbid escalates, one blocks: blocked, by the one that blocks',
    set: [forbid('f', ESCALATE), forbid('g')],
    is: ['block', 'g', 1, false],
    determining: ['f', 'g'],
  },
  {
    what: 'a forbid that blocks does not match, one that escalates does',
    set: [forbid('g', '', 'context has x'), forbid('f', ESCALATE)],
    is: ['escalate', 'f', 1, true],
    determining: ['f'],
  },
  {
    what: 'a forbid fails beside a permit: not allowed',
    set: [permit('p', risk('0.1')), forbid('f', '', 'context.missing')],
    is: ['escalate', 'f', 1, true],
    determining: ['p'],
    failed: ['f'],
  },
  {
    what: 'a permit fails beside a permit: not allowed',
    set: [permit('p', '', 'context.missing'), permit('q')],
    is: ['escalate', 'p', 1, true],
    determining: ['q'],
    failed: ['p'],
  },
  {
    what: 'a permit fails beside a forbid',
    set: [forbid('f'), permit('p', '', 'context.missing')],
    is: ['escalate', 'p', 1, true],
    determining: ['f'],
    failed: ['p'],
  },
  {
    what: 'all fail: in the order of the text',
    set: Array.from({ length: 12 }, (_, i) => permit(`p${i}`, '', 'context.missing')),
    context: { risk_score: 0.1 },
    is: ['escalate', 'p0', 1, true],
    determining: [],
    failed: Array.from({ length: 12 }, (_, i) => `p${i}`),
  },
  {
    what: 'a sum that overflows',
    set: [permit('p', '', 'context.n + 1 > 0')],
    context: { n: 9223372036854775000 },
    is: ['allow', 'p', 0, false],
    determining: ['p'],
  },
  {
    what: 'a product that overflows',
    set: [permit('p', '', 'context.n * 2 > 0')],
    context: { n: 9223372036854775000 },
    is: ['escalate', 'p', 1, true],
    determining: [],
    failed: ['p'],
  },
  {
    what: 'an address that is none: the request as a whole',
    set: [permit('p')],
    context: { from: { __extn: { fn: 'ip', arg: 'nowhere' } } },
    is: ['escalate', null, 1, true],
    determining: [],
    failed: [null],
  },
];

describe('what Cedar answers becomes', () => {
  it.each(ROWS)('$is.0 for $what', async ({ set, context = {}, is, determining, failed = [] }) => {
    const asked = await ask(set.join('\n'), { context });
    expect([asked.decision, asked.policy_rule_triggered, asked.risk_score, asked.requires_hitl]).toEqual(is);
    expect(asked.determining).toEqual(determining);
    expect(asked.errors.map(({ policy_id }) => policy_id)).toEqual(failed);
    expect(asked.latency_us).toBeGreaterThan(0);
    expect(Number.isInteger(asked.latency_us)).toBe(true);
  });

  it('the rule by its place for policies without an id', async () => {
    const policies =
      'permit (principal, action, resource) when { context has x };\nforbid (principal, action, resource);';
    expect(await ask(policies)).toMatchObject({ decision: 'block', policy_rule_triggered: 'policy1' });
  });

  it('errors that say why', async () => {
    const { errors } = await ask(forbid('f', '', 'context.missing'));
    expect(errors).toEqual([
      {
        code: 'policy_error',
        policy_id: 'f',
        message: 'record does not have the attribute `missing`; record does not have any attributes',
      },
    ]);
  });

  it('no more errors than can be kept, and the number of the rest', async () => {
    const many = Array.from({ length: 150 }, (_, i) => permit(`p${i}`, '', 'context.missing'));
    const { errors, decision } = await ask(many.join('\n'));
    expect(decision).toBe('escalate');
    expect(errors).toHaveLength(100);
    expect(errors[98]?.policy_id).toBe('p98');
    expect(errors[99]).toEqual({ code: 'policy_error', policy_id: null, message: 'and 51 more failed' });
  });

  it('messages of a fit length, cut between characters', async () => {
    const from = { __extn: { fn: 'ip', arg: '😀'.repeat(5_000) } };
    const [error] = (await ask(permit('p'), { context: { from } })).errors;
    expect([...(error?.message ?? '')]).toHaveLength(1_000);
    expect(error?.message.endsWith('😀…')).toBe(true);
  });
});

describe('the entities of a request', () => {
  const policies = [
    permit('member', '', 'principal in Team::"sales" && resource in Folder::"shared"'),
    permit('owner', '', 'resource has owner && resource.owner == principal'),
    permit('mine', '', 'principal == resource && principal.domain == "art"'),
    permit('tagged', '', 'resource.hasTag("level") && resource.getTag("level") == "open"'),
    permit('write', '', 'action in Action::"change"'),
  ].join('\n');

  it.each<[string, Partial<PolicyRequest>, string | null]>([
    ['none', {}, 'default-deny'],
    [
      'groups, of principal and resource, over two steps',
      {
        principal: { type: 'Workflow', id: 'w', parents: [{ type: 'Team', id: 'emea' }] },
        resource: { type: 'Edition', id: 'e', parents: [{ type: 'Folder', id: 'shared' }] },
        entities: [{ type: 'Team', id: 'emea', parents: [{ type: 'Team', id: 'sales' }] }],
      },
      'member',
    ],
    [
      'an attribute that names the principal',
      {
        resource: {
          type: 'Edition',
          id: 'e',
          attributes: { owner: { __entity: { type: 'Agent', id: 'art-agt-003' } } },
        },
      },
      'owner',
    ],
    ['the principal itself', { resource: { type: 'Agent', id: 'art-agt-003' } }, 'mine'],
    ['tags', { resource: { type: 'Edition', id: 'e', tags: { level: 'open' } } }, 'tagged'],
    [
      'a group of actions',
      { entities: [{ type: 'Action', id: 'allocate', parents: [{ type: 'Action', id: 'change' }] }] },
      'write',
    ],
  ])('%s', async (_, request, rule) => {
    expect(await ask(policies, request)).toMatchObject({ policy_rule_triggered: rule, errors: [] });
  });

  it('in a circle: escalated', async () => {
    const entities = [
      { type: 'Team', id: 'a', parents: [{ type: 'Team', id: 'b' }] },
      { type: 'Team', id: 'b', parents: [{ type: 'Team', id: 'a' }] },
    ];
    expect(await ask(policies, { entities })).toMatchObject({
      decision: 'escalate',
      policy_rule_triggered: null,
      errors: [{ code: 'request_mismatch', policy_id: null, message: expect.stringContaining('cycle') }],
    });
  });
});

describe('values of the context', () => {
  it.each<[string, string, unknown]>([
    ['a whole number is a Long', 'context.v == 5', 5],
    ['-0 is 0', 'context.v == 0', -0],
    ['a large whole number', 'context.v == 4611686018427388000', 2 ** 62],
    ['a fraction is a decimal', 'context.v.lessThan(decimal("0.36")) && context.v.greaterThan(decimal("0.34"))', 0.35],
    [
      'beside a fraction all are decimals',
      'context.v.contains(decimal("1.0")) && context.v.contains(decimal("2.5"))',
      [1, 2.5],
    ],
    ['a written decimal', 'context.v == decimal("1.0")', { __extn: { fn: 'decimal', arg: '1.0' } }],
    ['an array is a set', 'context.v.containsAll(["a", "b"])', ['b', 'a', 'b']],
    ['an object is a record', 'context.v.a.b == "c"', { a: { b: 'c' } }],
    ['null is absent', '!(context.v has a) && context.v has b', { a: null, b: 1 }],
    ['an entity', 'context.v == Art::Edition::"e"', { __entity: { type: 'Art::Edition', id: 'e' } }],
    ['an address', 'context.v.isLoopback()', { __extn: { fn: 'ip', arg: '127.0.0.1' } }],
    ['a time', 'context.v < datetime("2027-01-01")', { __extn: { fn: 'datetime', arg: '2026-11-30' } }],
    ['a span', 'context.v == duration("1h")', { __extn: { fn: 'duration', arg: '60m' } }],
    ['__proto__ is a member like any other', 'context.v["__proto__"].x == 1', JSON.parse('{"__proto__":{"x":1}}')],
    ['so is constructor', 'context.v["constructor"] == "c"', { constructor: 'c' }],
    ['text with anything in it', 'context.v == "\\u{1}\\"\\\\😀\\u{2028}"', '\u0001"\\😀\u2028'],
  ])('%s', async (_, condition, v) => {
    expect(await ask(permit('p', '', condition), { context: { v } })).toMatchObject({ decision: 'allow', errors: [] });
  });

  it('the risk score is a decimal whatever its value', async () => {
    const policies = permit('low', '', 'context.risk_score.lessThanOrEqual(decimal("0.5"))');
    for (const [score, decision] of [
      [0, 'allow'],
      [0.5, 'allow'],
      [0.5001, 'block'],
      [1, 'block'],
    ] as const) {
      expect(await ask(policies, { context: { risk_score: score } })).toMatchObject({
        decision,
        risk_score: score,
        errors: [],
      });
    }
  });
});

describe('with a schema', () => {
  const SCHEMA = `
    type Money = { amount: decimal, currency?: String };
    entity Team;
    entity Agent in [Team] = { domain: String };
    entity Edition = { price: Money, sizes?: Set<decimal>, owner?: Agent } tags decimal;
    action allocate appliesTo { principal: Agent, resource: Edition, context: { n: Long, risk_score?: Long, note?: String } };
    action inspect appliesTo { principal: Agent, resource: Edition };
  `;
  const policies = [
    permit('cheap', '', 'resource.price.amount.lessThan(decimal("10.0")) && context.n < 5'),
    permit('sized', '', 'resource has sizes && resource.sizes.contains(decimal("2.0"))'),
    forbid('risky', ESCALATE, 'context has risk_score && context.risk_score > 3500'),
    forbid('weighed', '', 'resource.hasTag("kg") && resource.getTag("kg").greaterThan(decimal("7.5"))'),
  ]
    .join('\n')
    .replaceAll('(principal, action,', '(principal, action == Action::"allocate",');
  const edition = (price: unknown, more: object = {}) => ({
    resource: { type: 'Edition', id: 'e', attributes: { price, ...more } },
    context: { n: 1 },
  });

  it('whole numbers are decimals where it says so, at any depth', async () => {
    expect(await ask(policies, edition({ amount: 9 }), SCHEMA)).toMatchObject({ policy_rule_triggered: 'cheap' });
    expect(await ask(policies, edition({ amount: 11 }), SCHEMA)).toMatchObject({
      policy_rule_triggered: 'default-deny',
    });
    const sized = edition({ amount: 11 }, { sizes: [1, 2] });
    expect(await ask(policies, sized, SCHEMA)).toMatchObject({ policy_rule_triggered: 'sized', errors: [] });
    const tagged = { ...edition({ amount: 9 }), resource: { ...edition({ amount: 9 }).resource, tags: { kg: 8 } } };
    expect(await ask(policies, tagged, SCHEMA)).toMatchObject({ policy_rule_triggered: 'weighed', errors: [] });
  });

  it('a risk score declared as Long travels in ten-thousandths, and comes back from 0 to 1', async () => {
    const at = async (risk_score: number) =>
      ask(policies, { ...edition({ amount: 9 }), context: { n: 1, risk_score } }, SCHEMA);
    expect(await at(0.35)).toMatchObject({ decision: 'allow', risk_score: 0.35, errors: [] });
    expect(await at(0.3501)).toMatchObject({
      decision: 'escalate',
      policy_rule_triggered: 'risky',
      risk_score: 0.3501,
    });
    expect(await at(1)).toMatchObject({ decision: 'escalate', risk_score: 1 });
  });

  it('what the ledger knows and the schema does not declare is left out', async () => {
    const principal = {
      type: 'Agent',
      id: 'a',
      attributes: { version: '1.0.0', domain: 'art', governance_class: 'governed' },
    };
    expect(await ask(policies, { ...edition({ amount: 9 }), principal }, SCHEMA)).toMatchObject({
      decision: 'allow',
      errors: [],
    });
  });

  it.each<[string, Partial<PolicyRequest>]>([
    ['a member it does not declare', { context: { n: 1, more: 1 } }],
    ['a member that is missing', { context: {} }],
    ['another type', { context: { n: 'one' } }],
    ['a fraction for a Long', { context: { n: 1.5 } }],
    ['a principal it does not declare', { principal: { type: 'Workflow', id: 'w' } }],
    [
      'a principal of more attributes',
      { principal: { type: 'Agent', id: 'a', attributes: { domain: 'art', rank: 1 } } },
    ],
    ['a principal of fewer', { principal: { type: 'Agent', id: 'a', attributes: {} } }],
    ['an action it does not declare', { action: 'sell' }],
    ['a resource it does not declare', { resource: { type: 'Print', id: 'p' } }],
    ['another entity it does not declare', { entities: [{ type: 'Print', id: 'p', attributes: { a: 1 } }] }],
    ['an attribute of another type', { resource: { type: 'Edition', id: 'e', attributes: { price: 5 } } }],
    ['a parent of another type', { entities: [{ type: 'Team', id: 't', parents: [{ type: 'Edition', id: 'e' }] }] }],
  ])('%s is escalated', async (_, request) => {
    expect(await ask(policies, { ...edition({ amount: 9 }), ...request }, SCHEMA)).toMatchObject({
      decision: 'escalate',
      policy_rule_triggered: null,
      determining: [],
      risk_score: 1,
      requires_hitl: true,
      errors: [{ code: 'request_mismatch', policy_id: null, message: expect.stringMatching(/./) }],
    });
  });
});
