import type { ExecutionRecord, ExecutionStart, Recorded, RecordedEnvelope, RecordedOutcome } from '../documents.ts';
import type { ExecutionFilter } from '../filters.ts';
import type { Listing } from '../pages.ts';
import { preparedStart } from '../prepared.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readList, readOne } from './read.ts';

export interface Executions {
  /** Writes a workflow execution's start row, before it runs. */
  start(start: ExecutionStart): Promise<Recorded<ExecutionRecord>>;
  /** Gives an open execution up (operators, orchestrators): it ends as a failure, CANCELED. */
  cancel(executionId: string, reason: string): Promise<RecordedOutcome>;
  get(executionId: string): Promise<ExecutionRecord>;
  list(filter?: ExecutionFilter): Listing<ExecutionRecord>;
}

export function executions(transport: Transport): Executions {
  return {
    async start(start) {
      const body = preparedStart(start, 'execution_id');
      const answer = await transport.call<ExecutionRecord>({ method: 'POST', path: 'executions', body });
      return { record: answer.data, replayed: answer.replayed };
    },
    async cancel(id, reason) {
      const path = `executions/${segment(id)}/cancel`;
      const answer = await transport.call<RecordedEnvelope>({ method: 'POST', path, body: { reason } });
      return { outcome: answer.data, replayed: answer.replayed };
    },
    get: (id) => readOne(transport, `executions/${segment(id)}`),
    list: (filter) => readList(transport, 'executions', filter),
  };
}
