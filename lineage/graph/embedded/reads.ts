import type { Relation } from '../../../src/contract/relations.ts';
import type { Graph, LinkFacts, OutcomeFacts } from '../graph.ts';
import { chunksOf } from './batches.ts';
import { LINK_COLUMNS, namesOf, OUTCOME_COLUMNS, TYPE_OF } from './columns.ts';
import type { Row, Run } from './store.ts';

export const columnsOf = (variable: string, names: readonly string[]) =>
  names.map((name) => `${variable}.${name} AS ${name}`).join(', ');
const OUTCOME_NAMES = namesOf(OUTCOME_COLUMNS);
const LINK_NAMES = namesOf(LINK_COLUMNS);
const RELATION_OF = Object.fromEntries(Object.entries(TYPE_OF).map(([relation, type]) => [type, relation]));

/** @see Graph.outcomesAfter */
export async function outcomesAfter(run: Run, after: string | null, limit: number): ReturnType<Graph['outcomesAfter']> {
  // First the ids alone: to sort whole rows costs ten times as much.
  const ids = await run(
    `MATCH (o:Outcome) ${after === null ? '' : 'WHERE o.outcome_id > $after'} RETURN o.outcome_id AS id ORDER BY id LIMIT ${Math.max(0, Math.floor(limit))}`,
    after === null ? {} : { after },
  );
  const rows = await readOutcomes(
    run,
    ids.map(({ id }) => id as string),
  );
  return ids.flatMap(({ id }) => {
    const row = rows.get(id as string);
    if (!row) return [];
    const { outcome_id, tenant_id } = row;
    return { key: { outcome_id, tenant_id }, facts: row.recorded_at === null ? null : row };
  });
}

/** The outcomes of these ids as they stand; a stub's facts are null. */
async function readOutcomes(run: Run, ids: readonly string[]): Promise<Map<string, OutcomeFacts>> {
  return (await readColumns(run, ids, OUTCOME_NAMES)) as Map<string, never>;
}

/** Some columns of the outcomes of these ids, by their ids. */
export async function readColumns(
  run: Run,
  ids: readonly string[],
  names: readonly string[],
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const columns = columnsOf('o', names);
  for (const chunk of chunksOf(ids)) {
    const text = `UNWIND $ids AS id MATCH (o:Outcome {outcome_id: id}) RETURN o.outcome_id AS key, ${columns}`;
    for (const { key, ...row } of await run(text, { ids: chunk })) found.set(key as string, row);
  }
  return found;
}

/** @see Graph.linksFrom */
export async function linksFrom(run: Run, sources: readonly string[]): Promise<LinkFacts[]> {
  const links: LinkFacts[] = [];
  const types = Object.values(TYPE_OF).join('|');
  for (const chunk of chunksOf([...new Set(sources)])) {
    const text = `UNWIND $ids AS id MATCH (a:Outcome {outcome_id: id}) MATCH (a)-[l:${types}]->(b:Outcome)
      RETURN a.outcome_id AS source, b.outcome_id AS target, label(l) AS type, ${columnsOf('l', LINK_NAMES)}`;
    for (const row of await run(text, { ids: chunk })) links.push(linkOf(row));
  }
  return links;
}

function linkOf({ source, target, type, ...facts }: Row): LinkFacts {
  return {
    ...(facts as unknown as Pick<LinkFacts, keyof typeof LINK_COLUMNS>),
    source_outcome_id: source as string,
    target_outcome_id: target as string,
    relation: RELATION_OF[type as string] as Relation,
  };
}
