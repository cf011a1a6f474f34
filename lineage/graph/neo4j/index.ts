import type { Graph } from '../graph.ts';
import { DEFAULT_DATABASE, neo4jAddress, serverUri } from './address.ts';
import { Connection } from './connection.ts';
import { loadNeo4j } from './driver.ts';
import { Neo4jGraph } from './graph.ts';

export { neo4jAddress } from './address.ts';

export interface Neo4jOptions {
  /** `neo4j://`, `bolt://`, or with `+s`, `+ssc`; without credentials. */
  uri: string;
  /** `neo4j` when left out and there is a password. */
  user?: string;
  /** Left out where the server asks for none. */
  password?: string;
  /** `neo4j` when left out. */
  database?: string;
  /** Mirror this tenant alone. */
  tenantId?: string | null;
  /** Milliseconds after which a call without an answer is given up; two minutes when left out. */
  patienceMs?: number;
}

/**
 * A mirror in Neo4j 5 (design section 8). Opens no connection yet: the first call does.
 *
 * @throws GraphFault `neo4j_driver_missing`, `neo4j_uri_invalid`
 */
export async function openNeo4j(options: Neo4jOptions): Promise<Graph> {
  const address = neo4jAddress(options);
  const neo4j = await loadNeo4j();
  const connection = new Connection(neo4j, {
    uri: serverUri(options.uri),
    database: options.database || DEFAULT_DATABASE,
    user: options.user,
    password: options.password,
    patienceMs: options.patienceMs ?? 120_000,
  });
  return new Neo4jGraph(neo4j, connection, address, options.tenantId ?? null);
}
