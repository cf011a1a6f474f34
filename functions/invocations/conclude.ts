// Concluding a phase: what its agent said, weighed against what was observed of its run, and what it left behind.
import { z } from '@hono/zod-openapi';
import { assess } from '../../src/contract/phase/assess.ts';
import { readMessages } from '../../src/contract/phase-report/index.ts';
import { concludeInvocation, getInvocationStart, type NewArtifact, Refusal } from '../../src/database/index.ts';
import { KINDS, recordedAnswer } from '../_shared/answers.ts';
import { MAX_BATCH_BODY, readObject } from '../_shared/body.ts';
import { writeChecked } from '../_shared/checked-writing.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { OUTCOME_ERRORS, ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { uuidParameter } from '../_shared/parameters.ts';
import { type Measure, measured, measuresOf, requireRoom, stored } from './conclusion-artifacts.ts';
import { requireObserver, requireOther, withRemedy } from './conclusion-refusals.ts';
import { reportOf, resultOf } from './conclusion-report.ts';
import { type ConclusionRequest, digestOf, named, partsOf, requireConclusion } from './conclusion-request.ts';
import { withShortLast } from './last-message.ts';

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
    const [start, files] = await Promise.all([
      getInvocationStart(session, invocation_id),
      measuresOf(sent.input.files),
    ]);
    if (!start) throw new Refusal('unknown_invocation');
    requireOther(caller, start);
    const request = named(sent, start);
    const [digest, weighed] = await Promise.all([
      digestOf(request, files),
      weigh(request, files, deps.objects !== null),
    ]);
    requireRoom(weighed.artifacts, deps.objects, request.placeOf);
    const result = weighed.completed ? (request.result ?? weighed.result()) : null;
    const parts = partsOf(request, start, result);
    let artifacts: NewArtifact[] | undefined;
    const recorded = await writeChecked(call, parts, async (checked_schemas) => {
      artifacts ??= await stored(weighed.artifacts, deps.objects, caller.tenantId);
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

async function weigh({ input }: ConclusionRequest, files: ReadonlyMap<string, Measure>, hasStore: boolean) {
  const said = readMessages(input.messages);
  const { messages, cut } = hasStore ? { messages: input.messages, cut: false } : withShortLast(input.messages);
  const assessed = assess({ ...input, messages }, said);
  if (cut && assessed.artifacts.some(({ recovered }) => recovered)) {
    assessed.warnings.push('the last message was too long to be recovered whole');
  }
  const artifacts = await measured(assessed.artifacts, files);
  return {
    artifacts,
    completed: assessed.phase_status === 'completed',
    report: reportOf(said, assessed, input.observation),
    result: () => resultOf(said, assessed, artifacts),
  };
}
