import { expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { messagesOf } from './messages.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['nothing', '', []],
  ['blanks', ' \n ', []],
  ['a text', 'I looked.\nTASK_RESULT: {"success": true}\nTASK_RESULT_END\n', null],
  ['an empty array', '[]', []],
  ['an array', ' ["a", {"role": "tool", "text": "b"}]\n', ['a', { role: 'tool', text: 'b' }]],
  ['lines', '"a"\n\n{"role": "agent", "text": "b"}\r\n', ['a', { role: 'agent', text: 'b' }]],
  ['one line', '"a"', ['a']],
])('%s', (_what, text, messages) => {
  expect(messagesOf(bytes(text), 'x')).toEqual({ messages: messages ?? [text], notes: [] });
  expect(messagesOf(bytes(text), 'x', 'text').messages).toEqual(text.trim() === '' ? [] : [text]);
});

const NO_JSON: [string, string, string | undefined][] = [
  ['an array cut short', '["TASK_RESULT: {', undefined],
  ['a link in Markdown', '[the plan](plan.md) is there', undefined],
  ['words in quotation marks', '"Done", it said', undefined],
  ['an object over several lines', '{\n"role": "agent"}', undefined],
  ['a second line that is none', '"a"\nTASK_RESULT:', undefined],
  ['an object that is no message', '{"type": "assistant", "message": {"content": []}}', '/0'],
  ['a number among messages', '["a", 7, null]', '/1'],
  ['a role without text', '[{"role": "agent"}]', '/0'],
];

test.each(NO_JSON)('%s is one message of text, and that is told', (_what, text) => {
  const { messages, notes } = messagesOf(bytes(text), 'messages.json');
  expect([messages, notes.length]).toEqual([[text], 1]);
  expect(notes[0]).toMatch(/^messages\.json begins like JSON and .*: taken as one message of text/);
  expect(messagesOf(bytes(text), 'messages.json', 'text')).toEqual({ messages: [text], notes: [] });
});

test.each([...NO_JSON, ['a text', 'I looked.', undefined], ['a number', '7', '/0']] as typeof NO_JSON)(
  '%s is refused where JSON is wanted',
  (_what, text, path) => {
    try {
      messagesOf(bytes(text), 'messages.json', 'json');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
      const { problem, exit } = error as Failure;
      expect([problem.code, exit, problem.violations?.[0]?.path]).toEqual(['unreadable_input', 2, path]);
      expect(problem.detail).toContain('messages.json');
    }
  },
);

test('a byte that is no UTF-8 is replaced and told, in text and in JSON', () => {
  const broken = (before: string, after: string) => new Uint8Array([...bytes(before), 0xff, ...bytes(after)]);
  const note = 'standard input is not UTF-8 throughout: what cannot be read of it stands as U+FFFD';
  expect(messagesOf(broken('a', 'b'), '-')).toEqual({ messages: ['a\ufffdb'], notes: [note] });
  expect(messagesOf(broken('["a', 'b"]'), '-')).toEqual({ messages: ['a\ufffdb'], notes: [note] });
});
