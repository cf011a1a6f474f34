import type * as Neo4j from 'neo4j-driver';
import { GraphFault } from '../fault.ts';

export type { Driver, ManagedTransaction, Session } from 'neo4j-driver';
/** The driver's own namespace: makers of values, and tests for them. */
export type Neo4jApi = typeof Neo4j.default;

/** The optional package, imported when the first graph is opened. */
export async function loadNeo4j(): Promise<Neo4jApi> {
  try {
    return (await import('neo4j-driver')).default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new GraphFault(
      'whole',
      'neo4j_driver_missing',
      'Neo4j needs the optional package neo4j-driver: `npm install neo4j-driver`.',
      { cause: error },
    );
  }
}
