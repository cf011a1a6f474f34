// `outcome-ledger phase` against a ledger: conclude from a workspace, the next phase's inputs, artifacts, failure rates.
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLedger, type Ledger } from '../src/client/index.ts';
import type { LedgerRole } from '../src/stack/index.ts';
import { cliHere } from './support/cli-here.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
const AGENT = { id: 'planner', version: '1.0.0', domain: 'shop' };
const root = mkdtempSync(join(tmpdir(), 'outcome-ledger-cli-conclude-'));
let tenantId: string;
let token: string;
let ledger: Ledger;
let workspace: string;

beforeAll(async () => {
  tenantId = (await stack.createTenant({ open: true })).tenantId;
  token = await tokenOf('orchestrator', 'orc-1');
  ledger = createLedger({ url: stack.functionsUrl, accessToken: token });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  workspace = mkdtempSync(join(root, 'workspace-'));
  put('artifacts/output/plan.md', '# Plan');
});

const tokenOf = (role: LedgerRole, actorId: string) => stack.mintToken({ tenantId, role, actorId });
const cli = (...args: string[]) => cliHere(['phase', ...args, '--url', stack.functionsUrl, '--token', token]);
function put(path: string, content: string | Uint8Array): string {
  const file = join(workspace, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
}
async function started(over: object = {}): Promise<string> {
  const start = { source: AGENT, correlation_id: `corr-${randomUUID()}`, causation_id: 'event-1', ...over };
  return (await ledger.invocations.start(start)).record.invocation_id;
}
const report = (json: object) => `TASK_RESULT: ${JSON.stringify(json)}\nTASK_RESULT_END`;
const GOOD = report({ success: true, side_effects: 'denied', comments: 'the plan is there' });
const messages = (...all: unknown[]) => put('messages.json', JSON.stringify(all));
const conclude = (id: string, file: string, ...more: string[]) =>
  cli('conclude', id, '--messages', file, '--exit-code', '0', '--workspace', workspace, ...more);

describe('phase conclude', () => {
  test('records what the agent said and left; the same again is a replay; other content a conflict', async () => {
    const id = await started({ step_name: 'Plan' });
    put('artifacts/output/data/raw.bin', new Uint8Array([0, 255]));
    const first = await conclude(id, messages('at work', GOOD), '--output-type', 'document', '--json');
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.json()).toMatchObject({
      invocation_id: id,
      phase_status: 'completed',
      reported_side_effects: 'denied',
      replayed: false,
      skipped: [],
      artifacts: [
        { path: 'artifacts/output/plan.md', title: 'Plan: artifacts/output/plan.md', type: 'document', primary: true },
        { path: 'artifacts/output/data/raw.bin', size_bytes: 2, primary: false },
      ],
      outcome: { status: 'success', result: { comments: 'the plan is there' } },
    });
    const again = await conclude(id, messages('at work', GOOD), '--output-type', 'document');
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.stdout).toMatch(/^completed {2}[0-9a-f-]{36}\n/);
    expect(again.stdout).toContain('it had been concluded so before');
    const other = await conclude(id, messages('at work', GOOD), '--json');
    expect([other.code, other.json()['code']]).toEqual([1, 'outcome_conflict']);
  });

  test.each([
    [
      'a reported failure',
      [],
      report({ success: false, failure_reason: 'task', comments: 'too big' }),
      'failed',
      'failure',
    ],
    ['another exit code', ['--exit-code', '-9'], GOOD, 'failed', 'failure'],
    ['no exit code', ['--exit-code', 'none'], GOOD, 'failed', 'failure'],
    ['a broken stream', ['--stream-broken'], report({ success: false }), 'failed', 'failure'],
    ['out of time', ['--timed-out'], GOOD, 'failed', 'timeout'],
    ['cancelled', ['--cancelled', '--interrupted'], GOOD, 'cancelled', 'failure'],
    ['interrupted', ['--interrupted', '--timed-out'], GOOD, 'interrupted', 'failure'],
  ])('%s is recorded, and exit 1', async (_what, options, said, phase_status, status) => {
    const answer = await conclude(await started(), messages(said), ...options, '--name', 'Sketch', '--json');
    expect([answer.code, answer.stderr]).toEqual([1, '']);
    expect(answer.json()).toMatchObject({ phase_status, outcome: { status } });
    expect(answer.json()['artifacts'][0].title).toMatch(/^Sketch \((kept from a failed phase|partial)\): /);
  });

  test('messages as lines or as one text; no workspace leaves no files', async () => {
    const said = 'I compared both carriers, and the second is cheaper from week two.';
    for (const file of [put('m', `"at work"\n${JSON.stringify(said)}\n`), put('m2', `at work\n${said}`)]) {
      const answer = await cli('conclude', await started(), '--messages', file, '--exit-code', '0', '--json');
      expect([answer.code, answer.stderr]).toEqual([0, '']);
      expect(answer.json()).toMatchObject({ report_state: 'not_reported', deliverable_recovered: true });
    }
  });

  test('what is not collected is told', async () => {
    symlinkSync('/etc/passwd', join(workspace, 'artifacts/output/pass\u001bwd'));
    symlinkSync('/etc/passwd', join(workspace, 'artifacts/output/link'));
    const answer = await conclude(await started(), messages(GOOD), '--json');
    expect(answer.code).toBe(0);
    expect(answer.stderr).toBe(
      'not collected: artifacts/output/link: is a symbolic link\n' +
        'not collected: artifacts/output/pass\\u001bwd: its path holds a control character\n',
    );
    expect(answer.json()['artifacts']).toHaveLength(1);
    expect(answer.json()['skipped']).toHaveLength(2);
    expect(answer.stdout).not.toContain('root:');
  });

  test.each<[string, (id: string) => string[], number, string]>([
    [
      'an unknown invocation',
      () => [randomUUID(), '--messages', messages(), '--exit-code', '0'],
      1,
      'unknown_invocation',
    ],
    ['no id', () => ['x', '--messages', messages(), '--exit-code', '0'], 2, 'usage'],
    ['no exit code', (id) => [id, '--messages', messages()], 2, 'usage'],
    ['an exit code in words', (id) => [id, '--messages', messages(), '--exit-code', 'ok'], 2, 'usage'],
    [
      'an exit code of 64 bits',
      (id) => [id, '--messages', messages(), '--exit-code', '9999999999'],
      2,
      'request_invalid',
    ],
    ['no messages', (id) => [id, '--exit-code', '0'], 2, 'usage'],
    [
      'a file that is not there',
      (id) => [id, '--messages', join(workspace, 'no'), '--exit-code', '0'],
      2,
      'unreadable_input',
    ],
    [
      'JSON cut short',
      (id) => [id, '--messages', put('m', '["'), '--messages-format', 'json', '--exit-code', '0'],
      2,
      'unreadable_input',
    ],
    [
      'no message',
      (id) => [id, '--messages', messages(7), '--messages-format', 'json', '--exit-code', '0'],
      2,
      'unreadable_input',
    ],
    [
      'another format',
      (id) => [id, '--messages', messages(), '--messages-format', 'yaml', '--exit-code', '0'],
      2,
      'usage',
    ],
    [
      'no workspace',
      (id) => [id, '--messages', messages(), '--exit-code', '0', '--workspace', join(root, 'no')],
      2,
      'workspace_unreadable',
    ],
    ['an empty name', (id) => [id, '--messages', messages(), '--exit-code', '0', '--name', ''], 2, 'request_invalid'],
  ])('%s is refused and writes nothing', async (_what, argsOf, code, problem) => {
    const id = await started();
    const answer = await cli('conclude', ...argsOf(id), '--json');
    expect([answer.code, answer.json()['code']], answer.stdout).toEqual([code, problem]);
    expect((await ledger.invocations.get(id)).state).toBe('running');
  });

  test('too much is refused before anything is sent', async () => {
    put('artifacts/output/large', new Uint8Array(17 * 2 ** 20));
    const answer = await conclude(await started(), messages(GOOD), '--json');
    expect([answer.code, answer.json()['code']]).toEqual([2, 'output_too_large']);
    expect(answer.json()['path']).toBe('artifacts/output/large');
  });

  test('whatever the agent said is concluded: what only begins like JSON, and bytes that are no UTF-8', async () => {
    const said = `[The plan](plan.md) is there.\n${GOOD}`;
    const answer = await conclude(await started(), put('m', said), '--json');
    expect([answer.code, answer.json()['report_state']]).toEqual([0, 'success']);
    expect(answer.stderr).toContain('begins like JSON and is not a JSON array');
    const forced = await conclude(await started(), put('m', said), '--messages-format', 'text', '--json');
    expect([forced.code, forced.stderr]).toEqual([0, '']);
    const broken = await conclude(
      await started(),
      put('m', Buffer.concat([Buffer.of(0xff), Buffer.from(`\n${GOOD}`)])),
    );
    expect([broken.code, broken.stderr.includes('is not UTF-8 throughout')]).toEqual([0, true]);
  });

  test('messages that make the request too large are told before it is sent', async () => {
    put('artifacts/output/large', 'x'.repeat(9 * 2 ** 20));
    const id = await started();
    const answer = await conclude(id, messages('y'.repeat(8 * 2 ** 20), GOOD), '--json');
    expect([answer.code, answer.json()['code'], answer.json()['path']]).toEqual([2, 'payload_too_large', '/files']);
    expect((await ledger.invocations.get(id)).state).toBe('running');
  });

  test('nobody concludes about itself', async () => {
    const id = await started();
    for (const [role, actor] of [
      ['agent', AGENT.id],
      ['worker', AGENT.id],
      ['auditor', 'anna'],
    ] as const) {
      const own = ['--url', stack.functionsUrl, '--token', await tokenOf(role, actor)];
      const answer = await cliHere([
        'phase',
        'conclude',
        id,
        '--messages',
        messages(GOOD),
        '--exit-code',
        '0',
        ...own,
        '--json',
      ]);
      expect([answer.code, answer.json()['code']]).toEqual([2, 'not_permitted']);
    }
  });
});

