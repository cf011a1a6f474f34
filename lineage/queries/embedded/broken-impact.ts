import { columnsOf, type Row } from './rows.ts';
import type { Properties, Steps } from './steps.ts';
import { ALWAYS } from './window.ts';

/** `broken-impact`: the rows of `lineage_broken_impact`. */
export async function findBrokenImpact(
  steps: Steps,
  { from_time, to_time, max_depth: cap }: { from_time: string | null; to_time: string | null; max_depth: number },
): Promise<Row[]> {
  // As the graph keeps times; the microseconds of now are nobody's business.
  const now = new Date().toISOString().replace('Z', '000Z');
  const window = { from_time: from_time ?? ALWAYS.from_time, to_time: to_time ?? ALWAYS.to_time };
  const broken = await steps.rows('broken', { ...window, now });
  const { reached, beyond } = await reach(
    steps,
    broken.map(({ outcome_id }) => outcome_id as string),
    cap,
  );
  const judged = await judgments(steps, [...reached.keys()], now);
  const rows = [...reached].map(([outcome_id, { depth, nearest }]) => {
    const { outcome, judgment } = judged.get(outcome_id) ?? {};
    // A stub has its ids alone.
    const stands = (outcome as Properties | undefined)?.['recorded_at'] !== undefined;
    return {
      ...columnsOf(outcome as Properties | undefined),
      depth,
      outcome_id,
      broken_outcome_id: nearest,
      judgment: stands ? judgment : null,
      truncated: beyond.has(outcome_id),
    };
  });
  return rows.sort((a, b) => a.depth - b.depth || (a.outcome_id < b.outcome_id ? -1 : 1));
}

/** All of them at once, a level a turn, each outcome with the least of the broken ones that are nearest to it. */
async function reach(steps: Steps, broken: readonly string[], cap: number) {
  const reached = new Map(broken.map((id) => [id, { depth: 0, nearest: id }]));
  /** Outcomes with effects that the depth cut off. */
  const beyond = new Set<string>();
  let frontier: readonly string[] = broken;
  for (let depth = 1; frontier.length > 0; depth += 1) {
    const found = (await steps.rows('next-effects', { ids: frontier })) as { near: string; far: string }[];
    const links = found.filter(({ far }) => !reached.has(far));
    if (depth > cap) {
      for (const { near } of links) beyond.add(near);
      break;
    }
    const next = new Map<string, string>();
    for (const { near, far } of links) {
      const nearest = reached.get(near)?.nearest as string;
      if (nearest < (next.get(far) ?? '~')) next.set(far, nearest);
    }
    for (const [id, nearest] of next) reached.set(id, { depth, nearest });
    frontier = [...next.keys()];
  }
  return { reached, beyond };
}

async function judgments(steps: Steps, ids: readonly string[], now: string): Promise<Map<string, Properties>> {
  // The graph cannot tell the type of an empty list.
  const rows = ids.length === 0 ? [] : await steps.rows('judged', { ids, now });
  return new Map(rows.map((row) => [(row['outcome'] as Properties)['outcome_id'] as string, row]));
}
