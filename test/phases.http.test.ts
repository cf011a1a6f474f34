// What conclusions make of an execution, over HTTP: its phases and their attempts, the next phase's inputs, failure rates.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, envelopeFor, executionStart, invocationStart } from './support/envelopes.ts';
import { CLEAN, conclusion, PLAN, report } from './support/phase-requests.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
});

async function execution(over: Document = {}, from = api): Promise<Document> {
  const start = executionStart({ execution_pattern: 'sequential', ...over });
  expect((await from('POST', '/executions', start)).status).toBe(201);
  return start;
}
const begin = (within: Document, step_id: string, over: Document = {}, from = api) => {
  const start = invocationStart({ execution_id: within['execution_id'], step_id, ...over });
  return from('POST', '/invocations', start).then((answer) => ({ start, answer }));
};
async function phase(within: Document, step: string, over: Document = {}, body: Document = {}, from = api) {
  const { start, answer } = await begin(within, step, over, from);
  expect([answer.status, answer.body.code]).toEqual([201, undefined]);
  const concluded = await from('POST', `/invocations/${start['invocation_id']}/conclude`, conclusion(body));
  expect([concluded.status, concluded.body.code]).toEqual([201, undefined]);
  return concluded.body as Document;
}
const read = async (within: Document) => (await api('GET', `/executions/${within['execution_id']}`)).body;
const finish = (start: Document, status: 'success' | 'failure') =>
  api('POST', '/outcomes', {
    execution_id: start['execution_id'],
    outcome: envelopeFor(start, status, {
      execution_context: { execution_pattern: start['execution_pattern'] },
    }),
  });

describe('an execution', () => {
  test('has no phases before any began, and one that runs once it did', async () => {
    const run = await execution();
    expect(await read(run)).toMatchObject({
      status: 'running',
      failure_classification: null,
      reported_failure_reason: null,
      deliverable_produced: false,
      reported_side_effects: null,
      phases: [],
    });
    const { start } = await begin(run, 'plan', { step_name: 'planning' });
    expect((await read(run)).phases).toEqual([
      {
        name: 'planning',
        step_id: 'plan',
        status: 'running',
        failure_classification: null,
        reported_failure_reason: null,
        deliverable_recovered: false,
        reported_side_effects: null,
        attempts: [
          {
            invocation_id: start['invocation_id'],
            attempt: 1,
            status: 'running',
            failure_classification: null,
            outcome_id: null,
            report_state: null,
          },
        ],
      },
    ]);
  });

  test('completes, with the most severe word of its phases', async () => {
    const run = await execution();
    await phase(run, 'plan', {}, { messages: [report(true, { side_effects: 'denied' })] });
    await phase(run, 'build', {}, { messages: [report(true, { side_effects: 'succeeded' })] });
    expect((await finish(run, 'success')).status).toBe(201);
    const body = await read(run);
    expect(body).toMatchObject({ status: 'completed', deliverable_produced: true, reported_side_effects: 'denied' });
    expect(body.phases.map(({ step_id, status }: Document) => [step_id, status])).toEqual([
      ['plan', 'completed'],
      ['build', 'completed'],
    ]);
  });

  test('ends at its first failed phase, which may be retried', async () => {
    const run = await execution();
    const bad = [report(false, { failure_reason: 'refused' })];
    const failed = await phase(run, 'plan', {}, { messages: bad });
    expectProblem((await begin(run, 'build')).answer, 409, 'phase_failed');
    expectProblem(await finish(run, 'success'), 409, 'phase_failed');
    const again = await phase(run, 'plan', { attempt: 2 });
    expect((await begin(run, 'build')).answer.status).toBe(201);
    const [plan] = (await read(run)).phases;
    expect(plan).toMatchObject({ status: 'completed', failure_classification: null });
    expect(plan.attempts).toMatchObject([
      { attempt: 1, status: 'failed', failure_classification: 'correct_refusal', outcome_id: failed['outcome_id'] },
      { attempt: 2, status: 'completed', report_state: 'success', outcome_id: again['outcome_id'] },
    ]);
  });

  test('that failed carries the classification and the word of the failing phase, with its work kept', async () => {
    const run = await execution();
    await phase(run, 'plan', {}, { messages: [report(false, { failure_reason: 'refused' })] });
    expect((await finish(run, 'failure')).status).toBe(201);
    expect(await read(run)).toMatchObject({
      status: 'failed',
      failure_classification: 'correct_refusal',
      reported_failure_reason: 'refused',
      deliverable_produced: true,
      reported_side_effects: null,
      phases: [{ status: 'failed', failure_classification: 'correct_refusal', reported_failure_reason: 'refused' }],
    });
  });

  test('says when a deliverable was recovered', async () => {
    const run = await execution();
    const messages = [`I compared both carriers, and the second is cheaper from week two.\n${report(true)}`];
    await phase(run, 'plan', {}, { messages, files: [] });
    expect((await read(run)).phases).toMatchObject([{ deliverable_recovered: true, status: 'completed' }]);
  });
});

