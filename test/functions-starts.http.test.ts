// Invocations and executions: starting, replaying, reading, listing, and what happens while one is open.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { AGENT_ID, envelopeFor, executionStart, invocationStart, toolCall } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
});

describe('starting an invocation', () => {
  test('writes the row, then the same start is a replay, another one a conflict', async () => {
    const start = invocationStart({ attributes: { a: 1.5, __proto: 'x' }, deadline_in_ms: 60_000 });
    const first = await api('POST', '/invocations', start);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      invocation_id: start['invocation_id'],
      source: { type: 'agent', id: AGENT_ID },
      state: 'running',
      outcome_id: null,
      attributes: { a: 1.5 },
    });
    expect(first.headers.get('idempotent-replayed')).toBeNull();

    const again = await api('POST', '/invocations', Object.fromEntries(Object.entries(start).reverse()));
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.invocation_id).toBe(start['invocation_id']);

    const other = await api('POST', '/invocations', { ...start, correlation_id: 'another' });
    expect(expectProblem(other, 409, 'invocation_conflict')['invocation_id']).toBe(start['invocation_id']);
  });

  test('names the invocation when the caller does not, and takes a trigger as its cause', async () => {
    const { invocation_id: _, causation_id: __, ...rest } = invocationStart();
    const started = await api('POST', '/invocations', {
      ...rest,
      trigger: { type: 'art.released', source: 'shop', data: { n: 1 } },
    });
    expect(started.status).toBe(201);
    expect(started.body.invocation_id).toMatch(/^[0-9a-f-]{36}$/);
    const event = await api('GET', `/events/${encodeURIComponent(started.body.causation_id)}`);
    expect(event.body).toMatchObject({ type: 'art.released', source: 'shop', data: { n: 1 } });
  });

  test.each([
    ['no cause', { causation_id: null }, ''],
    ['two causes', { trigger: { type: 'a.b', source: 's' } }, ''],
    ['an upper-case id', { invocation_id: randomUUID().toUpperCase() }, '/invocation_id'],
    ['an unknown member', { colour: 'red' }, '/colour'],
    ['an attempt without a step', { attempt: 1 }, '/attempt'],
    ['no version', { source: { id: 'a', domain: 'art' } }, '/source/version'],
  ])('refuses %s with its path', async (_, over, path) => {
    const refused = await api('POST', '/invocations', invocationStart(over));
    expect(paths(expectProblem(refused, 422, 'request_invalid'))).toContain(path);
  });

  test('refuses an execution that is not there, one of another tenant alike', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const execution = (await stranger('POST', '/executions', executionStart())).body.execution_id;
    const [foreign, unknown] = await Promise.all(
      [execution, randomUUID()].map((execution_id) => api('POST', '/invocations', invocationStart({ execution_id }))),
    );
    const { request_id: a, ...one } = expectProblem(foreign as never, 404, 'unknown_execution');
    const { request_id: b, ...two } = expectProblem(unknown as never, 404, 'unknown_execution');
    expect(a).not.toBe(b);
    expect(one).toEqual(two);
  });

  test('of an undefined source is refused unless the tenant is open', async () => {
    const strict = await apiOf(stack, { tenantId: await stack.database.tenant(false) });
    expectProblem(await strict('POST', '/invocations', invocationStart()), 422, 'undefined_source');
  });

  test('many at once are answered each for itself, in order', async () => {
    const taken = invocationStart();
    await api('POST', '/invocations', taken);
    const items = [
      invocationStart(),
      { ...invocationStart(), colour: 1 },
      taken,
      { ...taken, verify: 'x' },
      invocationStart(),
    ];
    const batch = await api('POST', '/invocations/batch', { items });
    expect(batch.status).toBe(200);
    expect(batch.body.items.map((item: { status: number }) => item.status)).toEqual([201, 422, 200, 409, 201]);
    expect(batch.body.items[2]).toMatchObject({
      replayed: true,
      invocation: { invocation_id: taken['invocation_id'] },
    });
    expect(batch.body.items[1].problem).toMatchObject({ code: 'request_invalid', violations: [{ path: '/colour' }] });
    expect(batch.body.items[3].problem).toMatchObject({
      code: 'invocation_conflict',
      invocation_id: taken['invocation_id'],
    });
  });
});

