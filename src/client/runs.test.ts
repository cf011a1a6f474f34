import { afterEach, expect, test } from 'vitest';
import { startScriptedLedger } from '../../test/support/scripted-ledger.ts';
import type { ScriptedAnswer, ScriptedRequest, ScriptedServer } from '../../test/support/scripted-server.ts';
import { LedgerConflictError, LedgerError, LedgerUnreachableError } from './errors.ts';
import { recordedOutcomeOf, recordingErrorOf } from './faults-of-runs.ts';
import { createLedger } from './ledger.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function ledgerWith(interfere?: (request: ScriptedRequest) => ScriptedAnswer | undefined) {
  const running = await startScriptedLedger(interfere);
  server = running;
  const retry = { baseDelayMs: 1, maxDelayMs: 2, attempts: 3, requestTimeoutMs: 2_000 };
  const ledger = createLedger({ url: running.url, accessToken: 't', retry });
  const outcomes = () => running.requests.filter(({ path }) => path === 'outcomes').map(({ json }) => json.outcome);
  return { ledger, running, outcomes };
}

const start = { source: { id: 'a', version: '1.0.0', domain: 'd' }, correlation_id: 'c', causation_id: 'e' };
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error,
  );
const refusal = (status: number, code: string, more: object = {}): ScriptedAnswer => ({
  status,
  body: { type: '', title: '', detail: `told: ${code}`, status, code, ...more },
});

test('a returned object is a success; the caller gets the very object and the recorded envelope', async () => {
  const { ledger, outcomes } = await ledgerWith();
  const result = { allocated: 45, gone: undefined };
  const run = await ledger.invocation(start, async () => result);
  expect(run.result).toBe(result);
  expect(run).toMatchObject({ status: 'success', replayed: false, outcome: { outcome_id: 'outcome-1' } });
  expect(outcomes()).toHaveLength(1);
  const { timing } = outcomes()[0];
  expect(Date.parse(timing.completed_at) - Date.parse(timing.started_at)).toBe(timing.duration_ms);
});

test('a call without a function is told before anything is written', async () => {
  const { ledger, running } = await ledgerWith();
  for (const call of [ledger.invocation, ledger.execution]) {
    const error = await thrownBy(call(start as never, undefined as never));
    expect(error).toMatchObject({ code: 'misused', message: expect.stringContaining('fn must be a function') });
  }
  expect(running.requests).toEqual([]);
});

test.each([
  ['text', 'RESULT_NOT_OBJECT'],
  [7, 'RESULT_NOT_OBJECT'],
  [null, 'RESULT_NOT_OBJECT'],
  [undefined, 'RESULT_NOT_OBJECT'],
  [[1], 'RESULT_NOT_OBJECT'],
  [new Date(0), 'RESULT_NOT_OBJECT'],
  [new Map(), 'RESULT_NOT_OBJECT'],
  [{ at: new Map() }, 'RESULT_NOT_STORABLE'],
  [{ n: Number.NaN }, 'RESULT_NOT_STORABLE'],
  [{ t: '\ud83d' }, 'RESULT_NOT_STORABLE'],
])('returning %o is recorded as a failure and told', async (value, code) => {
  const { ledger, outcomes } = await ledgerWith();
  const error = (await thrownBy(ledger.invocation(start, async () => value as object))) as LedgerError;
  expect(error).toBeInstanceOf(LedgerError);
  expect(error.code).toBe(code);
  expect(error.result).toBe(value);
  expect(recordedOutcomeOf(error)?.outcome_id).toBe('outcome-1');
  expect(error.outcome).toBe(recordedOutcomeOf(error));
  expect(error.message).toMatch(new RegExp(`^${code}: .+; recorded as failure outcome-1\\. Return `));
  expect(error.stack).toContain(error.message);
  expect(outcomes()[0].errors[0].message).not.toMatch(/RESULT_|recorded as/);
  expect(outcomes()).toMatchObject([{ status: 'failure', result: null, errors: [{ code, recoverable: false }] }]);
});

test('what was thrown is thrown again, the very error, once its failure is recorded', async () => {
  const { ledger, outcomes } = await ledgerWith();
  const boom = Object.assign(new Error('boom \0'), { code: 'LOCKED', recoverable: false });
  const error = await thrownBy(
    ledger.invocation(start, async (ctx) => {
      ctx.quality({ confidence: 0.4 });
      throw boom;
    }),
  );
  expect(error).toBe(boom);
  expect(recordedOutcomeOf(error)?.status).toBe('failure');
  expect(recordingErrorOf(error)).toBeUndefined();
  expect(outcomes()[0]).toMatchObject({
    status: 'failure',
    quality: { confidence: 0.4 },
    errors: [{ code: 'LOCKED', message: 'boom \uFFFD', recoverable: false }],
  });
});

