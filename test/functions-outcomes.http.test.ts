// Outcomes over HTTP: recorded once, replayed, contested, refused with paths, batched, read.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import {
  agentEnvelope,
  type Document,
  envelopeFor,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
} from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
});

async function started(over: Document = {}): Promise<Document> {
  const start = invocationStart(over);
  expect((await api('POST', '/invocations', start)).status).toBe(201);
  return start;
}

const record = (start: Document, outcome: unknown, from = api) =>
  from('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome });

describe('recording', () => {
  test('answers the envelope with its minted id; the same content again is a replay', async () => {
    const start = await started();
    const outcome = envelopeFor(start, 'success', { result: { n: 1, __proto: 1, list: [1.0, 'é', '😀'] } });
    const first = await record(start, outcome);
    expect(first.status).toBe(201);
    const { outcome_id, ...rest } = first.body;
    expect(outcome_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(rest).toEqual(outcome);

    // B027: key order, number spelling and absent members aside, it is the same content.
    const spelled = JSON.stringify({
      invocation_id: start['invocation_id'],
      outcome: Object.fromEntries(Object.entries(outcome).reverse()),
    })
      .replace('"n":1', '"n":1.0e0')
      .replace('"quality":null,', '');
    const again = await api('POST', '/outcomes', spelled);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    const resent = await record(start, first.body);
    expect([resent.status, resent.body.outcome_id]).toEqual([200, outcome_id]);

    const read = await api('GET', `/outcomes/${outcome_id}`);
    expect(read.body).toMatchObject({
      ...outcome,
      outcome_id,
      invocation_id: start['invocation_id'],
      execution_id: null,
      origin: 'recorded',
      recorded_by: 'os-agt-001',
      late: null,
      judgment: 'delivered',
      verification: 'skipped',
    });
  });

  test('other content is refused with the id that won, and kept', async () => {
    const start = await started();
    const won = (await record(start, envelopeFor(start))).body.outcome_id;
    const lost = await record(start, envelopeFor(start, 'failure'));
    expect(expectProblem(lost, 409, 'outcome_conflict')['outcome_id']).toBe(won);
    expectProblem(await record(start, envelopeFor(start, 'failure')), 409, 'outcome_conflict');
    const { body } = await api('GET', `/outcomes/${won}`);
    expect(body.status).toBe('success');
    expect(body.late).toHaveLength(1);
    expect(body.late[0]).toMatchObject({ outcome: { status: 'failure' }, received_by: 'os-agt-001' });
  });

  test('an id the client made is refused', async () => {
    const start = await started();
    const refused = await record(start, envelopeFor(start, 'success', { outcome_id: randomUUID() }));
    expectProblem(refused, 422, 'outcome_id_refused');
  });

  test('a workflow’s outcome, with __proto__ in its result kept', async () => {
    const start = executionStart();
    await api('POST', '/executions', start);
    const outcome = envelopeFor(start, 'partial', { result: JSON.parse('{"__proto__":{"a":1},"constructor":2}') });
    const recorded = await api('POST', '/outcomes', { execution_id: start['execution_id'], outcome });
    expect(recorded.status).toBe(201);
    expect(Object.keys(recorded.body.result).sort()).toEqual(['__proto__', 'constructor']);
    const listed = await api('GET', `/outcomes?execution_id=${start['execution_id']}`);
    expect(listed.body.items.map((item: Document) => item['outcome_id'])).toContain(recorded.body.outcome_id);
  });

  test('the recorded decision must be carried', async () => {
    const guard = await apiOf(stack, { tenantId, role: 'policy_guard', actorId: 'os-agt-002' });
    const start = await started();
    const decision = await guard(
      'POST',
      '/policy/decisions',
      policyDecision({ invocation_id: start['invocation_id'] }),
    );
    expect(decision.status).toBe(201);
    expectProblem(await record(start, envelopeFor(start)), 422, 'policy_mismatch');
    expect((await record(start, envelopeFor(start, 'success', { policy: policyMember() }))).status).toBe(201);
    const supervised = await started({ governance_class: 'supervised' });
    expectProblem(await record(supervised, envelopeFor(supervised)), 422, 'policy_required');
  });
});

describe('refusals name what is wrong', () => {
  test.each([
    ['an error beside success', { errors: [{ code: 'X', message: 'm', recoverable: false }] }, '/errors'],
    ['an unknown member', { mood: 'good' }, '/mood'],
    ['a result that is a list', { result: [] }, '/result'],
    ['a status of another word', { status: 'done' }, '/status'],
    ['another correlation', { correlation_id: 'other' }, '/correlation_id'],
    ['another source', { source: { type: 'agent', id: 'x', version: '1.0.0', domain: 'art' } }, '/source/id'],
    [
      'a year of five digits',
      { timing: { started_at: '10000-01-01T00:00:00Z', completed_at: '10000-01-01T00:00:00Z', duration_ms: 1 } },
      '/timing/started_at',
    ],
  ])('%s', async (_, over, path) => {
    const start = await started();
    const refused = await record(start, envelopeFor(start, 'success', over));
    expect(paths(expectProblem(refused, 422, 'envelope_invalid'))).toContain(path);
    expect((await api('GET', `/outcomes?invocation_id=${start['invocation_id']}`)).body.items).toEqual([]);
  });

  test.each([
    ['no subject', {}, ''],
    ['two subjects', { invocation_id: randomUUID(), execution_id: randomUUID() }, ''],
    ['a subject that is no id', { invocation_id: 'x' }, '/invocation_id'],
    ['another member', { invocation_id: randomUUID(), force: true }, '/force'],
    ['no envelope', { invocation_id: randomUUID(), outcome: null }, '/outcome'],
  ])('%s', async (_, over, path) => {
    const refused = await api('POST', '/outcomes', { outcome: agentEnvelope(), ...over });
    expect(paths(expectProblem(refused, 422, 'request_invalid'))).toContain(path);
  });

  // B025: what is validated is what is stored.
  test('a key that stands twice', async () => {
    const start = await started();
    const body = JSON.stringify({ invocation_id: start['invocation_id'], outcome: envelopeFor(start, 'failure') });
    const twice = body.replace('"status":"failure"', '"status":"failure","st\\u0061tus":"success"');
    expect(paths(expectProblem(await api('POST', '/outcomes', twice), 400, 'json_invalid'))).toEqual([
      '/outcome/status',
    ]);
    expect((await api('GET', `/outcomes?invocation_id=${start['invocation_id']}`)).body.items).toEqual([]);
  });

  test('an unknown invocation and one of another tenant alike', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const theirs = invocationStart();
    await stranger('POST', '/invocations', theirs);
    const { request_id: _, ...foreign } = expectProblem(
      await record(theirs, envelopeFor(theirs)),
      404,
      'unknown_invocation',
    );
    const nobody = invocationStart();
    const { request_id: __, ...unknown } = expectProblem(
      await record(nobody, envelopeFor(nobody)),
      404,
      'unknown_invocation',
    );
    expect(foreign).toEqual(unknown);
    const theirOutcome = (await record(theirs, envelopeFor(theirs), stranger)).body.outcome_id;
    expectProblem(await api('GET', `/outcomes/${theirOutcome}`), 404, 'unknown_outcome');
  });

  test('a role that may not', async () => {
    const start = await started();
    const auditor = await apiOf(stack, { tenantId, role: 'auditor', actorId: 'auditor-1' });
    expectProblem(await record(start, envelopeFor(start), auditor), 403, 'not_permitted');
    const other = await apiOf(stack, { tenantId, role: 'agent', actorId: 'another-agent' });
    expectProblem(await record(start, envelopeFor(start), other), 403, 'not_permitted');
  });
});

describe('a batch', () => {
  test('of a thousand, each answered for itself in the order sent', async () => {
    const starts = Array.from({ length: 999 }, () => invocationStart());
    for (let at = 0; at < starts.length; at += 500) {
      const batch = await api('POST', '/invocations/batch', { items: starts.slice(at, at + 500) });
      expect(batch.body.items.every((item: { status: number }) => item.status === 201)).toBe(true);
    }
    const items: unknown[] = starts.map((start, n) => ({
      invocation_id: start['invocation_id'],
      outcome: envelopeFor(start, n % 7 === 0 ? 'failure' : 'success', n === 500 ? { mood: 1 } : {}),
    }));
    items.push(items[3]);
    const batch = await api('POST', '/outcomes/batch', { items });
    expect(batch.status).toBe(200);
    const statuses = batch.body.items.map((item: { status: number }) => item.status);
    expect(statuses).toHaveLength(1000);
    expect(statuses.filter((status: number) => status === 201)).toHaveLength(998);
    expect([statuses[500], statuses[999]]).toEqual([422, 200]);
    expect(batch.body.items[999].outcome.outcome_id).toBe(batch.body.items[3].outcome.outcome_id);
    expect(batch.body.items[500].problem).toMatchObject({ code: 'envelope_invalid', violations: [{ path: '/mood' }] });
  });

  test('reads each item strictly, and takes a bare array', async () => {
    const [a, b] = [await started(), await started()];
    const good = JSON.stringify({ invocation_id: a['invocation_id'], outcome: envelopeFor(a) });
    const twice = JSON.stringify({ invocation_id: b['invocation_id'], outcome: envelopeFor(b) }).replace(
      '"status":"success"',
      '"status":"failure","status":"success"',
    );
    const batch = await api('POST', '/outcomes/batch', `[${good},${twice},null,{"outcome":"\\u0000"},${good}]`);
    expect(batch.body.items.map((item: Document) => [item['status'], item['problem']?.code ?? null])).toEqual([
      [201, null],
      [400, 'json_invalid'],
      [400, 'json_invalid'],
      [400, 'json_invalid'],
      [200, null],
    ]);
  });

  test('names the winner of a lost item, and refuses more than a thousand', async () => {
    const start = await started();
    const won = (await record(start, envelopeFor(start))).body.outcome_id;
    const items = [{ invocation_id: start['invocation_id'], outcome: envelopeFor(start, 'failure') }];
    const batch = await api('POST', '/outcomes/batch', { items });
    expect(batch.body.items[0]).toMatchObject({ status: 409, problem: { code: 'outcome_conflict', outcome_id: won } });
    const tooMany = await api(
      'POST',
      '/outcomes/batch',
      Array.from({ length: 1001 }, () => 1),
    );
    expectProblem(tooMany, 422, 'request_invalid');
  });
});

describe('a dry run', () => {
  const validate = (body: unknown, headers = {}) => api('POST', '/outcomes/validate', body, headers);

  test('judges a good envelope good, as any content type, and writes nothing', async () => {
    expect((await validate(agentEnvelope())).body).toEqual({ valid: true, violations: [] });
    const text = await validate(`\ufeff${JSON.stringify(agentEnvelope('blocked'))}`, { 'content-type': 'text/plain' });
    expect(text.body).toEqual({ valid: true, violations: [] });
    const [row] = await stack.database.sql`select count(*)::int as n from public.late_outcomes`;
    expect(row?.['n']).toBeTypeOf('number');
  });

  test.each([
    ['not JSON', '{"a":', '/a'],
    ['null', 'null', ''],
    ['a list', '[]', ''],
    ['a text', '"x"', ''],
    ['a key twice', JSON.stringify(agentEnvelope()).replace('"errors":[]', '"errors":[],"errors":[]'), '/errors'],
    ['__proto__ at the top', JSON.stringify(agentEnvelope()).replace('{', '{"__proto__":1,'), '/__proto__'],
    [
      'half a pair',
      JSON.stringify(agentEnvelope('success', { result: { a: 'X' } })).replace('X', '\\ud83d'),
      '/result/a',
    ],
    [
      'a number no double gives back',
      JSON.stringify(agentEnvelope('success', { result: { a: 1 } })).replace('"a":1', '"a":12345678901234567890'),
      '/result/a',
    ],
  ])('says what is wrong with %s', async (_, body, path) => {
    const answer = await validate(body);
    expect(answer.status).toBe(200);
    expect(answer.body.valid).toBe(false);
    expect(answer.body.violations.map((one: { path: string }) => one.path)).toContain(path);
  });

  test('only an empty or too large body is an error', async () => {
    expectProblem(await validate(''), 400, 'json_invalid');
    expectProblem(await validate('x'.repeat(1_048_577)), 413, 'payload_too_large');
  });

  test('knows no records: a foreign source and any subject are fine', async () => {
    expect((await validate(agentEnvelope('success', { policy: policyMember() }))).body.valid).toBe(true);
  });
});

describe('lists', () => {
  test('by every parameter', async () => {
    const correlation_id = `corr-${randomUUID()}`;
    const causation_id = `cause-${randomUUID()}`;
    const start = await started({ correlation_id, causation_id });
    const { outcome_id } = (await record(start, envelopeFor(start))).body;
    const queries = {
      correlation_id,
      causation_id,
      invocation_id: start['invocation_id'],
      status: 'success',
      source_type: 'agent',
      source_id: 'art-agt-003',
      domain: 'art',
      from: '2020-01-01T00:00:00Z',
      to: '2999-01-01T00:00:00Z',
      limit: '1',
    };
    for (const [name, value] of Object.entries(queries)) {
      const page = await api(
        'GET',
        `/outcomes?correlation_id=${correlation_id}${name === 'correlation_id' ? '' : `&${name}=${encodeURIComponent(value)}`}`,
      );
      expect([name, page.body.items.map((item: Document) => item['outcome_id'])]).toEqual([name, [outcome_id]]);
    }
    const none = await api('GET', `/outcomes?correlation_id=${correlation_id}&status=failure`);
    expect(none.body).toEqual({ items: [], next_cursor: null });
  });

  // B048: never silently cut.
  test('of more than a page go on until all has been seen', async () => {
    const correlation_id = `corr-${randomUUID()}`;
    const starts = Array.from({ length: 1201 }, () => invocationStart({ correlation_id }));
    await api('POST', '/invocations/batch', { items: starts.slice(0, 1000) });
    await api('POST', '/invocations/batch', { items: starts.slice(1000) });
    const items = starts.map((start) => ({ invocation_id: start['invocation_id'], outcome: envelopeFor(start) }));
    await api('POST', '/outcomes/batch', { items: items.slice(0, 1000) });
    await api('POST', '/outcomes/batch', { items: items.slice(1000) });
    const first = await api('GET', `/outcomes?correlation_id=${correlation_id}&limit=1000`);
    expect(first.body.items).toHaveLength(1000);
    const rest = await api(
      'GET',
      `/outcomes?correlation_id=${correlation_id}&limit=1000&cursor=${first.body.next_cursor}`,
    );
    expect(rest.body).toMatchObject({ next_cursor: null });
    const seen = new Set([...first.body.items, ...rest.body.items].map((item: Document) => item['outcome_id']));
    expect(seen.size).toBe(1201);
    const all = await api('GET', `/lineage/correlations/${correlation_id}`);
    expect(all.body.nodes).toHaveLength(1201);
  });
});
