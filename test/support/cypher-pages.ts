import { type Block, blocksOf } from './docs-blocks.ts';
import type { GeneratedGraph } from './generated-graphs.ts';

/** The parameters that queries of docs/cypher.md may ask for, with values that find something. */
export function cypherValues(graph: GeneratedGraph): Record<string, string> {
  return {
    tenant_id: graph.tenantId,
    outcome_id: graph.knot[1] as string,
    correlation_id: graph.correlations[0] as string,
    from_time: '2026-05-20T00:00:00Z',
    to_time: '2026-05-21T00:00:00Z',
    now: '2026-05-20T12:00:00.000000Z',
  };
}

export const CYPHER_PARAMETERS = ['tenant_id', 'outcome_id', 'correlation_id', 'from_time', 'to_time', 'now'];

/** The queries that stand under a heading of docs/cypher.md. */
export const cypherUnder = (heading: string): Block[] =>
  blocksOf('docs/cypher.md', 'cypher').filter((block) => block.heading === heading);
