import type { Relation } from '../../../src/contract/relations.ts';

/** A link in the direction of a walk: from `near` one further to `far`. */
export interface LinkStep {
  near: string;
  far: string;
  /** The relationship's type. */
  type: string;
}

/** How an outcome was reached. */
export interface Reached {
  depth: number;
  /** Null at the start. */
  relation: string | null;
  via: string | null;
}

/** `CONTRIBUTED_TO` → `contributed-to`; GOVERNS is GOVERNED_BY turned round. */
export function relationOf(type: string): Relation {
  return (type === 'GOVERNS' ? 'governed-by' : type.toLowerCase().replaceAll('_', '-')) as Relation;
}

/** The links by the outcome that they lead away from. */
export function byNear<Link extends { near: string }>(links: readonly Link[]): Map<string, Link[]> {
  const found = new Map<string, Link[]>();
  for (const link of links) {
    const known = found.get(link.near);
    if (known) known.push(link);
    else found.set(link.near, [link]);
  }
  return found;
}

/**
 * Breadth first, each outcome once at its least depth. Of several links to one the least by relation, then by the outcome
 * that it leads away from, as in SQL.
 */
export function walk(
  start: string,
  links: ReadonlyMap<string, readonly LinkStep[]>,
  cap: number,
): Map<string, Reached> {
  const reached = new Map<string, Reached>([[start, { depth: 0, relation: null, via: null }]]);
  let frontier = [start];
  for (let depth = 1; depth <= cap && frontier.length > 0; depth += 1) {
    const next = new Map<string, Reached>();
    for (const near of frontier) {
      for (const { far, type } of links.get(near) ?? []) {
        if (reached.has(far)) continue;
        const found = { depth, relation: relationOf(type), via: near };
        const known = next.get(far);
        if (!known || orderOf(found) < orderOf(known)) next.set(far, found);
      }
    }
    for (const [id, found] of next) reached.set(id, found);
    frontier = [...next.keys()];
  }
  return reached;
}

const orderOf = ({ relation, via }: Reached) => `${relation} ${via}`;
