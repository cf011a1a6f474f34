import { afterEach, expect, test } from 'vitest';
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts';
import { phasePrompt as own, readMessages } from '../contract/phase-report/index.ts';
import { createLedger, LedgerConflictError, type PhaseConclusion, phasePrompt } from './index.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function ledgerTo(...answers: ScriptedAnswer[]) {
  const running = await startScriptedServer(({ number }) => answers[number - 1] ?? answers.at(-1) ?? 'hang');
  server = running;
  const retry = { baseDelayMs: 1, maxDelayMs: 2, attempts: 4, requestTimeoutMs: 2_000 };
  return { running, ledger: createLedger({ url: running.url, accessToken: 't', retry }) };
}

const id = '3f6c2a1e-8f0b-4b7e-9d55-0c6f1f2f9a01';
const observation = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const conclusion: PhaseConclusion = { messages: ['done'], observation, files: [] };
const problem = (status: number, code: string, more: object = {}): ScriptedAnswer => ({
  status,
  body: { type: '', title: '', detail: `told: ${code}`, status, code, ...more },
});

test('a conclusion goes out as it is; lost answers are asked for again with the same bytes', async () => {
  const { ledger, running } = await ledgerTo(
    'drop',
    'cut',
    { status: 503 },
    { status: 201, body: { phase_status: 'completed' } },
  );
  const given: PhaseConclusion = {
    messages: ['at work', { role: 'tool', text: 'TASK_RESULT:' }, { role: 'agent', text: 'é 😀' }],
    observation: { ...observation, exit_code: null, interrupted: true },
    files: [{ path: 'artifacts/output/a', content: 'a' }],
    phase: { name: 'Plan', output_types: ['document'] },
    result: { n: 1 },
    quality: { confidence: 0.5 },
  };
  const recorded = await ledger.invocations.conclude(id, given);
  expect(recorded).toEqual({ record: { phase_status: 'completed' }, replayed: false });
  expect(running.requests).toHaveLength(4);
  for (const { method, path, json } of running.requests) {
    expect([method, path]).toEqual(['POST', `invocations/${id}/conclude`]);
    expect(json).toEqual(given);
  }
  expect(new Set(running.requests.map(({ text }) => text)).size).toBe(1);
});

test('bytes become text where they are text, else base64, in both forms of files', async () => {
  const { ledger, running } = await ledgerTo({ status: 201, body: {} });
  const text = new TextEncoder().encode('\ufeffé');
  const binary = new Uint8Array([0xff, 0]);
  await ledger.invocations.conclude(id, {
    ...conclusion,
    files: [
      { path: 'a', content: text },
      { path: 'b', content: binary },
      { path: 'c', content: { base64: 'YQ==' } },
    ],
  });
  await ledger.invocations.conclude(id, { ...conclusion, files: { a: text, b: binary, __proto__x: 'c' } });
  expect(running.requests.map(({ json }) => json.files)).toEqual([
    [
      { path: 'a', content: '\ufeffé' },
      { path: 'b', content: { base64: '/wA=' } },
      { path: 'c', content: { base64: 'YQ==' } },
    ],
    { a: '\ufeffé', b: { base64: '/wA=' }, __proto__x: 'c' },
  ]);
});

test('what an agent wrote never keeps its run from being concluded', async () => {
  const { ledger, running } = await ledgerTo({ status: 201, body: {} });
  // Unreadable stays unreadable: a control character may not stand in a JSON string.
  const report = (character: string) => `TASK_RESULT: {"success": true, "comments": "${character}"}\nTASK_RESULT_END`;
  await ledger.invocations.conclude(id, {
    ...conclusion,
    messages: ['half \ud800 a pair', { role: 'agent', text: report('\0') }],
    files: { a: 'a\0', b: 'b\0\ud800' },
  });
  const json = running.requests[0]?.json;
  expect(json.messages).toEqual(['half \ufffd a pair', { role: 'agent', text: report('\u001a') }]);
  expect(json.files).toEqual({ a: { base64: 'YQA=' }, b: 'b\0\ud800' });
  expect(readMessages([report('\0')]).state).toBe('unreadable');
  expect(readMessages([json.messages[1].text]).state).toBe('unreadable');
});

test.each([null, 'x', [null], [7], [{ role: 'agent' }]])(
  'messages that are %j are left for the ledger to refuse',
  async (messages) => {
    const { ledger, running } = await ledgerTo(problem(422, 'request_invalid'));
    const sent = ledger.invocations.conclude(id, { ...conclusion, messages: messages as never });
    await expect(sent).rejects.toMatchObject({ code: 'request_invalid' });
    expect(running.requests[0]?.json.messages).toEqual(messages);
  },
);

test('the same again is a replay; another outcome a conflict that names the winner', async () => {
  const { ledger } = await ledgerTo(
    { status: 200, body: { late: false }, headers: { 'idempotent-replayed': 'true' } },
    problem(409, 'outcome_conflict', { outcome_id: 'winner' }),
  );
  expect(await ledger.invocations.conclude(id, conclusion)).toMatchObject({ replayed: true });
  const error = await ledger.invocations.conclude(id, conclusion).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LedgerConflictError);
  expect(error).toMatchObject({ code: 'outcome_conflict', outcomeId: 'winner' });
});

test('a refusal comes as it was told', async () => {
  const violations = [{ path: '/files/0/path', rule: 'artifact_path', message: 'leads upwards (..)' }];
  const { ledger, running } = await ledgerTo(problem(422, 'request_invalid', { violations }));
  const files = [{ path: '../x', content: '' }];
  const error = await ledger.invocations.conclude(id, { ...conclusion, files }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'request_invalid', status: 422, violations });
  expect(running.requests).toHaveLength(1);
});

test('a result that JSON would lose parts of is refused before anything is sent', async () => {
  const { ledger, running } = await ledgerTo({ status: 201, body: {} });
  const error = await ledger.invocations
    .conclude(id, { ...conclusion, result: { n: Number.NaN } })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'not_storable', violations: [{ path: '/result/n' }] });
  expect(running.requests).toEqual([]);
});

test.each([null, undefined, 7, 'x', [null], [7]])(
  'files that are %j are left for the ledger to refuse',
  async (files) => {
    const { ledger, running } = await ledgerTo(problem(422, 'request_invalid'));
    const error = await ledger.invocations
      .conclude(id, { ...conclusion, files: files as never })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'request_invalid' });
    expect(running.requests).toHaveLength(1);
  },
);

test('the reads', async () => {
  const { ledger, running } = await ledgerTo({ status: 200, body: { items: [] } });
  expect(await ledger.invocations.inputs(id)).toEqual({ items: [] });
  await ledger.artifacts.get('a/b');
  await ledger.statistics.failureRates();
  await ledger.statistics.failureRates({ source_id: 'planner', domain: 'd e', to: '2026-01-01T00:00:00Z' });
  expect(running.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET invocations/${id}/inputs`,
    'GET artifacts/a%2Fb',
    'GET statistics/failure-rates',
    'GET statistics/failure-rates?source_id=planner&domain=d+e&to=2026-01-01T00%3A00%3A00Z',
  ]);
});

test('the prompt is the contract’s', () => {
  expect(phasePrompt()).toBe(own());
});
