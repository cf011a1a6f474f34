// docs/phase-outcomes.md against the contract: its words, its tables, and its examples as an agent would write them.
import { expect, test } from 'vitest';
import { blocksOf, page, tableUnder } from '../../../test/support/docs-blocks.ts';
import { ARTIFACT_MAX_BYTES, LARGE_BODY_MAX_BYTES, RECOVERED_MAX_BYTES } from '../limits.ts';
import { FAILURE_REASONS, LONGEST_BLOCK, REPORT_STATES, readMessages, SIDE_EFFECTS } from '../phase-report/index.ts';
import { FAILURE_CLASSES, PHASE_OUTCOMES, PHASE_STATUSES, RECOVERED_PATH, VERDICTS } from './index.ts';
import { MOST_FILES } from './input.ts';

const PAGE = 'docs/phase-outcomes.md';
const text = page(PAGE);

/** The first column of the table with that head. */
function wordsUnder(head: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  expect(start, head).toBeGreaterThan(0);
  const rows = lines.slice(
    start + 2,
    lines.findIndex((line, n) => n > start && line === ''),
  );
  return rows.map((row) => row.split('|')[1]?.trim().replaceAll('`', '') ?? '');
}

test('names each word of the report, and no other', () => {
  expect(wordsUnder('`failure_reason` | says')).toEqual([...FAILURE_REASONS]);
  expect(wordsUnder('`side_effects` | says')).toEqual([...SIDE_EFFECTS]);
  expect(
    tableUnder(PAGE, 'How it is read')
      .slice(1)
      .map(([word]) => word?.replaceAll('`', '')),
  ).toEqual([...REPORT_STATES].reverse());
});

test('names each class, status and code', () => {
  for (const word of [...FAILURE_CLASSES, ...PHASE_STATUSES, RECOVERED_PATH]) expect(text).toContain(`\`${word}\``);
  for (const { code, status } of PHASE_OUTCOMES) {
    if (code !== null && status !== 'timeout') expect(text).toContain(`\`${code}\``);
  }
});

test('what is concluded is told in the order in which it is decided', () => {
  const told = tableUnder(PAGE, 'What is concluded').slice(1);
  // Two lines of the rules, no time and no exit code, are one of the page.
  expect(told).toHaveLength(VERDICTS.length - 1);
  const statuses = told.map(([, , status]) => /`(\w+)`/.exec(status ?? '')?.[1]);
  const decided = VERDICTS.map(({ phase_status }) => phase_status).filter((_, n) => n !== 3);
  expect(statuses).toEqual(decided);
});

test('its examples are read as they say, without a warning', () => {
  const reports = blocksOf(PAGE, '').map((block) => block.text);
  expect(reports).toHaveLength(2);
  const read = reports.map((report) => readMessages([report]));
  expect(read.map(({ state }) => state)).toEqual(['success', 'failure']);
  expect(read.flatMap(({ stands }) => stands?.warnings)).toEqual([]);
});

test('its limits are those that are kept', () => {
  expect(text).toContain(`| files | ${MOST_FILES.toLocaleString('en')};`);
  expect([ARTIFACT_MAX_BYTES, LONGEST_BLOCK]).toEqual([2 ** 20, 4 * 2 ** 20]);
  expect(text).toContain('| one file | 1 MiB in the database');
  expect(text).toContain('| one block | 4 MiB;');
  expect([LARGE_BODY_MAX_BYTES, RECOVERED_MAX_BYTES]).toEqual([16 * 2 ** 20, 4 * 2 ** 20]);
  expect(text).toContain('| one request | 16 MiB');
  expect(text).toContain('| recovered messages | 4 MiB');
});
