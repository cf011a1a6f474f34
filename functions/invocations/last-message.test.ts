import { expect, test } from 'vitest';
import { withShortLast } from './last-message.ts';

const MIB = 1_048_576;

test('short ones stay as they are', () => {
  for (const messages of [[], [''], ['a', ' '], ['é'.repeat(400_000)], ['x'.repeat(MIB * 3), 'last']]) {
    expect(withShortLast(messages)).toEqual({ messages, cut: false });
  }
});

test.each(['x', 'é', '€', '😀'])('a long one of %s is cut between characters, and says so', (letter) => {
  const { messages, cut } = withShortLast(['first', `y${letter.repeat(MIB)}`, '\n']);
  expect([cut, messages.length, messages[0], messages[2]]).toEqual([true, 3, 'first', '\n']);
  expect(Buffer.byteLength(messages[1] ?? '')).toBeLessThan(MIB - 64 * 1024);
  expect(messages[1]).toMatch(new RegExp(`^y${letter}+\n\n\\[cut here; the message has \\d+ bytes\\]$`, 'u'));
});
