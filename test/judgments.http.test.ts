// Judgments over HTTP, through the client and on the command line: evidence, reading, the gate, waiting, statistics.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLedger, type Ledger } from '../src/client/index.ts';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { cliHere } from './support/cli-here.ts';
import { type Document, envelopeFor, executionStart, invocationStart } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
const VERIFIER = { role: 'worker', actorId: 'verifier-1' } as const;
const HUMAN = { role: 'operator', actorId: 'hanna' } as const;
let tenantId: string;
let api: Api;
let verifier: Api;
let operator: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
  verifier = await apiOf(stack, { tenantId, ...VERIFIER });
  operator = await apiOf(stack, { tenantId, ...HUMAN });
});

const ENDED = { started: true, timed_out: false, system_fault: false, exit_code: 0 };
const PASSED = { verification: 'passed', process: ENDED, command: 'npm test' };
const FAILED = { verification: 'failed', process: { ...ENDED, exit_code: 2 }, command: 'npm test' };

async function begin(over: Document = {}): Promise<string> {
  const start = invocationStart({ verify: 'auto', ...over });
  expect((await api('POST', '/invocations', start)).status).toBe(201);
  starts.set(start['invocation_id'], start);
  return start['invocation_id'];
}
const starts = new Map<string, Document>();
async function end(invocationId: string, status: 'success' | 'failure' = 'success'): Promise<string> {
  const outcome = envelopeFor(starts.get(invocationId) as Document, status);
  return (await api('POST', '/outcomes', { invocation_id: invocationId, outcome })).body.outcome_id;
}
const outcome = async (over: Document = {}) => end(await begin(over));
const judged = async (id: string) => (await api('GET', `/judgments/${id}`)).body;
async function cli(caller: { role: 'operator' | 'worker' | 'auditor'; actorId: string }, ...args: string[]) {
  const token = await stack.mintToken({ tenantId, ...caller });
  const [command, ...rest] = args;
  const end = rest.indexOf('--');
  const own = end < 0 ? rest : rest.slice(0, end);
  return cliHere([command as string, ...own, '--url', stack.functionsUrl, '--token', token, ...rest.slice(own.length)]);
}
const READER = { role: 'auditor', actorId: 'ada' } as const;

