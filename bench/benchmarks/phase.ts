import { PhaseReportReader } from '../../src/contract/phase-report/index.ts';
import { randomFrom } from '../../test/support/random.ts';
import { interleave } from '../measure/interleave.ts';
import { comparisonTable } from '../report/comparison.ts';

const MARKER = 'TASK_RESULT:';
const PIECE = 64 * 1024;
const SEED = 6_101;

/** The reader over an ordinary transcript, in pieces as they arrive, against `indexOf` of the marker over the same text. Rates are MB/s. */
export async function phase(): Promise<string> {
  const transcript = ordinary(50_000_000);
  const scan = {
    name: 'indexOf',
    async slice() {
      let found = 0;
      for (const message of transcript)
        for (let at = message.indexOf(MARKER); at >= 0; at = message.indexOf(MARKER, at + 1)) found += 1;
      if (found === 0) throw new Error('nothing was found');
      return 50;
    },
  };
  const reader = (size: number) => ({
    name: 'reader',
    async slice() {
      const one = new PhaseReportReader();
      for (const message of transcript) {
        for (let at = 0; at < message.length; at += size) one.push(message.slice(at, at + size));
        one.endMessage();
      }
      if (one.report().state !== 'success') throw new Error('the report was not read');
      return 50;
    },
  });
  const results = [];
  for (const [what, size] of [
    ['whole messages', Number.POSITIVE_INFINITY],
    ['pieces of 64 KiB', PIECE],
  ] as const) {
    const [theirs, ours] = await interleave([scan, reader(size)], { rounds: 15, warmup: 3 });
    if (theirs && ours) results.push({ what, theirs, ours, bar: 1 / 3 });
  }
  return comparisonTable('indexOf, MB', 'reader, MB', results);
}

/** Messages of 2 to 40 kB of prose, code and JSON, the last with a report. */
function ordinary(size: number): string[] {
  const random = randomFrom(SEED);
  const words = [
    'the',
    'file',
    'function',
    'returns',
    '{"a": [1, 2]}',
    'TASK',
    'RESULT',
    'because',
    '`code`',
    'é',
    '\n',
    '    if (x) {',
    '}',
    'and',
  ];
  const paragraph = Array.from({ length: 4_000 }, () => words[Math.floor(random() * words.length)]).join(' ');
  const messages: string[] = [];
  for (let made = 0; made < size; ) {
    const message = paragraph.slice(Math.floor(random() * 1_000)).repeat(1 + Math.floor(random() * 2));
    messages.push(message);
    made += message.length;
  }
  messages.push(
    'All of it is there.\nTASK_RESULT: {"success": true, "side_effects": "none", "comments": "done"}\nTASK_RESULT_END',
  );
  return messages;
}
