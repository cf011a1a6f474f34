import type { QueryResult } from '../../lineage/index.ts';
import type { CypherRequest } from '../stack/workers/cypher.ts';
import { unreachable } from './failure.ts';
import { neo4jOf } from './graph-options.ts';
import { attachLocal } from './local-stack.ts';
import { mirrorFailure } from './mirror-failure.ts';
import { dataDirOf, type LocalOptions } from './options.ts';
import { tenantOf } from './tenants.ts';

/** A graph that can be asked. */
export interface CypherTarget {
  /** What a query without --tenant is about; null where no tenant stands for all. */
  tenantId: string | null;
  ask(request: CypherRequest): Promise<QueryResult>;
}

/** The Neo4j that NEO4J_URI names; without it, or with a data directory named, the graph of the local stack. */
export async function cypherTarget(options: LocalOptions & { tenant?: string }): Promise<CypherTarget> {
  const named = options.dataDir === undefined ? neo4jOf() : undefined;
  if (named === undefined) {
    const stack = await requireGraph(dataDirOf(options));
    return { tenantId: await tenantOf(stack, options.tenant), ask: (request) => told(stack.mirror.cypher(request)) };
  }
  const [{ sourceOf }, { requireInstalled }, { runCypher }] = await Promise.all([
    import('../stack/workers/graph-source.ts'),
    import('../stack/workers/graph-target.ts'),
    import('../stack/workers/cypher.ts'),
  ]);
  const tenantId = options.tenant ?? null;
  const ask = async (request: CypherRequest) => {
    requireInstalled('neo4j');
    const graph = await sourceOf(named, null).open();
    try {
      return await runCypher(graph, request);
    } finally {
      await graph.close();
    }
  };
  return { tenantId, ask: (request) => told(ask(request)) };
}

async function requireGraph(dataDir: string) {
  const stack = await attachLocal(dataDir);
  if (stack) return stack;
  throw unreachable(
    `no stack runs on ${dataDir}, and NEO4J_URI is not set`,
    'outcome-ledger up --detach; or NEO4J_URI, NEO4J_USER and NEO4J_PASSWORD for a Neo4j',
  );
}

async function told<T>(asked: Promise<T>): Promise<T> {
  return asked.catch(async (error: unknown) => {
    throw await mirrorFailure(error);
  });
}
