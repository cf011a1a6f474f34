import { expect, test } from 'vitest';
import { FAILURE_REASONS, phasePrompt, readMessages, SIDE_EFFECTS } from './index.ts';

test('says the key before the examples, and offers each word', () => {
  const prompt = phasePrompt();
  expect(prompt.indexOf('never "status"')).toBeGreaterThan(0);
  expect(prompt.indexOf('never "status"')).toBeLessThan(prompt.indexOf('TASK_RESULT: {'));
  for (const word of [...FAILURE_REASONS, ...SIDE_EFFECTS]) expect(prompt).toContain(`- "${word}": `);
});

test('its examples read as what they say, without a warning; quoting the whole of it can only cost a rerun', () => {
  const [success, failure] = phasePrompt().match(/TASK_RESULT: \{.*\nTASK_RESULT_END/g) ?? [];
  expect(readMessages([success ?? ''])).toMatchObject({
    state: 'success',
    stands: { side_effects: 'succeeded', warnings: [] },
  });
  expect(readMessages([failure ?? ''])).toMatchObject({
    state: 'failure',
    stands: { failure_reason: 'platform', warnings: [] },
  });
  expect(readMessages([phasePrompt()]).state).toBe('failure');
});
