// Workflow executions: a start row before the workflow runs, and where it stands.
import { z } from '@hono/zod-openapi';
import { getExecution, listExecutions, startExecution } from '../../src/database/index.ts';
import { foundAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import type { LedgerFunction } from '../_shared/app.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument, withId } from '../_shared/documents.ts';
import { endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref, START_ERRORS } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import {
  CORRELATION_PARAMETER,
  filterOf,
  PAGE_PARAMETERS,
  SOURCE_PARAMETERS,
  STATE_PARAMETER,
} from '../_shared/lists.ts';
import { uuidParameter } from '../_shared/parameters.ts';
import { cancel } from './cancel.ts';

const start = endpoint({
  method: 'post',
  path: '/',
  operationId: 'startExecution',
  summary: 'Start a workflow execution',
  description:
    'Writes the start row of a workflow execution. Without `execution_id` the server names one; with one, sending the ' +
    'same start again answers the recorded row.',
  body: {
    schema: ref('ExecutionStart'),
    description: 'Exactly one of `causation_id` and `trigger`; at most one of `deadline_at` and `deadline_in_ms`.',
    example: EXAMPLES.execution,
  },
  answers: {
    201: { description: 'Started.', schema: ref('Execution') },
    200: { description: 'Started before with the same content.', schema: ref('Execution'), replay: true },
  },
  errors: [...START_ERRORS, 'execution_conflict'],
  handle: async ({ request, session }) => {
    const document = requireDocument('execution_start', withId(await readObject(request), 'execution_id'));
    return recordedAnswer(await startExecution(session, document), KINDS.execution);
  },
});

const read = endpoint({
  method: 'get',
  path: '/{execution_id}',
  operationId: 'getExecution',
  summary: 'Read an execution',
  description:
    'The start row, its status (`running`, `completed`, `failed`, `cancelled`, `interrupted`), its phases with their attempts, ' +
    'and its outcome. `failure_classification` is what the ledger concluded; what is `reported_` is the agent’s word.',
  params: z.strictObject({ execution_id: uuidParameter('The execution.') }),
  answers: { 200: { description: 'The execution.', schema: ref('Execution') } },
  errors: ['unknown_execution'],
  handle: async ({ params, session }) =>
    foundAnswer(await getExecution(session, params.execution_id), 'unknown_execution'),
});

const list = endpoint({
  method: 'get',
  path: '/',
  operationId: 'listExecutions',
  summary: 'List executions',
  description: 'Newest first.',
  query: z.strictObject({
    state: STATE_PARAMETER,
    ...SOURCE_PARAMETERS,
    correlation_id: CORRELATION_PARAMETER,
    ...PAGE_PARAMETERS,
  }),
  answers: { 200: { description: 'A page.', schema: pageSchema('Execution') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listExecutions(session, filterOf(query)) }),
});

export const EXECUTIONS: LedgerFunction = {
  name: 'executions',
  description: 'Workflow executions: their starts, their status, their outcome.',
  endpoints: [start, list, read, cancel],
};
