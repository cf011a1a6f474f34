// Concluding over HTTP: recorded once, replayed, contested; who may; what each run and report makes; results and schemas.
import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import {
  AGENT_ID,
  type Document,
  envelopeFor,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
  sourceDefinition,
} from './support/envelopes.ts';
import { CLEAN, conclusion, PLAN, report } from './support/phase-requests.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
});

async function started(over: Document = {}, from = api): Promise<Document> {
  const start = invocationStart(over);
  expect((await from('POST', '/invocations', start)).status).toBe(201);
  return start;
}
const conclude = (start: Document, body: unknown = conclusion(), from = api): Promise<Answered> =>
  from('POST', `/invocations/${start['invocation_id']}/conclude`, body);
const state = async (start: Document) => (await api('GET', `/invocations/${start['invocation_id']}`)).body.state;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const reports = (start: Document) =>
  stack.database
    .sql`select report_state, late from public.phase_reports where invocation_id = ${start['invocation_id']} order by seq`;

describe('concluding', () => {
  test('records report, artifacts and outcome, also outside any execution', async () => {
    const start = await started({ step_name: 'planning', step_id: 'plan' });
    const { status, body } = await conclude(start);
    expect([status, body.code]).toEqual([201, undefined]);
    expect(body).toMatchObject({
      invocation_id: start['invocation_id'],
      execution_id: null,
      report_state: 'success',
      phase_status: 'completed',
      failure_classification: null,
      reported_failure_reason: null,
      reported_side_effects: 'none',
      deliverable_recovered: false,
      error: null,
      warnings: [],
      stands: 0,
      observation: { ...CLEAN, interrupted: false },
      late: false,
    });
    expect(body.claims).toHaveLength(1);
    expect(body.claims[0]).toMatchObject({ state: 'success', comments: 'wrote the plan', text: report(true) });
    expect(body.artifacts).toEqual([
      {
        artifact_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        path: PLAN.path,
        title: `planning: ${PLAN.path}`,
        type: 'text',
        size_bytes: 7,
        sha256: sha256(PLAN.content),
        recovered: false,
        primary: true,
        stored: 'table',
      },
    ]);
    expect(body.outcome).toMatchObject({
      outcome_id: body.outcome_id,
      status: 'success',
      source: { type: 'agent', id: AGENT_ID },
      correlation_id: start['correlation_id'],
      causation_id: start['causation_id'],
      result: {
        comments: 'wrote the plan',
        artifacts: [{ path: PLAN.path, sha256: sha256(PLAN.content) }],
        deliverable_recovered: false,
      },
      errors: [],
    });
    const read = await api('GET', `/outcomes/${body.outcome_id}`);
    expect(read.body).toMatchObject({ ...body.outcome, origin: 'concluded', recorded_by: 'os-agt-001' });
    expect(await state(start)).toBe('ended');
  });

  test('the same request again is a replay, whatever its spelling', async () => {
    const start = await started({ step_id: 'plan' });
    const first = await conclude(start);
    const again = [
      conclusion(),
      Object.fromEntries(Object.entries(conclusion()).reverse()),
      conclusion({
        observation: { interrupted: false, ...CLEAN },
        result: null,
        quality: null,
        phase: { name: 'plan' },
      }),
      conclusion({ files: { [PLAN.path]: PLAN.content }, phase: { output_types: [] } }),
      conclusion({ files: [{ ...PLAN, path: `/workspace/${PLAN.path}` }] }),
    ];
    for (const body of again) {
      const answer = await conclude(start, body);
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(answer.body).toEqual(first.body);
    }
    expect(await reports(start)).toHaveLength(1);
  });

  test('duplicates at once give one outcome', async () => {
    const start = await started();
    const answers = await Promise.all(Array.from({ length: 6 }, () => conclude(start)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.outcome_id)).size).toBe(1);
  });

  test.each([
    ['another message', { messages: [report(true), 'one more'] }],
    ['another file', { files: [PLAN, { path: 'artifacts/output/b.md', content: 'b' }] }],
    ['another observation', { observation: { ...CLEAN, stream_intact: false } }],
    ['another result', { result: { a: 1 } }],
    ['another name', { phase: { name: 'other' } }],
  ])('%s is another conclusion: the first stands, the late one is kept', async (_, over) => {
    const start = await started();
    const won = (await conclude(start)).body.outcome_id;
    expect(expectProblem(await conclude(start, conclusion(over)), 409, 'outcome_conflict')['outcome_id']).toBe(won);
    expectProblem(await conclude(start, conclusion(over)), 409, 'outcome_conflict');
    const { body } = await api('GET', `/outcomes/${won}`);
    expect(body.status).toBe('success');
    expect(await reports(start)).toMatchObject([{ report_state: 'success' }]);
  });

  test('after another outcome the report is kept as a late one', async () => {
    const start = await started();
    const won = (
      await api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome: envelopeFor(start, 'skipped') })
    ).body.outcome_id;
    expect(expectProblem(await conclude(start), 409, 'outcome_conflict')['outcome_id']).toBe(won);
    const { body } = await api('GET', `/outcomes/${won}`);
    expect(body.late).toMatchObject([{ outcome: { status: 'success' }, received_by: 'os-agt-001' }]);
    expect(await reports(start)).toMatchObject([{ report_state: 'success' }]);
    expectProblem(await conclude(start), 409, 'outcome_conflict');
    expect((await api('GET', `/outcomes/${won}`)).body.late).toHaveLength(1);
  });
});

