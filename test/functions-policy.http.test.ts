// Policy sets, the ledger's own guard, humans and cancel over HTTP.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;
let guard: Api;
let operator: Api;

const POLICIES = `
@id("small-sales")
permit (principal, action == Action::"allocate", resource) when { context.editions <= 40 };
@id("large-sales")
@requires_hitl("true")
@risk_score("0.7")
permit (principal, action == Action::"allocate", resource) when { context.editions > 40 };
@id("sealed")
forbid (principal, action, resource) when { context has sealed && context.sealed };
`;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
  guard = await apiOf(stack, { tenantId, role: 'policy_guard', actorId: 'os-agt-002' });
  operator = await apiOf(stack, { tenantId, role: 'operator', actorId: 'hanna' });
});

async function started(over: Document = {}): Promise<Document> {
  const start = invocationStart({ governance_class: 'supervised', correlation_id: randomUUID(), ...over });
  await api('POST', '/invocations', start);
  return start;
}
const evaluate = (start: Document, context: Document, action = 'allocate') =>
  guard('POST', '/policy/evaluate', {
    invocation_id: start['invocation_id'],
    action,
    resource: { type: 'Edition', id: '45' },
    context,
  });
const record = (start: Document, outcome: unknown) =>
  api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome });
const policyOf = ({ decision, policy_rule_triggered, risk_score, requires_hitl, evaluated_at }: Document) => ({
  decision,
  policy_rule_triggered,
  risk_score,
  requires_hitl,
  evaluated_at,
});

describe('a policy set', () => {
  test('a set that can no longer be asked is a recorded escalation', async () => {
    const tenant = await stack.database.tenant();
    const mine = await apiOf(stack, { tenantId: tenant, role: 'policy_guard', actorId: 'os-agt-002' });
    const starter = await apiOf(stack, { tenantId: tenant });
    await mine('POST', '/policy/sets', { version: '1.0.0', policies: POLICIES });
    // As an engine that has become stricter since would find it: put there in replica mode, where nothing is checked.
    await stack.database.admin.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`
        insert into public.policy_sets
        select (jsonb_populate_record(p, jsonb_build_object('version', '2.0.0', 'policies', 'permit (', 'content_hash', repeat('0', 64),
          'seq', nextval('ledger_internal.feed_seq'), 'recorded_at', clock_timestamp()))).* from public.policy_sets p where p.tenant_id = ${tenant}`;
    });
    const start = invocationStart({ governance_class: 'supervised', correlation_id: randomUUID() });
    await starter('POST', '/invocations', start);
    const question = {
      invocation_id: start['invocation_id'],
      action: 'allocate',
      resource: { type: 'Edition', id: '45' },
    };
    const { status, body } = await mine('POST', '/policy/evaluate', question);
    expect([status, body]).toMatchObject([201, { decision: 'escalate', requires_hitl: true }]);
    expect(body['evaluation'].errors[0]).toMatch(/^engine_failed: /);
  });

  test('is there before it decides', async () => {
    const empty = await stack.database.tenant();
    const bare = await apiOf(stack, { tenantId: empty, role: 'policy_guard', actorId: 'g' });
    const orchestrator = await apiOf(stack, { tenantId: empty });
    const start = invocationStart();
    await orchestrator('POST', '/invocations', start);
    const asked = { invocation_id: start['invocation_id'], action: 'a', resource: { type: 'T', id: '1' } };
    expectProblem(await bare('POST', '/policy/evaluate', asked), 404, 'unknown_policy_set');
  });

  test('is stored once it holds, replayed, contested, read and listed', async () => {
    const set = { version: '1.0.0', policies: POLICIES, mask: ['/context/buyer'] };
    const stored = await guard('POST', '/policy/sets', set);
    expect(stored).toMatchObject({
      status: 201,
      body: { version: '1.0.0', policies: POLICIES, warnings: expect.any(Array) },
    });
    expect((await guard('POST', '/policy/sets', set)).status).toBe(200);
    expectProblem(
      await guard('POST', '/policy/sets', { ...set, policies: `${POLICIES} ` }),
      409,
      'policy_set_conflict',
    );
    expect((await api('GET', '/policy/sets/1.0.0')).body.content_hash).toBe(stored.body.content_hash);
    expect((await api('GET', '/policy/sets')).body.items.map((item: Document) => item['version'])).toEqual(['1.0.0']);
    expectProblem(await api('GET', '/policy/sets/9.9.9'), 404, 'unknown_policy_set');
    expectProblem(await api('POST', '/policy/sets', { ...set, version: '1.0.1' }), 403, 'not_permitted');
  });

  test('names line and column of what is wrong, and stores nothing', async () => {
    const broken = await guard('POST', '/policy/sets', {
      version: '2.0.0',
      policies: 'permit (principal, action, resource)\n  when { 1 + };',
    });
    const { violations } = expectProblem(broken, 422, 'policy_set_invalid');
    expect(violations[0]).toMatchObject({ path: '/policies', message: expect.stringMatching(/^line 2, column \d+: /) });
    const never = await guard('POST', '/policy/sets', {
      version: '2.0.0',
      policies: 'permit (principal, action, resource) when { false };',
    });
    expectProblem(never, 422, 'policy_set_invalid');
    expectProblem(await api('GET', '/policy/sets/2.0.0'), 404, 'unknown_policy_set');
  });
});