describe('over HTTP', () => {
  it('evidence is recorded once and read back with the judgment', async () => {
    const id = await outcome();
    const verification = { ...FAILED, verification_id: randomUUID(), output_excerpt: '1 failed\n' };
    const recorded = await verifier('POST', `/judgments/${id}/verifications`, verification);
    expect([recorded.status, recorded.body]).toMatchObject([
      201,
      { outcome_id: id, verification: 'failed', verification_required: true, recorded_by: 'verifier-1' },
    ]);
    const again = await verifier('POST', `/judgments/${id}/verifications`, verification);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const other = await verifier('POST', `/judgments/${id}/verifications`, { ...verification, command: 'make' });
    expect(expectProblem(other, 409, 'evidence_conflict')['verification_id']).toBe(verification.verification_id);
    const assessed = await verifier('POST', `/judgments/${id}/deliveries`, { assessment: 'delivered' });
    expect(assessed.status).toBe(201);
    expect(await judged(id)).toMatchObject({
      status: 'success',
      judgment: 'broken',
      verifications: [{ verification: 'failed', output_excerpt: '1 failed\n' }],
      assessments: [{ assessment: 'delivered' }],
      integration: null,
    });
    expect((await api('GET', `/outcomes/${id}`)).body).toMatchObject({ judgment: 'broken', verification: 'failed' });
    const listed = await api('GET', `/outcomes?invocation_id=${(await judged(id)).invocation_id}`);
    expect(listed.body.items).toMatchObject([{ judgment: 'broken', verification: 'failed' }]);
  });

  it('bad evidence is refused with its path, and nothing is kept', async () => {
    const id = await outcome();
    const at = `/judgments/${id}/verifications`;
    const wrong = await verifier('POST', at, { ...FAILED, verification: 'passed' });
    expect(paths(expectProblem(wrong, 422, 'evidence_invalid'))).toEqual(['/verification']);
    const bare = await verifier('POST', at, { verification: 'passed' });
    expect(paths(expectProblem(bare, 422, 'request_invalid')).sort()).toEqual(['/command', '/process']);
    const odd = await verifier('POST', at, { ...PASSED, verification: 'green' });
    expect(paths(expectProblem(odd, 422, 'request_invalid'))).toContain('/verification');
    expectProblem(await verifier('POST', at, { ...PASSED, outcome_id: randomUUID() }), 422, 'request_invalid');
    expectProblem(await verifier('POST', `/judgments/${randomUUID()}/verifications`, PASSED), 404, 'unknown_outcome');
    expectProblem(await operator('POST', at, PASSED), 403, 'not_permitted');
    const big = await verifier('POST', at, { ...PASSED, output_excerpt: 'x'.repeat(70_000) });
    expectProblem(big, 422, 'request_invalid');
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant(), ...VERIFIER });
    expectProblem(await stranger('POST', at, PASSED), 404, 'unknown_outcome');
    expectProblem(await stranger('GET', `/judgments/${id}`), 404, 'unknown_subject');
    expectProblem(await api('GET', '/judgments/gate'), 422, 'request_invalid');
    expect((await judged(id)).verifications).toEqual([]);
  });

  it('an open run says what it is doing, and lists have it beside what ended', async () => {
    const correlation_id = `list-${randomUUID()}`;
    const open = await begin({ correlation_id });
    const waiting = { invocation_id: open, lifecycle: 'waiting', reason: 'for its inputs' };
    expect((await api('POST', '/judgments/lifecycle', waiting)).status).toBe(201);
    await outcome({ correlation_id });
    const run = executionStart({ correlation_id });
    await api('POST', '/executions', run);
    const list = async (query: string) =>
      (await api('GET', `/judgments?correlation_id=${correlation_id}${query}`)).body;
    expect(
      (await list('')).items.map((one: Document) => [one['subject_type'], one['lifecycle'], one['judgment']]),
    ).toEqual([
      ['execution', 'running', 'in_progress'],
      ['invocation', 'done', 'unverified'],
      ['invocation', 'waiting', 'in_progress'],
    ]);
    const first = await list('&limit=2');
    expect(first.items).toHaveLength(2);
    expect((await list(`&cursor=${first.next_cursor}`)).items).toMatchObject([{ lifecycle: 'waiting' }]);
    expect((await list('&judgment=unverified')).items).toHaveLength(1);
    expect((await list('&lifecycle=waiting&source_type=agent')).items).toHaveLength(1);
    expectProblem(await api('GET', '/judgments?judgment=fine'), 422, 'request_invalid');
    expectProblem(await api('POST', '/judgments/lifecycle', { ...waiting, lifecycle: 'done' }), 422, 'request_invalid');
  });

  it('the gate names each that stays, and an integration goes through it', async () => {
    const [open, broken] = [await outcome(), await outcome()];
    await verifier('POST', `/judgments/${broken}/verifications`, FAILED);
    const refused = expectProblem(
      await operator('POST', '/judgments/gate', { ids: [open, broken] }),
      409,
      'gate_refused',
    );
    expect(refused['violations']).toEqual([
      {
        path: '/ids/0',
        rule: 'gate',
        message: 'is judged unverified: no_result: needs allow_unverified with a reason',
      },
      { path: '/ids/1', rule: 'gate', message: 'is judged broken: needs override_broken with a reason' },
    ]);
    const flags = { allow_unverified: 'read by hand', override_broken: 'a known flake' };
    const passed = await operator('POST', '/judgments/gate', { ids: [open, broken], ...flags });
    expect([passed.status, passed.body.items.map((one: Document) => one['gate_flag'])]).toEqual([
      200,
      ['allow_unverified', 'override_broken'],
    ]);
    const merge = { reference: 'abc123', ...flags };
    expectProblem(
      await operator('POST', `/judgments/${open}/integration`, { reference: 'abc123' }),
      409,
      'gate_refused',
    );
    const merged = await operator('POST', `/judgments/${open}/integration`, merge);
    expect([merged.status, merged.body.gate_flag]).toEqual([201, 'allow_unverified']);
    expect((await operator('POST', `/judgments/${open}/integration`, merge)).status).toBe(200);
    const second = await operator('POST', `/judgments/${open}/integration`, { ...merge, reference: 'def' });
    expectProblem(second, 409, 'evidence_conflict');
    const events = await api('GET', `/events?type=os.gate.passed&outcome_id=${broken}`);
    expect(events.body.items).toMatchObject([{ data: { gate_flag: 'override_broken', gate_reason: 'a known flake' } }]);
  });
});

