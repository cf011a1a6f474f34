import type { Graph, QueryOptions, QueryResult } from '../graph/graph.ts';
import { bindQuery, queryNamed } from './bind.ts';
import type { QueryName } from './catalogue.ts';
import { findBrokenImpact } from './embedded/broken-impact.ts';
import { findLineage } from './embedded/lineage.ts';
import { findPath } from './embedded/path.ts';
import { findRootCauses } from './embedded/root-causes.ts';
import type { Row } from './embedded/rows.ts';
import { findCorrelation, findGoverned } from './embedded/single-step.ts';
import { type Steps, stepsOf } from './embedded/steps.ts';

type Find = (steps: Steps, parameters: never) => Promise<Row[]>;

const IN_STEPS: Record<QueryName, Find> = {
  why: (steps, parameters) => findLineage(steps, 'causes', parameters),
  impact: (steps, parameters) => findLineage(steps, 'effects', parameters),
  correlation: findCorrelation,
  path: findPath,
  governed: findGoverned,
  'root-causes': findRootCauses,
  'broken-impact': findBrokenImpact,
};

/**
 * Asks a graph a named query; both kinds give the same rows, in the same order.
 *
 * @param raw values by the parameters' names: texts as the command line has them, or numbers
 * @param tenantId the tenant whose outcomes are seen
 * @throws QueryRefused `query_invalid` for a name or a value that is none, `query_timeout`
 */
export async function askNamed(
  graph: Pick<Graph, 'kind' | 'query'>,
  name: string,
  raw: Record<string, unknown>,
  tenantId: string,
  options: QueryOptions,
): Promise<QueryResult> {
  const { text, parameters } = bindQuery(name, raw, tenantId);
  if (graph.kind === 'neo4j') return graph.query(text, parameters, options);
  const query = queryNamed(name);
  const steps = stepsOf(graph, parameters['tenant_id'] as string, options);
  const rows = await IN_STEPS[query.name](steps, parameters as never);
  return {
    columns: [...query.columns],
    rows: rows
      .slice(0, options.maxRows)
      .map((row) => Object.fromEntries(query.columns.map((name) => [name, row[name]]))),
    truncated: rows.length > options.maxRows,
  };
}
