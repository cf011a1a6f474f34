// Lineage: what caused an outcome, what it caused, what belongs together, what is missing.
import { z } from '@hono/zod-openapi';
import { declareLink, lineageCorrelation, lineageDocument, lineageGaps } from '../../src/database/index.ts';
import { foundAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import type { LedgerFunction } from '../_shared/app.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { countParameter, nameParameter, uuidParameter, wordParameter } from '../_shared/parameters.ts';

const DEFAULT_DEPTH = 20;
const DEFAULT_GAPS = 1000;

function walk(direction: 'why' | 'impact', summary: string, description: string): Endpoint {
  return endpoint({
    method: 'get',
    path: `/outcomes/{outcome_id}/${direction}`,
    operationId: direction,
    summary,
    description: `${description} Each outcome once, at its shortest distance; \`truncated\` says that there is more below.`,
    params: z.strictObject({ outcome_id: uuidParameter('The outcome to begin at (depth 0).') }),
    query: z.strictObject({
      max_depth: countParameter('Links to follow, 1 to 64.', { min: 1, max: 64, fallback: DEFAULT_DEPTH }),
    }),
    answers: { 200: { description: 'The outcomes and the links between them.', schema: ref('Lineage') } },
    errors: ['unknown_outcome'],
    handle: async ({ params, query, session }) => {
      const depth = query.max_depth ?? DEFAULT_DEPTH;
      return foundAnswer(await lineageDocument(session, direction, params.outcome_id, depth), 'unknown_outcome');
    },
  });
}

const correlation = endpoint({
  method: 'get',
  path: '/correlations/{correlation_id}',
  operationId: 'correlation',
  summary: 'Everything under one correlation id',
  description: 'All outcomes of one business transaction, the links between them, and what is still open.',
  params: z.strictObject({ correlation_id: nameParameter('The business transaction.', 'corr-xyz') }),
  answers: { 200: { description: 'Empty lists when nothing is known.', schema: ref('Correlation') } },
  errors: [],
  handle: async ({ params, session }) => ({
    status: 200,
    body: await lineageCorrelation(session, params.correlation_id),
  }),
});

const gaps = endpoint({
  method: 'get',
  path: '/gaps',
  operationId: 'gaps',
  summary: 'What is missing',
  description:
    'Gaps in the ledger: what an auditor should ask about. `truncated` says that there are more than `limit` of some kind.',
  query: z.strictObject({
    gap: wordParameter('One kind of gap only.', [
      'unresolved_causation',
      'past_deadline',
      'missing_contribution',
      'policy_missing',
      'hitl_missing',
      'undefined_source',
    ]).optional(),
    limit: countParameter('Gaps of each kind to answer, 1 to 1,000.', { min: 1, max: 1000, fallback: DEFAULT_GAPS }),
  }),
  answers: { 200: { description: 'The gaps.', schema: ref('Gaps') } },
  errors: [],
  handle: async ({ query, session }) => ({
    status: 200,
    body: await lineageGaps(session, query.gap ?? null, query.limit ?? DEFAULT_GAPS),
  }),
});

const link = endpoint({
  method: 'post',
  path: '/links',
  operationId: 'declareLink',
  summary: 'Declare a link',
  description:
    'A link between two recorded outcomes that the ledger cannot derive; orchestrators only, never `governed-by`. ' +
    'Links that follow from causation, executions and decisions are written by the database itself.',
  body: { schema: ref('Link'), description: 'Two different outcomes of the tenant.', example: EXAMPLES.link },
  answers: {
    201: { description: 'Declared.', schema: ref('LinkRecord') },
    200: { description: 'There already.', schema: ref('LinkRecord'), replay: true },
  },
  errors: ['unknown_outcome', 'lineage_invalid', 'link_conflict'],
  handle: async ({ request, session }) => {
    const document = requireDocument('link', await readObject(request));
    return recordedAnswer(await declareLink(session, document), KINDS.link);
  },
});

export const LINEAGE: LedgerFunction = {
  name: 'lineage',
  description: 'Why an outcome came about, what it caused, what belongs together, what is missing.',
  endpoints: [
    walk('why', 'What caused an outcome', 'Follows causes back from an outcome.'),
    walk('impact', 'What an outcome caused', 'Follows effects on from an outcome.'),
    correlation,
    gaps,
    link,
  ],
};