describe('who may', () => {
  const as = (role: 'agent' | 'worker' | 'orchestrator' | 'auditor' | 'operator' | 'policy_guard', actorId: string) =>
    apiOf(stack, { tenantId, role, actorId });

  test('not the agent, not of another, nor anyone who does not observe', async () => {
    const start = await started();
    const callers = await Promise.all([
      as('agent', AGENT_ID),
      as('agent', 'other'),
      as('auditor', 'eve'),
      as('operator', 'olga'),
      as('policy_guard', 'os-agt-002'),
    ]);
    for (const from of callers) expectProblem(await conclude(start, conclusion(), from), 403, 'not_permitted');
    expect(await state(start)).toBe('running');
  });

  test('nobody about an invocation of its own, whatever its role', async () => {
    const start = await started({ source: { id: 'os-agt-009', version: '1.0.0', domain: 'os' } });
    for (const role of ['orchestrator', 'worker'] as const) {
      const self = await as(role, 'os-agt-009');
      expectProblem(await conclude(start, conclusion(), self), 403, 'not_permitted');
    }
    expect((await conclude(start)).status).toBe(201);
  });

  test('a worker what runs in an execution it started, and nothing else', async () => {
    const worker = await as('worker', 'runner-1');
    const execution = executionStart();
    expect((await worker('POST', '/executions', execution)).status).toBe(201);
    const own = await started({ execution_id: execution['execution_id'], step_id: 'plan' }, worker);
    const { status, body } = await conclude(own, conclusion(), worker);
    expect([status, body.execution_id]).toEqual([201, execution['execution_id']]);
    expectProblem(await conclude(await started(), conclusion(), worker), 403, 'not_permitted');
  });

  test('an invocation of another tenant is as unknown as none', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const start = await started();
    expectProblem(await conclude(start, conclusion(), stranger), 404, 'unknown_invocation');
    expectProblem(await conclude({ invocation_id: randomUUID() }), 404, 'unknown_invocation');
    expect(paths(expectProblem(await conclude({ invocation_id: 'x' }), 422, 'request_invalid'))).toEqual([
      '/path/invocation_id',
    ]);
  });
});

describe('run and report make phase and outcome', () => {
  const GOOD = report(true);
  const BAD = report(false, { failure_reason: 'task' });
  const rows: [string, Document, string, string | null, string, string | null, boolean | null][] = [
    ['clean, success', {}, 'completed', null, 'success', null, null],
    ['clean, not reported', { messages: ['Done.'] }, 'completed', null, 'success', null, null],
    ['broken stream, success', { stream_intact: false }, 'completed', null, 'success', null, null],
    ['clean, failure', { messages: [BAD] }, 'failed', 'correct_refusal', 'failure', 'CORRECT_REFUSAL', false],
    [
      'clean, failure for a reason it does not know',
      { messages: [report(false, { failure_reason: 'unknown' })] },
      'failed',
      'unclassified',
      'failure',
      'UNCLASSIFIED',
      false,
    ],
    ['clean, unreadable', { messages: ['TASK_RESULT: no'] }, 'failed', 'platform', 'failure', 'PLATFORM_FAILURE', true],
    ['exit 1', { exit_code: 1 }, 'failed', 'platform', 'failure', 'PLATFORM_FAILURE', true],
    ['no exit code', { exit_code: null }, 'failed', 'platform', 'failure', 'PLATFORM_FAILURE', true],
    ['timed out', { timed_out: true, exit_code: null }, 'failed', 'platform', 'timeout', 'TIMEOUT', true],
    ['cancelled', { cancelled: true, exit_code: 137 }, 'cancelled', null, 'failure', 'CANCELED', false],
    ['interrupted', { interrupted: true, exit_code: null }, 'interrupted', null, 'failure', 'INTERRUPTED', true],
    // Contradictions: cancelled beats interrupted beats timed out beats the exit code.
    [
      'all at once',
      { cancelled: true, interrupted: true, timed_out: true, exit_code: 1, stream_intact: false, messages: [BAD] },
      'cancelled',
      null,
      'failure',
      'CANCELED',
      false,
    ],
    [
      'interrupted and timed out',
      { interrupted: true, timed_out: true, exit_code: 0 },
      'interrupted',
      null,
      'failure',
      'INTERRUPTED',
      true,
    ],
    ['timed out with exit 0', { timed_out: true }, 'failed', 'platform', 'timeout', 'TIMEOUT', true],
  ];
  test.each(rows)('%s', async (_, { messages = [GOOD], ...observed }, phase, failure, outcome, code, recoverable) => {
    const start = await started();
    const { status, body } = await conclude(start, conclusion({ messages, observation: { ...CLEAN, ...observed } }));
    expect([status, body.phase_status, body.failure_classification]).toEqual([201, phase, failure]);
    expect(body.outcome.status).toBe(outcome);
    expect(body.outcome.errors[0]?.code ?? null).toBe(code);
    expect(body.outcome.errors[0]?.recoverable ?? null).toBe(recoverable);
    expect(body.outcome.result === null).toBe(phase !== 'completed');
    // What it left is kept, whatever became of it.
    expect(body.artifacts).toHaveLength(1);
    expect(body.error === null).toBe(phase !== 'failed');
  });

  test('a failure that no retry mends is none to the machine when its start says manual', async () => {
    const start = await started({ recovery_mode: 'manual' });
    const { body } = await conclude(start, conclusion({ observation: { ...CLEAN, exit_code: 1 } }));
    expect(body.outcome.errors).toMatchObject([{ code: 'PLATFORM_FAILURE', recoverable: false }]);
  });

  test('nothing left and nothing said fails the phase', async () => {
    const { body } = await conclude(await started(), conclusion({ messages: ['Done.'], files: [] }));
    expect(body).toMatchObject({ phase_status: 'failed', failure_classification: 'platform', artifacts: [] });
    expect(body.error).toContain(`phase "${AGENT_ID}" wrote no file`);
    expect(body.outcome.errors[0].message).toContain('wrote no file');
  });
});

