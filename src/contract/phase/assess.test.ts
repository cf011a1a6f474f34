// Run × report × artifact state over the whole finite product; what is expected of each class is written here by hand, from
// phase-outcomes-tables.md.
import { describe, expect, test } from 'vitest';
import { assessPhase, PhaseInputRefused, RECOVERED_PATH } from './index.ts';

const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const RUNS = {
  clean: CLEAN,
  broken: { ...CLEAN, stream_intact: false },
  'non-zero': { ...CLEAN, exit_code: 3 },
  'non-zero and broken': { ...CLEAN, exit_code: 3, stream_intact: false },
  crashed: { ...CLEAN, exit_code: null },
  'timed out': { ...CLEAN, timed_out: true },
  'timed out, non-zero': { ...CLEAN, timed_out: true, exit_code: 137 },
  interrupted: { ...CLEAN, interrupted: true },
  'interrupted, timed out': { ...CLEAN, interrupted: true, timed_out: true },
  cancelled: { ...CLEAN, cancelled: true },
  'cancelled, interrupted, non-zero': { ...CLEAN, cancelled: true, interrupted: true, exit_code: 1 },
} as const;

const block = (report: object) => `TASK_RESULT: ${JSON.stringify(report)}\nTASK_RESULT_END`;
const REPORTS = {
  none: '',
  success: block({ success: true, side_effects: 'denied' }),
  'failure task': block({ success: false, failure_reason: 'task', side_effects: 'failed', comments: 'too big' }),
  'failure refused': block({ success: false, failure_reason: 'refused' }),
  'failure platform': block({ success: false, failure_reason: 'platform' }),
  'failure unknown': block({ success: false, failure_reason: 'unknown' }),
  'failure, no reason': block({ success: false }),
  'failure, odd reason': block({ success: false, failure_reason: 'the token is missing' }),
  unreadable: 'TASK_RESULT: {"success": "true"}\nTASK_RESULT_END',
} as const;

const OUT = 'artifacts/output/';
const USABLE = 'I read all eight files and wrote down which of them differ';
const IMAGE = { base64: btoa('\u0089PNG\u0000') };
// `written`: paths as they stand; `recovered`: paths that the last message is filed under. `usable`: whether it says enough.
const ARTIFACTS = {
  'a file': { files: [`${OUT}a.md`], usable: true, completes: [`${OUT}a.md`], recovered: [], kept: [`${OUT}a.md`] },
  'a file, nothing said': {
    files: [`${OUT}a.md`],
    usable: false,
    completes: [`${OUT}a.md`],
    recovered: [],
    kept: [`${OUT}a.md`],
  },
  'no file': {
    files: [],
    usable: true,
    completes: [RECOVERED_PATH],
    recovered: [RECOVERED_PATH],
    kept: [RECOVERED_PATH],
  },
  'no file, nothing said': { files: [], usable: false, completes: null, recovered: [], kept: [] },
  'junk alone': {
    files: [`${OUT}__pycache__/x.pyc`],
    usable: true,
    completes: [RECOVERED_PATH],
    recovered: [RECOVERED_PATH],
    kept: [RECOVERED_PATH],
  },
  'an empty file': {
    files: [`${OUT}e.md!`],
    usable: true,
    completes: [`${OUT}e.md`],
    recovered: [`${OUT}e.md`],
    kept: [RECOVERED_PATH],
  },
  'an empty file, nothing said': { files: [`${OUT}e.md!`], usable: false, completes: null, recovered: [], kept: [] },
  'a file and an empty one': {
    files: [`${OUT}a.md`, `${OUT}e.md!`],
    usable: true,
    completes: [`${OUT}a.md`, `${OUT}e.md`],
    recovered: [`${OUT}e.md`],
    kept: [`${OUT}a.md`],
  },
  'a file and an empty one, nothing said': {
    files: [`${OUT}a.md`, `${OUT}e.md!`],
    usable: false,
    completes: null,
    recovered: [],
    kept: [`${OUT}a.md`],
  },
  'an image alone': {
    files: [`${OUT}p.png`],
    usable: true,
    completes: [RECOVERED_PATH, `${OUT}p.png`],
    recovered: [RECOVERED_PATH],
    kept: [RECOVERED_PATH, `${OUT}p.png`],
  },
  'an image and a file': {
    files: [`${OUT}p.png`, `${OUT}a.md`],
    usable: true,
    completes: [`${OUT}p.png`, `${OUT}a.md`],
    recovered: [],
    kept: [`${OUT}p.png`, `${OUT}a.md`],
  },
} as const;

