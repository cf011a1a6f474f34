import type { Violation } from '../../contract/index.ts';
import type { Batcher, BatcherOptions } from '../batcher.ts';
import type { OutcomeRecord, OutcomeRequest, RecordedEnvelope, RecordedOutcome } from '../documents.ts';
import type { OutcomeFilter } from '../filters.ts';
import { outcomeBatcher } from '../outcome-batcher.ts';
import type { Listing } from '../pages.ts';
import { prepared } from '../prepared.ts';
import type { RetryOptions } from '../retry.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readList, readOne } from './read.ts';

/** One item of `recordMany`, in the order given. */
export type RecordedItem = ({ ok: true } & RecordedOutcome) | { ok: false; error: unknown };

export interface Outcomes {
  /**
   * Records the terminal outcome of an invocation or execution. The same envelope again is a replay; another one is
   * refused with a `LedgerConflictError` naming the outcome that stands.
   */
  record(request: OutcomeRequest): Promise<RecordedOutcome>;
  /** Records any number, in requests of at most 1,000; one bad item never harms another. */
  recordMany(requests: Iterable<OutcomeRequest>): Promise<RecordedItem[]>;
  /** Gathers single calls into batches; see `Batcher`. Close it at the end. */
  batcher(options?: BatcherOptions): Batcher<OutcomeRequest, RecordedOutcome>;
  /** Judges an envelope without recording it. A string is sent as it stands, byte for byte. */
  validate(envelope: unknown): Promise<{ valid: boolean; violations: Violation[] }>;
  get(outcomeId: string): Promise<OutcomeRecord>;
  list(filter?: OutcomeFilter): Listing<OutcomeRecord>;
}

export function outcomes(
  transport: Transport,
  retry: RetryOptions | undefined,
  shared: Batcher<OutcomeRequest, RecordedOutcome> | undefined,
): Outcomes {
  const batcher = (options?: BatcherOptions) => outcomeBatcher(transport, retry, options);
  return {
    async record(request) {
      if (shared) return shared.record(request);
      const body = prepared(request, 'the outcome');
      const answer = await transport.call<RecordedEnvelope>({ method: 'POST', path: 'outcomes', body });
      return { outcome: answer.data, replayed: answer.replayed };
    },
    async recordMany(requests) {
      const all = [...requests];
      const batch = batcher({ maxItems: 1_000, maxInFlight: 1, maxQueued: Math.max(1, all.length) });
      const settled = all.map((request) =>
        batch.record(request).then(
          (recorded): RecordedItem => ({ ok: true, ...recorded }),
          (error: unknown): RecordedItem => ({ ok: false, error }),
        ),
      );
      await batch.close();
      return Promise.all(settled);
    },
    batcher,
    async validate(envelope) {
      const body = typeof envelope === 'string' ? envelope : (JSON.stringify(envelope) ?? 'null');
      return (
        await transport.call<{ valid: boolean; violations: Violation[] }>({
          method: 'POST',
          path: 'outcomes/validate',
          body,
        })
      ).data;
    },
    get: (id) => readOne(transport, `outcomes/${segment(id)}`),
    list: (filter) => readList(transport, 'outcomes', filter),
  };
}
