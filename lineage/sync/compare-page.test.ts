import { describe, expect, it } from 'vitest';
import type { LinkFacts, OutcomeFacts } from '../graph/graph.ts';
import { compareLinks, compareOutcomes, sameFacts } from './compare-page.ts';

const outcome = (outcome_id: string, over: Partial<OutcomeFacts> = {}) =>
  ({ outcome_id, tenant_id: 't', status: 'success', decision: null, ...over }) as OutcomeFacts;
const link = (source_outcome_id: string, over: Partial<LinkFacts> = {}) =>
  ({
    link_id: `of ${source_outcome_id}`,
    tenant_id: 't',
    source_outcome_id,
    target_outcome_id: 'z',
    relation: 'invoked',
    ...over,
  }) as LinkFacts;
const node = (facts: OutcomeFacts) => ({ key: facts, facts });

describe('outcomes', () => {
  it('are told apart: equal, missing, different, surplus', () => {
    const found = compareOutcomes(
      [outcome('equal'), outcome('missing'), outcome('different')],
      [node(outcome('equal')), node(outcome('different', { status: 'failure' })), node(outcome('surplus'))],
    );
    expect(found).toEqual({
      checked: 4,
      missing: [outcome('missing')],
      different: [outcome('different')],
      surplus: [outcome('surplus')],
    });
  });

  it('that are stubs are missing where the ledger has them, and nothing where it has not', () => {
    const stub = (outcome_id: string) => ({ key: { outcome_id, tenant_id: 't' }, facts: null });
    const found = compareOutcomes([outcome('a')], [stub('a'), stub('purged')]);
    expect(found).toEqual({ checked: 1, missing: [outcome('a')], different: [], surplus: [] });
  });

  it('of another tenant are others', () => {
    const found = compareOutcomes([outcome('a')], [node(outcome('a', { tenant_id: 'u' }))]);
    expect(found).toMatchObject({ missing: [outcome('a')], surplus: [outcome('a', { tenant_id: 'u' })] });
  });
});

describe('links', () => {
  it('that stand twice are different, whatever their facts, and doubled', () => {
    for (const twin of [link('a'), link('a', { link_id: 'other' })]) {
      for (const twins of [
        [link('a'), twin],
        [twin, link('a')],
      ]) {
        expect(compareLinks([link('a')], twins)).toEqual({
          checked: 1,
          missing: [],
          different: [link('a')],
          surplus: [],
          doubled: [link('a')],
        });
      }
    }
  });

  it('that only the graph has are one surplus, also when they stand twice', () => {
    expect(compareLinks([], [link('a'), link('a')])).toMatchObject({ surplus: [link('a')], doubled: [] });
  });
});

it('an absent property is null, and nothing else is', () => {
  expect(sameFacts({ a: null }, {})).toBe(true);
  expect(sameFacts({}, { a: null })).toBe(true);
  for (const value of ['', 0, false]) expect(sameFacts({ a: value }, { a: null })).toBe(false);
});
