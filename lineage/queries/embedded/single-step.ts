import { byTimeAndId, columnsOf, type Row } from './rows.ts';
import type { Properties, Steps } from './steps.ts';
import { relationOf } from './walk.ts';

/** `governed`: the rows of `lineage_governed`. */
export async function findGoverned(steps: Steps, parameters: { guard_outcome: string }): Promise<Row[]> {
  const rows = await steps.rows('governed', parameters);
  return rows.map(({ outcome }) => rowOf(outcome as Properties)).sort(byTimeAndId);
}

/** `correlation`: the rows of `lineage_correlation`. */
export async function findCorrelation(steps: Steps, parameters: { correlation_id: string }): Promise<Row[]> {
  const found = new Map<string, Row & { links: Row[] }>();
  for (const { outcome, type, target_outcome_id } of await steps.rows('correlation', parameters)) {
    const row = rowOf(outcome as Properties);
    const known = found.get(row['outcome_id'] as string) ?? { ...row, links: [] };
    found.set(row['outcome_id'] as string, known);
    if (target_outcome_id) known.links.push({ relation: relationOf(type as string), target_outcome_id });
  }
  return [...found.values()];
}

const rowOf = (outcome: Properties): Row => ({ outcome_id: outcome['outcome_id'], ...columnsOf(outcome) });
