// An agent that leaves many empty files and says much: the copies of its last message are bounded together.
import { expect, test } from 'vitest';
import { RECOVERED_MAX_BYTES } from '../limits.ts';
import { assessPhase } from './index.ts';
import { copiesOf } from './recovered.ts';

const MIB = 2 ** 20;
const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const bytes = (text: unknown) => Buffer.byteLength(String(text));
const copies = (message: string, count: number, branchReport?: string) => {
  const copy = copiesOf(message, branchReport);
  return Array.from({ length: count }, (_, n) => copy(`artifacts/output/${n}`, `wrote an empty file, ${n}`));
};

test('few are whole, each with its own first line', () => {
  const [one = '', two = ''] = copies('I compared them.', 2, 'branch fix-7');
  expect(two).toBe(one.replace('file, 0', 'file, 1'));
  expect(one).toMatch(/file, 0\.\n> This is .*\n\nI compared them\.\n\n---\n\n## Where .*\n\nbranch fix-7\n$/s);
});

test('of many the first are whole, one is as much as fits, the others say where the whole is', () => {
  const made = copies('é'.repeat(MIB * 0.75), 6);
  expect(made.map((text) => Math.round((bytes(text) / MIB) * 10) / 10)).toEqual([1.5, 1.5, 1, 0, 0, 0]);
  expect(made[2]).toMatch(/\n\né+\n\n\[cut here; the whole message is at artifacts\/output\/0\]\n$/);
  expect(made[3]).toMatch(/file, 3\.\n.*\n\n\[left out here; the whole message is at artifacts\/output\/0\]\n$/);
});

test('the first is whole, however long', () => {
  const [one, two] = copies('x'.repeat(2 * RECOVERED_MAX_BYTES), 2);
  expect([bytes(one) > 2 * RECOVERED_MAX_BYTES, bytes(two) < 1_000]).toEqual([true, true]);
});

test('the branch report counts, and a long path is shown by its beginning', () => {
  const made = copies('I compared them.', 10_000, '😀'.repeat(10_000));
  expect(made.reduce((sum, text) => sum + bytes(text), 0)).toBeLessThan(RECOVERED_MAX_BYTES + 10_000 * 500);
  const copy = copiesOf('x'.repeat(RECOVERED_MAX_BYTES));
  copy(`artifacts/output/${'😀'.repeat(980)}`, 'wrote an empty file');
  expect(bytes(copy('artifacts/output/b', 'wrote an empty file'))).toBeLessThan(1_600);
});

test('ten thousand empty files and a message of 1 MiB are assessed in a moment', () => {
  const files = Array.from({ length: 10_000 }, (_, n) => ({ path: `artifacts/output/${n}.md`, content: '' }));
  const message = `I compared all of the carriers of the second week. ${'x'.repeat(MIB)}`;
  const begun = performance.now();
  const { phase_status, artifacts } = assessPhase({ messages: [message], observation: CLEAN, files });
  expect([phase_status, artifacts.length, artifacts.every(({ recovered }) => recovered)]).toEqual([
    'completed',
    10_000,
    true,
  ]);
  expect(artifacts.reduce((sum, { content }) => sum + bytes(content), 0)).toBeLessThan(RECOVERED_MAX_BYTES + 5 * MIB);
  expect(performance.now() - begun).toBeLessThan(5_000);
});