describe('phase artifact', () => {
  let text: string;
  let binary: string;
  beforeAll(async () => {
    const { record } = await ledger.invocations.conclude(await started(), {
      messages: [GOOD],
      observation: { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false },
      files: { 'artifacts/output/a.md': 'one\u001b[31m\r\ntwo', 'artifacts/output/b': new Uint8Array([0, 255]) },
    });
    [text = '', binary = ''] = record.artifacts.map(({ artifact_id }) => artifact_id);
  });

  test('shows a text, its control characters spelled out', async () => {
    const { code, stdout } = await cli('artifact', text);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^artifact {4}[0-9a-f-]{36}\n/);
    expect(stdout).toContain('\n\none\\u001b[31m\ntwo\n');
    expect((await cli('artifact', binary)).stdout).toContain('--output FILE');
    expect((await cli('artifact', text, '--json')).json()).toMatchObject({ content: 'one\u001b[31m\r\ntwo' });
  });

  test('writes its very bytes', async () => {
    const file = join(workspace, 'out');
    const answer = await cli('artifact', text, '--output', file, '--json');
    expect(answer.json()).toMatchObject({ artifact_id: text, written: file });
    expect(answer.json()['content']).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('one\u001b[31m\r\ntwo');
    expect((await cli('artifact', binary, '-o', file)).stdout).toBe(`${file}: 2 bytes\n`);
    expect([...readFileSync(file)]).toEqual([0, 255]);
    const sent: unknown[] = [];
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((bytes: unknown, done?: unknown) => {
      sent.push(bytes);
      (done as () => void)();
      return true;
    });
    const piped = await cli('artifact', binary, '--output', '-').finally(() => write.mockRestore());
    expect([piped.code, piped.stdout]).toEqual([0, '']);
    expect(sent.map((bytes) => [...(bytes as Uint8Array)])).toEqual([[0, 255]]);
  });

  test('what cannot be is refused', async () => {
    const unknown = await cli('artifact', randomUUID(), '--json');
    expect([unknown.code, unknown.json()['code']]).toEqual([1, 'unknown_artifact']);
    const both = await cli('artifact', text, '--output', '-', '--json');
    expect([both.code, both.json()['code']]).toEqual([2, 'usage']);
    const nowhere = await cli('artifact', text, '--output', join(workspace, 'no/x'), '--json');
    expect([nowhere.code, nowhere.json()['code']]).toEqual([2, 'output_unwritable']);
  });
});

