import { columnsOf, type Row } from './rows.ts';
import type { Steps } from './steps.ts';
import { byNear, walk } from './walk.ts';

/** `why` and `impact`: the rows of `ledger_internal.walk`, in their order. */
export async function findLineage(
  steps: Steps,
  direction: 'causes' | 'effects',
  { outcome_id: asked, max_depth: cap }: { outcome_id: string; max_depth: number },
): Promise<Row[]> {
  const links = byNear(await steps.links(direction, asked, cap));
  const reached = walk(asked, links, cap);
  const outcomes = await steps.outcomes([...reached.keys()]);
  if (!outcomes.has(asked)) return [];
  const rows = [...reached].map(([outcome_id, { depth, relation, via }]) => ({
    ...columnsOf(outcomes.get(outcome_id)),
    depth,
    outcome_id,
    relation,
    via_outcome_id: via,
    truncated: depth === cap && (links.get(outcome_id) ?? []).some(({ far }) => !reached.has(far)),
  }));
  return rows.sort((a, b) => a.depth - b.depth || (a.outcome_id < b.outcome_id ? -1 : 1));
}
