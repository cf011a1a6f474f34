// Source definitions over HTTP, and what their schemas ask of results.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, envelopeFor, invocationStart, sourceDefinition } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let operator: Api;
let api: Api;

beforeAll(async () => {
  const tenantId = await stack.database.tenant();
  operator = await apiOf(stack, { tenantId, role: 'operator', actorId: 'operator-1' });
  api = await apiOf(stack, { tenantId });
});

const SCHEMA = {
  type: 'object',
  required: ['allocated'],
  properties: { allocated: { type: 'integer', minimum: 0 }, day: { type: 'string', format: 'date' } },
  additionalProperties: false,
};

/** A defined source of its own, and a way to end an invocation of it. */
async function defined(over: Document) {
  const id = `agent-${randomUUID()}`;
  const put = await operator('PUT', `/definitions/agent/${id}/1.0.0`, { domain: 'art', ...over });
  expect(put.status).toBe(201);
  return { id, end: (envelope: Document) => end(id, envelope) };
}

async function end(id: string, envelope: Document) {
  const start = invocationStart({ source: { id, version: '1.0.0', domain: 'art' } });
  expect((await api('POST', '/invocations', start)).status).toBe(201);
  return api('POST', '/outcomes', {
    invocation_id: start['invocation_id'],
    outcome: envelopeFor(start, 'success', envelope),
  });
}

