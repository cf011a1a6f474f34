import { QueryRefused } from '../fault.ts';
import type { QueryOptions, QueryResult } from '../graph.ts';
import type { Connection } from './connection.ts';
import type { ManagedTransaction, Neo4jApi } from './driver.ts';
import { driverValue, plainJson } from './plain-json.ts';
import { refusalOf, timedOut } from './query-refusals.ts';

interface Plan {
  operatorType: string;
  children: Plan[];
}

/** So many rows are fetched at a time; what is beyond `maxRows` is never fetched. */
const FETCHED = 1_000;

/**
 * Runs a query that reads the graph, and nothing else.
 *
 * @throws QueryRefused `query_writes` for what writes or reaches beyond the graph, `query_invalid`, `query_timeout`,
 *   `query_unbounded` for one that needs more memory than the server gives it
 */
export async function runQuery(
  neo4j: Neo4jApi,
  connection: Connection,
  text: string,
  parameters: Record<string, unknown>,
  { timeoutMs, maxRows }: QueryOptions,
): Promise<QueryResult> {
  if (text.trim() === '') throw new QueryRefused('query_invalid', 'the query is empty');
  const values = driverValue(parameters) as Record<string, unknown>;
  const limits = { timeoutMs, fetchSize: Math.min(FETCHED, maxRows + 1) };
  const answer = await connection.readWithin(limits, async (tx) => {
    await mustOnlyRead(tx, text, values);
    return await firstRows(neo4j, tx, text, values, maxRows);
  });
  if (!answer) throw timedOut(timeoutMs);
  return answer;
}

/**
 * The server refuses writes in a transaction that reads. It does not refuse to read files and addresses, nor to end the
 * transactions of others: its own plan of the query tells.
 */
async function mustOnlyRead(tx: ManagedTransaction, text: string, values: Record<string, unknown>): Promise<void> {
  // On a line of its own, so that the columns which the server names are the query's. With the values, because the server
  // keeps no plan of a text whose parameters it has not seen, and planning may take seconds.
  const { summary } = await tx.run(`EXPLAIN\n${text}`, values).catch((error) => {
    throw refusalOf(error, { linesBefore: 1 });
  });
  const plan = summary.plan as Plan | false;
  const operators = plan ? operatorsOf(plan) : [];
  if (operators.some((name) => name.startsWith('LoadCSV'))) throw beyond('`load csv` reads files and addresses');
  if (operators.some((name) => name.startsWith('Terminate'))) throw beyond('it ends transactions of others');
  if (summary.queryType !== 'r') throw beyond('it writes, or manages the server');
}

const beyond = (what: string) =>
  new QueryRefused('query_writes', `a query may read the graph and nothing else: ${what}`);

function operatorsOf(plan: Plan): string[] {
  return [plan.operatorType, ...plan.children.flatMap(operatorsOf)];
}

async function firstRows(
  neo4j: Neo4jApi,
  tx: ManagedTransaction,
  text: string,
  values: Record<string, unknown>,
  maxRows: number,
): Promise<QueryResult> {
  try {
    const result = tx.run(text, values);
    const columns = await result.keys();
    const rows: Record<string, unknown>[] = [];
    for await (const record of result) {
      // Leaving the loop discards the rest on the server.
      if (rows.length === maxRows) return { columns, rows, truncated: true };
      rows.push(Object.fromEntries(columns.map((name) => [name, plainJson(neo4j, record.get(name))])));
    }
    return { columns, rows, truncated: false };
  } catch (error) {
    // In here, not around the transaction: what is refused must not be tried again.
    throw refusalOf(error, { linesBefore: 0 });
  }
}
