import type { Batcher } from '../batcher.ts';
import { conclusionBody } from '../conclusion-body.ts';
import type {
  Heartbeat,
  InvocationRecord,
  InvocationStart,
  Recorded,
  RecordedEnvelope,
  RecordedOutcome,
  ToolCall,
  ToolCallRecord,
} from '../documents.ts';
import type { InvocationFilter } from '../filters.ts';
import { newId } from '../identity.ts';
import type { Listing } from '../pages.ts';
import type { ConcludedPhase, PhaseConclusion, PhaseInputs } from '../phase-documents.ts';
import { preparedStart } from '../prepared.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readList, readOne } from './read.ts';

/** What `toolCall` takes; the id is made by the client when absent, so that a retry is the same call. */
export type ToolCallInput = Omit<ToolCall, 'invocation_id'>;

export interface Invocations {
  /** Writes a start row, before the work. A repetition of the same start is a replay; another one a conflict. */
  start(start: InvocationStart): Promise<Recorded<InvocationRecord>>;
  /** Gives an open invocation up (operators, orchestrators): it ends as a failure, CANCELED. */
  cancel(invocationId: string, reason: string): Promise<RecordedOutcome>;
  get(invocationId: string): Promise<InvocationRecord>;
  list(filter?: InvocationFilter): Listing<InvocationRecord>;
  /** Records a tool call of an open invocation, at most 64 KiB. */
  toolCall(invocationId: string, call: ToolCallInput): Promise<Recorded<ToolCallRecord>>;
  /** Says that an open invocation is alive. Advisory; not retried. */
  heartbeat(invocationId: string): Promise<Heartbeat>;
  /**
   * Ends an agent's run by what it said, what was observed of it and what it left (workers and orchestrators, never the
   * invocation's own agent). The same again is a replay; an invocation that has another outcome a conflict.
   */
  conclude(invocationId: string, conclusion: PhaseConclusion): Promise<Recorded<ConcludedPhase>>;
  /** What earlier phases of its execution left for it, by the paths they belong under. */
  inputs(invocationId: string): Promise<PhaseInputs>;
}

export function invocations(
  transport: Transport,
  batcher: Batcher<InvocationStart, Recorded<InvocationRecord>> | undefined,
): Invocations {
  return {
    async start(start) {
      const body = preparedStart(start, 'invocation_id');
      if (batcher) return batcher.record(body);
      const answer = await transport.call<InvocationRecord>({ method: 'POST', path: 'invocations', body });
      return { record: answer.data, replayed: answer.replayed };
    },
    async cancel(id, reason) {
      const path = `invocations/${segment(id)}/cancel`;
      const answer = await transport.call<RecordedEnvelope>({ method: 'POST', path, body: { reason } });
      return { outcome: answer.data, replayed: answer.replayed };
    },
    get: (id) => readOne(transport, `invocations/${segment(id)}`),
    list: (filter) => readList(transport, 'invocations', filter),
    async toolCall(id, call) {
      const body = { ...call, tool_call_id: call.tool_call_id ?? newId() };
      const path = `invocations/${segment(id)}/tool-calls`;
      const answer = await transport.call<ToolCallRecord>({ method: 'POST', path, body });
      return { record: answer.data, replayed: answer.replayed };
    },
    async heartbeat(id) {
      const path = `invocations/${segment(id)}/heartbeat`;
      return (await transport.call<Heartbeat>({ method: 'POST', path, body: {}, retry: { attempts: 1 } })).data;
    },
    async conclude(id, conclusion) {
      const path = `invocations/${segment(id)}/conclude`;
      const body = conclusionBody(conclusion);
      const answer = await transport.call<ConcludedPhase>({ method: 'POST', path, body });
      return { record: answer.data, replayed: answer.replayed };
    },
    inputs: (id) => readOne(transport, `invocations/${segment(id)}/inputs`),
  };
}
