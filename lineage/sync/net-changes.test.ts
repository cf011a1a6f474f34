import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedChange } from '../feed/ledger.ts';
import type { EvidenceFacts, GraphChanges, LinkFacts, OutcomeFacts } from '../graph/graph.ts';
import { countOf, invertedChange, linkKeyText, netChanges, outcomeKeyText } from './net-changes.ts';

const SEED = 20260520;

// Few ids, so that keys meet again and again.
const id = fc.constantFrom('a', 'b', 'c', 'd');
const tenant = fc.constantFrom('t1', 't2');
const outcomeKey = fc.record({ outcome_id: id, tenant_id: tenant });
const linkKey = fc.record({
  tenant_id: tenant,
  source_outcome_id: id,
  target_outcome_id: id,
  relation: fc.constantFrom('invoked' as const, 'governed-by' as const),
});
const change: fc.Arbitrary<FeedChange> = fc.oneof(
  fc.record({
    type: fc.constant('outcome' as const),
    facts: fc.tuple(outcomeKey, fc.nat(9)).map(([key, n]) => ({ ...key, status: `s${n}` }) as OutcomeFacts),
  }),
  fc.record({
    type: fc.constant('link' as const),
    facts: fc.tuple(linkKey, fc.nat(9)).map(([key, n]) => ({ ...key, link_id: `l${n}` }) as LinkFacts),
  }),
  fc.record({
    type: fc.constant('evidence' as const),
    key: fc.constant({}),
    facts: fc.option(
      fc.tuple(outcomeKey, fc.nat(9)).map(([key, n]) => ({ ...key, ...({ verification: `v${n}` } as EvidenceFacts) })),
    ),
  }),
  fc.record({ type: fc.constant('outcome_deleted' as const), key: outcomeKey }),
  fc.record({ type: fc.constant('link_deleted' as const), key: linkKey }),
);

/** A graph as the interface describes it: outcomes, evidence, links, then deletions; ends that are missing are stubs. */
class ModelGraph {
  readonly outcomes = new Map<string, OutcomeFacts>();
  readonly links = new Map<string, LinkFacts>();

  apply(changes: GraphChanges): void {
    for (const facts of changes.outcomes) this.outcomes.set(outcomeKeyText(facts), facts);
    for (const facts of changes.evidence) {
      const there = this.outcomes.get(outcomeKeyText(facts));
      if (there) this.outcomes.set(outcomeKeyText(facts), { ...there, ...facts });
    }
    for (const facts of changes.links) this.links.set(linkKeyText(facts), facts);
    for (const key of changes.deletedOutcomes) this.outcomes.delete(outcomeKeyText(key));
    for (const key of changes.deletedLinks) this.links.delete(linkKeyText(key));
  }

  get state() {
    const stubs = new Set<string>();
    for (const { tenant_id, source_outcome_id, target_outcome_id } of this.links.values()) {
      for (const outcome_id of [source_outcome_id, target_outcome_id]) {
        const key = outcomeKeyText({ tenant_id, outcome_id });
        if (!this.outcomes.has(key)) stubs.add(key);
      }
    }
    const sorted = <T>(map: Map<string, T>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));
    return { outcomes: sorted(this.outcomes), links: sorted(this.links), stubs: [...stubs].sort() };
  }
}

describe('net changes', () => {
  it('come to the same as the rows one by one, and leave each key once', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const rows = changes.map((one) => ({ change: one }));
        const [oneByOne, net] = [new ModelGraph(), new ModelGraph()];
        for (const row of rows) oneByOne.apply(netChanges([row]));
        const whole = netChanges(rows);
        net.apply(whole);
        expect(net.state).toEqual(oneByOne.state);
        const keys = [
          ...[...whole.outcomes, ...whole.evidence, ...whole.deletedOutcomes].map(
            (key) => `outcome ${outcomeKeyText(key)}`,
          ),
          ...[...whole.links, ...whole.deletedLinks].map((key) => `link ${linkKeyText(key)}`),
        ];
        expect(new Set(keys).size).toBe(keys.length);
        expect(countOf(whole)).toBe(keys.length);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('come to the same in stretches of any length', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.integer({ min: 1, max: 7 }), (changes, length) => {
        const rows = changes.map((one) => ({ change: one }));
        const [whole, stretches] = [new ModelGraph(), new ModelGraph()];
        whole.apply(netChanges(rows));
        for (let n = 0; n < rows.length; n += length) stretches.apply(netChanges(rows.slice(n, n + length)));
        expect(stretches.state).toEqual(whole.state);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('of a row and its inverse leave nothing of it', () => {
    fc.assert(
      fc.property(change, (one) => {
        const graph = new ModelGraph();
        graph.apply(netChanges([{ change: one }]));
        graph.apply(netChanges([invertedChange({ change: one })]));
        expect(graph.state).toEqual({ outcomes: [], links: [], stubs: [] });
      }),
      { seed: SEED },
    );
  });
});
