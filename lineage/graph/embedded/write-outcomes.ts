import type { OutcomeEvidence, OutcomeFacts, OutcomeKey } from '../graph.ts';
import { changedTo, chunksOf, columnLists, eachRow, keyRows, madeOf, runCounted } from './batches.ts';
import { type ColumnType, EVIDENCE_COLUMNS, FACT_NAMES, namesOf, OUTCOME_COLUMNS } from './columns.ts';
import type { Run } from './store.ts';

const { outcome_id, tenant_id } = OUTCOME_COLUMNS;

/** A node as it stands in the graph. */
export interface StandingNode {
  tenant_id: string;
  /** Its ids alone. */
  stub: boolean;
}

/** The time itself and not `IS NULL` of it, which the library answers wrongly after a look-up by key. */
export async function findNodes(run: Run, ids: readonly string[]): Promise<Map<string, StandingNode>> {
  const found = new Map<string, StandingNode>();
  for (const chunk of chunksOf(ids)) {
    const rows = await run(
      'UNWIND $ids AS id MATCH (o:Outcome {outcome_id: id}) RETURN o.outcome_id AS id, o.tenant_id AS tenant_id, o.recorded_at AS recorded_at',
      { ids: chunk },
    );
    for (const row of rows)
      found.set(row['id'] as string, { tenant_id: row['tenant_id'] as string, stub: row['recorded_at'] === null });
  }
  return found;
}

export async function createOutcomes(run: Run, outcomes: readonly OutcomeFacts[]): Promise<void> {
  for (const chunk of chunksOf(outcomes)) {
    const text = `${eachRow('outcome_id')} CREATE (:Outcome {${madeOf(namesOf(OUTCOME_COLUMNS), 'i')}})`;
    await runCounted(run, text, columnLists(chunk, OUTCOME_COLUMNS), chunk.length);
  }
}

export async function createStubs(run: Run, stubs: readonly OutcomeKey[]): Promise<void> {
  for (const chunk of chunksOf(stubs)) {
    const text = `${eachRow('outcome_id')} CREATE (:Outcome {${madeOf(['outcome_id', 'tenant_id'], 'i')}})`;
    await runCounted(run, text, columnLists(chunk, { outcome_id, tenant_id }), chunk.length);
  }
}

export async function updateOutcomes(run: Run, outcomes: readonly OutcomeFacts[]): Promise<void> {
  const { outcome_id: _, tenant_id: __, ...columns } = OUTCOME_COLUMNS;
  await setColumns(run, outcomes, columns);
}

/** Of outcomes that stand with their facts. */
export function updateEvidence(run: Run, evidence: readonly OutcomeEvidence[]): Promise<void> {
  return setColumns(run, evidence, EVIDENCE_COLUMNS);
}

async function setColumns(run: Run, outcomes: readonly OutcomeKey[], columns: Record<string, ColumnType>) {
  for (const chunk of chunksOf(outcomes)) {
    const rows = keyRows(chunk, ({ outcome_id }) => ({ id: outcome_id }));
    const text = `UNWIND $rows AS r MATCH (o:Outcome {outcome_id: r.id}) SET ${changedTo('o', Object.keys(columns))}`;
    await runCounted(run, text, { ...columnLists(chunk, columns), rows }, chunk.length);
  }
}

/** Takes the facts away and leaves the ids. */
export async function turnIntoStubs(run: Run, ids: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    const text = `UNWIND $ids AS id MATCH (o:Outcome {outcome_id: id}) SET ${FACT_NAMES.map((name) => `o.${name} = NULL`).join(', ')}`;
    await runCounted(run, text, { ids: chunk }, chunk.length);
  }
}

/** Deletes nodes without links; the library refuses those that still have some. */
export async function deleteNodes(run: Run, ids: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    await runCounted(
      run,
      'UNWIND $ids AS id MATCH (o:Outcome {outcome_id: id}) DELETE o',
      { ids: chunk },
      chunk.length,
    );
  }
}
