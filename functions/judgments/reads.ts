// Reading judgments: derived when they are asked for, never stored.
import { z } from '@hono/zod-openapi';
import { JUDGMENTS, LIFECYCLES, VERIFICATIONS } from '../../src/contract/judgment/index.ts';
import { getJudgment, listJudgments } from '../../src/database/index.ts';
import { foundAnswer } from '../_shared/answers.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref } from '../_shared/endpoint-docs.ts';
import { CORRELATION_PARAMETER, filterOf, PAGE_PARAMETERS, SOURCE_PARAMETERS } from '../_shared/lists.ts';
import { timeParameter, uuidParameter, versionParameter, wordParameter } from '../_shared/parameters.ts';

export const read: Endpoint = endpoint({
  method: 'get',
  path: '/{id}',
  operationId: 'getJudgment',
  summary: 'Read a judgment',
  description:
    'Of an outcome, or of an invocation or execution whether it has ended or not, with all evidence about it. `judgment` is ' +
    'the only member that may be asked whether it succeeded: `verified` and `delivered` say yes, no other word does.',
  params: z.strictObject({ id: uuidParameter('An outcome, an invocation or an execution.') }),
  answers: { 200: { description: 'The judgment.', schema: ref('JudgmentWithEvidence') } },
  errors: ['unknown_subject'],
  handle: async ({ params, session }) => foundAnswer(await getJudgment(session, params.id), 'unknown_subject'),
});

export const list: Endpoint = endpoint({
  method: 'get',
  path: '/',
  operationId: 'listJudgments',
  summary: 'List judgments',
  description: 'One for each invocation and execution, ended or open, those that started last first.',
  query: z.strictObject({
    judgment: wordParameter('What it is judged to be.', JUDGMENTS).optional(),
    lifecycle: wordParameter('Where its run stands.', LIFECYCLES).optional(),
    verification: wordParameter('What verification says.', VERIFICATIONS).optional(),
    source_type: wordParameter('Agents or workflows.', ['agent', 'workflow']).optional(),
    ...SOURCE_PARAMETERS,
    source_version: versionParameter('One version of the source.').optional(),
    correlation_id: CORRELATION_PARAMETER,
    ...PAGE_PARAMETERS,
    from: timeParameter('Started at or after this time.').optional(),
    to: timeParameter('Started before this time.').optional(),
  }),
  answers: { 200: { description: 'A page.', schema: pageSchema('Judgment') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listJudgments(session, filterOf(query)) }),
});
