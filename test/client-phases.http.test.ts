// The client's side of phases: a run concluded from its workspace, read back, and handed on to the next phase.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createLedger,
  type Ledger,
  LedgerConflictError,
  type LedgerOptions,
  newId,
  type PhaseConclusion,
} from '../src/client/index.ts';
import { collectOutput } from '../src/runner/index.ts';
import type { LedgerRole } from '../src/stack/index.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
const AGENT = { id: 'planner', version: '1.0.0', domain: 'shop' };
const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-client-phases-'));
let tenantId: string;
let ledger: Ledger;

async function ledgerOf(role: LedgerRole, actorId: string, more: Partial<LedgerOptions> = {}): Promise<Ledger> {
  const accessToken = await stack.mintToken({ tenantId, role, actorId });
  return createLedger({ url: stack.functionsUrl, accessToken, ...more });
}
beforeAll(async () => {
  tenantId = (await stack.createTenant({ open: true })).tenantId;
  ledger = await ledgerOf('orchestrator', 'orc-1');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function started(over: object = {}, from = ledger): Promise<string> {
  const start = { source: AGENT, correlation_id: `corr-${randomUUID()}`, causation_id: 'event-1', ...over };
  return (await from.invocations.start(start)).record.invocation_id;
}
const report = (json: object) => `TASK_RESULT: ${JSON.stringify(json)}\nTASK_RESULT_END`;
const conclusion = (over: Partial<PhaseConclusion> = {}): PhaseConclusion => ({
  messages: ['at work', report({ success: true, side_effects: 'none', comments: 'it is there' })],
  observation: CLEAN,
  files: { 'artifacts/output/plan.md': '# Plan' },
  ...over,
});
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error,
  );

test('phases of an execution: concluded from a workspace, handed on, read back', async () => {
  const output = join(folder, 'artifacts/output/data');
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, '../plan.md'), '# Plan\n');
  writeFileSync(join(output, 'raw.bin'), new Uint8Array([0, 255]));
  const execution = await ledger.executions.start({
    source: { id: 'WF-1', version: '1.0.0', domain: 'shop' },
    correlation_id: `corr-${randomUUID()}`,
    causation_id: 'event-1',
    execution_pattern: 'sequential',
  });
  const { execution_id } = execution.record;
  const plan = await started({ execution_id, step_id: 'plan', step_name: 'Plan' });
  const { files } = await collectOutput(folder);
  const { record, replayed } = await ledger.invocations.conclude(plan, conclusion({ files }));
  expect(replayed).toBe(false);
  expect(record).toMatchObject({
    invocation_id: plan,
    execution_id,
    phase_status: 'completed',
    late: false,
    stands: 0,
    claims: [{ state: 'success', comments: 'it is there' }],
    outcome: { status: 'success', result: { comments: 'it is there', deliverable_recovered: false } },
  });
  const [text, binary] = await Promise.all(record.artifacts.map((one) => ledger.artifacts.get(one.artifact_id)));
  expect(text).toMatchObject({
    title: 'Plan: artifacts/output/plan.md',
    content: '# Plan\n',
    primary: true,
    url: null,
  });
  expect(binary).toMatchObject({ content: { base64: 'AP8=' }, size_bytes: 2, outcome_id: record.outcome_id });
  expect(text?.sha256).toBe(createHash('sha256').update('# Plan\n').digest('hex'));

  const build = await started({ execution_id, step_id: 'build' });
  const inputs = await ledger.invocations.inputs(build);
  expect(inputs.omitted).toEqual([]);
  expect(inputs.items.map(({ path, primary }) => [path, primary]).sort()).toEqual([
    ['artifacts/input/plan.md', true],
    ['artifacts/input/plan/data/raw.bin', false],
    ['artifacts/input/plan/plan.md', true],
  ]);
  const failed = report({ success: false, failure_reason: 'refused', comments: 'it would delete the shop' });
  await ledger.invocations.conclude(build, conclusion({ messages: [failed], files: [] }));
  const late = await thrownBy(started({ execution_id, step_id: 'ship' }));
  expect(late).toMatchObject({ code: 'phase_failed', status: 409 });
  const read = await ledger.executions.get(execution_id);
  expect(read.phases?.map(({ name, status }) => [name, status])).toEqual([
    ['Plan', 'completed'],
    ['build', 'failed'],
  ]);
  expect(read).toMatchObject({ deliverable_produced: true, reported_side_effects: 'none' });
});

