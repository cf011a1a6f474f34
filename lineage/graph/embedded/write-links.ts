import type { LinkFacts, LinkKey } from '../graph.ts';
import { changedTo, chunksOf, columnLists, keyRows, madeOf, runCounted } from './batches.ts';
import { LINK_COLUMNS, type LinkType, namesOf, TURNED, TYPE_OF } from './columns.ts';
import { columnsOf } from './reads.ts';
import type { Row, Run } from './store.ts';

/** Up to so many, each link is looked for alone: a batch of look-ups reads the whole table of its type. */
const FEW = 10;

/** A link as it lies in one table: GOVERNED_BY lies in two, the other way round in the second. */
export interface Lying<T extends LinkKey = LinkKey> {
  type: LinkType;
  from: string;
  to: string;
  link: T;
}

/** Links by the table they lie in. */
export function tablesOf<T extends LinkKey>(links: readonly T[]): Map<LinkType, Lying<T>[]> {
  const tables = new Map<LinkType, Lying<T>[]>();
  const put = (lying: Lying<T>) => {
    const rows = tables.get(lying.type);
    if (rows) rows.push(lying);
    else tables.set(lying.type, [lying]);
  };
  for (const link of links) {
    const { source_outcome_id: source, target_outcome_id: target } = link;
    put({ type: TYPE_OF[link.relation], from: source, to: target, link });
    if (link.relation === 'governed-by') put({ type: TURNED, from: target, to: source, link });
  }
  return tables;
}

const keysOf = ({ from, to }: Lying) => ({ from, to });
// Two MATCH clauses and not one with a comma: only so does the library find both ends by their index.
const ENDS = 'UNWIND $rows AS r MATCH (a:Outcome {outcome_id: r.from}) MATCH (b:Outcome {outcome_id: r.to})';

/** Those of these that lie in the graph, with their facts as they are; all of one type, and both ends must stand. */
export async function findLinks<T extends LinkKey>(
  run: Run,
  type: LinkType,
  links: readonly Lying<T>[],
): Promise<Map<Lying<T>, Row>> {
  const found = new Map<Lying<T>, Row>();
  const facts = columnsOf('l', namesOf(LINK_COLUMNS));
  if (links.length <= FEW) {
    for (const link of links) {
      const text = `MATCH (a:Outcome {outcome_id: $from})-[l:${type}]->(b:Outcome {outcome_id: $to}) RETURN ${facts}`;
      for (const row of await run(text, keysOf(link))) found.set(link, row);
    }
    return found;
  }
  for (const chunk of chunksOf(links)) {
    const rows = chunk.map((link, i) => ({ ...keysOf(link), i }));
    for (const { i, ...row } of await run(`${ENDS} MATCH (a)-[l:${type}]->(b) RETURN r.i AS i, ${facts}`, { rows })) {
      found.set(chunk[i as number] as Lying<T>, row);
    }
  }
  return found;
}

export async function createLinks(run: Run, type: LinkType, links: readonly Lying<LinkFacts>[]): Promise<void> {
  for (const chunk of chunksOf(links)) {
    const text = `${ENDS} CREATE (a)-[:${type} {${madeOf(namesOf(LINK_COLUMNS), 'r.i')}}]->(b)`;
    await runCounted(run, text, { ...listsOf(chunk), rows: keyRows(chunk, keysOf) }, chunk.length);
  }
}

export async function updateLinks(run: Run, type: LinkType, links: readonly Lying<LinkFacts>[]): Promise<void> {
  for (const chunk of chunksOf(links)) {
    const text = `${ENDS} MATCH (a)-[l:${type}]->(b) SET ${changedTo('l', namesOf(LINK_COLUMNS))}`;
    await runCounted(run, text, { ...listsOf(chunk), rows: keyRows(chunk, keysOf) }, chunk.length);
  }
}

export async function deleteLinks(run: Run, type: LinkType, links: readonly Lying[]): Promise<void> {
  for (const chunk of chunksOf(links)) {
    await runCounted(run, `${ENDS} MATCH (a)-[l:${type}]->(b) DELETE l`, { rows: chunk.map(keysOf) }, chunk.length);
  }
}

/** Those of the nodes that have a link of any type, in either direction. */
export async function findLinked(run: Run, ids: readonly string[]): Promise<Set<string>> {
  const any = [...Object.values(TYPE_OF), TURNED].join('|');
  if (ids.length <= FEW) {
    const linked = new Set<string>();
    for (const id of ids) {
      const text = `MATCH (o:Outcome {outcome_id: $id})-[:${any}]-(:Outcome) RETURN 1 AS one LIMIT 1`;
      if ((await run(text, { id })).length > 0) linked.add(id);
    }
    return linked;
  }
  const linked = new Set<string>();
  for (const chunk of chunksOf(ids)) {
    const text = `UNWIND $ids AS id MATCH (o:Outcome {outcome_id: id}) MATCH (o)-[:${any}]-(:Outcome) RETURN DISTINCT o.outcome_id AS id`;
    for (const { id } of await run(text, { ids: chunk })) linked.add(id as string);
  }
  return linked;
}

const listsOf = (chunk: readonly Lying<LinkFacts>[]) =>
  columnLists(
    chunk.map(({ link }) => link),
    LINK_COLUMNS,
  );