test('when recording fails too, the original error is thrown with the fault beside it', async () => {
  const { ledger } = await ledgerWith(({ path }) => (path === 'outcomes' ? 'drop' : undefined));
  for (const boom of [new Error('boom'), Object.freeze(new Error('frozen'))]) {
    const error = await thrownBy(ledger.invocation(start, async () => Promise.reject(boom)));
    expect(error).toBe(boom);
    const fault = recordingErrorOf(error) as LedgerUnreachableError;
    expect(fault).toBeInstanceOf(LedgerUnreachableError);
    expect(fault.unrecorded).toMatchObject({ outcome: { status: 'failure' } });
    expect(fault.message).toContain('pass error.recordingError.unrecorded to');
  }
  // biome-ignore lint/suspicious/noExplicitAny: the property is for people and loggers
  const error = (await thrownBy(ledger.invocation(start, async () => Promise.reject('just text')))) as any;
  expect(error).toMatchObject({ cause: 'just text', code: 'ledger_unreachable' });
  expect(error.recordingError).toBeInstanceOf(LedgerUnreachableError);
});

test('a result that could not be recorded is on the error, with what to record later', async () => {
  let down = true;
  const { ledger } = await ledgerWith(({ path }) => (down && path === 'outcomes' ? 'drop' : undefined));
  const result = { precious: true };
  const error = (await thrownBy(ledger.invocation(start, async () => result))) as LedgerUnreachableError;
  expect(error).toBeInstanceOf(LedgerUnreachableError);
  expect(error.result).toBe(result);
  expect(error.message).toMatch(
    /^POST http:.+\/functions\/v1\/outcomes: .+; the work HAS run and is not recorded: pass /,
  );
  down = false;
  const { outcome } = await ledger.outcomes.record(error.unrecorded ?? expect.unreachable());
  expect(outcome).toMatchObject({ status: 'success', result });
});

test('an outcome that the sweeper wrote first is a conflict with the winner and the result on it', async () => {
  const { ledger, outcomes } = await ledgerWith(({ path }) =>
    path === 'outcomes' ? refusal(409, 'outcome_conflict', { outcome_id: 'swept' }) : undefined,
  );
  const error = await thrownBy(ledger.invocation(start, async () => ({ late: true })));
  expect(error).toBeInstanceOf(LedgerConflictError);
  expect(error).toMatchObject({
    outcomeId: 'swept',
    result: { late: true },
    unrecorded: undefined,
  });
  expect(outcomes()).toHaveLength(1);
});

test('a result that its schema refuses ends in a failure that says so', async () => {
  const violations = [{ path: '/result/n', rule: 'type', message: 'must be a number' }];
  const { ledger, outcomes } = await ledgerWith(({ path, json }) =>
    path === 'outcomes' && json.outcome.result ? refusal(422, 'result_schema_mismatch', { violations }) : undefined,
  );
  const error = (await thrownBy(ledger.invocation(start, async () => ({ n: 'x' })))) as LedgerError;
  expect(error).toMatchObject({
    code: 'result_schema_mismatch',
    violations,
    result: { n: 'x' },
    unrecorded: undefined,
  });
  expect(recordedOutcomeOf(error)?.status).toBe('failure');
  expect(outcomes()[1]).toMatchObject({
    status: 'failure',
    result: null,
    errors: [{ code: 'RESULT_SCHEMA_MISMATCH', field: '/result/n', recoverable: false }],
  });
});

test('a refusal that someone may settle leaves the invocation open', async () => {
  const { ledger, outcomes } = await ledgerWith(({ path }) =>
    path === 'outcomes' ? refusal(422, 'hitl_required') : undefined,
  );
  const error = await thrownBy(ledger.invocation(start, async () => ({ n: 1 })));
  expect(error).toMatchObject({
    code: 'hitl_required',
    result: { n: 1 },
    unrecorded: { outcome: { result: { n: 1 } } },
  });
  expect(outcomes()).toHaveLength(1);
});

