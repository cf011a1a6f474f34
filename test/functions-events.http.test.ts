// Events and policy decisions over HTTP.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, envelopeFor, event, invocationStart, policyDecision } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;
let guard: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
  guard = await apiOf(stack, { tenantId, role: 'policy_guard', actorId: 'os-agt-002' });
});

async function started(): Promise<Document> {
  const start = invocationStart();
  await api('POST', '/invocations', start);
  return start;
}

describe('events', () => {
  test('received from outside: once, replayed, contested, read', async () => {
    const given = event();
    expect((await api('POST', '/events', given)).status).toBe(201);
    const again = await api('POST', '/events', given);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const other = await api('POST', '/events', { ...given, data: { edition: 8 } });
    expect(expectProblem(other, 409, 'event_conflict')['event_id']).toBe(given['event_id']);
    expect((await api('GET', `/events/${given['event_id']}`)).body).toMatchObject({
      type: given['type'],
      source: 'shop',
      data: { edition: 7 },
    });
    const unnamed = await api('POST', '/events', { ...event(), event_id: undefined });
    expect([unnamed.status, typeof unnamed.body.event_id]).toEqual([201, 'string']);
  });

  test('registered by an open invocation, and refused once it has ended', async () => {
    const start = await started();
    expect((await api('POST', '/events', event(start['invocation_id']))).status).toBe(201);
    await api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome: envelopeFor(start) });
    expectProblem(await api('POST', '/events', event(start['invocation_id'])), 409, 'invocation_closed');
    expectProblem(await api('POST', '/events', event(randomUUID())), 404, 'unknown_invocation');
  });

  test('an outcome’s own event has its id, its type, and no result', async () => {
    const start = await started();
    const { outcome_id } = (
      await api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome: envelopeFor(start) })
    ).body;
    const { body } = await api('GET', `/events/${outcome_id}`);
    expect(body.type).toBe('os.outcome.succeeded');
    expect(body.data).toMatchObject({ outcome_id, status: 'success' });
    expect(JSON.stringify(body)).not.toContain('allocated_editions');
    const listed = await api('GET', `/events?outcome_id=${outcome_id}&type=os.outcome.succeeded`);
    expect(listed.body.items.map((item: Document) => item['event_id'])).toEqual([outcome_id]);
    expectProblem(await api('POST', '/events', event(undefined, { event_id: outcome_id })), 409, 'event_conflict');
  });

  test('any name is reachable, also that of the health route, with slashes, spaces and signs', async () => {
    for (const event_id of ['health', `a/b ${randomUUID()}`, `100%25 é😀 ${randomUUID()}`]) {
      expect((await api('POST', '/events', event(undefined, { event_id }))).status).toBe(201);
      const escaped = event_id === 'health' ? '%68ealth' : encodeURIComponent(event_id);
      expect((await api('GET', `/events/${escaped}`)).body.event_id).toBe(event_id);
    }
  });

  test.each([
    ['the ledger’s own type', { type: 'os.outcome.succeeded' }, '/type'],
    ['no source', { source: null }, '/source'],
    ['too much data', { data: { a: 'x'.repeat(70_000) } }, '/data'],
  ])('%s is refused', async (_, over, path) => {
    expect(
      paths(expectProblem(await api('POST', '/events', event(undefined, over)), 422, 'request_invalid')),
    ).toContain(path);
  });

  test('an unknown one, and one of another tenant', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const theirs = event();
    await stranger('POST', '/events', theirs);
    expectProblem(await api('GET', `/events/${theirs['event_id']}`), 404, 'unknown_event');
    expectProblem(await api('GET', '/events/nothing'), 404, 'unknown_event');
    expectProblem(await api('GET', '/events/%00'), 422, 'request_invalid');
  });
});

describe('policy decisions', () => {
  test('are a guard’s, one a subject, binding', async () => {
    const start = await started();
    const decision = policyDecision({ invocation_id: start['invocation_id'] });
    expectProblem(await api('POST', '/policy/decisions', decision), 403, 'not_permitted');
    const first = await guard('POST', '/policy/decisions', decision);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ decision: 'allow', invocation_id: start['invocation_id'] });
    const again = await guard('POST', '/policy/decisions', decision);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expectProblem(
      await guard('POST', '/policy/decisions', { ...decision, decision: 'block' }),
      409,
      'decision_conflict',
    );
  });

  test('about what has ended, or is not there, are refused', async () => {
    const start = await started();
    await api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome: envelopeFor(start) });
    const late = await guard('POST', '/policy/decisions', policyDecision({ invocation_id: start['invocation_id'] }));
    expectProblem(late, 409, 'invocation_closed');
    expectProblem(
      await guard('POST', '/policy/decisions', policyDecision({ invocation_id: randomUUID() })),
      404,
      'unknown_invocation',
    );
    expectProblem(
      await guard('POST', '/policy/decisions', policyDecision({ execution_id: randomUUID() })),
      404,
      'unknown_execution',
    );
  });

  test.each([
    ['two subjects', { execution_id: randomUUID() }],
    ['no subject', { invocation_id: null }],
    ['a risk above one', { risk_score: 1.5 }],
    ['a word of its own', { decision: 'maybe' }],
  ])('with %s are refused', async (_, over) => {
    const decision = policyDecision({ invocation_id: randomUUID() }, over);
    expectProblem(await guard('POST', '/policy/decisions', decision), 422, 'request_invalid');
  });
});