describe('while it is open', () => {
  test('tool calls are recorded once, heartbeats noted; after the outcome neither', async () => {
    const start = invocationStart();
    const id = start['invocation_id'];
    await api('POST', '/invocations', start);
    const { invocation_id: _, ...call } = toolCall(id, { output: [1, null, 'x'] });
    expect((await api('POST', `/invocations/${id}/tool-calls`, call)).status).toBe(201);
    const replay = await api('POST', `/invocations/${id}/tool-calls`, { ...call, invocation_id: id });
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expectProblem(
      await api('POST', `/invocations/${id}/tool-calls`, { ...call, tool_name: 'x' }),
      409,
      'tool_call_conflict',
    );
    const unnamed = await api('POST', `/invocations/${id}/tool-calls`, { ...call, tool_call_id: undefined });
    expect(unnamed.status).toBe(201);

    const beat = await api('POST', `/invocations/${id}/heartbeat`);
    expect(beat.body).toMatchObject({
      invocation_id: id,
      heartbeat_at: expect.any(String),
      deadline_at: expect.any(String),
    });
    expect((await api('GET', `/invocations/${id}`)).body.tool_calls).toHaveLength(2);

    await api('POST', '/outcomes', { invocation_id: id, outcome: envelopeFor(start) });
    expectProblem(await api('POST', `/invocations/${id}/tool-calls`, toolCall(id)), 409, 'invocation_closed');
    expectProblem(await api('POST', `/invocations/${id}/heartbeat`), 409, 'invocation_closed');
    expect((await api('GET', `/invocations/${id}`)).body).toMatchObject({
      state: 'ended',
      outcome: { status: 'success' },
    });
  });

  test('a body that names another invocation than the path is refused', async () => {
    const refused = await api('POST', `/invocations/${randomUUID()}/tool-calls`, toolCall(randomUUID()));
    expect(paths(expectProblem(refused, 422, 'request_invalid'))).toEqual(['/invocation_id']);
  });

  test('an unknown invocation has no tool calls and no heartbeat', async () => {
    const id = randomUUID();
    expectProblem(await api('POST', `/invocations/${id}/tool-calls`, toolCall(id)), 404, 'unknown_invocation');
    expectProblem(await api('POST', `/invocations/${id}/heartbeat`, ''), 404, 'unknown_invocation');
    expectProblem(await api('GET', `/invocations/${id}`), 404, 'unknown_invocation');
  });
});

describe('executions', () => {
  test('start, replay, conflict, read', async () => {
    const start = executionStart();
    expect((await api('POST', '/executions', start)).status).toBe(201);
    expect((await api('POST', '/executions', start)).headers.get('idempotent-replayed')).toBe('true');
    const other = await api('POST', '/executions', { ...start, execution_pattern: 'sequential' });
    expect(expectProblem(other, 409, 'execution_conflict')['execution_id']).toBe(start['execution_id']);
    expect((await api('GET', `/executions/${start['execution_id']}`)).body).toMatchObject({
      status: 'running',
      state: 'running',
      execution_pattern: 'fan-out-fan-in',
      outcome: null,
    });
    await api('POST', '/outcomes', { execution_id: start['execution_id'], outcome: envelopeFor(start, 'partial') });
    expect((await api('GET', `/executions/${start['execution_id']}`)).body).toMatchObject({
      status: 'completed',
      state: 'ended',
    });
    const late = await api('POST', '/invocations', invocationStart({ execution_id: start['execution_id'] }));
    expectProblem(late, 409, 'execution_closed');
    expectProblem(await api('GET', `/executions/${randomUUID()}`), 404, 'unknown_execution');
  });
});

describe('lists', () => {
  test('give whole pages by what was asked, newest first or oldest', async () => {
    const correlation_id = `corr-${randomUUID()}`;
    const starts = Array.from({ length: 5 }, () => invocationStart({ correlation_id }));
    for (const start of starts) await api('POST', '/invocations', start);
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await api('GET', `/invocations?correlation_id=${correlation_id}&order=asc&limit=2${more}`);
      expect(page.status).toBe(200);
      ids.push(...page.body.items.map((item: { invocation_id: string }) => item.invocation_id));
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    expect(ids).toEqual(starts.map((start) => start['invocation_id']));
    const newest = await api(
      'GET',
      `/invocations?correlation_id=${correlation_id}&state=running&source_id=${AGENT_ID}&domain=art`,
    );
    expect(newest.body.items.map((item: { invocation_id: string }) => item.invocation_id)).toEqual(ids.reverse());
    expect((await api('GET', `/invocations?correlation_id=${correlation_id}&state=ended`)).body).toEqual({
      items: [],
      next_cursor: null,
    });
    expect(
      (await api('GET', `/invocations?correlation_id=${correlation_id}&to=2020-01-01T00:00:00Z`)).body.items,
    ).toEqual([]);
    expect((await api('GET', `/executions?correlation_id=${correlation_id}`)).body).toEqual({
      items: [],
      next_cursor: null,
    });
  });

  test.each([
    ['limit=0', '/query/limit'],
    ['limit=1001', '/query/limit'],
    ['limit=x', '/query/limit'],
    ['order=up', '/query/order'],
    ['from=yesterday', '/query/from'],
    ['to=2026-02-30T00:00:00Z', '/query/to'],
    ['state=asleep', '/query/state'],
    ['execution_id=1', '/query/execution_id'],
    ['colour=red', '/query/colour'],
    ['limit=1&limit=2', '/query/limit'],
    ['cursor=%00', '/query/cursor'],
    ['cursor=nonsense', '/query/cursor'],
    ['source_id=', '/query/source_id'],
    ['correlation_id=%00', '/query/correlation_id'],
  ])('?%s is refused with its path', async (query, path) => {
    expect(paths(expectProblem(await api('GET', `/invocations?${query}`), 422, 'request_invalid'))).toEqual([path]);
  });

  test('an id that is none is refused with its path', async () => {
    for (const [path, name] of [
      ['/invocations/x', 'invocation_id'],
      [`/executions/${randomUUID().toUpperCase()}`, 'execution_id'],
      ['/outcomes/00000000-0000-0000-0000-000000000000', 'outcome_id'],
    ] as const) {
      expect(paths(expectProblem(await api('GET', path), 422, 'request_invalid'))).toEqual([`/path/${name}`]);
    }
  });
});