test('nothing runs when the start is refused', async () => {
  const { ledger } = await ledgerWith(() => refusal(403, 'not_permitted'));
  let ran = false;
  const error = await thrownBy(
    ledger.invocation(start, async () => {
      ran = true;
      return {};
    }),
  );
  expect(error).toMatchObject({ code: 'not_permitted' });
  expect(ran).toBe(false);
});

test.each(['invocation', 'execution'] as const)('a start that does not arrive: the %s was not run', async (kind) => {
  const { ledger } = await ledgerWith(() => 'drop');
  const error = await thrownBy(ledger[kind](start, async () => expect.unreachable('it ran')));
  expect(error).toBeInstanceOf(LedgerUnreachableError);
  expect((error as Error).message).toMatch(new RegExp(`^POST http:.+/${kind}s: .+; the work was not run$`));
});

test.each([undefined, '', ' '])('an access token that is %j is refused before anything is sent', (accessToken) => {
  expect(() => createLedger({ url: 'http://127.0.0.1:9', accessToken: accessToken as string })).toThrow(
    /^accessToken is empty; /,
  );
});

test('an invocation that has its outcome already is not run again', async () => {
  const outcome = { outcome_id: 'first', status: 'success', result: { n: 1 } };
  const { ledger, outcomes } = await ledgerWith(({ path, json }) =>
    path === 'invocations' ? { status: 200, body: { ...json, state: 'ended', outcome } } : undefined,
  );
  const run = await ledger.invocation(start, async () => expect.unreachable('it ran'));
  expect(run).toEqual({ status: 'success', result: { n: 1 }, outcome, replayed: true });
  expect(outcomes()).toHaveLength(0);
});

test('the verdicts', async () => {
  const { ledger, outcomes, running } = await ledgerWith();
  await ledger.invocation(start, (ctx) => ctx.partial({ n: 1 }, [{ code: 'X', message: 'x' }, { message: 'y' }]));
  await ledger.invocation(start, (ctx) =>
    ctx.fail('Y', 'y', { recoverable: false, also: [{ code: 'Z', message: 'z' }] }),
  );
  await ledger.invocation(start, (ctx) => ctx.timeout());
  await ledger.invocation(start, (ctx) => ctx.skip('branch not taken'));
  const escalation = { reason: 'r', escalation_target: 'os-agt-004', escalation_path_id: 'p' };
  const run = await ledger.invocation(start, (ctx) => ctx.escalate(escalation));
  expect(run).toMatchObject({ status: 'escalated', result: null });
  expect(outcomes()).toMatchObject([
    {
      status: 'partial',
      result: { n: 1 },
      errors: [
        { code: 'X', recoverable: true },
        { code: 'ERROR', message: 'y' },
      ],
    },
    { status: 'failure', errors: [{ code: 'Y', recoverable: false }, { code: 'Z' }] },
    { status: 'timeout', errors: [{ code: 'TIMEOUT' }] },
    { status: 'skipped', errors: [], result: null },
    { status: 'escalated', errors: [], escalation },
  ]);
  const events = running.requests.filter(({ path }) => path === 'events').map(({ json }) => json);
  expect(events).toMatchObject([{ type: 'invocation.skipped', data: { reason: 'branch not taken' } }]);
});

test('a verdict made and passed over is not a success', async () => {
  const { ledger, outcomes } = await ledgerWith();
  const error = await thrownBy(
    ledger.invocation(start, async (ctx) => {
      ctx.fail('X', 'forgot to return');
      return { fine: true };
    }),
  );
  const message =
    'VERDICT_NOT_RETURNED: the function called for failure and returned something else; ' +
    'recorded as failure outcome-1. Return what ctx gives';
  expect(error).toMatchObject({ code: 'VERDICT_NOT_RETURNED', result: { fine: true }, message });
  await ledger.invocation(start, (async (ctx: { skip(): void }) => ctx.skip()) as never);
  expect(outcomes()).toMatchObject([
    { status: 'failure', errors: [{ code: 'VERDICT_NOT_RETURNED' }] },
    { status: 'skipped' },
  ]);
});

