import type { Graph, GraphChanges, LinkFacts, LinkKey, OutcomeFacts, OutcomeKey } from '../../lineage/graph/graph.ts';

/** What stands in a graph: outcomes by id (a stub's facts are null), links by key. */
export interface GraphContent {
  outcomes: Record<string, { key: OutcomeKey; facts: OutcomeFacts | null }>;
  links: Record<string, LinkFacts>;
}

export const linkKey = (link: LinkKey): string =>
  `${link.tenant_id} ${link.source_outcome_id} ${link.relation} ${link.target_outcome_id}`;

/** The rules of `GraphChanges` in a few lines over maps: what every store must agree with. */
export class GraphModel {
  readonly #outcomes = new Map<string, { key: OutcomeKey; facts: OutcomeFacts | null }>();
  readonly #links = new Map<string, LinkFacts>();

  apply(changes: GraphChanges): void {
    for (const facts of changes.outcomes) {
      this.#outcomes.set(facts.outcome_id, {
        key: { outcome_id: facts.outcome_id, tenant_id: facts.tenant_id },
        facts,
      });
    }
    for (const link of changes.links) {
      for (const outcome_id of [link.source_outcome_id, link.target_outcome_id]) {
        if (!this.#outcomes.has(outcome_id)) {
          this.#outcomes.set(outcome_id, { key: { outcome_id, tenant_id: link.tenant_id }, facts: null });
        }
      }
      this.#links.set(linkKey(link), link);
    }
    for (const evidence of changes.evidence) {
      const there = this.#outcomes.get(evidence.outcome_id);
      if (there?.facts && there.key.tenant_id === evidence.tenant_id) there.facts = { ...there.facts, ...evidence };
    }
    for (const key of changes.deletedLinks) this.#links.delete(linkKey(key));
    for (const { outcome_id, tenant_id } of changes.deletedOutcomes) {
      const there = this.#outcomes.get(outcome_id);
      if (there && there.key.tenant_id === tenant_id) there.facts = null;
    }
    const linked = new Set(
      [...this.#links.values()].flatMap((link) => [link.source_outcome_id, link.target_outcome_id]),
    );
    for (const [id, { facts }] of this.#outcomes) if (!facts && !linked.has(id)) this.#outcomes.delete(id);
  }

  content(): GraphContent {
    return { outcomes: sorted(this.#outcomes), links: sorted(this.#links) };
  }
}

/** All that a graph holds, through its own reads. */
export async function contentOf(graph: Graph, page = 500): Promise<GraphContent> {
  const outcomes = new Map<string, { key: OutcomeKey; facts: OutcomeFacts | null }>();
  const links = new Map<string, LinkFacts>();
  for (let after: string | null = null; ; ) {
    const found = await graph.outcomesAfter(after, page);
    for (const outcome of found) {
      if (outcomes.has(outcome.key.outcome_id)) throw new Error(`${outcome.key.outcome_id} came twice`);
      outcomes.set(outcome.key.outcome_id, outcome);
    }
    for (const link of await graph.linksFrom(found.map(({ key }) => key.outcome_id))) {
      if (links.has(linkKey(link))) throw new Error(`the link ${linkKey(link)} stands twice`);
      links.set(linkKey(link), link);
    }
    after = found.at(-1)?.key.outcome_id ?? null;
    if (found.length < page) return { outcomes: sorted(outcomes), links: sorted(links) };
  }
}

function sorted<T>(map: Map<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