describe('the inputs of a phase', () => {
  const inputs = (start: Document, from = api) => from('GET', `/invocations/${start['invocation_id']}/inputs`);
  const twoFiles = { files: [PLAN, { path: 'artifacts/output/notes/a.txt', content: 'a' }] };

  test('are what earlier phases left, each below its step, the primary one as a flat file too', async () => {
    const run = await execution();
    const plan = await phase(run, 'plan', {}, twoFiles);
    const { start } = await begin(run, 'build');
    const { status, body } = await inputs(start);
    expect([status, body.omitted]).toEqual([200, []]);
    const [first, second] = plan['artifacts'];
    const about = (artifact: Document) => ({
      artifact_id: artifact['artifact_id'],
      step_id: 'plan',
      execution_id: run['execution_id'],
      size_bytes: artifact['size_bytes'],
      sha256: artifact['sha256'],
      primary: artifact['primary'],
      recovered: false,
    });
    expect(body.items).toHaveLength(3);
    expect(body.items).toEqual(
      expect.arrayContaining([
        { path: 'artifacts/input/plan/plan.md', ...about(first) },
        { path: 'artifacts/input/plan/notes/a.txt', ...about(second) },
        { path: 'artifacts/input/plan.md', ...about(first) },
      ]),
    );
    const flat = body.items.find(({ path }: Document) => path === 'artifacts/input/plan.md');
    expect((await api('GET', `/artifacts/${flat.artifact_id}`)).body.content).toBe(PLAN.content);
  });

  test('are none of the first phase, or outside any execution', async () => {
    const { start } = await begin(await execution(), 'plan');
    expect((await inputs(start)).body).toEqual({ items: [], omitted: [] });
    const alone = invocationStart();
    await api('POST', '/invocations', alone);
    expect((await inputs(alone)).body).toEqual({ items: [], omitted: [] });
  });

  test('of a step whose id is no folder are named, and have no path', async () => {
    const run = await execution({ execution_pattern: 'parallel' });
    for (const step of ['..', 'a/b', 'c:d', 'a\\b']) await phase(run, step);
    const { start } = await begin(run, 'build');
    const { items, omitted } = (await inputs(start)).body;
    expect(items).toEqual([]);
    expect(new Set(omitted.map(({ artifact_id }: Document) => artifact_id)).size).toBe(4);
    for (const { reason } of omitted) expect(reason).toEqual(expect.any(String));
  });

  test('of another tenant are as unknown as none', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const { start } = await begin(await execution(), 'plan');
    expectProblem(await inputs(start, stranger), 404, 'unknown_invocation');
    expectProblem(await inputs({ invocation_id: randomUUID() }), 404, 'unknown_invocation');
  });
});

describe('failure rates', () => {
  let own: Api;
  const rates = async (query = '') => (await own('GET', `/statistics/failure-rates${query}`)).body.items;

  beforeAll(async () => {
    own = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const bodies: Document[] = [
      {},
      { messages: [report(false)] },
      { messages: [report(false, { failure_reason: 'unknown' })] },
      { observation: { ...CLEAN, exit_code: 1 } },
      { observation: { ...CLEAN, cancelled: true } },
      { observation: { ...CLEAN, interrupted: true } },
    ];
    const run = await execution({ execution_pattern: 'parallel' }, own);
    for (const [n, body] of bodies.entries()) await phase(run, `step-${n}`, {}, body, own);
    const other = { source: { id: 'art-agt-004', version: '2.0.0', domain: 'books' } };
    await phase(run, 'other', other, { observation: { ...CLEAN, cancelled: true } }, own);
  });

  test('count by what the ledger concluded, over completed and failed phases', async () => {
    expect(await rates()).toEqual([
      {
        source_id: 'art-agt-003',
        source_version: '1.1.0',
        domain: 'art',
        concluded: 6,
        completed: 1,
        failed: 3,
        cancelled: 1,
        interrupted: 1,
        platform: 1,
        correct_refusal: 1,
        unclassified: 1,
        failure_rate: 0.75,
        platform_rate: 0.25,
      },
      expect.objectContaining({ source_id: 'art-agt-004', concluded: 1, failure_rate: null, platform_rate: null }),
    ]);
  });

  test('of one agent, version, domain or time', async () => {
    expect(await rates('?domain=books')).toMatchObject([{ source_id: 'art-agt-004' }]);
    expect(await rates('?source_id=art-agt-003&source_version=1.1.0')).toHaveLength(1);
    expect(await rates('?source_version=9.0.0')).toEqual([]);
    expect(await rates('?from=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await rates('?from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z')).toHaveLength(2);
  });

  test('are a tenant’s own', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    expect((await stranger('GET', '/statistics/failure-rates')).body).toEqual({ items: [] });
  });

  test.each([
    ['?from=yesterday', '/query/from'],
    ['?source_version=1', '/query/source_version'],
    ['?source_id=', '/query/source_id'],
    ['?mood=1', '/query/mood'],
    ['?domain=a&domain=b', '/query/domain'],
  ])('%s is refused', async (query, place) => {
    const refused = await own('GET', `/statistics/failure-rates${query}`);
    expect(paths(expectProblem(refused, 422, 'request_invalid'))).toEqual([place]);
  });
});
