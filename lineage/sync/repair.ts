import type { Ledger } from '../feed/ledger.ts';
import { GraphFault } from '../graph/fault.ts';
import type { Graph, GraphChanges, OutcomeFacts } from '../graph/graph.ts';
import { sameFacts } from './compare-page.ts';
import { countOf, linkKeyOf, linkKeyText, NO_CHANGES, outcomeKeyOf, outcomeKeyText } from './net-changes.ts';
import { type ComparedPage, linksStanding, outcomesStanding } from './reconcile-page.ts';

export interface Repaired {
  repaired: number;
  refused: number;
}

/**
 * Makes one compared stretch of the graph what the ledger has now. A surplus is looked up in the ledger once more before it
 * is deleted, and what was written once more after: a purge and its tombstone, or newer evidence, may have passed in between.
 */
export async function repairPage(ledger: Ledger, graph: Graph, page: ComparedPage, limit: number): Promise<Repaired> {
  const done: Repaired = { repaired: 0, refused: 0 };
  const { outcomes, links, stretch } = page;

  const surplusOutcomes = outcomes.surplus.length > 0 ? await outcomesStanding(ledger, stretch, limit) : new Map();
  const surplusLinks = await linksStanding(ledger, links.surplus);
  const deletions: GraphChanges = {
    ...NO_CHANGES,
    deletedOutcomes: outcomes.surplus.filter((key) => !surplusOutcomes.has(outcomeKeyText(key))).map(outcomeKeyOf),
    deletedLinks: [...links.surplus.filter((link) => !surplusLinks.has(linkKeyText(link))), ...links.doubled].map(
      linkKeyOf,
    ),
  };
  await apply(graph, deletions, done);
  // A stub without links goes, one with links stays: the graph knows. Nothing is counted, for nothing may be wrong.
  if (page.stubs.length > 0) await graph.repair({ ...NO_CHANGES, deletedOutcomes: page.stubs.map(outcomeKeyOf) });

  const written: GraphChanges = {
    ...NO_CHANGES,
    outcomes: [...outcomes.missing, ...outcomes.different],
    links: [...links.missing, ...links.different],
  };
  await apply(graph, written, done);
  await followLedger(ledger, graph, written, page, limit);
  return done;
}

/** Looks at what was written until the ledger has it so: what comes after the last look is the worker's to write. */
async function followLedger(
  ledger: Ledger,
  graph: Graph,
  written: GraphChanges,
  page: ComparedPage,
  limit: number,
): Promise<void> {
  for (let left = written; countOf(left) > 0; ) {
    const outcomes = left.outcomes.length > 0 ? await outcomesStanding(ledger, page.stretch, limit) : new Map();
    const links = await linksStanding(ledger, left.links);
    const renewed = left.outcomes.flatMap((row): OutcomeFacts[] => {
      const now = outcomes.get(outcomeKeyText(row));
      return now && !sameFacts(row, now) ? [now] : [];
    });
    left = {
      ...NO_CHANGES,
      outcomes: renewed,
      deletedOutcomes: left.outcomes.filter((row) => !outcomes.has(outcomeKeyText(row))).map(outcomeKeyOf),
      deletedLinks: left.links.filter((row) => !links.has(linkKeyText(row))).map(linkKeyOf),
    };
    if (countOf(left) > 0) await apply(graph, left, { repaired: 0, refused: 0 });
  }
}

/** Applies changes; where the graph cannot take some rows, all the others. */
async function apply(graph: Graph, changes: GraphChanges, done: Repaired): Promise<void> {
  const rows = countOf(changes);
  if (rows === 0) return;
  try {
    await graph.repair(changes);
    done.repaired += rows;
  } catch (error) {
    if (!(error instanceof GraphFault) || error.kind !== 'row') throw error;
    if (rows === 1) {
      done.refused += 1;
      return;
    }
    for (const half of halves(changes)) await apply(graph, half, done);
  }
}

function halves(changes: GraphChanges): [GraphChanges, GraphChanges] {
  const half = Math.ceil(countOf(changes) / 2);
  let left = half;
  const cut = <T>(rows: T[]): [T[], T[]] => {
    const taken = Math.min(left, rows.length);
    left -= taken;
    return [rows.slice(0, taken), rows.slice(taken)];
  };
  const [outcomes, evidence, links] = [cut(changes.outcomes), cut(changes.evidence), cut(changes.links)];
  const [deletedOutcomes, deletedLinks] = [cut(changes.deletedOutcomes), cut(changes.deletedLinks)];
  const side = (n: 0 | 1): GraphChanges => ({
    outcomes: outcomes[n],
    evidence: evidence[n],
    links: links[n],
    deletedOutcomes: deletedOutcomes[n],
    deletedLinks: deletedLinks[n],
  });
  return [side(0), side(1)];
}
