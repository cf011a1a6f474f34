import { expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { messagesOf } from './messages.ts';

test.each([
  ['nothing', '', []],
  ['blanks', ' \n ', []],
  ['a text', 'I looked.\nTASK_RESULT: {"success": true}\nTASK_RESULT_END\n', null],
  ['an empty array', '[]', []],
  ['an array', ' ["a", {"role": "tool", "text": "b"}]\n', ['a', { role: 'tool', text: 'b' }]],
  ['lines', '"a"\n\n{"role": "agent", "text": "b"}\r\n', ['a', { role: 'agent', text: 'b' }]],
  ['one line', '"a"', ['a']],
])('%s', (_what, text, messages) => {
  expect(messagesOf(text, 'x')).toEqual(messages ?? [text]);
});

// Read as a text, the report in them would stand in quotation marks: unreadable, and the phase failed for good.
test.each([
  ['an array cut short', '["TASK_RESULT: {', undefined],
  ['a link in Markdown', '[the plan](plan.md) is there', undefined],
  ['an object over several lines', '{\n"role": "agent"}', undefined],
  ['a second line that is none', '"a"\nTASK_RESULT:', undefined],
  ['an object that is no message', '{"type": "assistant", "message": {"content": []}}', '/0'],
  ['a number among messages', '["a", 7, null]', '/1'],
  ['a role without text', '[{"role": "agent"}]', '/0'],
])('%s is refused', (_what, text, path) => {
  try {
    messagesOf(text, 'messages.json');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    const { problem, exit } = error as Failure;
    expect([problem.code, exit, problem.violations?.[0]?.path]).toEqual(['unreadable_input', 2, path]);
    expect(problem.detail).toContain('messages.json');
  }
});
