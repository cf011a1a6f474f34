import { byTimeAndId, columnsOf, type Row } from './rows.ts';
import type { Steps } from './steps.ts';
import { byNear } from './walk.ts';
import { ALWAYS } from './window.ts';

/** `root-causes`: the rows of `lineage_root_causes`. */
export async function findRootCauses(
  steps: Steps,
  { from_time, to_time, max_depth: cap }: { from_time: string | null; to_time: string | null; max_depth: number },
): Promise<Row[]> {
  const window = { from_time: from_time ?? ALWAYS.from_time, to_time: to_time ?? ALWAYS.to_time };
  const failures = await steps.rows('failures', window);
  const links = failures.length > 0 ? await steps.rows('failed-causes', {}) : [];
  const causes = byNear(links as { near: string; far: string }[]);
  const counts = new Map<string, number>();
  for (const failure of failures) {
    for (const end of endsOf(failure['outcome_id'] as string, causes, cap)) counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  const outcomes = await steps.outcomes([...counts.keys()]);
  const rows = [...counts].map(([outcome_id, count]) => ({
    ...columnsOf(outcomes.get(outcome_id)),
    outcome_id,
    failures: count,
    truncated: causes.has(outcome_id),
  }));
  return rows.sort((a, b) => b.failures - a.failures || byTimeAndId(a, b));
}

/** Where the chains of failed causes of a failure end: at what nothing failed before, or where the depth cuts them off. */
function endsOf(failure: string, causes: ReadonlyMap<string, { far: string }[]>, cap: number): string[] {
  const reached = new Set([failure]);
  const ends: string[] = [];
  let frontier = [failure];
  for (let depth = 0; frontier.length > 0; depth += 1) {
    const next = new Set<string>();
    for (const id of frontier) {
      const explained = causes.get(id);
      if (!explained || depth === cap) ends.push(id);
      if (depth < cap) for (const { far } of explained ?? []) if (!reached.has(far)) next.add(far);
    }
    for (const id of next) reached.add(id);
    frontier = [...next];
  }
  return ends;
}
