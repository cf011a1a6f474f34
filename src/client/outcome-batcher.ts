import type { BatchAnswer } from './batch-delivery.ts';
import type { Batcher, BatcherOptions } from './batcher.ts';
import { createBatcher } from './batcher.ts';
import type {
  InvocationRecord,
  InvocationStart,
  OutcomeRequest,
  Recorded,
  RecordedEnvelope,
  RecordedOutcome,
} from './documents.ts';
import { LedgerError } from './errors.ts';
import { prepared } from './prepared.ts';
import type { RetryOptions } from './retry.ts';
import type { Transport } from './transport.ts';

/** Coalesces outcome recordings into `POST /outcomes/batch`. */
export function outcomeBatcher(
  transport: Transport,
  retry: RetryOptions | undefined,
  options: BatcherOptions = {},
): Batcher<OutcomeRequest, RecordedOutcome> {
  return createBatcher<OutcomeRequest, BatchAnswer & { outcome?: RecordedEnvelope }, RecordedOutcome>(
    {
      serialise: (request) => JSON.stringify(prepared(request, 'the outcome')),
      send: (body) => sendBatch(transport, 'outcomes/batch', body),
      accept: (answer) => ({ outcome: present(answer.outcome), replayed: answer.replayed === true }),
      retry,
    },
    options,
  );
}

/** Coalesces starts into `POST /invocations/batch`, which takes at most 100. */
export function startBatcher(
  transport: Transport,
  retry: RetryOptions | undefined,
  options: BatcherOptions = {},
): Batcher<InvocationStart, Recorded<InvocationRecord>> {
  return createBatcher<InvocationStart, BatchAnswer & { invocation?: InvocationRecord }, Recorded<InvocationRecord>>(
    {
      serialise: (start) => JSON.stringify(start),
      send: (body) => sendBatch(transport, 'invocations/batch', body),
      accept: (answer) => ({ record: present(answer.invocation), replayed: answer.replayed === true }),
      retry,
    },
    { ...options, maxItems: Math.min(100, options.maxItems ?? 100) },
  );
}

async function sendBatch<Answer>(transport: Transport, path: string, body: string): Promise<Answer[]> {
  const { data } = await transport.call<{ items: Answer[] }>({ method: 'POST', path, body });
  return present(Array.isArray(data.items) ? data.items : undefined);
}

function present<T>(value: T | undefined): T {
  if (value === undefined)
    throw new LedgerError('the batch answer has not the form of a ledger', { code: 'reply_unreadable' });
  return value;
}
