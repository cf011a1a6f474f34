// Statistics over concluded phases and over judgments, computed from what the ledger holds and never from an agent's words.
import { z } from '@hono/zod-openapi';
import { failureRates, judgmentStatistics } from '../../src/database/index.ts';
import type { LedgerFunction } from '../_shared/app.ts';
import { endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { filterOf, SOURCE_PARAMETERS } from '../_shared/lists.ts';
import { timeParameter, versionParameter, wordParameter } from '../_shared/parameters.ts';

const rates = endpoint({
  method: 'get',
  path: '/failure-rates',
  operationId: 'failureRates',
  summary: 'Failure rates of phases',
  description:
    'Concluded phases by agent, version and domain, failures by `failure_classification`. The rates are over completed and ' +
    'failed phases, cancelled and interrupted ones aside; over none they are null.',
  query: z.strictObject({
    ...SOURCE_PARAMETERS,
    source_version: versionParameter('One version of the agent.').optional(),
    from: timeParameter('Concluded at or after this time.').optional(),
    to: timeParameter('Concluded before this time.').optional(),
  }),
  answers: { 200: { description: 'One entry for each agent, version and domain.', schema: ref('FailureRates') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await failureRates(session, filterOf(query)) }),
});

const judged = endpoint({
  method: 'get',
  path: '/judgments',
  operationId: 'judgmentStatistics',
  summary: 'How outcomes are judged',
  description:
    'By agent or workflow, version and domain: counts of every judgment; the success rate, over judged outcomes that are not ' +
    'in progress; the agent score, over verified, delivered, broken and failed alone; both with Wilson intervals at 95 %, ' +
    'null over nothing. `claims.success` counts outcomes that say success, `claims.contradicted` those of them that ' +
    'verification says no to.',
  query: z.strictObject({
    source_type: wordParameter('Agents or workflows.', ['agent', 'workflow']).optional(),
    ...SOURCE_PARAMETERS,
    source_version: versionParameter('One version of the source.').optional(),
    from: timeParameter('Recorded at or after this time.').optional(),
    to: timeParameter('Recorded before this time.').optional(),
  }),
  answers: {
    200: { description: 'One entry for each source, version and domain.', schema: ref('JudgmentStatistics') },
  },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await judgmentStatistics(session, filterOf(query)) }),
});

export const STATISTICS: LedgerFunction = {
  name: 'statistics',
  description: 'Statistics over what was concluded and how it is judged.',
  endpoints: [rates, judged],
};