describe('through the client', () => {
  it('evidence, judgment, gate and statistics', async () => {
    const source = { id: `client-${randomUUID()}`, version: '1.0.0', domain: 'art' };
    const id = await outcome({ source });
    const as = async (caller: typeof VERIFIER | typeof HUMAN): Promise<Ledger> =>
      createLedger({ url: stack.functionsUrl, accessToken: await stack.mintToken({ tenantId, ...caller }) });
    const ledger = await as(VERIFIER);
    const { record } = await ledger.judgments.verify(id, {
      verification: 'passed',
      process: { started: true, timed_out: false, system_fault: false, exit_code: 0 },
      command: 'npm test',
    });
    expect(record).toMatchObject({ outcome_id: id, verification: 'passed' });
    await ledger.judgments.assess(id, { assessment: 'delivered' });
    expect(await ledger.judgments.get(id)).toMatchObject({ judgment: 'verified', assessment: 'delivered' });
    expect(await ledger.judgments.gate({ ids: [id] })).toMatchObject([{ id, judgment: 'verified', gate: 'proceed' }]);
    await (await as(HUMAN)).judgments.integrate(id, { reference: 'abc' });
    const [listed] = (await ledger.judgments.list({ source_id: source.id })).items;
    expect(listed).toMatchObject({ lifecycle: 'merged', judgment: 'verified' });
    expect((await ledger.statistics.judgments({ source_id: source.id })).items).toMatchObject([
      { source: { type: 'agent', ...source }, success_rate: 1, claims: { success: 1, contradicted: 0 } },
    ]);
    const open = await begin({ source });
    const worker = await as({ role: 'worker', actorId: 'verifier-1' });
    await expect(worker.judgments.lifecycle({ invocation_id: open, lifecycle: 'waiting' })).rejects.toMatchObject({
      code: 'not_permitted',
    });
    await expect(ledger.judgments.gate({ ids: [open] })).rejects.toMatchObject({ code: 'gate_refused' });
  });
});

