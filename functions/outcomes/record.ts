// Recording the outcome of one invocation or execution.
import { type Recorded, recordAgentOutcome, recordWorkflowOutcome } from '../../src/database/index.ts';
import { KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { writeChecked } from '../_shared/checked-writing.ts';
import { type Call, type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { OUTCOME_ERRORS, ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { requireSubmission, SUBMISSION_DEPTH, type Submission } from './submission.ts';

type Recorder = Pick<Call, 'session' | 'caller' | 'deps'>;

export const record: Endpoint = endpoint({
  method: 'post',
  path: '/',
  operationId: 'recordOutcome',
  summary: 'Record an outcome',
  description:
    'Records the terminal envelope of an invocation or execution and answers it with its minted `outcome_id`. The same ' +
    'content again (key order and number spelling aside) answers the recorded envelope; other content is refused with ' +
    'the id that won, and kept as a late envelope.',
  body: {
    schema: ref('OutcomeSubmission'),
    description: 'Exactly one of `invocation_id` and `execution_id`, and the envelope without `outcome_id`.',
    example: EXAMPLES.outcome,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('Envelope') },
    200: { description: 'Recorded before with the same content.', schema: ref('Envelope'), replay: true },
  },
  errors: [...OUTCOME_ERRORS],
  handle: async (call) => {
    const submission = requireSubmission(await readObject(call.request, SUBMISSION_DEPTH));
    return recordedAnswer(await recordChecked(call, submission), KINDS.outcome);
  },
});

function recordChecked(call: Recorder, submission: Submission): Promise<Recorded> {
  return writeChecked(call, submission.outcome, (checked) =>
    submission.invocation_id === undefined
      ? recordWorkflowOutcome(call.session, submission.execution_id, submission.outcome, checked)
      : recordAgentOutcome(call.session, submission.invocation_id, submission.outcome, checked),
  );
}