describe('phase inputs', () => {
  let next: string;
  beforeAll(async () => {
    const execution = await ledger.executions.start({
      source: { id: 'WF-1', version: '1.0.0', domain: 'shop' },
      correlation_id: `corr-${randomUUID()}`,
      causation_id: 'event-1',
      execution_pattern: 'sequential',
    });
    const { execution_id } = execution.record;
    const first = await started({ execution_id, step_id: 'plan' });
    await ledger.invocations.conclude(first, {
      messages: [GOOD],
      observation: { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false },
      files: { 'artifacts/output/plan.md': '# Plan', 'artifacts/output/data/x.bin': new Uint8Array([0, 1]) },
    });
    next = await started({ execution_id, step_id: 'build' });
  });
  const below = () => readdirSync(join(workspace, 'artifacts/input'), { recursive: true }).sort();

  test('lists them', async () => {
    const listed = await cli('inputs', next, '--json');
    expect(
      listed
        .json()
        ['items'].map(({ path }: { path: string }) => path)
        .sort(),
    ).toEqual(['artifacts/input/plan.md', 'artifacts/input/plan/data/x.bin', 'artifacts/input/plan/plan.md']);
    expect((await cli('inputs', next)).stdout).toMatch(/artifacts\/input\/plan\/plan\.md +6 /);
    const none = await cli('inputs', await started());
    expect([none.code, none.stdout]).toEqual([0, 'no inputs\n']);
  });

  test('writes them, twice the same', async () => {
    const first = await cli('inputs', next, '--workspace', workspace, '--json');
    expect(first.code).toBe(0);
    expect(first.json()['written']).toHaveLength(3);
    expect(below()).toEqual(['plan', 'plan.md', 'plan/data', 'plan/data/x.bin', 'plan/plan.md']);
    expect(readFileSync(join(workspace, 'artifacts/input/plan.md'), 'utf8')).toBe('# Plan');
    expect([...readFileSync(join(workspace, 'artifacts/input/plan/data/x.bin'))]).toEqual([0, 1]);
    const second = await cli('inputs', next, '--workspace', workspace, '--json');
    expect(second.json()).toMatchObject({
      written: [],
      unchanged: expect.arrayContaining(['artifacts/input/plan.md']),
    });
    put('artifacts/input/plan.md', '# Plot');
    const third = await cli('inputs', next, '--workspace', workspace, '--json');
    expect([third.code, third.json()['code'], third.json()['path']]).toEqual([
      1,
      'input_exists',
      'artifacts/input/plan.md',
    ]);
  });

  test('never through a link', async () => {
    const outside = mkdtempSync(join(root, 'outside-'));
    symlinkSync(outside, join(workspace, 'artifacts/input'));
    const answer = await cli('inputs', next, '--workspace', workspace, '--json');
    expect([answer.code, answer.json()['code']]).toEqual([1, 'input_exists']);
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(outside, 'plan.md'))).toBe(false);
  });

  test('an invocation that is not there is told', async () => {
    const answer = await cli('inputs', randomUUID(), '--json');
    expect([answer.code, answer.json()['code']]).toEqual([1, 'unknown_invocation']);
  });
});