describe('the result', () => {
  test('is what the caller says of a completed phase, and null of another', async () => {
    const result = { allocated: 5, list: [1, 'é'] };
    const quality = { confidence: 0.8 };
    const timing = { started_at: '2026-05-20T10:00:00Z', completed_at: '2026-05-20T10:00:02Z', duration_ms: 2000 };
    const completed = await conclude(await started(), conclusion({ result, quality, timing }));
    expect(completed.body.outcome).toMatchObject({ result, quality, timing });
    const failed = await conclude(await started(), conclusion({ messages: [report(false)], result, quality, timing }));
    expect(failed.body.outcome).toMatchObject({ result: null, quality, timing });
  });

  test('is held to the registered schema; one the ledger made says what to do', async () => {
    const operator = await apiOf(stack, { tenantId, role: 'operator', actorId: 'olga' });
    const { source_type, source_id, version, ...definition } = sourceDefinition({
      source_id: 'art-agt-700',
      output_schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
    });
    expect((await operator('PUT', `/definitions/${source_type}/${source_id}/${version}`, definition)).status).toBe(201);
    const start = await started({ source: { id: source_id, version, domain: 'art' } });
    const own = expectProblem(await conclude(start), 422, 'result_schema_mismatch');
    expect([paths(own), own['remedy']]).toEqual([['/result/n'], 'Send a `result` that fits it.']);
    const given = await conclude(start, conclusion({ result: { n: 'x' } }));
    expect(paths(expectProblem(given, 422, 'result_schema_mismatch'))).toEqual(['/result/n']);
    expect(await state(start)).toBe('running');
    expect((await conclude(start, conclusion({ result: { n: 1 } }))).status).toBe(201);
    // A replay is not held to a schema: it stands already.
    const again = await conclude(start, conclusion({ result: { n: 1 } }));
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const failed = await started({ source: { id: source_id, version, domain: 'art' } });
    expect((await conclude(failed, conclusion({ messages: [report(false)] }))).body.outcome.status).toBe('failure');
  });
});

describe('under a policy', () => {
  const decided = async (start: Document, over: Document) => {
    const guard = await apiOf(stack, { tenantId, role: 'policy_guard', actorId: 'os-agt-002' });
    const subject = { invocation_id: start['invocation_id'] };
    expect((await guard('POST', '/policy/decisions', policyDecision(subject, over))).status).toBe(201);
  };

  test('an allowed one carries the decision', async () => {
    const start = await started();
    await decided(start, {});
    expect((await conclude(start)).body.outcome).toMatchObject({ status: 'success', policy: policyMember() });
  });

  test('a blocked one is not completed by a report', async () => {
    const start = await started();
    await decided(start, policyMember('block'));
    for (const messages of [[report(true)], [report(false)]]) {
      const refused = expectProblem(await conclude(start, conclusion({ messages })), 422, 'policy_mismatch');
      expect([refused['detail'], refused['remedy']]).toEqual([
        expect.stringContaining('can only be recorded as blocked'),
        expect.stringContaining('POST /outcomes'),
      ]);
    }
    expect(await reports(start)).toEqual([]);
    const outcome = envelopeFor(start, 'blocked', { policy: policyMember('block') });
    expect((await api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome })).status).toBe(201);
  });

  test('one that needs a decision, or a human, is refused until it has them', async () => {
    const supervised = await started({ governance_class: 'supervised' });
    expectProblem(await conclude(supervised), 422, 'policy_required');
    expect(await state(supervised)).toBe('running');
    const asks = await started();
    await decided(asks, { requires_hitl: true });
    expectProblem(await conclude(asks), 422, 'hitl_required');
    expect(await reports(asks)).toEqual([]);
    const failed = await conclude(asks, conclusion({ messages: [report(false)] }));
    expect([failed.status, failed.body.outcome.status]).toEqual([201, 'failure']);
  });
});
