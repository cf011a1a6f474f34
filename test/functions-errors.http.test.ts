// What every function has in common: paths, methods, CORS, bodies, health, and refusals that tell nothing of the database.
import { randomUUID } from 'node:crypto';
import { request as rawRequest } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type Api, apiOf, expectProblem, send } from './functions-client.ts';
import { envelopeFor, event, executionStart, invocationStart } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const NAMES = [
  'definitions',
  'invocations',
  'outcomes',
  'executions',
  'events',
  'policy',
  'lineage',
  'artifacts',
  'judgments',
  'statistics',
];
const ORIGIN = 'https://console.example';

const stack = useStack();
let tenantId: string;
let api: Api;
let token: string;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
  token = `Bearer ${await stack.mintToken({ tenantId, role: 'orchestrator', actorId: 'os-agt-001' })}`;
});

describe('health', () => {
  test.each(NAMES)('%s says without a token that it is fit', async (name) => {
    await api('POST', '/events', event());
    const { status, body } = await send(stack.functionsUrl, 'GET', `/${name}/health`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      fingerprint: body.expected_fingerprint,
      epoch: 1,
      feed: { degraded: false },
    });
  });
});

// B054: the same whatever the spelling of the path.
describe('paths', () => {
  test('trailing and doubled slashes change nothing', async () => {
    const start = invocationStart();
    expect((await api('POST', '/invocations/', start)).status).toBe(201);
    expect((await api('POST', '/invocations///', start)).status).toBe(200);
    expect((await api('GET', `/invocations//${start['invocation_id']}/`)).body.invocation_id).toBe(
      start['invocation_id'],
    );
    expect((await api('GET', '/invocations/health/')).status).toBe(200);
    expect((await api('GET', '/outcomes/?limit=1')).status).toBe(200);
  });

  test('an unknown route is a 404, a known one with another method a 405 that names the others', async () => {
    expectProblem(await api('GET', '/outcomes/a/b/c'), 404, 'not_found');
    for (const [method, path, allow] of [
      ['DELETE', '/outcomes', 'POST, GET, HEAD, OPTIONS'],
      ['DELETE', `/outcomes/${randomUUID()}`, 'GET, HEAD, OPTIONS'],
      ['PATCH', '/definitions/agent/a/1.0.0', 'PUT, GET, HEAD, OPTIONS'],
      ['GET', '/policy/decisions', 'POST, OPTIONS'],
      ['POST', '/lineage/gaps', 'GET, HEAD, OPTIONS'],
      ['POST', '/events/health', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const refused = await api(method, path);
      expectProblem(refused, 405, 'method_not_allowed');
      expect(refused.headers.get('allow')?.split(', ').sort()).toEqual(allow.split(', ').sort());
    }
  });

  test('HEAD answers like GET, without a body', async () => {
    const response = await fetch(`${stack.functionsUrl}/outcomes`, {
      method: 'HEAD',
      headers: { authorization: token },
    });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

test('a request keeps its caller’s id when that is a plain one', async () => {
  expect(
    (await api('GET', '/outcomes', undefined, { 'x-request-id': 'trace-1:a.b' })).headers.get('x-request-id'),
  ).toBe('trace-1:a.b');
  const own = (await api('GET', '/outcomes', undefined, { 'x-request-id': 'a b' })).headers.get('x-request-id');
  expect(own).toMatch(/^[0-9a-f-]{36}$/);
});

// B055: a browser must see the error, not a network failure.
describe('CORS', () => {
  test.each(NAMES)('%s: a preflight needs no token', async (name) => {
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, apikey, content-type, x-client-info',
    };
    const { status, headers: got } = await send(
      stack.functionsUrl,
      'OPTIONS',
      `/${name}/any/where`,
      undefined,
      headers,
    );
    expect(status).toBe(204);
    expect(got.get('access-control-allow-origin')).toBe('*');
    expect(got.get('access-control-allow-credentials')).toBeNull();
    expect(got.get('access-control-allow-methods')).toContain('POST');
    for (const header of ['authorization', 'apikey', 'content-type', 'x-client-info']) {
      expect(got.get('access-control-allow-headers')).toContain(header);
    }
  });

  test('stands on every answer', async () => {
    const start = invocationStart();
    await api('POST', '/invocations', start);
    await api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome: envelopeFor(start) });
    const auditor = await apiOf(stack, { tenantId, role: 'auditor', actorId: 'a' });
    const origin = { origin: ORIGIN };
    const answers: [number, Promise<Answered>][] = [
      [200, api('GET', '/outcomes', undefined, origin)],
      [200, send(stack.functionsUrl, 'GET', '/outcomes/health', undefined, origin)],
      [400, api('POST', '/outcomes', '{', origin)],
      [401, send(stack.functionsUrl, 'GET', '/outcomes', undefined, origin)],
      [403, auditor('POST', '/invocations', invocationStart(), origin)],
      [404, api('GET', `/outcomes/${randomUUID()}`, undefined, origin)],
      [404, api('GET', '/outcomes/no/such/route', undefined, origin)],
      [405, api('DELETE', '/outcomes', undefined, origin)],
      [
        409,
        api(
          'POST',
          '/outcomes',
          { invocation_id: start['invocation_id'], outcome: envelopeFor(start, 'failure') },
          origin,
        ),
      ],
      [413, api('POST', '/outcomes', 'x'.repeat(1_048_577), origin)],
      [415, api('POST', '/outcomes', '{}', { ...origin, 'content-type': 'text/plain' })],
      [422, api('GET', '/outcomes?x=1', undefined, origin)],
    ];
    for (const [status, answer] of answers) {
      const { status: got, headers } = await answer;
      expect([status, got, headers.get('access-control-allow-origin')]).toEqual([status, status, '*']);
      expect(headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(headers.get('x-request-id')).toBeTruthy();
    }
  });
});

describe('tokens', () => {
  test.each([
    ['none', undefined, 'token_missing'],
    ['of another scheme', 'Basic YTpi', 'token_invalid'],
    ['that is no token', 'Bearer abc', 'token_invalid'],
    [
      'without a signature',
      `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"role":"authenticated"}')}.`.replaceAll('=', ''),
      'token_invalid',
    ],
  ])('%s', async (_, authorization, code) => {
    const refused = await send(
      stack.functionsUrl,
      'GET',
      '/outcomes',
      undefined,
      authorization ? { authorization } : {},
    );
    expectProblem(refused, 401, code);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  test('whose time is over', async () => {
    const short = await stack.mintToken({ tenantId, role: 'agent', actorId: 'a', expiresInSeconds: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expectProblem(
      await send(stack.functionsUrl, 'GET', '/outcomes', undefined, { authorization: `Bearer ${short}` }),
      401,
      'token_expired',
    );
  });

  test('with one letter changed', async () => {
    const at = token.length - 20;
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expectProblem(
      await send(stack.functionsUrl, 'GET', '/outcomes', undefined, { authorization: changed }),
      401,
      'token_invalid',
    );
  });

  test('of a tenant the ledger does not know write nothing', async () => {
    const nobody = await apiOf(stack, { tenantId: randomUUID() });
    const refused = await nobody('POST', '/invocations', invocationStart());
    expect(refused.status).toBe(403);
    expect((await nobody('GET', '/outcomes')).body.items ?? []).toEqual([]);
  });

  test('of a disabled actor are refused before they expire', async () => {
    const actorId = `agent-${randomUUID()}`;
    const agent = await apiOf(stack, { tenantId, actorId });
    expect((await agent('POST', '/invocations', invocationStart())).status).toBe(201);
    await stack.database
      .sql`insert into ledger_internal.disabled_actors (tenant_id, actor_id) values (${tenantId}, ${actorId})`;
    expect((await agent('POST', '/invocations', invocationStart())).status).toBe(403);
  });
});

// B050: a body is read once and strictly; what is no document is a 400.
describe('bodies', () => {
  const routes = ['/invocations', '/outcomes', '/executions', '/events', '/policy/decisions', '/lineage/links'];
  test.each(routes)('%s: empty, null, a list and a text are a 400', async (path) => {
    for (const body of ['', 'null', '[]', '"x"', '12', '{"a":1']) {
      expectProblem(await api('POST', path, body), 400, 'json_invalid');
    }
  });

  // B025 once more: no duplicate key anywhere.
  test.each(routes)('%s: a key twice is a 400 with its path', async (path) => {
    const problem = expectProblem(await api('POST', path, '{"tenant_id":"a","tenant_id":"b"}'), 400, 'json_invalid');
    expect(problem['violations'][0].path).toBe('/tenant_id');
  });

  // B056: the limit does not trust the length header.
  test('a chunked body over the limit is cut off, and nothing is recorded', async () => {
    const start = invocationStart();
    const text = JSON.stringify({ ...start, attributes: { a: 'x'.repeat(2_000_000) } });
    const chunked = new ReadableStream({
      start(controller) {
        for (let at = 0; at < text.length; at += 50_000)
          controller.enqueue(new TextEncoder().encode(text.slice(at, at + 50_000)));
        controller.close();
      },
    });
    expectProblem(await api('POST', '/invocations', chunked), 413, 'payload_too_large');
    expectProblem(await api('GET', `/invocations/${start['invocation_id']}`), 404, 'unknown_invocation');
  });

  test('a body that stops half-way records nothing, and the next request is answered', async () => {
    const start = invocationStart();
    const text = JSON.stringify(start);
    await new Promise<void>((resolve) => {
      const headers = {
        authorization: token,
        'content-type': 'application/json',
        'content-length': String(text.length),
      };
      const cut = rawRequest(`${stack.functionsUrl}/invocations`, { method: 'POST', headers });
      cut.on('error', () => resolve());
      cut.on('close', () => resolve());
      cut.write(text.slice(0, 40), () => setTimeout(() => cut.destroy(), 50));
    });
    expectProblem(await api('GET', `/invocations/${start['invocation_id']}`), 404, 'unknown_invocation');
  });
});

// B043: whatever goes wrong inside, nothing of the database is told.
describe('the database stays unseen', () => {
  test('in refusals of every kind', async () => {
    const start = invocationStart();
    await api('POST', '/invocations', start);
    const execution = executionStart();
    await api('POST', '/executions', execution);
    const step = { execution_id: execution['execution_id'], step_id: 's', attempt: 1 };
    await api('POST', '/invocations', invocationStart(step));
    const answers = await Promise.all([
      api('POST', '/invocations', { ...start, correlation_id: 'x' }),
      api('POST', '/invocations', invocationStart(step)),
      api('POST', '/invocations', invocationStart({ execution_id: randomUUID() })),
      api('POST', '/invocations', invocationStart({ attempt: 99_999_999_999, step_id: 's' })),
      api('POST', '/outcomes', { invocation_id: randomUUID(), outcome: envelopeFor(start) }),
      api('POST', '/lineage/links', {
        source_outcome_id: randomUUID(),
        target_outcome_id: randomUUID(),
        relation: 'invoked',
      }),
      api('GET', '/outcomes?cursor=999999999.9999999999999999999.999999999999999999'),
      api('GET', '/outcomes?cursor=1.18446744073709551616.1'),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toMatch(
        /relation "|constraint|pkey|_key"|column|syntax|SQL|agent_invocations|ledger_internal|PL\/pgSQL|xid8|bigint/,
      );
    }
    expect(answers[1]?.body.code).toBe('attempt_conflict');
  });
});
