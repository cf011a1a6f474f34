import { describe, expect, it } from 'vitest';
import { loadEngine } from './engine.ts';
import { PolicySetInvalid } from './errors.ts';
import { evaluate } from './evaluate.ts';
import { MAX_PREPARED_BYTES, MAX_PREPARED_SETS } from './limits.ts';
import { preparedPolicySet, preparedSets, preparePolicySet } from './prepare.ts';

const REQUEST = { principal: { type: 'Agent', id: 'a' }, action: 'read', resource: { type: 'Doc', id: 'd' } };
const SCHEMA = 'entity Agent, Doc; action read appliesTo { principal: Agent, resource: Doc, context: { n?: Long } };';
const parsed = () => preparedSets().parsed;
const saying = (id: string, more = '') => `@id("${id}") permit (principal, action, resource); // ${more}`;
const hundred = Array.from(
  { length: 100 },
  (_, i) => `@id("p${i}") permit (principal, action, resource) when { context has n && context.n == ${i} };`,
).join('\n');

describe('a prepared set', () => {
  it('of a hundred policies is parsed once for any number of questions', async () => {
    const before = parsed();
    const sets = await Promise.all([1, 2, 3].map(() => preparePolicySet({ policies: hundred, schema: SCHEMA })));
    for (let n = 0; n < 300; n++) {
      const set = sets[n % 3] ?? expect.unreachable();
      expect(evaluate(set, { ...REQUEST, context: { n: n % 100 } }).determining).toEqual([`p${n % 100}`]);
    }
    expect(parsed()).toBe(before + 1);
  });

  it('is found by its hash', async () => {
    const set = await preparePolicySet({ policies: hundred, schema: SCHEMA });
    expect(preparedPolicySet(set.hash)).toBe(set);
    expect(preparedPolicySet('0'.repeat(64))).toBeUndefined();
    expect(set.policyIds).toHaveLength(100);
  });

  it('is another one with another schema, or with none', async () => {
    const [one, other] = [
      await preparePolicySet({ policies: hundred }),
      await preparePolicySet({ policies: hundred, schema: SCHEMA }),
    ];
    expect(one.hash).not.toBe(other.hash);
    const odd = { ...REQUEST, context: { n: 1, more: true } };
    expect(evaluate(one, odd).decision).toBe('allow');
    expect(evaluate(other, odd).decision).toBe('escalate');
    expect(evaluate(one, odd).decision).toBe('allow');
  });

  it('is refused with what checking it says', async () => {
    const prepare = preparePolicySet({ policies: 'permit', schema: 'entity' });
    await expect(prepare).rejects.toThrow(PolicySetInvalid);
    await expect(prepare).rejects.toMatchObject({
      code: 'policy_set_invalid',
      violations: [
        { path: '/policies', line: 1, column: 7 },
        { path: '/schema', line: 1, column: 7 },
      ],
    });
  });
});

describe('when there is no room', () => {
  it('the set used least recently is dropped, and parsed again when it is asked', async () => {
    const sets = [];
    for (let i = 0; i < MAX_PREPARED_SETS; i++) sets.push(await preparePolicySet({ policies: saying(`s${i}`) }));
    expect(preparedSets().held).toBe(MAX_PREPARED_SETS);
    const [first, second, third] = sets;
    if (!first || !second || !third) return expect.unreachable();
    evaluate(first, REQUEST);
    const before = parsed();
    await preparePolicySet({ policies: saying('one more') });
    expect(preparedSets()).toEqual({ held: MAX_PREPARED_SETS, parsed: before + 1 });
    expect(preparedPolicySet(first.hash)).toBe(first);
    expect(preparedPolicySet(second.hash)).toBeUndefined();

    expect(evaluate(first, REQUEST).determining).toEqual(['s0']);
    expect(parsed()).toBe(before + 1);
    expect(evaluate(second, REQUEST).determining).toEqual(['s1']);
    expect(parsed()).toBe(before + 2);
    expect(preparedPolicySet(third.hash)).toBeUndefined();
  });

  it('every set still answers for itself, whatever stood under its name before', async () => {
    const sources = Array.from({ length: MAX_PREPARED_SETS + 8 }, (_, i) => ({
      policies:
        i % 3 === 0 ? saying(`s${i}`) : `@id("s${i}") permit (principal, action, resource) when { context has n };`,
      schema: i % 2 === 0 ? SCHEMA : null,
    }));
    const sets = await Promise.all(sources.map(preparePolicySet));
    for (let round = 0; round < 3; round++) {
      for (const [i, set] of sets.entries()) {
        const known = evaluate(set, { ...REQUEST, context: { n: 1 } });
        const odd = evaluate(set, { ...REQUEST, context: { n: 1, more: 1 } });
        expect([known.determining, odd.decision]).toEqual([[`s${i}`], i % 2 === 0 ? 'escalate' : 'allow']);
      }
    }
  });

  it('large sets drop more than one', async () => {
    const large = (i: number) => ({ policies: saying(`large ${i}`, 'x'.repeat(250_000)) });
    for (let i = 0; i < 10; i++) await preparePolicySet(large(i));
    expect(preparedSets().held).toBe(Math.floor(MAX_PREPARED_BYTES / 250_100));
    // Cedar itself holds no more than these: under the other names it has nothing that permits.
    const cedar = await loadEngine();
    const permitting = Array.from({ length: MAX_PREPARED_SETS }, (_, slot) => {
      const call = { ...REQUEST, action: { type: 'Action', id: 'read' }, context: {}, entities: [] };
      const answer = cedar.statefulIsAuthorized({ ...call, preparsedPolicySetId: `set ${slot}` });
      return answer.type === 'success' && answer.response.decision === 'allow';
    });
    expect(permitting.filter(Boolean)).toHaveLength(preparedSets().held);
    for (let i = 0; i < 10; i++) {
      const set = await preparePolicySet(large(i));
      expect(evaluate(set, REQUEST).determining).toEqual([`large ${i}`]);
    }
  });
});