describe('concluding', () => {
  test('is one conclusion however often the answer is lost', async () => {
    const proxy = await startCuttingProxy(stack.functionsUrl, ({ nth }) => nth <= 2);
    const through = await ledgerOf('orchestrator', 'orc-1', { url: proxy.url, retry: { baseDelayMs: 1 } });
    const id = await started();
    const first = await through.invocations.conclude(id, conclusion());
    await proxy.stop();
    expect(first.replayed).toBe(true);
    const again = await ledger.invocations.conclude(id, conclusion());
    expect(again).toEqual(first);
    expect((await ledger.invocations.get(id)).late).toBeNull();
  });

  test('of a whole crowd gives one outcome, and everybody the same', async () => {
    const id = await started();
    const all = await Promise.all(Array.from({ length: 8 }, () => ledger.invocations.conclude(id, conclusion())));
    expect(new Set(all.map(({ record }) => record.outcome_id)).size).toBe(1);
    expect(all.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test('after another outcome is a conflict with the winner, and what came late is kept', async () => {
    const id = await started();
    const operator = await ledgerOf('operator', 'olga');
    const { outcome } = await operator.invocations.cancel(id, 'no longer wanted');
    const error = await thrownBy(ledger.invocations.conclude(id, conclusion()));
    expect(error).toBeInstanceOf(LedgerConflictError);
    expect(error).toMatchObject({ code: 'outcome_conflict', outcomeId: outcome.outcome_id });
    const { late } = await ledger.invocations.get(id);
    expect(late).toMatchObject([{ outcome: { status: 'success', result: { comments: 'it is there' } } }]);
  });

  test('never by the agent itself', async () => {
    const agent = await ledgerOf('agent', AGENT.id);
    const id = await started({}, agent);
    const error = await thrownBy(agent.invocations.conclude(id, conclusion()));
    expect(error).toMatchObject({ code: 'not_permitted', status: 403 });
  });

  // B023: nothing that an agent says may keep its run from having an outcome.
  test.each([
    ['NUL', 'a\0b'],
    ['half a surrogate pair', 'party \ud83c'],
    ['both, and the other half', '\udfff\0\ud800'],
  ])('with %s in a message', async (_what, text) => {
    const messages = [text, { role: 'agent', text: report({ success: true, comments: 'done' }) }];
    const { record } = await ledger.invocations.conclude(
      await started(),
      conclusion({ messages, files: { a: text.replace(/\p{Cs}/gu, '') } }),
    );
    expect(record).toMatchObject({ report_state: 'success', phase_status: 'failed' });
  });

  test('with bytes of every value, which come back', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    const files = { 'artifacts/output/b': bytes, 'artifacts/output/nul': 'a\0b' };
    const { record } = await ledger.invocations.conclude(await started(), conclusion({ files }));
    const contents = await Promise.all(
      record.artifacts
        .filter(({ recovered }) => !recovered)
        .map(async (one) => (await ledger.artifacts.get(one.artifact_id)).content as { base64: string }),
    );
    expect(contents.map(({ base64 }) => [...Buffer.from(base64, 'base64')])).toEqual([[...bytes], [97, 0, 98]]);
  });

  test('an invocation that nobody started is unknown', async () => {
    expect(await thrownBy(ledger.invocations.conclude(newId(), conclusion()))).toMatchObject({
      code: 'unknown_invocation',
    });
    expect(await thrownBy(ledger.artifacts.get(newId()))).toMatchObject({ code: 'unknown_artifact' });
    expect(await thrownBy(ledger.invocations.inputs(newId()))).toMatchObject({ code: 'unknown_invocation' });
  });
});

test('failure rates', async () => {
  const source = { ...AGENT, id: `rated-${randomUUID()}` };
  for (const exit_code of [0, 1, 1]) {
    await ledger.invocations.conclude(await started({ source }), conclusion({ observation: { ...CLEAN, exit_code } }));
  }
  const { items } = await ledger.statistics.failureRates({ source_id: source.id });
  expect(items).toMatchObject([{ concluded: 3, completed: 1, failed: 2, platform: 2, correct_refusal: 0 }]);
  expect(items[0]?.failure_rate).toBeCloseTo(2 / 3, 3);
  expect((await ledger.statistics.failureRates({ source_id: 'nobody' })).items).toEqual([]);
});
