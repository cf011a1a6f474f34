import { describe, expect, test } from 'vitest';
import { assessPhase } from '../../src/contract/phase/index.ts';
import { readMessages } from '../../src/contract/phase-report/index.ts';
import { reportOf, resultOf } from './conclusion-report.ts';

const OBSERVED = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false, interrupted: false };
const block = (words: object) => `TASK_RESULT: ${JSON.stringify(words)}\nTASK_RESULT_END`;
const assess = (messages: string[]) =>
  assessPhase({ messages, observation: OBSERVED, files: [{ path: 'artifacts/output/a.md', content: 'a' }] });
const reported = (...messages: string[]) => reportOf(readMessages(messages), assess(messages), OBSERVED);
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('of the claims', () => {
  test('none is kept when nothing was reported', () => {
    expect(reported('Done.')).toMatchObject({
      report_state: 'not_reported',
      claims: [],
      claims_total: 0,
      stands: null,
    });
  });

  test('the strongest stands, of equals the later', () => {
    const messages = [{ success: true }, { success: false, comments: 'one' }, { success: false, comments: 'two' }].map(
      block,
    );
    for (const order of [messages, messages.toReversed()]) {
      const { claims, stands } = reported(...order);
      expect(claims).toHaveLength(3);
      const last = order.findLast((message) => message.includes('false'));
      expect(claims[stands ?? -1]?.text).toBe(last);
    }
  });

  test.each([0, 50, 99, 100, 5_000])(
    'the one that stands is told where it is when it was number %i of many',
    (place) => {
      const words = Array.from({ length: 6_000 }, (_, n) => block({ success: n !== place, comments: `${n}` }));
      const { claims, claims_total, stands } = reported(...words);
      expect([claims_total, claims.length]).toEqual([6_000, place < 100 ? 100 : 101]);
      expect(claims[stands ?? -1]?.comments).toBe(`${place}`);
    },
  );

  test('what is long is cut, what does not fit is left out, and one document takes the rest', () => {
    const long = block({ success: false, comments: '\u0001€'.repeat(60_000) });
    const report = reported(...Array.from({ length: 40 }, () => long), block({ success: true }));
    expect(bytes(report)).toBeLessThan(1_048_576);
    expect(report.claims[report.stands ?? -1]).toMatchObject({ state: 'failure' });
    expect(report.claims.length).toBeGreaterThan(1);
    expect(report.claims_total).toBe(41);
  });

  test('escapes of what no text holds are replaced where they were decoded alone', () => {
    const text = 'TASK_RESULT: {"success": true, "comments": "\\u0000 \\ud83d \\ud83d\\ude00"}\nTASK_RESULT_END';
    expect(reported(text).claims[0]).toMatchObject({ comments: '\ufffd \ufffd 😀', text });
  });
});

describe('a result that the ledger makes', () => {
  const made = (messages: string[], artifacts: { path: string; sha256: string }[]) =>
    resultOf(readMessages(messages), assess(messages), artifacts);

  test('lists the artifacts beside the agent’s comments', () => {
    const artifact = { path: 'artifacts/output/a.md', sha256: 'f'.repeat(64) };
    expect(made([block({ success: true, comments: 'as asked' })], [artifact])).toEqual({
      comments: 'as asked',
      artifacts: [artifact],
      deliverable_recovered: false,
    });
    expect(made(['Done.'], [])).toMatchObject({ comments: '', artifacts: [] });
  });

  test('fits into an envelope, and counts what it does not list', () => {
    const artifacts = Array.from({ length: 10_000 }, (_, n) => ({
      path: `${'é'.repeat(900)}${n}`,
      sha256: 'f'.repeat(64),
    }));
    const result = made([block({ success: true, comments: '😀'.repeat(100_000) })], artifacts);
    expect(bytes(result)).toBeLessThan(700_000);
    expect((result['artifacts'] as unknown[]).length + Number(result['artifacts_omitted'])).toBe(10_000);
    expect(result['comments']).toMatch(/^(😀)+…$/u);
  });
});
