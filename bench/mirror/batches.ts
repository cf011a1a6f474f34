import type { GraphBatch, LinkFacts, OutcomeFacts, Position } from '../../lineage/graph/graph.ts';
import { batchAt, changes, linkBetween, outcomeFrom } from '../../test/support/graph-rows.ts';

/** What one batch brings: new outcomes, and links from them to each other and to those before. */
export type Rows = { outcomes: OutcomeFacts[]; links: LinkFacts[] };

/** Batches of new rows from a seeded source, as a busy ledger gives them. */
export function batchSource(random: () => number, outcomes: number, links: number): () => Rows {
  let before: string[] = [];
  return () => {
    const fresh = Array.from({ length: outcomes }, () => outcomeFrom(random));
    const ids = [...before, ...fresh.map(({ outcome_id }) => outcome_id)];
    const made = new Map<string, LinkFacts>();
    while (made.size < links) {
      const source = fresh[Math.floor(random() * fresh.length)]?.outcome_id ?? '';
      const target = ids[Math.floor(random() * ids.length)] ?? '';
      made.set(`${source} ${target}`, linkBetween(random, source, target));
    }
    before = ids.slice(-5_000);
    return { outcomes: fresh, links: [...made.values()] };
  };
}

/** The rows as a batch of the mirror, from the graph's position to the next. */
export function asBatch(step: number, rows: Rows): GraphBatch {
  return batchAt(step, changes(rows));
}

/** How many rows a batch of the mirror brings. */
export const sizeOf = ({ outcomes, links }: Rows): number => outcomes.length + links.length;

export type { Position };