describe('on the command line', () => {
  it('a verification is run, recorded and judged', async () => {
    const id = await outcome();
    const node = (code: string) => ['--', process.execPath, '-e', code];
    const failed = await cli(VERIFIER, 'verify', id, '--json', ...node('console.log("all passed"); process.exit(3)'));
    expect([failed.code, failed.json()['judgment']]).toEqual([1, 'broken']);
    expect(failed.json()['verifications'][0]).toMatchObject({
      verification: 'failed',
      process: { started: true, exit_code: 3 },
      output_excerpt: 'all passed\n',
      resolved_verify: expect.stringContaining('process.exit(3)'),
    });
    const missing = await cli(VERIFIER, 'verify', await outcome(), '--json', '--', 'no-such-program-here');
    expect([missing.code, missing.json()['judgment'], missing.json()['reason']]).toEqual([
      1,
      'unverified',
      'infrastructure',
    ]);
    const late = await cli(
      VERIFIER,
      'verify',
      await outcome(),
      '--json',
      '--limit',
      '1s',
      ...node('setInterval(() => {}, 1000)'),
    );
    expect([late.code, late.json()['reason']]).toEqual([1, 'timed_out']);
    const passed = await cli(VERIFIER, 'verify', id, ...node('console.log("FAILED")'));
    expect([passed.code, passed.stdout]).toMatchObject([
      0,
      expect.stringMatching(/verification +passed[\s\S]+judgment +verified/),
    ]);
    expect(passed.stderr).toContain('FAILED');
    const shown = await cli(READER, 'judgment', 'show', id);
    expect(shown.stdout).toMatch(/judgment +verified\n[\s\S]*claimed +success/);
  });

  it('stopped twice, it ends what it started and records that nobody saw it end', async () => {
    const id = await outcome();
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'verify-')), 'pid');
    const running = cli(
      VERIFIER,
      'verify',
      id,
      '--json',
      '--',
      'sh',
      '-c',
      `trap '' TERM; echo $$ > ${file}.new; mv ${file}.new ${file}; while :; do sleep 1; done`,
    );
    await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
    const pid = Number(readFileSync(file, 'utf8'));
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGQUIT', 'SIGQUIT');
    const answer = await running;
    expect([answer.code, answer.json()['verifications'][0].verification]).toEqual([1, 'unobserved']);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it("runs the start's own command, and says when there is none", async () => {
    const own = await outcome({ verify: 'echo checked && exit 0' });
    const ran = await cli(VERIFIER, 'verify', own, '--json');
    expect([ran.code, ran.json()['verifications'][0]]).toMatchObject([
      0,
      { command: 'echo checked && exit 0', output_excerpt: 'checked\n' },
    ]);
    const auto = await outcome();
    expect([(await cli(VERIFIER, 'verify', auto)).code, (await cli(VERIFIER, 'verify', auto)).stderr]).toMatchObject([
      2,
      expect.stringContaining('--skip'),
    ]);
    const skipped = await cli(VERIFIER, 'verify', auto, '--skip', '--json');
    expect([skipped.code, skipped.json()['judgment'], skipped.json()['required']]).toEqual([1, 'delivered', false]);
    const free = await outcome({ verify: null });
    expect((await cli(VERIFIER, 'verify', free)).code).toBe(2);
    const open = await begin();
    const early = await cli(VERIFIER, 'verify', open, '--json', '--', 'true');
    expect([early.code, early.json()['code']]).toEqual([1, 'no_outcome_yet']);
  });

  it('the gate is an exit code', async () => {
    const good = await outcome({ verify: null });
    const open = await outcome();
    expect((await cli(READER, 'gate', good)).code).toBe(0);
    const refused = await cli(READER, 'gate', good, open);
    expect([refused.code, refused.stderr]).toMatchObject([1, expect.stringContaining('allow_unverified')]);
    expect((await cli(READER, 'gate', open, '--allow-unverified', 'please')).code).toBe(2);
    const passed = await cli(HUMAN, 'gate', good, open, '--allow-unverified', 'read by hand', '--json');
    expect([passed.code, passed.json()['items'].length]).toEqual([0, 2]);
    expect((await cli(HUMAN, 'gate', open, '--allow-unverified', ' ')).code).toBe(2);
    expect((await cli(READER, 'gate', randomUUID())).code).toBe(1);
  });

  it('waiting follows a run to its judgment, and no longer than it may', async () => {
    const id = await begin();
    const waiting = cli(READER, 'wait', id, '--timeout', '30s', '--json');
    await pause(150);
    const outcomeId = await end(id);
    await verifier('POST', `/judgments/${outcomeId}/verifications`, PASSED);
    const answer = await waiting;
    expect([answer.code, answer.json()['judgment']]).toEqual([0, 'verified']);
    const done = await outcome({ verify: null });
    expect((await cli(READER, 'wait', done)).code).toBe(0);
    expect((await cli(READER, 'wait', await end(await begin(), 'failure'))).code).toBe(1);
    const pending = await cli(READER, 'wait', await outcome(), '--timeout', '1s', '--json');
    expect([pending.code, pending.json()['code']]).toEqual([1, 'wait_timeout']);
    const silent = createServer(() => undefined);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const nowhere = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const started = performance.now();
    const unsaid = await cliHere(['wait', randomUUID(), '--timeout', '1s', '--json', '--url', nowhere, '--token', 'x']);
    expect([unsaid.code, unsaid.json()['code'], performance.now() - started < 10_000]).toEqual([
      1,
      'wait_timeout',
      true,
    ]);
    silent.close();
    const asked = await begin();
    await api('POST', '/policy/hitl', { invocation_id: asked, reason: 'may it?' });
    const parked = await cli(READER, 'wait', asked, '--timeout', '1s', '--json');
    expect([parked.code, parked.json()['lifecycle']]).toEqual([3, 'awaiting_input']);
  });

  it('statistics are a table with a chart', async () => {
    const source = { id: `shown-${randomUUID()}`, version: '1.0.0', domain: 'art' };
    await verifier('POST', `/judgments/${await outcome({ source })}/verifications`, FAILED);
    await outcome({ source, verify: null });
    const shown = await cli(READER, 'stats', '--source', source.id, '--last', '1h');
    expect([shown.code, shown.stdout]).toMatchObject([0, expect.stringMatching(/50\.0 %.*●.* 2 +1 /)]);
    expect((await cli(READER, 'stats', '--source', source.id, '--json')).json()['items']).toMatchObject([
      { agent_score: 0.5 },
    ]);
    expect((await cli(READER, 'stats', '--last', '1h', '--from', '2026-01-01T00:00:00Z')).code).toBe(2);
    const listed = await cli(READER, 'judgment', 'list', '--source', source.id, '--judgment', 'broken');
    expect(listed.stdout).toMatch(/broken {2}\[VFAIL\] +success +done/);
  });
});
