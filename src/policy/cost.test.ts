// Texts within every other limit that would keep the process from everybody else.
import { expect, it } from 'vitest';
import { checkPolicySet, evaluate, preparePolicySet, principalOf } from './index.ts';

it('a schema whose types double at every level is refused before Cedar writes them out', async () => {
  const types = Array.from({ length: 30 }, (_, n) => `type T${n} = {a: T${n + 1}, b: T${n + 1}};`).join('\n');
  const schema = `${types}\ntype T30 = Long;\nentity Agent;\naction a appliesTo {principal: Agent, resource: Agent, context: {x: T0}};`;
  const checked = await checkPolicySet({ policies: 'permit (principal, action, resource);', schema });
  expect(checked).toMatchObject({ ok: false, violations: [{ path: '/schema', rule: 'schema_too_deep' }] });
});

it('patterns against a text that would take long together are a decision for a human', async () => {
  const pattern = `permit (principal, action, resource) when { context.a like "*${'a'.repeat(165)}b" };\n`;
  const set = await preparePolicySet({ policies: pattern.repeat(1_000), schema: null });
  const source = { type: 'agent', id: 'a', version: '1.0.0', domain: 'd', governance_class: 'autonomous' } as const;
  const ask = (length: number) =>
    evaluate(set, {
      principal: principalOf(source),
      action: 'sell',
      resource: { type: 'Edition', id: '1' },
      context: { a: 'a'.repeat(length) },
    });
  expect(ask(15_800)).toMatchObject({ decision: 'escalate', errors: [{ code: 'engine_failed' }] });
  expect(ask(10)).toMatchObject({ decision: 'block', errors: [] });
});
