import type { Ledger } from '../feed/ledger.ts';
import type { Graph, LinkFacts, OutcomeFacts, OutcomeKey } from '../graph/graph.ts';
import { compareLinks, compareOutcomes, type Differences } from './compare-page.ts';
import { linkKeyText, outcomeKeyText } from './net-changes.ts';

/** Ids above `after` and up to `end`; `end` null = to the last one. */
export interface Stretch {
  after: string | null;
  end: string | null;
}

/** One stretch of both sides, compared. */
export interface ComparedPage {
  stretch: Stretch;
  outcomes: Differences<OutcomeFacts, OutcomeKey>;
  links: ReturnType<typeof compareLinks>;
  /** Stubs of outcomes that the ledger has no more. */
  stubs: OutcomeKey[];
}

/** Compares the next ids after one; up to `limit` of each side, and the links that lead out of them. */
export async function comparePage(
  ledger: Ledger,
  graph: Graph,
  after: string | null,
  limit: number,
): Promise<ComparedPage> {
  // The graph goes first: what is recorded and mirrored between the two looks is then missing, never beyond the ledger.
  const mirrored = await graph.outcomesAfter(after, limit);
  const outcomes = await ledger.outcomesAfter(after, limit);
  // An outcome may be purged and its links stand.
  const sources = await ledger.linkSourcesAfter(after, limit);
  const lists = [outcomes.map((row) => row.outcome_id), sources, mirrored.map((row) => row.key.outcome_id)];
  const end = leastEnd(lists, limit);
  const within = (id: string) => end === null || id <= end;
  const ids = [...new Set(lists.flat().filter(within))];
  const standing = outcomes.filter((row) => within(row.outcome_id));
  const nodes = mirrored.filter((row) => within(row.key.outcome_id));
  const known = new Set(standing.map(outcomeKeyText));
  const mirroredLinks = ids.length > 0 ? await graph.linksFrom(ids) : [];
  const standingLinks = ids.length > 0 ? await ledger.linksFrom(ids) : [];
  return {
    stretch: { after, end },
    outcomes: compareOutcomes(standing, nodes),
    links: compareLinks(standingLinks, mirroredLinks),
    stubs: nodes.filter(({ key, facts }) => facts === null && !known.has(outcomeKeyText(key))).map(({ key }) => key),
  };
}

/** The outcomes that stand in the ledger now, by their keys, over one stretch. */
export async function outcomesStanding(
  ledger: Ledger,
  { after, end }: Stretch,
  limit: number,
): Promise<Map<string, OutcomeFacts>> {
  const standing = new Map<string, OutcomeFacts>();
  for (let last = after; ; ) {
    const page = await ledger.outcomesAfter(last, limit);
    for (const row of page) if (end === null || row.outcome_id <= end) standing.set(outcomeKeyText(row), row);
    last = page.at(-1)?.outcome_id ?? null;
    if (page.length < limit || last === null || (end !== null && last >= end)) return standing;
  }
}

/** The keys of the links that stand in the ledger now and lead out of the given ones' sources. */
export async function linksStanding(ledger: Ledger, links: readonly LinkFacts[]): Promise<Set<string>> {
  if (links.length === 0) return new Set();
  const sources = [...new Set(links.map((link) => link.source_outcome_id))];
  return new Set((await ledger.linksFrom(sources)).map(linkKeyText));
}

/** Where the shortest of the cut lists ends: only up to there has each been read whole. */
function leastEnd(lists: string[][], limit: number): string | null {
  const ends = lists.filter((list) => list.length >= limit).map((list) => list.at(-1) as string);
  return ends.length === 0 ? null : (ends.sort()[0] as string);
}
