import { describe, expect, it } from 'vitest';
import { checkPolicySet } from './check.ts';
import { evaluate } from './evaluate.ts';
import { tooDeep } from './levels.ts';
import { MAX_TEXT_LEVELS } from './limits.ts';
import { preparePolicySet } from './prepare.ts';
import { tokensOf } from './tokens.ts';

// Shapes that nest, each with a way to write it n deep; Cedar reads, validates and evaluates by recursion over them.
const SHAPES: Record<string, (n: number) => string> = {
  brackets: (n) => `${'('.repeat(n)}true${')'.repeat(n)}`,
  negations: (n) => `${'!('.repeat(n)}true${')'.repeat(n)}`,
  sets: (n) => `${'['.repeat(n)}1${']'.repeat(n)} == 1`,
  records: (n) => `${'{a: '.repeat(n)}1${'}'.repeat(n)} == 1`,
  members: (n) => `context${'.a'.repeat(n)}`,
  indexes: (n) => `context${'["a"]'.repeat(n)}`,
  calls: (n) => `context.a${'.contains(1)'.repeat(n)}`,
  arguments: (n) => `${'context.a.contains('.repeat(n)}1${')'.repeat(n)}`,
  conditions: (n) => `${'if (context.a) then true else '.repeat(n)}true`,
  tests: (n) => `${'if '.repeat(n)}true${' then true else true'.repeat(n)}`,
  sums: (n) => `1${' + 1'.repeat(n)} == 3`,
  conjunctions: (n) => `context.a == 1${' && context.a == 1'.repeat(n)}`,
  disjunctions: (n) => `context.a == 1${' || context.a == 2'.repeat(n)}`,
  mixtures: (n) => `context.a == 1${' && context.a == 1 || context.a == 2'.repeat(n)}`,
  clauses: (n) => `true }${' when { context.a == 1 }'.repeat(n)} unless { context.b`,
  lattices: (n) => `${'[{a: context.a.b.c.contains('.repeat(n)}1${')}]'.repeat(n)} == 1`,
  ladders: (n) => `${'(context.a == 1 || !(context.b && '.repeat(n)}true${'))'.repeat(n)}`,
  products: (n) => `1${' * 1'.repeat(n)} == 3`,
};
const SCHEMA = 'entity Agent, Doc; action read appliesTo { principal: Agent, resource: Doc, context: {} };';
const REQUEST = { principal: { type: 'Agent', id: 'a' }, action: 'read', resource: { type: 'Doc', id: 'd' } };
const policy = (condition: string) => `permit (principal, action, resource) when { ${condition} };`;

const rulesOf = async (policies: string, schema?: string | object) => {
  const checked = await checkPolicySet({ policies, schema });
  return checked.ok ? [] : checked.violations.map(({ rule }) => rule);
};

describe('texts that nest', () => {
  it.each(Object.entries(SHAPES))('%s: refused before Cedar gets them, with the place', async (_, shape) => {
    for (const n of [49, 100, 1_000, 4_000]) {
      const checked = await checkPolicySet({ policies: policy(shape(n)) });
      expect(checked).toMatchObject({ ok: false, violations: [{ path: '/policies', rule: 'nesting', line: 1 }] });
    }
  });

  it.each(Object.entries(SHAPES))('%s: what is let through, Cedar reads to the end', async (_, shape) => {
    let most = 0;
    while (!tooDeep(tokensOf(policy(shape(most + 1))), 'policies', MAX_TEXT_LEVELS)) most += 1;
    expect(most).toBeGreaterThanOrEqual(5);
    const policies = policy(shape(most));
    expect(await rulesOf(policies)).not.toContain('nesting');
    expect(await rulesOf(policies, SCHEMA)).not.toContain('nesting');
    const set = await preparePolicySet({ policies });
    for (const context of [{}, { a: 1, b: true }]) {
      const asked = evaluate(set, { ...REQUEST, context });
      expect(asked.errors.filter(({ code }) => code !== 'policy_error')).toEqual([]);
    }
  });

  it('32 levels with those of the condition', async () => {
    const brackets = SHAPES['brackets'] ?? String;
    expect(await rulesOf(policy(brackets(30)))).toEqual([]);
    expect(await rulesOf(policy(brackets(31)))).toEqual(['nesting']);
    expect(await rulesOf(`${policy(brackets(30))}\n${policy(brackets(30))}`)).toEqual([]);
  });

  it('what takes no stack may be long', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, i) => i).join(', ');
    const set = await preparePolicySet({ policies: policy(`[${numbers}].contains(context.n)`) });
    const asked = evaluate(set, { ...REQUEST, context: { n: 7 } });
    expect(asked.decision).toBe('allow');
  });

  it.each([
    ['sets', (n: number) => `${'Set<'.repeat(n)}Long${'>'.repeat(n)}`],
    ['records', (n: number) => `${'{a: '.repeat(n)}Long${'}'.repeat(n)}`],
  ])('%s of a schema', async (_, shape) => {
    const schema = (n: number) => `${SCHEMA} entity Deep = { a: ${shape(n)} };`;
    expect(await rulesOf(policy('true'), schema(31))).toEqual([]);
    expect(await rulesOf(policy('true'), schema(32))).toEqual(['nesting']);
    expect(await rulesOf(policy('true'), schema(20_000))).toEqual(['nesting']);
  });

  it('long hierarchies of a schema, which Cedar would close over for minutes', async () => {
    const chain = (n: number) =>
      Array.from({ length: n }, (_, i) => `action a${i} in [a${i + 1}]; entity E${i} in [E${i + 1}];`).join('');
    const schema = (n: number) => `${SCHEMA} ${chain(n)} action a${n}; entity E${n};`;
    expect(await rulesOf(policy('true'), schema(15))).toEqual([]);
    expect(await rulesOf(policy('true'), schema(16))).toEqual(['schema_too_deep']);
    expect(await rulesOf(policy('true'), schema(400))).toEqual(['schema_too_deep']);
    expect(await rulesOf(policy('true'), schema(3_000))).toEqual(['too_many']);
    expect(await rulesOf(policy('true'), `entity Group in [Group]; ${SCHEMA}`)).toEqual([]);
  });
});