describe('phase failures', () => {
  test('counts, and rates where there is a base', async () => {
    const source = { ...AGENT, id: `counted-${randomUUID()}` };
    const ends: [string, object][] = [
      [GOOD, {}],
      [report({ success: false }), {}],
      [GOOD, { exit_code: 1 }],
      [GOOD, { cancelled: true }],
    ];
    for (const [said, over] of ends) {
      const observation = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false, ...over };
      const files = { 'artifacts/output/a.md': 'x' };
      await ledger.invocations.conclude(await started({ source }), { messages: [said], observation, files });
    }
    const answer = await cli('failures', '--source', source.id, '--json');
    expect(answer.json()).toEqual({
      items: [
        {
          source_id: source.id,
          source_version: '1.0.0',
          domain: 'shop',
          concluded: 4,
          completed: 1,
          failed: 2,
          cancelled: 1,
          interrupted: 0,
          platform: 1,
          correct_refusal: 1,
          unclassified: 0,
          failure_rate: expect.closeTo(2 / 3),
          platform_rate: expect.closeTo(1 / 3),
        },
      ],
    });
    const shown = await cli('failures', '--source', source.id, '--source-version', '1.0.0', '--domain', 'shop');
    expect(shown.stdout).toMatch(/66\.7 % +33\.3 %/);
    const later = await cli('failures', '--source', source.id, '--from', '2999-01-01T00:00:00Z');
    expect([later.code, later.stdout]).toEqual([0, 'nothing was concluded\n']);
    const cancelled = { ...AGENT, id: `cancelled-${randomUUID()}` };
    await ledger.invocations.conclude(await started({ source: cancelled }), {
      messages: [],
      observation: { exit_code: null, stream_intact: false, cancelled: true, timed_out: false },
      files: [],
    });
    expect((await cli('failures', '--source', cancelled.id)).stdout).toMatch(/– +–\n/);
  });

  test('a time that is none is refused', async () => {
    const answer = await cli('failures', '--from', 'yesterday', '--json');
    expect([answer.code, answer.json()['code']]).toEqual([2, 'request_invalid']);
  });
});
