// Run × report × artifact state over the whole finite product. What is expected of each class is written here by hand, from
// docs/phase-outcomes.md and the rules behind it; nothing of it is asked of the code under test.
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { assessPhase, RECOVERED_PATH } from './index.ts';
import type { PhaseObservation } from './input.ts';

type Run = Required<PhaseObservation>;
type Words = readonly [status: string, classification: string | null, reason: string | null, effects: string | null];

const FLAGS = [false, true] as const;
const RUNS: Run[] = FLAGS.flatMap((cancelled) =>
  FLAGS.flatMap((interrupted) =>
    FLAGS.flatMap((timed_out) =>
      [0, 1, null].flatMap((exit_code) =>
        FLAGS.map((stream_intact) => ({ cancelled, interrupted, timed_out, exit_code, stream_intact })),
      ),
    ),
  ),
);

const block = (report: object) => `TASK_RESULT: ${JSON.stringify(report)}\nTASK_RESULT_END`;
const failure = (failure_reason?: unknown) => block({ success: false, failure_reason, side_effects: 'failed' });
/** Of each report its text, what a clean run makes of it, and what one whose output broke off does. */
const PLATFORM: Words = ['failed', 'platform', null, null];
const REPORTS: Record<string, readonly [text: string, clean: Words, broken: Words]> = {
  none: ['', ['completed', null, null, null], ['completed', null, null, null]],
  success: [block({ success: true }), ['completed', null, null, null], ['completed', null, null, null]],
  'success, none': [
    block({ success: true, side_effects: 'none' }),
    ['completed', null, null, 'none'],
    ['completed', null, null, 'none'],
  ],
  'success, succeeded': [
    block({ success: true, side_effects: 'succeeded' }),
    ['completed', null, null, 'succeeded'],
    ['completed', null, null, 'succeeded'],
  ],
  'success, denied': [
    block({ success: true, side_effects: 'denied', failure_reason: 'task' }),
    ['completed', null, null, 'denied'],
    ['completed', null, null, 'denied'],
  ],
  'success, failed': [
    block({ success: true, side_effects: 'failed' }),
    ['completed', null, null, 'failed'],
    ['completed', null, null, 'failed'],
  ],
  'success, an odd word': [
    block({ success: true, side_effects: 'Denied' }),
    ['completed', null, null, null],
    ['completed', null, null, null],
  ],
  'failure task': [failure('task'), ['failed', 'correct_refusal', 'task', null], PLATFORM],
  'failure refused': [failure('refused'), ['failed', 'correct_refusal', 'refused', null], PLATFORM],
  'failure platform': [failure('platform'), ['failed', 'correct_refusal', 'platform', null], PLATFORM],
  'failure unknown': [failure('unknown'), ['failed', 'unclassified', 'unknown', null], PLATFORM],
  'failure, no reason': [failure(), ['failed', 'correct_refusal', null, null], PLATFORM],
  'failure, a sentence': [failure('the token is missing'), ['failed', 'correct_refusal', null, null], PLATFORM],
  'unreadable, a wrong type': [block({ success: 'true', status: 'completed' }), PLATFORM, PLATFORM],
  'unreadable, not closed': ['TASK_RESULT: {"success": true}', PLATFORM, PLATFORM],
};

const OUT = 'artifacts/output/';
const [TEXT, EMPTY, IMAGE, JUNK] = [`${OUT}a.md`, `${OUT}e.md`, `${OUT}p.png`, `${OUT}__pycache__/x.pyc`];
const CONTENT = {
  [TEXT]: 'content',
  [EMPTY]: '',
  [IMAGE]: { base64: btoa('\u0089PNG\u0000') },
  [JUNK]: 'junk',
};
const USABLE = 'I read all eight files and wrote down which of them differ';
const R = RECOVERED_PATH;

interface State {
  files: string[];
  usable: boolean;
  /** What a phase about to complete stores, the primary first in `primary`; null: nothing to build on. */
  completes: string[] | null;
  recovered: string[];
  primary: string | undefined;
  /** What one that will not complete keeps. */
  kept: string[];
  keptPrimary: string | undefined;
}
const state = (
  files: string[],
  usable: boolean,
  completes: string[] | null,
  recovered: string[],
  primary: string | undefined,
  kept: string[],
  keptPrimary: string | undefined,
): State => ({ files, usable, completes, recovered, primary, kept, keptPrimary });