describe('the guard', () => {
  test('allows, on disk with what it saw, masked, and its own outcome governs', async () => {
    const start = await started();
    const answer = await evaluate(start, { editions: 9, buyer: 'Ms. Secret', risk_score: 0.08 });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        decision: 'allow',
        policy_rule_triggered: 'small-sales',
        requires_hitl: false,
        evaluation: { policy_set_version: '1.0.0', policy_ids: ['small-sales'], latency_us: expect.any(Number) },
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain('Secret');
    const again = await evaluate(start, { editions: 9, buyer: 'Ms. Secret', risk_score: 0.08 });
    expect([again.status, again.body.decision_id]).toEqual([200, answer.body.decision_id]);
    expectProblem(await evaluate(start, { editions: 10 }), 409, 'decision_conflict');
    const recorded = await record(start, envelopeFor(start, 'success', { policy: policyOf(answer.body) }));
    expect(recorded.status).toBe(201);
    const guards = (await api('GET', `/outcomes?source_id=os-agt-002&correlation_id=${start['correlation_id']}`)).body
      .items;
    expect(guards).toMatchObject([
      { status: 'success', result: { decision: 'allow', decision_id: answer.body.decision_id } },
    ]);
    const why = (await api('GET', `/lineage/outcomes/${recorded.body.outcome_id}/why`)).body;
    expect(why.nodes.map((node: Document) => node['relation'])).toContain('governed-by');
  });

  test('blocks: then nothing but blocked is recorded', async () => {
    const start = await started();
    const { body } = await evaluate(start, { editions: 1, sealed: true });
    expect(body).toMatchObject({ decision: 'block', policy_rule_triggered: 'sealed' });
    for (const status of ['success', 'failure', 'timeout', 'skipped'] as const) {
      const answer = await record(start, envelopeFor(start, status, { policy: policyOf(body) }));
      expect(answer.status, status).toBe(422);
    }
    expect((await record(start, envelopeFor(start, 'blocked', { policy: policyOf(body) }))).status).toBe(201);
    expectProblem(await evaluate(start, { editions: 2 }), 409, 'decision_conflict');
  });

  test('escalates when an evaluation fails, and asks a human', async () => {
    const start = await started();
    const { body } = await evaluate(start, { editions: 'many' });
    expect(body).toMatchObject({
      decision: 'escalate',
      evaluation: { errors: expect.arrayContaining([expect.stringMatching(/^policy_error: /)]) },
    });
    expect((await api('GET', `/policy/hitl/${body.decision_id}`)).body).toMatchObject({
      state: 'open',
      opened_from: 'decision',
    });
  });

  test('is a policy guard, about a subject of its tenant, with a readable question', async () => {
    const start = await started();
    const asked = { invocation_id: start['invocation_id'], action: 'allocate', resource: { type: 'Edition', id: '1' } };
    expectProblem(await api('POST', '/policy/evaluate', asked), 403, 'not_permitted');
    expectProblem(
      await guard('POST', '/policy/evaluate', { ...asked, invocation_id: randomUUID() }),
      404,
      'unknown_invocation',
    );
    const wrong = expectProblem(
      await guard('POST', '/policy/evaluate', { ...asked, resource: 'Edition' }),
      422,
      'request_invalid',
    );
    expect(paths(wrong)).toEqual(['/resource']);
    expectProblem(
      await guard('POST', '/policy/evaluate', { ...asked, context: { risk_score: 1.2 } }),
      422,
      'request_invalid',
    );
  });
});

