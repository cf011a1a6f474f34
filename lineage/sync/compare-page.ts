import type { LinkFacts, OutcomeFacts, OutcomeKey } from '../graph/graph.ts';
import { linkKeyText, outcomeKeyText } from './net-changes.ts';

/** What one stretch of ids comes to: what the graph lacks or has otherwise, and what only the graph has. */
export interface Differences<Facts, Key> {
  checked: number;
  missing: Facts[];
  different: Facts[];
  surplus: Key[];
}

/**
 * Compares outcomes. A stub counts as a missing outcome where the ledger has it, and as nothing where it has not: it stands
 * for an end of a link.
 */
export function compareOutcomes(
  ledger: readonly OutcomeFacts[],
  graph: readonly { key: OutcomeKey; facts: OutcomeFacts | null }[],
): Differences<OutcomeFacts, OutcomeKey> {
  const mirrored = new Map<string, OutcomeFacts>();
  for (const { key, facts } of graph) {
    if (facts) mirrored.set(outcomeKeyText(key), facts);
  }
  return compare(ledger, mirrored, outcomeKeyText);
}

/** Compares links. One that the graph has twice is different, and `doubled`: to be taken away before it is written again. */
export function compareLinks(
  ledger: readonly LinkFacts[],
  graph: readonly LinkFacts[],
): Differences<LinkFacts, LinkFacts> & { doubled: LinkFacts[] } {
  const mirrored = new Map<string, LinkFacts>();
  const doubled = new Set<string>();
  for (const link of graph) {
    const key = linkKeyText(link);
    if (mirrored.has(key)) doubled.add(key);
    mirrored.set(key, link);
  }
  const found = compare(ledger, mirrored, linkKeyText);
  const different = new Set(found.different);
  const twice = ledger.filter((link) => doubled.has(linkKeyText(link)));
  return { ...found, different: [...found.different, ...twice.filter((link) => !different.has(link))], doubled: twice };
}

function compare<Facts extends object>(
  ledger: readonly Facts[],
  graph: Map<string, Facts>,
  keyOf: (facts: Facts) => string,
): Differences<Facts, Facts> {
  const found: Differences<Facts, Facts> = { checked: ledger.length, missing: [], different: [], surplus: [] };
  const left = new Map(graph);
  for (const facts of ledger) {
    const mirrored = left.get(keyOf(facts));
    left.delete(keyOf(facts));
    if (!mirrored) found.missing.push(facts);
    else if (!sameFacts(facts, mirrored)) found.different.push(facts);
  }
  found.surplus.push(...left.values());
  found.checked += left.size;
  return found;
}

/** An absent property is null: that is how a graph keeps nothing. */
export function sameFacts(one: object, other: object): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const value = (facts: object, name: string) => (facts as Record<string, unknown>)[name] ?? null;
  for (const name of names) if (value(one, name) !== value(other, name)) return false;
  return true;
}