// Every set of a text, an empty file and an image; then the last message usable and not.
const STATES_WITHOUT_JUNK: State[] = [
  state([], true, [R], [R], R, [R], R),
  state([], false, null, [], undefined, [], undefined),
  state([TEXT], true, [TEXT], [], TEXT, [TEXT], TEXT),
  state([TEXT], false, [TEXT], [], TEXT, [TEXT], TEXT),
  state([EMPTY], true, [EMPTY], [EMPTY], EMPTY, [R], R),
  state([EMPTY], false, null, [], undefined, [], undefined),
  state([IMAGE], true, [R, IMAGE], [R], R, [R, IMAGE], R),
  state([IMAGE], false, [IMAGE], [], IMAGE, [IMAGE], IMAGE),
  state([TEXT, EMPTY], true, [TEXT, EMPTY], [EMPTY], TEXT, [TEXT], TEXT),
  state([TEXT, EMPTY], false, null, [], undefined, [TEXT], TEXT),
  state([IMAGE, TEXT], true, [IMAGE, TEXT], [], TEXT, [IMAGE, TEXT], TEXT),
  state([IMAGE, TEXT], false, [IMAGE, TEXT], [], TEXT, [IMAGE, TEXT], TEXT),
  state([IMAGE, EMPTY], true, [IMAGE, EMPTY], [EMPTY], EMPTY, [R, IMAGE], R),
  state([IMAGE, EMPTY], false, null, [], undefined, [IMAGE], IMAGE),
  state([EMPTY, IMAGE, TEXT], true, [EMPTY, IMAGE, TEXT], [EMPTY], EMPTY, [IMAGE, TEXT], TEXT),
  state([EMPTY, IMAGE, TEXT], false, null, [], undefined, [IMAGE, TEXT], TEXT),
];
// Junk is as nothing.
const STATES = STATES_WITHOUT_JUNK.flatMap((one) => [one, { ...one, files: [JUNK, ...one.files] }]);

/** Cancelled beats interrupted, which beats timed out, which beats the exit code, which beats the stream. */
function expectedOf(run: Run, report: string): Words {
  const [, clean, broken] = REPORTS[report] ?? expect.unreachable();
  if (run.cancelled) return ['cancelled', null, null, null];
  if (run.interrupted) return ['interrupted', null, null, null];
  if (run.timed_out) return PLATFORM;
  if (run.exit_code !== 0) return PLATFORM;
  return run.stream_intact ? clean : broken;
}

const MARKERS: Record<string, string> = {
  completed: '',
  failed: ' (kept from a failed phase)',
  cancelled: ' (partial)',
  interrupted: ' (partial)',
};

test.each(RUNS)('%j × every report × every state of artifacts', (run) => {
  for (const report of Object.keys(REPORTS)) for (const of of STATES) requireExpected(run, report, of);
});

function requireExpected(run: Run, report: string, of: State): void {
  const result = assessPhase({
    messages: [REPORTS[report]?.[0], of.usable ? USABLE : 'All done. Thanks!'],
    observation: run,
    files: of.files.map((path) => ({ path, content: CONTENT[path] })),
    phase: { name: 'Plan', output_types: ['document'] },
  });
  const expected = expectedOf(run, report);
  const words = expected[0] === 'completed' && of.completes === null ? PLATFORM : expected;
  const [status] = words;
  const completed = status === 'completed';
  const paths = completed ? (of.completes ?? []) : of.kept;
  const primary = completed ? of.primary : of.keptPrimary;
  const recovered = completed ? of.recovered : of.kept.filter((path) => path === R);
  const actual = {
    words: [
      result.phase_status,
      result.failure_classification,
      result.reported_failure_reason,
      result.reported_side_effects,
    ],
    deliverable_recovered: result.deliverable_recovered,
    explained: result.error !== null,
    paths: result.artifact_paths,
    artifacts: result.artifacts.map(({ content, ...about }) => ({ ...about, content: shown(content) })),
  };
  const wanted = {
    words,
    deliverable_recovered: completed && recovered.length > 0,
    explained: status === 'failed',
    paths,
    artifacts: paths.map((path) => ({
      path,
      title: `Plan${MARKERS[status]}: ${path}${recovered.includes(path) ? ' [recovered from transcript]' : ''}`,
      type: 'document',
      recovered: recovered.includes(path),
      primary: path === primary,
      content: recovered.includes(path) ? 'the last message, marked' : CONTENT[path],
    })),
  };
  // Thousands of cells: a comparison that can explain itself is only made where there is something to explain.
  if (!isDeepStrictEqual(actual, wanted)) {
    expect(actual, `${JSON.stringify(run)} × ${report} × ${JSON.stringify(of)}`).toEqual(wanted);
  }
}

const RECOVERED = /^> Recovered from the session transcript[\s\S]*not its intended deliverable[\s\S]*wrote down/;
const shown = (content: unknown) =>
  typeof content === 'string' && RECOVERED.test(content) ? 'the last message, marked' : content;
