// Recording many outcomes, each answered for itself.
import { type BatchItem, type OutcomeItem, Refusal, recordOutcomes, toRefusal } from '../../src/database/index.ts';
import { itemAnswer, KINDS } from '../_shared/answers.ts';
import { runBatch } from '../_shared/batch.ts';
import { readItems } from '../_shared/batch-body.ts';
import { type Call, type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { batchBody, batchSchema, OUTCOME_ERRORS } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { requireSubmission, SUBMISSION_DEPTH, type Submission } from './submission.ts';

const MAX_ITEMS = 1000;

type Recorder = Pick<Call, 'session' | 'caller' | 'deps'>;
type Answered = BatchItem | Refusal;

export const recordBatch: Endpoint = endpoint({
  method: 'post',
  path: '/batch',
  operationId: 'recordOutcomes',
  summary: 'Record many outcomes',
  description:
    'Up to 1,000 outcomes, in transactions of at most 100; each is answered for itself, in the order sent, and one that ' +
    'is refused harms no other. An item’s `status` is what the single route would have answered.',
  body: batchBody('OutcomeSubmission', [EXAMPLES.outcome]),
  answers: { 200: { description: 'An answer for every item.', schema: batchSchema('outcome', 'Envelope') } },
  errors: [...OUTCOME_ERRORS],
  handle: async (call) => {
    const items = (await readItems(call.request, MAX_ITEMS, SUBMISSION_DEPTH)).map((item) =>
      item.ok ? attempted(() => requireSubmission(item.value)) : item.refusal,
    );
    const answers = await recordAll(call, items);
    return {
      status: 200,
      body: { items: answers.map((answer) => itemAnswer(answer, KINDS.outcome, call.requestId)) },
    };
  },
});

async function recordAll(call: Recorder, items: (Submission | Refusal)[]): Promise<Answered[]> {
  const answers = await runBatch(await withSchemas(call, items, false), (chunk) => recordOutcomes(call.session, chunk));
  // Items whose definition this process knew too little of are checked anew and recorded in a second round.
  const again = items.map((item, index) => (isUnchecked(answers[index]) ? item : null));
  if (again.every((item) => item === null)) return answers;
  const indexes = again.flatMap((item, index) => (item === null ? [] : [index]));
  const retried = await runBatch(
    await withSchemas(
      call,
      indexes.map((index) => items[index] as Submission | Refusal),
      true,
    ),
    (chunk) => recordOutcomes(call.session, chunk),
  );
  indexes.forEach((index, at) => {
    answers[index] = retried[at] ?? new Refusal('internal_error');
  });
  return answers;
}

/** Each item with the schemas its result was checked with, or the refusal of its result. */
async function withSchemas(
  call: Recorder,
  items: (Submission | Refusal)[],
  reload: boolean,
): Promise<(OutcomeItem | Refusal)[]> {
  const checked: (OutcomeItem | Refusal)[] = [];
  for (const item of items) {
    if (item instanceof Refusal) {
      checked.push(item);
      continue;
    }
    try {
      const schemas = await call.deps.schemas.check(call.session, call.caller.tenantId, item.outcome, reload);
      checked.push({ ...item, ...(schemas && { checked_schemas: schemas }) });
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal.status >= 500) throw refusal;
      checked.push(refusal);
    }
  }
  return checked;
}

function isUnchecked(answer: Answered | undefined): boolean {
  if (answer instanceof Refusal) return answer.code === 'schema_unchecked';
  return answer?.result === 'refused' && answer.refusal['code'] === 'schema_unchecked';
}

function attempted<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    return toRefusal(error);
  }
}