test('under a block only blocked can be recorded', async () => {
  const { ledger, outcomes } = await ledgerWith();
  const decision = {
    decision: 'block',
    risk_score: 0.9,
    requires_hitl: false,
    evaluated_at: '2026-05-20T10:00:00Z',
  } as const;
  const error = await thrownBy(
    ledger.invocation(start, async (ctx) => {
      ctx.governedBy({ ...decision, invocation_id: 'x', decision_id: 'y' } as never);
      return { n: 1 };
    }),
  );
  expect(error).toMatchObject({ code: 'POLICY_BLOCKED', result: { n: 1 } });
  await ledger.invocation(start, async (ctx) => {
    ctx.governedBy(decision);
    expect(ctx.policyDecision?.decision).toBe('block');
    return ctx.blocked('by rule 7');
  });
  expect(outcomes()).toMatchObject([
    { status: 'blocked', result: null, errors: [{ code: 'POLICY_BLOCKED' }], policy: { decision: 'block' } },
    { status: 'blocked', errors: [{ code: 'POLICY_BLOCKED', message: 'by rule 7' }] },
  ]);
  expect(Object.keys(outcomes()[0].policy)).toHaveLength(5);
});

test('an abort is a failure CANCELED; before the start nothing is written', async () => {
  const { ledger, outcomes, running } = await ledgerWith();
  const controller = new AbortController();
  const reason = new Error('the user left');
  const error = await thrownBy(
    ledger.invocation(
      start,
      async (ctx) => {
        setTimeout(() => controller.abort(reason), 5);
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        ctx.signal.throwIfAborted();
        return {};
      },
      { signal: controller.signal },
    ),
  );
  expect(error).toBe(reason);
  expect(recordedOutcomeOf(error)?.status).toBe('failure');
  expect(outcomes()[0]).toMatchObject({
    status: 'failure',
    errors: [{ code: 'CANCELED', message: 'the user left', recoverable: false }],
  });
  const before = running.requests.length;
  const again = ledger.invocation(start, async () => ({}), { signal: controller.signal });
  expect(await thrownBy(again)).toBe(reason);
  expect(running.requests).toHaveLength(before);
});

test('an abort reaches nested runs, and each records its own outcome', async () => {
  const { ledger, outcomes } = await ledgerWith();
  const error = await thrownBy(
    ledger.invocation(start, async (ctx) => {
      const inner = ctx.invocation({ source: start.source }, async (child) => {
        const aborted = new Promise((_, reject) => {
          child.signal.addEventListener('abort', () => reject(child.signal.reason));
        });
        ctx.abort('stop');
        await aborted;
        return {};
      });
      return (await inner).result ?? {};
    }),
  );
  expect(error).toBe('stop');
  expect(outcomes().map(({ errors }) => errors[0].code)).toEqual(['CANCELED', 'CANCELED']);
});

test('heartbeats while running; their faults never reach the work', async () => {
  const { ledger, running } = await ledgerWith(({ path }) => (path.endsWith('/heartbeat') ? 'drop' : undefined));
  const faults: unknown[] = [];
  const run = await ledger.invocation(
    start,
    async () => {
      await expect.poll(() => faults.length, { timeout: 10_000 }).toBeGreaterThan(1);
      return { n: 1 };
    },
    { heartbeat: { everyMs: 10, onFault: (error) => faults.push(error) } },
  );
  expect(run.status).toBe('success');
  // A beat that was under way may still arrive; afterwards there are none.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const beats = running.requests.filter(({ path }) => path.endsWith('/heartbeat')).length;
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(running.requests.filter(({ path }) => path.endsWith('/heartbeat'))).toHaveLength(beats);
});

test('nested starts take correlation, cause and execution from what runs', async () => {
  const { ledger, running } = await ledgerWith();
  const workflow = { ...start, execution_id: '11111111-1111-4111-8111-111111111111' };
  await ledger.execution(workflow, async (ctx) => {
    await ctx.invocation({ source: start.source }, async (child) => {
      await child.invocation({ source: start.source, causation_id: 'named' }, async () => ({}));
      await child.execution({ source: start.source }, async () => ({ result: {} }));
      return {};
    });
    return { result: {} };
  });
  const [parent, child, grandchild, below] = running.requests
    .filter(({ path }) => path === 'executions' || path === 'invocations')
    .map(({ json }) => json);
  expect(child).toMatchObject({
    correlation_id: 'c',
    causation_id: parent.execution_id,
    execution_id: parent.execution_id,
  });
  expect(grandchild).toMatchObject({ correlation_id: 'c', causation_id: 'named', execution_id: parent.execution_id });
  expect(below).toMatchObject({ causation_id: child.invocation_id, parent_execution_id: parent.execution_id });
});

