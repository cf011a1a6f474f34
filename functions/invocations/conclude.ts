// Concluding a phase: what its agent said, weighed against what was observed of its run, and what it left behind.
import { z } from '@hono/zod-openapi';
import {
  beginConclusion,
  type Conclusion,
  concludeInvocation,
  type NewArtifact,
  Refusal,
} from '../../src/database/index.ts';
import { KINDS, recordedAnswer } from '../_shared/answers.ts';
import { MAX_BATCH_BODY, readObject } from '../_shared/body.ts';
import { writeChecked } from '../_shared/checked-writing.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { OUTCOME_ERRORS, ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { uuidParameter } from '../_shared/parameters.ts';
import { measuresOf, requireRoom, stored } from './conclusion-artifacts.ts';
import { requireObserver, withRemedy } from './conclusion-refusals.ts';
import { digestOf, named, partsOf, requireConclusion } from './conclusion-request.ts';
import { type Weighed, weigh } from './conclusion-weighing.ts';

export const conclude: Endpoint = endpoint({
  method: 'post',
  path: '/{invocation_id}/conclude',
  operationId: 'concludeInvocation',
  summary: 'Conclude an invocation',
  description:
    'A worker or orchestrator, never the agent itself, hands over what the agent wrote, what was observed of its run and ' +
    'the files it left. The ledger weighs them, keeps the report and the artifacts, and records the outcome, all in one ' +
    'transaction. The body may have 16 MiB. The same request again is a replay; of another one, or when the invocation ' +
    'has ended otherwise, the answer is the outcome that won, and what came late is kept.',
  params: z.strictObject({ invocation_id: uuidParameter('The invocation.') }),
  body: {
    schema: ref('ConclusionRequest'),
    description: 'Cancelled beats interrupted, which beats timed out, which beats the exit code.',
    example: EXAMPLES.conclusion,
  },
  answers: {
    201: { description: 'Concluded.', schema: ref('Conclusion') },
    200: { description: 'Concluded before by the same request.', schema: ref('Conclusion'), replay: true },
  },
  errors: [
    ...OUTCOME_ERRORS.filter((code) => code !== 'unknown_execution' && code !== 'outcome_id_refused'),
    'hitl_rejected',
    'conclusion_invalid',
    'artifact_too_large',
    'object_store_unavailable',
  ],
  handle: async (call) => {
    const { session, caller, deps } = call;
    const { invocation_id } = call.params;
    requireObserver(caller);
    const sent = requireConclusion(await readObject(call.request, 0, MAX_BATCH_BODY));
    // Whoever may not conclude is refused here, before anything is put into the object store.
    const [{ start, conclusion_digest }, files] = await Promise.all([
      beginConclusion(session, invocation_id),
      measuresOf(sent.input.files),
    ]);
    const request = named(sent, start);
    const digest = await digestOf(request, files);
    if (digest === conclusion_digest) {
      // Answered whatever has changed since: room, the store, the schemas.
      const { report } = await weigh(request, files, 'none');
      const replayed = await concludeInvocation(session, invocation_id, { ...NOTHING_NEW, digest, report });
      return recordedAnswer(replayed, KINDS.outcome);
    }
    let weighed = await weigh(request, files, deps.objects ? 'there' : 'none');
    if (weighed.completed) requireRoom(weighed.artifacts, deps.objects, request.placeOf);
    const result = weighed.completed ? (request.result ?? weighed.result()) : null;
    const parts = partsOf(request, start, result);
    let artifacts: NewArtifact[] | undefined;
    const store = async (): Promise<NewArtifact[]> => {
      try {
        return await stored(weighed.artifacts, deps.objects, caller.tenantId);
      } catch (error) {
        if (!mayDoWithout(weighed, error)) throw error;
        weighed = await weigh(request, files, 'away');
        return stored(weighed.artifacts, null, caller.tenantId);
      }
    };
    const recorded = await writeChecked(call, parts, async (checked_schemas) => {
      artifacts ??= await store();
      return concludeInvocation(session, invocation_id, {
        digest,
        report: weighed.report,
        artifacts,
        result,
        quality: parts.quality,
        timing: request.timing === null ? null : parts.timing,
        checked_schemas,
      });
    }).catch((error: unknown) => {
      throw withRemedy(error, request.result === null);
    });
    return recordedAnswer(recorded, KINDS.outcome);
  },
});

/** A replay: what was concluded then stands. */
const NOTHING_NEW = { artifacts: [], result: null, quality: null, timing: null, checked_schemas: null } satisfies Omit<
  Conclusion,
  'digest' | 'report'
>;

/** That a run failed is recorded also when its large files cannot be kept. */
const mayDoWithout = ({ completed }: Weighed, error: unknown): boolean =>
  !completed && error instanceof Refusal && error.code === 'object_store_unavailable';
