// Statistics over concluded phases, computed from what the ledger concluded and never from an agent's words.
import { z } from '@hono/zod-openapi';
import { failureRates } from '../../src/database/index.ts';
import type { LedgerFunction } from '../_shared/app.ts';
import { endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { filterOf, SOURCE_PARAMETERS } from '../_shared/lists.ts';
import { timeParameter, versionParameter } from '../_shared/parameters.ts';

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

export const STATISTICS: LedgerFunction = {
  name: 'statistics',
  description: 'Statistics over what was concluded.',
  endpoints: [rates],
};