/** [phase_status, failure_classification, reported_failure_reason, reported_side_effects] where the artifact rule is met. */
const clean = {
  none: ['completed', null, null, null],
  success: ['completed', null, null, 'denied'],
  'failure task': ['failed', 'correct_refusal', 'task', null],
  'failure refused': ['failed', 'correct_refusal', 'refused', null],
  'failure platform': ['failed', 'correct_refusal', 'platform', null],
  'failure unknown': ['failed', 'unclassified', 'unknown', null],
  'failure, no reason': ['failed', 'correct_refusal', null, null],
  'failure, odd reason': ['failed', 'correct_refusal', null, null],
  unreadable: ['failed', 'platform', null, null],
} as const;
const PLATFORM = ['failed', 'platform', null, null] as const;
const expectedOf = (run: keyof typeof RUNS, report: keyof typeof REPORTS): readonly (string | null)[] => {
  if (run.startsWith('cancelled')) return ['cancelled', null, null, null];
  if (run.startsWith('interrupted')) return ['interrupted', null, null, null];
  if (run === 'clean') return clean[report];
  if (run === 'broken' && (report === 'none' || report === 'success')) return clean[report];
  return PLATFORM;
};

const cells = Object.keys(RUNS).flatMap((run) =>
  Object.keys(REPORTS).flatMap((report) => Object.keys(ARTIFACTS).map((artifact) => [run, report, artifact] as const)),
) as [keyof typeof RUNS, keyof typeof REPORTS, keyof typeof ARTIFACTS][];

test.each(cells)('%s × %s × %s', (run, report, artifact) => {
  const { files, usable, completes, recovered, kept } = ARTIFACTS[artifact];
  const result = assessPhase({
    messages: [REPORTS[report], usable ? USABLE : 'All done. Thanks!'],
    observation: RUNS[run],
    files: files.map((path) => ({
      path: path.replace('!', ''),
      content: path.endsWith('!') ? '' : path.endsWith('.png') ? IMAGE : 'content',
    })),
    phase: { name: 'Plan', output_types: ['document'] },
  });
  const [status, ...rest] = expectedOf(run, report);
  const unmet = status === 'completed' && completes === null;
  const words = [
    result.phase_status,
    result.failure_classification,
    result.reported_failure_reason,
    result.reported_side_effects,
  ];
  expect(words).toEqual(unmet ? PLATFORM : [status, ...rest]);
  const completed = result.phase_status === 'completed';
  expect(result.artifact_paths).toEqual(completed ? completes : kept);
  expect(result.deliverable_recovered).toBe(completed && recovered.length > 0);
  expect(result.error === null).toBe(result.phase_status !== 'failed');
  const marker = {
    completed: '',
    failed: ' (kept from a failed phase)',
    cancelled: ' (partial)',
    interrupted: ' (partial)',
  }[result.phase_status];
  for (const { path, title, recovered: isRecovered, type, content } of result.artifacts) {
    expect(title).toBe(`Plan${marker}: ${path}${isRecovered ? ' [recovered from transcript]' : ''}`);
    expect(type).toBe('document');
    expect(isRecovered).toBe(completed ? recovered.includes(path as never) : path === RECOVERED_PATH);
    if (isRecovered)
      expect(content).toMatch(
        /^> Recovered from the session transcript[\s\S]*not its intended deliverable[\s\S]*wrote down/,
      );
  }
  expect(result.artifacts.filter(({ primary }) => primary)).toHaveLength(result.artifacts.length > 0 ? 1 : 0);
});

