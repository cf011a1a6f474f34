import { afterAll, beforeAll } from 'vitest';
import { neo4jSource } from '../../lineage/index.ts';
import type { Neo4jLocalOptions } from '../../lineage/neo4j-local/start.ts';
import { type Neo4jBench, type Neo4jServer, startNeo4j, useNeo4j } from './neo4j.ts';
import type { GraphKind } from './sync.ts';

/** A real Neo4j to mirror into. It has one database, so that a fresh graph is the one before, emptied. */
export interface Neo4jGraphs<Server extends Neo4jBench> extends GraphKind {
  readonly server: Server;
}

/** In the run's one Neo4j. */
export function useNeo4jGraphs(): Neo4jGraphs<Neo4jBench> {
  const server = useNeo4j();
  return graphsIn(() => server);
}

/** In a Neo4j of the test file's own, which it may kill and restart. */
export function useOwnNeo4jGraphs(options: Neo4jLocalOptions = {}): Neo4jGraphs<Neo4jServer> {
  let started: Neo4jServer | undefined;
  beforeAll(async () => {
    started = await startNeo4j(options);
  }, 300_000);
  afterAll(() => started?.stop());
  return graphsIn(() => {
    if (!started) throw new Error('useOwnNeo4jGraphs() is used before beforeAll has run');
    return started;
  });
}

function graphsIn<Server extends Neo4jBench>(server: () => Server): Neo4jGraphs<Server> {
  const at = (tenantId: string | null) => neo4jSource({ ...server().options(), tenantId });
  return {
    kind: 'neo4j',
    get server() {
      return server();
    },
    async fresh(tenantId = null) {
      await server().clear();
      return at(tenantId);
    },
    at: (_source, tenantId) => at(tenantId),
    // As its operator would: the constraints stay.
    async empty() {
      await server().run('match (n) detach delete n');
    },
  };
}
