import { QueryRefused } from '../../graph/fault.ts';
import type { Graph, QueryOptions } from '../../graph/graph.ts';
import { queryText } from '../texts.ts';
import { parametersOf } from '../tokens.ts';
import type { LinkStep } from './walk.ts';

/** The properties of an outcome, without those that it lacks; a stub has its ids alone. */
export type Properties = Record<string, unknown>;

type StepName = 'correlation' | 'governed' | 'failures' | 'failed-causes' | 'broken' | 'next-effects' | 'judged';

/**
 * The embedded graph answers some named queries in steps: it finds what is reached, and what Neo4j's text does with that (levels,
 * ties, what the depth cut off) is done here. All steps share the caller's time.
 */
export interface Steps {
  /** The links along which the causes (or the effects) of an outcome are reached, and one further. */
  links(direction: 'causes' | 'effects', outcomeId: string, depth: number): Promise<LinkStep[]>;
  outcomes(ids: readonly string[]): Promise<Map<string, Properties>>;
  rows(name: StepName, parameters: Properties): Promise<Properties[]>;
}

/** More than this in one step, and the walk would not fit into memory. */
const MOST_ROWS = 1_000_000;

export function stepsOf(
  graph: Pick<Graph, 'query'>,
  tenantId: string,
  options: Pick<QueryOptions, 'timeoutMs'>,
): Steps {
  const ends = performance.now() + options.timeoutMs;

  async function ask(name: string, text: string, given: Properties): Promise<Properties[]> {
    const timeoutMs = Math.floor(ends - performance.now());
    if (timeoutMs < 1) throw new QueryRefused('query_timeout', `no answer within ${options.timeoutMs / 1000} s`);
    const all: Properties = { ...given, tenant_id: tenantId };
    const parameters = Object.fromEntries(parametersOf(text).map((parameter) => [parameter, all[parameter]]));
    const answer = await graph.query(text, parameters, { timeoutMs, maxRows: MOST_ROWS });
    if (!answer.truncated) return answer.rows;
    throw new QueryRefused('query_invalid', `${name} are more than ${MOST_ROWS}: give a smaller max_depth or window`);
  }

  const rows: Steps['rows'] = (name, parameters) => ask(name, queryText(`embedded/${name}`), parameters);
  return {
    rows,
    async links(direction, outcome_id, depth) {
      const text = queryText(`embedded/${direction}`).replace(/(?<=SHORTEST )1\.\.20/, `1..${Math.max(depth, 1)}`);
      return (await ask(direction, text, { outcome_id })) as unknown as LinkStep[];
    },
    async outcomes(ids) {
      // The graph cannot tell the type of an empty list.
      if (ids.length === 0) return new Map();
      const found = await ask('outcomes', queryText('embedded/outcomes'), { ids });
      return new Map(
        found.map(({ outcome }) => [(outcome as Properties)['outcome_id'] as string, outcome as Properties]),
      );
    },
  };
}