describe('the error', () => {
  const failing = (observation: object, ...messages: string[]) =>
    assessPhase({ messages, observation: { ...CLEAN, ...observation }, files: [], phase: { name: 'Plan' } }).error;
  test('names the phase and quotes the agent', () => {
    expect(failing({}, block({ success: false, comments: 'GH_TOKEN is not set' }))).toBe(
      'phase "Plan" reported a failure: GH_TOKEN is not set',
    );
    expect(failing({}, block({ status: 'failed' }))).toMatch(/"status": "failed" where "success": false belongs/);
    expect(failing({}, 'TASK_RESULT: {oops')).toBe('the report of phase "Plan" could not be read: TASK_RESULT: {oops');
  });
  test('of an unclean run tells the exit code, then the words, then why it counts as platform', () => {
    const error = failing({ exit_code: 9 }, block({ success: false, comments: 'no token' })) ?? '';
    const places = ['exit code 9', 'no token', 'failure of the platform'].map((words) => error.indexOf(words));
    expect(places[0]).toBeGreaterThan(0);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
  test('of an unmet artifact rule names what the phase declared, or the empty file', () => {
    const unmet = (files: object) =>
      assessPhase({
        messages: ['Done.'],
        observation: CLEAN,
        files,
        phase: { name: 'Plan', output_types: ['plan', 'patch'] },
      }).error;
    expect(unmet([])).toMatch(/"Plan" wrote no file \(declared: plan, patch\)/);
    expect(unmet({ 'artifacts/output/e.md': '', 'artifacts/output/a.md': 'text' })).toMatch(
      /empty file, artifacts\/output\/e\.md/,
    );
  });
});

test('only the agent’s own messages count', () => {
  const good = block({ success: true });
  const others = ['user', 'system', 'tool', 'subagent'].map((role) => ({ role, text: good }));
  const files = [{ path: `${OUT}a.md`, content: good }];
  const state = (messages: unknown[]) => assessPhase({ messages, observation: CLEAN, files }).report_state;
  expect(state([...others, { role: 'agent', text: 'I am at work' }])).toBe('not_reported');
  expect(state([...others, { role: 'assistant', text: block({ success: false }) }])).toBe('failure');
});

test('a recovered deliverable says where the work stands, after the message; a kept one does not', () => {
  const phase = { name: 'Plan', branch_report: 'branch fix-7 at 1a2b3c, two commits not pushed' };
  const content = (observation: object) =>
    assessPhase({ messages: [`  ${USABLE}.\n`], observation, files: [], phase }).artifacts[0]?.content;
  expect(content(CLEAN)).toMatch(
    /wrote no file[\s\S]*\n\nI read all[\s\S]*\n\n---\n\n## Where this phase's work stands\n\nbranch fix-7/,
  );
  expect(content({ ...CLEAN, exit_code: 1 })).not.toContain('branch fix-7');
});

test('what lies elsewhere is not collected, and is said', () => {
  const files = {
    'src/index.ts': 'x',
    'artifacts/output/a.md': 'x',
    '/workspace/artifacts/output/b.md': 'y',
    'artifacts/output/__pycache__': 'a file of that name',
  };
  const { artifact_paths, warnings } = assessPhase({ messages: [], observation: CLEAN, files });
  expect(artifact_paths).toEqual(['artifacts/output/a.md', 'artifacts/output/b.md', 'artifacts/output/__pycache__']);
  expect(warnings).toEqual(['1 files outside artifacts/output/ are not collected']);
});

describe('refused, with the path', () => {
  const input = { messages: [], observation: CLEAN, files: [] };
  test.each([
    ['no observation', { messages: [], files: [] }, '/observation'],
    [
      'no exit code',
      { ...input, observation: { stream_intact: true, cancelled: false, timed_out: false } },
      '/observation/exit_code',
    ],
    ['an exit code in words', { ...input, observation: { ...CLEAN, exit_code: '0' } }, '/observation/exit_code'],
    ['half an exit code', { ...input, observation: { ...CLEAN, exit_code: 0.5 } }, '/observation/exit_code'],
    ['an unknown member', { ...input, observation: { ...CLEAN, canceled: true } }, '/observation'],
    ['no messages', { observation: CLEAN, files: [] }, '/messages'],
    ['a message that is none', { ...input, messages: [7] }, '/messages/0'],
    [
      'bytes that are none',
      { ...input, files: [{ path: `${OUT}a`, content: { base64: '***' } }] },
      '/files/0/content/base64',
    ],
    ['an upward path', { ...input, files: [{ path: `${OUT}../../etc/passwd`, content: '' }] }, '/files/0/path'],
    ['an absolute path', { ...input, files: [{ path: '/etc/passwd', content: '' }] }, '/files/0/path'],
    ['a backslash', { ...input, files: [{ path: 'artifacts\\output\\a', content: '' }] }, '/files/0/path'],
    ['a drive', { ...input, files: [{ path: 'C:/artifacts/output/a', content: '' }] }, '/files/0/path'],
    ['a NUL', { ...input, files: [{ path: `${OUT}a\u0000b`, content: '' }] }, '/files/0/path'],
    ['half a surrogate pair', { ...input, files: [{ path: `${OUT}\ud800`, content: '' }] }, '/files/0/path'],
    ['an empty segment', { ...input, files: [{ path: `${OUT}/a`, content: '' }] }, '/files/0/path'],
    ['no path', { ...input, files: [{ path: '', content: '' }] }, '/files/0/path'],
    [
      'one path twice',
      {
        ...input,
        files: [
          { path: `${OUT}a`, content: '1' },
          { path: `/workspace/${OUT}a`, content: '2' },
        ],
      },
      '/files/1/path',
    ],
    [
      'too many files',
      { ...input, files: Array.from({ length: 10_001 }, (_, n) => ({ path: `${OUT}${n}`, content: '' })) },
      '/files',
    ],
    ['nothing', null, ''],
  ])('%s', (_what, document, path) => {
    try {
      assessPhase(document);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(PhaseInputRefused);
      expect((error as PhaseInputRefused).violations[0]?.path).toBe(path);
    }
  });

  test('names that differ only in case are two files', () => {
    const files = [`${OUT}A.md`, `${OUT}a.md`].map((path) => ({ path, content: 'x' }));
    expect(assessPhase({ ...input, files }).artifact_paths).toHaveLength(2);
  });
});
