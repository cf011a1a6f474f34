// A phase that will not complete is concluded also where there is no room for what it wrote (rules, section 7.6).
import { describe, expect, test } from 'vitest';
import { readMessages } from '../phase-report/index.ts';
import { assess } from './assess.ts';
import { readPhaseInput } from './input.ts';

const OUT = 'artifacts/output/';
const USABLE = 'I read all eight files and wrote down which of them differ';
const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const ENDS: [string, object][] = [
  ['failed', { exit_code: 1 }],
  ['timed out', { timed_out: true }],
  ['cancelled', { cancelled: true }],
  ['interrupted', { interrupted: true }],
];
const noRoom = new Map([[`${OUT}big`, 'it is large']]);
const assessed = (observation: object, files: object, message = USABLE) => {
  const input = readPhaseInput({ messages: [message], observation: { ...CLEAN, ...observation }, files });
  return assess(input, readMessages(input.messages), noRoom);
};

describe.each(ENDS)('of a run that %s', (_what, observation) => {
  test('what has no room is left out with a warning, and another file is the primary one', () => {
    const { artifacts, warnings } = assessed(observation, { [`${OUT}big`]: 'large', [`${OUT}a.md`]: 'small' });
    expect(artifacts.map(({ path, primary }) => [path, primary])).toEqual([[`${OUT}a.md`, true]]);
    expect(warnings).toEqual([`${OUT}big is not kept: it is large`]);
  });

  test('the last message takes the place of all, and does not say that nothing was written', () => {
    const { artifacts } = assessed(observation, { [`${OUT}big`]: 'large' });
    expect(artifacts).toMatchObject([{ recovered: true, primary: true }]);
    expect(artifacts[0]?.content).toContain('wrote no text that could be kept');
  });
});

test('so is one of a phase that fails because there is nothing to build on', () => {
  const { phase_status, warnings } = assessed({}, { [`${OUT}big`]: 'large', [`${OUT}e`]: '' }, 'Done.');
  expect([phase_status, warnings]).toEqual(['failed', [`${OUT}big is not kept: it is large`]]);
});

test('a phase about to complete leaves out nothing', () => {
  const { phase_status, artifact_paths, warnings } = assessed({}, { [`${OUT}big`]: 'large' });
  expect([phase_status, artifact_paths, warnings]).toEqual(['completed', [`${OUT}big`], []]);
});
