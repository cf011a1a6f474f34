// What an assessment says besides (product.test.ts holds the table), and what is refused.
import { describe, expect, test } from 'vitest';
import { assessPhase, PhaseInputRefused } from './index.ts';

const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };
const block = (report: object) => `TASK_RESULT: ${JSON.stringify(report)}\nTASK_RESULT_END`;
const OUT = 'artifacts/output/';
const USABLE = 'I read all eight files and wrote down which of them differ';

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

test('a binary file of the very name that a recovered message has keeps it', () => {
  const image = { base64: btoa('\u0000') };
  const named = (n: string) => `${OUT}recovered-from-transcript${n}.md`;
  for (const [observation, files, paths] of [
    [CLEAN, { [named('')]: image }, [named('-2'), named('')]],
    [CLEAN, { [named('')]: image, [named('-2')]: image }, [named('-3'), named(''), named('-2')]],
    [{ ...CLEAN, cancelled: true }, { [named('')]: image }, [named('-2'), named('')]],
    [{ ...CLEAN, cancelled: true }, { [named('')]: '' }, [named('')]],
  ] as const) {
    expect(assessPhase({ messages: [USABLE], observation, files }).artifact_paths).toEqual(paths);
  }
});

test('a recovered message does not take the name of a folder', () => {
  const files = { [`${OUT}recovered-from-transcript.md/x.png`]: { base64: btoa('\u0000') } };
  const { artifact_paths } = assessPhase({ messages: [USABLE], observation: CLEAN, files });
  expect(artifact_paths[0]).toBe(`${OUT}recovered-from-transcript-2.md`);
});

test('bytes that are no UTF-8 are no text, and text in base64 is', () => {
  const files = { [`${OUT}a`]: { base64: '//4=' }, [`${OUT}b`]: { base64: btoa('plan') } };
  const primary = (given: object) =>
    assessPhase({ messages: [USABLE], observation: CLEAN, files: given }).artifacts.find(
      (artifact) => artifact.primary,
    );
  expect(primary(files)?.path).toBe(`${OUT}b`);
  expect(primary({ [`${OUT}a`]: { base64: '//4=' } })?.recovered).toBe(true);
});

test('a long path is shown by its beginning in titles', () => {
  const path = `${OUT}${'😀'.repeat(983)}`;
  const { artifacts } = assessPhase({ messages: [], observation: CLEAN, files: { [path]: 'x' } });
  expect(artifacts[0]?.path).toBe(path);
  expect(artifacts[0]?.title).toMatch(/^artifacts\/output\/(😀){283}…$/u);
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
    ['content of a number', { ...input, files: [{ path: `${OUT}a`, content: 7 }] }, '/files/0/content'],
    ['content of nothing, in a map', { ...input, files: { [`${OUT}a`]: null } }, '/files/artifacts~1output~1a'],
    ['files that are none', { ...input, files: 'a' }, '/files'],
    ['a file that is none', { ...input, files: [null] }, '/files/0'],
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
    ['a path too long', { ...input, files: [{ path: `${OUT}${'😀'.repeat(984)}`, content: '' }] }, '/files/0/path'],
    [
      'a folder of another file',
      {
        ...input,
        files: [
          { path: `${OUT}a-b`, content: '1' },
          { path: `/workspace/${OUT}a`, content: '2' },
          { path: `${OUT}a.md`, content: '3' },
          { path: `${OUT}a/b/c`, content: '4' },
        ],
      },
      '/files/1/path',
    ],
    [
      'a folder of another file, in a map',
      { ...input, files: { [`${OUT}a/b`]: '1', [`${OUT}a`]: '' } },
      '/files/artifacts~1output~1a',
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

  test('and a path of which another one is the beginning is no folder', () => {
    const files = ['a', 'a.b', 'a-b', 'ab', 'a b', 'A/b'].map((name) => ({ path: `${OUT}${name}`, content: 'x' }));
    expect(assessPhase({ ...input, files }).artifact_paths).toHaveLength(files.length);
  });

  test('names that differ only in case are two files', () => {
    const files = [`${OUT}A.md`, `${OUT}a.md`].map((path) => ({ path, content: 'x' }));
    expect(assessPhase({ ...input, files }).artifact_paths).toHaveLength(2);
  });
});
