import neo4j, { type Driver } from 'neo4j-driver';
import type { Raw } from './graphs.ts';

/**
 * The driver as anybody would use it: rows as maps, UNWIND and MERGE, a managed transaction for each batch. Nodes with a label of their own, with the constraint and the indexes that the mirror's have.
 */
export async function openRawNeo4j(
  { uri, user, password }: { uri: string; user: string; password: string },
  label: string,
): Promise<Raw> {
  const driver: Driver = neo4j.driver(uri, neo4j.auth.basic(user, password), { useBigInt: true });
  const run = async (statements: [text: string, parameters?: Record<string, unknown>][]) => {
    const session = driver.session({ database: 'neo4j' });
    try {
      await session.executeWrite(async (tx) => {
        for (const [text, parameters] of statements) await tx.run(text, parameters);
      });
    } finally {
      await session.close();
    }
  };
  await run([
    [`create constraint if not exists for (n:${label}) require n.outcome_id is unique`],
    [`create index if not exists for (n:${label}) on (n.correlation_id)`],
    [`create index if not exists for (n:${label}) on (n.tenant_id, n.completed_at)`],
  ]);
  const TIMES = ['started_at', 'completed_at', 'recorded_at', 'awaiting_until'];
  const OUTCOMES = `unwind $rows as row merge (o:${label} {outcome_id: row.outcome_id}) set o += row, ${TIMES.map(
    (name) => `o.${name} = datetime(row.${name})`,
  ).join(', ')}`;
  const LINKS = `unwind $rows as row merge (a:${label} {outcome_id: row.source_outcome_id}) merge (b:${label} {outcome_id: row.target_outcome_id})
    merge (a)-[l:INVOKED]->(b) set l.link_id = row.link_id, l.tenant_id = row.tenant_id, l.origin = row.origin, l.declared_by = row.declared_by, l.recorded_at = datetime(row.recorded_at)`;
  return {
    write: ({ outcomes, links }) =>
      run([
        [OUTCOMES, { rows: outcomes }],
        [LINKS, { rows: links }],
      ]),
    async writeOneByOne({ outcomes, links }) {
      for (const row of outcomes) await run([[OUTCOMES, { rows: [row] }]]);
      for (const row of links) await run([[LINKS, { rows: [row] }]]);
    },
    close: () => driver.close(),
  };
}