describe('a definition', () => {
  test('is put once: replayed with the same content, contested with other', async () => {
    const path = `/definitions/agent/${encodeURIComponent(`a/b ${randomUUID()}`)}/1.0.0-rc.1`;
    const { source_id: _, source_type: __, version: ___, ...body } = sourceDefinition({ output_schema: SCHEMA });
    const put = await operator('PUT', path, body);
    expect(put.status).toBe(201);
    expect(put.body).toMatchObject({
      source_type: 'agent',
      version: '1.0.0-rc.1',
      output_schema_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const again = await operator('PUT', path, body);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expectProblem(await operator('PUT', path, { ...body, domain: 'other' }), 409, 'definition_conflict');
    expect((await api('GET', path)).body).toEqual(put.body);
  });

  test('is an operator’s to put, and another tenant’s is not there', async () => {
    const path = `/definitions/workflow/${randomUUID()}/1.0.0`;
    expectProblem(await api('PUT', path, { domain: 'art' }), 403, 'not_permitted');
    await operator('PUT', path, { domain: 'art', execution_pattern: 'sequential' });
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    expectProblem(await stranger('GET', path), 404, 'unknown_definition');
  });

  test.each([
    ['another id than the path', 'agent/a/1.0.0', { source_id: 'b', domain: 'art' }, '/source_id'],
    ['no domain', 'agent/a/1.0.0', {}, '/domain'],
    ['a pattern for an agent', 'agent/a/1.0.0', { domain: 'art', execution_pattern: 'x' }, '/execution_pattern'],
    [
      'a schema that is none',
      'agent/a/1.0.0',
      { domain: 'art', output_schema: { type: 'objekt' } },
      '/output_schema/type',
    ],
    [
      'a schema from elsewhere',
      'agent/a/1.0.0',
      { domain: 'art', confidence_schema: { $ref: 'https://x.example/s' } },
      '/confidence_schema/$ref',
    ],
    [
      'a schema that explodes',
      'agent/a/1.0.0',
      { domain: 'art', output_schema: { properties: { a: { pattern: '(a+)+$' } } } },
      '/output_schema/properties/a/pattern',
    ],
    [
      'a schema that answers later',
      'agent/a/1.0.0',
      { domain: 'art', output_schema: { properties: { a: { $async: true } } } },
      '/output_schema/properties/a/$async',
    ],
    [
      'a schema that takes the name of the meta-schema',
      'agent/a/1.0.0',
      { domain: 'art', output_schema: { $id: 'https://json-schema.org/draft/2020-12/schema' } },
      '/output_schema/$id',
    ],
    [
      'a schema that names __proto__',
      'agent/a/1.0.0',
      { domain: 'art', output_schema: JSON.parse('{"properties":{"__proto__":{}}}') },
      '/output_schema/properties/__proto__',
    ],
    ['a type of source that is none', 'robot/a/1.0.0', { domain: 'art' }, '/path/source_type'],
    ['a version that is none', 'agent/a/1.0', { domain: 'art' }, '/path/version'],
  ])('with %s is refused', async (_, path, body, at) => {
    expect(paths(expectProblem(await operator('PUT', `/definitions/${path}`, body), 422, 'request_invalid'))).toContain(
      at,
    );
  });
});

describe('a registered schema', () => {
  test('holds for results, with pointers into them', async () => {
    const { end } = await defined({ output_schema: SCHEMA });
    expect((await end({ result: { allocated: 3, day: '2026-05-20' } })).status).toBe(201);
    const refused = await end({ result: { allocated: -1, day: 'today', extra: 1 } });
    expect(paths(expectProblem(refused, 422, 'result_schema_mismatch')).sort()).toEqual([
      '/result/allocated',
      '/result/day',
      '/result/extra',
    ]);
    expectProblem(await end({ result: {} }), 422, 'result_schema_mismatch');
  });

  test('that cannot be evaluated is a mismatch that says so', async () => {
    const { end } = await defined({
      output_schema: { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    });
    const problem = expectProblem(await end({ result: { a: 1 } }), 422, 'result_schema_mismatch');
    expect(problem).toMatchObject({ violations: [{ path: '/result', rule: 'schema_evaluates' }] });
  });

  test('holds for confidence, and not for a failure’s missing result', async () => {
    const { end } = await defined({ output_schema: SCHEMA, confidence_schema: { type: 'number', minimum: 0.5 } });
    const quality = (confidence: number) => ({ result: { allocated: 1 }, quality: { confidence } });
    expect((await end(quality(0.7))).status).toBe(201);
    expect(paths(expectProblem(await end(quality(0.2)), 422, 'result_schema_mismatch'))).toEqual([
      '/quality/confidence',
    ]);
    const failed = { status: 'failure', result: null, errors: [{ code: 'X', message: 'm', recoverable: false }] };
    expect((await end(failed)).status).toBe(201);
  });

  test('put after the process has looked is still used, singly and in a batch', async () => {
    const id = `agent-${randomUUID()}`;
    expect((await end(id, { result: { free: true } })).status).toBe(201);
    const put = await operator('PUT', `/definitions/agent/${id}/1.0.0`, { domain: 'art', output_schema: SCHEMA });
    expect(put.status).toBe(201);
    const starts = Array.from({ length: 3 }, () =>
      invocationStart({ source: { id, version: '1.0.0', domain: 'art' } }),
    );
    await api('POST', '/invocations/batch', { items: starts });
    const items = starts.map((start, n) => ({
      invocation_id: start['invocation_id'],
      outcome: envelopeFor(start, 'success', { result: n === 1 ? { free: true } : { allocated: n } }),
    }));
    const batch = await api('POST', '/outcomes/batch', items);
    expect(batch.body.items.map((item: { status: number }) => item.status)).toEqual([201, 422, 201]);
    expect(batch.body.items[1].problem).toMatchObject({ code: 'result_schema_mismatch' });
    expectProblem(await end(id, { result: { free: true } }), 422, 'result_schema_mismatch');
    expect((await end(id, { result: { allocated: 2 } })).status).toBe(201);
  });

  test('what a definition asks cannot be lowered at the start', async () => {
    const { id } = await defined({ governance_class: 'supervised', verify: 'npm test' });
    const source = { id, version: '1.0.0', domain: 'art' };
    for (const over of [{ governance_class: 'autonomous' }, { verify: 'true' }]) {
      expectProblem(await api('POST', '/invocations', invocationStart({ source, ...over })), 422, 'governance_lowered');
    }
    const raised = await api('POST', '/invocations', invocationStart({ source, governance_class: 'restricted' }));
    expect(raised.body).toMatchObject({ governance_class: 'restricted', verify: 'npm test', defined: true });
  });
});
