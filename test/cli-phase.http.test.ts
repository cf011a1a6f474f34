// `outcome-ledger phase`: a dry reading of what an agent said, and the words that tell it how.
import { expect, test } from 'vitest';
import { useCli } from './support/cli.ts';

const cli = useCli();
const assess = (input: unknown, ...args: string[]) =>
  cli.run(['phase', 'assess', '-', ...args], { stdin: typeof input === 'string' ? input : JSON.stringify(input) });

const observation = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const good = {
  messages: ['TASK_RESULT: {"success": true, "side_effects": "none"}\nTASK_RESULT_END'],
  observation,
  files: [{ path: 'artifacts/output/plan.md', content: '# Plan' }],
  phase: { name: 'Plan' },
};

test('an input gives its assessment, an array an array', async () => {
  const one = await assess(good);
  expect([one.code, one.stderr]).toEqual([0, '']);
  expect(one.json()).toEqual({
    report_state: 'success',
    phase_status: 'completed',
    failure_classification: null,
    reported_failure_reason: null,
    reported_side_effects: 'none',
    deliverable_recovered: false,
    artifacts: [
      {
        path: 'artifacts/output/plan.md',
        title: 'Plan: artifacts/output/plan.md',
        type: 'text',
        content: '# Plan',
        recovered: false,
        primary: true,
      },
    ],
    artifact_paths: ['artifacts/output/plan.md'],
    error: null,
    warnings: [],
  });
  const several = await assess([good, { ...good, observation: { ...observation, exit_code: 1 } }]);
  expect(several.json()).toMatchObject([{ phase_status: 'completed' }, { phase_status: 'failed' }]);
  expect((await assess([])).json()).toEqual([]);
});

test.each([
  ['what is no JSON', '{messages: []}', undefined],
  ['a missing observation', { messages: [], files: [] }, '/observation'],
  ['a fault in the second of two', [good, { ...good, files: [{ path: '../x', content: '' }] }], '/1/files/0/path'],
])('%s is refused with exit 2', async (_what, input, path) => {
  const { code, json } = await assess(input, '--json');
  expect([code, json()['code']]).toEqual([2, 'unreadable_input']);
  expect((json()['violations'] as { path: string }[])[0]?.path).toBe(path);
});

test('the prompt’s own examples are read as they say', async () => {
  const { code, stdout } = await cli.run(['phase', 'prompt']);
  expect(code).toBe(0);
  const { json } = await assess({ ...good, messages: [stdout] });
  expect(json()).toMatchObject({ report_state: 'failure', failure_classification: 'correct_refusal', warnings: [] });
});
