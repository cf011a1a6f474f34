import type { QueryParameter } from './parameters.ts';
import { queryText } from './texts.ts';

/** A query that an auditor asks by its name (design section 8). */
export interface NamedQuery {
  name: QueryName;
  summary: string;
  /** What the caller gives. `tenant_id` is not among them: it is the caller's tenant, and every text wants it. */
  parameters: readonly QueryParameter[];
  columns: readonly string[];
  /** For Neo4j, as it stands in `lineage/queries/`: one text to paste into Neo4j Browser. */
  readonly text: string;
}

export type QueryName = 'why' | 'impact' | 'correlation' | 'path' | 'governed' | 'root-causes' | 'broken-impact';

const uuid = (name: string, about: string): QueryParameter => ({
  name,
  type: 'uuid',
  required: true,
  default: null,
  about,
});
const time = (name: string, about: string): QueryParameter => ({
  name,
  type: 'time',
  required: false,
  default: null,
  about,
});
const depth: QueryParameter = {
  name: 'max_depth',
  type: 'depth',
  required: false,
  default: 20,
  about: 'links to follow at most',
};

const SOURCE = ['source_type', 'source_id', 'source_version', 'domain', 'status'] as const;
const WALK = [
  'depth',
  'outcome_id',
  'relation',
  'via_outcome_id',
  ...SOURCE,
  'correlation_id',
  'completed_at',
  'truncated',
];

const QUERIES: Omit<NamedQuery, 'text'>[] = [
  {
    name: 'why',
    summary: 'what caused an outcome: itself at depth 0, then its causes, nearest first, each once',
    parameters: [uuid('outcome_id', 'the outcome that is asked about'), depth],
    columns: WALK,
  },
  {
    name: 'impact',
    summary: 'what an outcome caused: itself at depth 0, then its effects, nearest first, each once',
    parameters: [uuid('outcome_id', 'the outcome that is asked about'), depth],
    columns: WALK,
  },
  {
    name: 'correlation',
    summary: 'every outcome of a business transaction, as recorded, with the links that lead out of each',
    parameters: [
      { name: 'correlation_id', type: 'text', required: true, default: null, about: 'the business transaction' },
    ],
    columns: [
      'outcome_id',
      ...SOURCE,
      'started_at',
      'completed_at',
      'invocation_id',
      'execution_id',
      'causation_id',
      'links',
    ],
  },
  {
    name: 'path',
    summary: 'one shortest chain between two outcomes, read from cause to effect',
    parameters: [uuid('from_outcome', 'one end'), uuid('to_outcome', 'the other end'), depth],
    columns: ['position', 'outcome_id', 'relation', 'direction', ...SOURCE, 'correlation_id', 'completed_at'],
  },
  {
    name: 'governed',
    summary: 'what a guard’s outcome governed: every outcome whose governed-by link leads to it',
    parameters: [uuid('guard_outcome', 'the outcome of the guard’s invocation')],
    columns: ['outcome_id', ...SOURCE, 'decision', 'governance_class', 'correlation_id', 'completed_at'],
  },
  {
    name: 'root-causes',
    summary: 'where the failures (failure, timeout) of a window come from, and how many come from each',
    parameters: [
      time('from_time', 'failures completed then or later'),
      time('to_time', 'failures completed before then'),
      depth,
    ],
    columns: ['outcome_id', 'failures', ...SOURCE, 'correlation_id', 'completed_at', 'truncated'],
  },
  {
    name: 'broken-impact',
    summary:
      'what the outcomes judged broken in a window contributed to: themselves at depth 0, then their effects, each once',
    parameters: [
      time('from_time', 'broken outcomes completed then or later'),
      time('to_time', 'broken outcomes completed before then'),
      depth,
    ],
    columns: [
      'depth',
      'outcome_id',
      'broken_outcome_id',
      ...SOURCE,
      'judgment',
      'correlation_id',
      'completed_at',
      'truncated',
    ],
  },
];

/** In the order in which they are listed. The texts are read when they are asked for. */
export const namedQueries: readonly NamedQuery[] = QUERIES.map((query) => ({
  ...query,
  get text() {
    return queryText(query.name);
  },
}));
