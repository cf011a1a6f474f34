import { columnsOf, type Row } from './rows.ts';
import type { Steps } from './steps.ts';
import { byNear, relationOf, walk } from './walk.ts';

interface ChainStep {
  outcome_id: string;
  relation: string | null;
}

/** `path`: the rows of `lineage_path`. */
export async function findPath(
  steps: Steps,
  {
    from_outcome: from,
    to_outcome: to,
    max_depth: cap,
  }: { from_outcome: string; to_outcome: string; max_depth: number },
): Promise<Row[]> {
  const ends = await steps.outcomes([from, to]);
  if (!ends.has(from) || !ends.has(to)) return [];
  const forward = await shortestChain(steps, from, to, cap);
  const chain = forward ?? (await shortestChain(steps, to, from, cap)) ?? [];
  const outcomes = await steps.outcomes(chain.map((step) => step.outcome_id));
  return chain.map(({ outcome_id, relation }, position) => ({
    ...columnsOf(outcomes.get(outcome_id)),
    position,
    outcome_id,
    relation,
    direction: forward ? 'forward' : 'backward',
  }));
}

/**
 * The depths are those of a walk upstream from the effect, so that from the cause on each next step is known to come nearer;
 * of several the one with the least id, and of several links to it the one with the least relation.
 */
async function shortestChain(steps: Steps, cause: string, effect: string, cap: number): Promise<ChainStep[] | null> {
  const upstream = await steps.links('causes', effect, cap);
  const reached = walk(effect, byNear(upstream), cap);
  const links = reached.get(cause)?.depth;
  if (links === undefined) return null;
  const downstream = byNear(upstream.map(({ near, far, type }) => ({ near: far, far: near, type })));
  const chain: ChainStep[] = [{ outcome_id: cause, relation: null }];
  for (let left = links - 1; left >= 0; left -= 1) {
    const at = chain.at(-1)?.outcome_id ?? cause;
    const next = (downstream.get(at) ?? [])
      .filter(({ far }) => reached.get(far)?.depth === left)
      .map(({ far, type }) => ({ outcome_id: far, relation: relationOf(type) }));
    chain.push(next.reduce((least, step) => (orderOf(step) < orderOf(least) ? step : least)));
  }
  return chain;
}

const orderOf = ({ outcome_id, relation }: ChainStep) => `${outcome_id} ${relation}`;
