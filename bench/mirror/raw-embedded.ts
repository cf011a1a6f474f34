import path from 'node:path';
import { loadLibrary } from '../../lineage/graph/embedded/library.ts';
import type { OutcomeFacts } from '../../lineage/graph/graph.ts';
import type { Rows } from './batches.ts';
import type { Raw } from './graphs.ts';

/**
 * The library as anybody would use it: rows as maps, UNWIND and MERGE, a transaction for each batch. In `directory`, with the
 * tables that the mirror has, and the room that it gives itself.
 */
export async function openRawEmbedded(directory: string, columns: Record<string, string>): Promise<Raw> {
  const library = await loadLibrary();
  const database = new library.Database(path.join(directory, 'raw.lbug'), 256 * 1024 * 1024);
  await database.init();
  const connection = new library.Connection(database);
  await connection.init();
  const run = async (text: string, parameters: Record<string, never> = {}) => {
    const prepared = await connection.prepare(text);
    if (!prepared.isSuccess()) throw new Error(prepared.getErrorMessage());
    const result = await connection.execute(prepared, parameters);
    for (const one of Array.isArray(result) ? result : [result]) one.close();
  };
  const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  await run(`CREATE NODE TABLE Outcome(${list.join(', ')}, PRIMARY KEY(outcome_id))`);
  await run(
    'CREATE REL TABLE INVOKED(FROM Outcome TO Outcome, link_id STRING, tenant_id STRING, origin STRING, declared_by STRING, recorded_at STRING)',
  );
  const names = Object.keys(columns).filter((name) => name !== 'outcome_id');
  const OUTCOMES = `UNWIND $rows AS row MERGE (o:Outcome {outcome_id: row.outcome_id}) SET ${names
    .map((name) => `o.${name} = row.${name}`)
    .join(', ')}`;
  const LINKS = `UNWIND $rows AS row MATCH (a:Outcome {outcome_id: row.source}) MATCH (b:Outcome {outcome_id: row.target})
    MERGE (a)-[l:INVOKED]->(b) SET l.link_id = row.link_id, l.tenant_id = row.tenant_id, l.origin = row.origin, l.declared_by = row.declared_by, l.recorded_at = row.recorded_at`;
  // The library takes the type of a field from the first row, so nothing may be null.
  const nodeRows = (outcomes: OutcomeFacts[]) =>
    outcomes.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ''])));
  const linkRows = ({ links }: Rows) =>
    links.map((link) => ({
      source: link.source_outcome_id,
      target: link.target_outcome_id,
      link_id: link.link_id,
      tenant_id: link.tenant_id,
      origin: link.origin,
      declared_by: link.declared_by ?? '',
      recorded_at: link.recorded_at,
    }));
  // An empty list has no type here.
  const send = async (text: string, rows: object[]) =>
    rows.length === 0 ? undefined : run(text, { rows } as unknown as Record<string, never>);
  return {
    async write(rows) {
      await run('BEGIN TRANSACTION');
      await send(OUTCOMES, nodeRows(rows.outcomes));
      await send(LINKS, linkRows(rows));
      await run('COMMIT');
    },
    async writeOneByOne(rows) {
      for (const row of nodeRows(rows.outcomes)) await send(OUTCOMES, [row]);
      for (const row of linkRows(rows)) await send(LINKS, [row]);
    },
    async close() {
      await connection.close();
      await database.close();
    },
  };
}