test('an execution counts its tasks and what failed of them', async () => {
  const { ledger, outcomes } = await ledgerWith();
  const fanOut = { ...start, execution_pattern: 'fan-out-fan-in' };
  await ledger.execution(fanOut, async (ctx) => {
    const tasks = Array.from({ length: 10 }, (_, n) =>
      ctx.invocation({ source: start.source }, async (task) => {
        if (n < 3) throw new Error('lost');
        return n === 3 ? task.skip() : { n };
      }),
    );
    const settled = await Promise.allSettled(tasks);
    const done = settled.filter(({ status }) => status === 'fulfilled').length;
    return ctx.partial({ done }, [{ code: 'SOME', message: 'some failed' }]);
  });
  expect(outcomes().at(-1)).toMatchObject({
    status: 'partial',
    result: { done: 7 },
    execution_context: { execution_pattern: 'fan-out-fan-in', parallel_task_count: 10, partial_failure_count: 3 },
  });
  await ledger.execution(fanOut, async () => ({
    result: {},
    execution_context: { parallel_task_count: 4 },
    quality: { confidence: 1 },
  }));
  expect(outcomes().at(-1)).toMatchObject({
    status: 'success',
    quality: { confidence: 1 },
    execution_context: { execution_pattern: 'fan-out-fan-in', parallel_task_count: 4 },
  });
  const wrong = await thrownBy(ledger.execution(start, (async () => ({ n: 1 })) as never));
  expect(wrong).toMatchObject({ code: 'RESULT_NOT_OBJECT', message: expect.stringContaining('{ result, … }') });
});

test('a tool call is recorded, well or badly ended, and what cannot be kept is noted', async () => {
  const { ledger, running } = await ledgerWith();
  await ledger.invocation(start, async (ctx) => {
    expect(await ctx.toolCall('add', { a: 1 }, () => 2)).toBe(2);
    const boom = Object.assign(new Error('busy'), { code: 'BUSY' });
    expect(await thrownBy(ctx.toolCall('lock', null, () => Promise.reject(boom)))).toBe(boom);
    await ctx.toolCall('read', { file: 'x' }, () => 'x'.repeat(100_000));
    await ctx.toolCall('map', { key: 'secret' }, () => new Map());
    await ctx.toolCall('shown', {}, () => ({ secret: 1, size: 2 }), { recordOutput: ({ size }) => ({ size }) });
    return {};
  });
  const calls = running.requests.filter(({ path }) => path.endsWith('/tool-calls')).map(({ json }) => json);
  expect(calls).toMatchObject([
    { tool_name: 'add', status: 'succeeded', input: { a: 1 }, output: 2 },
    { tool_name: 'lock', status: 'failed', input: null, error: { code: 'BUSY', message: 'busy' } },
    { tool_name: 'read', output: { not_recorded: 'too large' } },
    { tool_name: 'map', output: { not_recorded: expect.stringContaining('Map') } },
    { tool_name: 'shown', output: { size: 2 } },
  ]);
  expect(calls[4].output).not.toHaveProperty('secret');
});

test('a tool that ran although its call could not be recorded: the value is on the error', async () => {
  const { ledger } = await ledgerWith(({ path }) =>
    path.endsWith('/tool-calls') ? refusal(409, 'invocation_closed') : undefined,
  );
  await thrownBy(
    ledger.invocation(start, async (ctx) => {
      const error = await thrownBy(ctx.toolCall('pay', null, () => ({ paid: 1 })));
      expect(error).toBeInstanceOf(LedgerConflictError);
      expect(error).toMatchObject({ result: { paid: 1 } });
      const boom = new Error('boom');
      expect(await thrownBy(ctx.toolCall('pay', null, () => Promise.reject(boom)))).toBe(boom);
      expect(recordingErrorOf(boom)).toBeInstanceOf(LedgerConflictError);
      throw boom;
    }),
  );
});

test('retries keep every id: the start, its trigger, an event, a tool call', async () => {
  const seen = new Map<string, number>();
  const { ledger, running } = await ledgerWith(({ path, text }) => {
    const key = path + text;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return seen.get(key) === 1 ? 'drop' : undefined;
  });
  const triggered = { ...start, causation_id: undefined, trigger: { type: 'order.placed', source: 'shop' } };
  await ledger.invocation(triggered, async (ctx) => {
    await ctx.emit('order.checked', { n: 1 });
    await ctx.toolCall('t', null, () => 1);
    return {};
  });
  expect([...seen.values()]).toEqual([2, 2, 2, 2]);
  expect(running.requests[0]?.json).toMatchObject({
    invocation_id: expect.any(String),
    trigger: { event_id: expect.any(String) },
  });
});
