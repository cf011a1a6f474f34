import { afterAll, beforeAll } from 'vitest';
import { neo4jSource } from '../../lineage/index.ts';
import type { Neo4jLocalOptions } from '../../lineage/neo4j-local/start.ts';
import { type Neo4jServer, startNeo4j } from './neo4j.ts';
import type { GraphKind } from './sync.ts';

/** A real Neo4j of the test file's own. It has one database, so that a fresh graph is the one before, emptied. */
export interface Neo4jGraphs extends GraphKind {
  readonly server: Neo4jServer;
}

export function useNeo4jGraphs(options: Neo4jLocalOptions = {}): Neo4jGraphs {
  let started: Neo4jServer | undefined;
  const server = () => {
    if (!started) throw new Error('useNeo4jGraphs() is used before beforeAll has run');
    return started;
  };
  const at = (tenantId: string | null) => neo4jSource({ ...server().options(), tenantId });
  beforeAll(async () => {
    started = await startNeo4j(options);
  }, 300_000);
  afterAll(() => started?.stop());
  return {
    kind: 'neo4j',
    get server() {
      return server();
    },
    async fresh(tenantId = null) {
      await server().empty();
      return at(tenantId);
    },
    at: (_source, tenantId) => at(tenantId),
    // As its operator would: the constraints stay.
    async empty() {
      await server().run('match (n) detach delete n');
    },
  };
}
