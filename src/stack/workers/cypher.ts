import {
  askNamed,
  bindRaw,
  type Graph,
  namedQueries,
  type QueryOptions,
  QueryRefused,
  type QueryResult,
} from '../../../lineage/index.ts';

/** A read-only query of a mirror: a named one, or a text. */
export type CypherRequest = ({ name: string; text?: undefined } | { text: string; name?: undefined }) & {
  /** What `$tenant_id` stands for; a named query needs it. */
  tenantId: string | null;
  /** The other parameters; texts are read as the query declares them. */
  parameters?: Record<string, unknown>;
  /** Links to follow at most, 0 to 64, of a named query that follows any. */
  depth?: number;
  /** Default 30,000. */
  timeoutMs?: number;
  /** Default 10,000. */
  maxRows?: number;
};

const TIMEOUT_MS = 30_000;
const LONGEST_TIMEOUT_MS = 600_000;
const MAX_ROWS = 10_000;

/**
 * @throws QueryRefused what is no query, writes, follows paths without an end, or takes too long
 * @throws GraphFault the graph does not answer
 */
export async function runCypher(graph: Pick<Graph, 'kind' | 'query'>, request: CypherRequest): Promise<QueryResult> {
  const { tenantId, parameters = {}, depth } = request;
  const options: QueryOptions = {
    timeoutMs: Math.min(request.timeoutMs ?? TIMEOUT_MS, LONGEST_TIMEOUT_MS),
    maxRows: Math.min(request.maxRows ?? MAX_ROWS, MAX_ROWS),
  };
  if (request.name === undefined) {
    const bound = bindRaw(request.text, parameters, tenantId);
    return graph.query(bound.text, bound.parameters, options);
  }
  if (tenantId === null) {
    throw new QueryRefused('query_invalid', `the query ${request.name} asks about one tenant, and none is given`);
  }
  const followsLinks = namedQueries
    .find((query) => query.name === request.name)
    ?.parameters.some((parameter) => parameter.name === 'max_depth');
  const asked = depth !== undefined && followsLinks ? { max_depth: depth, ...parameters } : parameters;
  return askNamed(graph, request.name, asked, tenantId, options);
}