describe('a human', () => {
  test('lets a large sale pass, once', async () => {
    const start = await started();
    const { body } = await evaluate(start, { editions: 45 });
    expect(body).toMatchObject({ decision: 'allow', requires_hitl: true, risk_score: 0.7 });
    const success = envelopeFor(start, 'success', { policy: policyOf(body) });
    expectProblem(await record(start, success), 422, 'hitl_required');
    const open = (await operator('GET', `/policy/hitl?state=open&correlation_id=${start['correlation_id']}`)).body
      .items;
    expect(open).toMatchObject([{ hitl_request_id: body.decision_id, age_s: expect.any(Number) }]);
    const answer = { resolution: 'approved', reason: 'known buyer' };
    expectProblem(await guard('POST', `/policy/hitl/${body.decision_id}/resolution`, answer), 403, 'not_permitted');
    expect((await operator('POST', `/policy/hitl/${body.decision_id}/resolution`, answer)).status).toBe(201);
    expect((await operator('POST', `/policy/hitl/${body.decision_id}/resolution`, answer)).status).toBe(200);
    expectProblem(
      await operator('POST', `/policy/hitl/${body.decision_id}/resolution`, { ...answer, resolution: 'rejected' }),
      409,
      'hitl_conflict',
    );
    expect((await record(start, success)).status).toBe(201);
  });

  test('is asked by an orchestrator, about one thing', async () => {
    const start = await started();
    const asked = { invocation_id: start['invocation_id'], reason: 'may it?', expires_in_ms: 60_000 };
    const opened = await api('POST', '/policy/hitl', asked);
    expect(opened).toMatchObject({ status: 201, body: { state: 'open', requested_by: 'os-agt-001' } });
    const second = expectProblem(await api('POST', '/policy/hitl', asked), 409, 'hitl_request_conflict');
    expect(second['hitl_request_id']).toBe(opened.body.hitl_request_id);
    expectProblem(await api('POST', '/policy/hitl', { reason: 'about what?' }), 422, 'request_invalid');
    expectProblem(await api('POST', '/policy/hitl', { ...asked, expires_in_ms: 0 }), 422, 'request_invalid');
    expectProblem(await api('GET', '/policy/hitl/nothing'), 404, 'unknown_hitl_request');
  });
});

describe('cancel', () => {
  test('ends an open invocation, and its late result is kept', async () => {
    const start = await started({ governance_class: 'autonomous' });
    const path = `/invocations/${start['invocation_id']}/cancel`;
    const canceled = await operator('POST', path, { reason: 'withdrawn' });
    expect(canceled).toMatchObject({
      status: 201,
      body: { status: 'failure', errors: [{ code: 'CANCELED', message: 'withdrawn' }] },
    });
    expect((await operator('POST', path, { reason: 'withdrawn' })).status).toBe(200);
    const late = expectProblem(await record(start, envelopeFor(start)), 409, 'outcome_conflict');
    expect(late['outcome_id']).toBe(canceled.body.outcome_id);
    expect((await api('GET', `/outcomes/${canceled.body.outcome_id}`)).body).toMatchObject({
      origin: 'canceled',
      completion_reason: 'canceled',
      late: [{}],
    });
    expectProblem(await guard('POST', path, { reason: 'x' }), 403, 'not_permitted');
    const other = expectProblem(await operator('POST', path, { reason: 'another' }), 409, 'outcome_conflict');
    expect(other['detail']).toContain('nothing was canceled');
    expectProblem(await operator('POST', path, {}), 422, 'request_invalid');
  });
});
