import { afterEach, expect, test } from 'vitest';
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts';
import { AccessTokenError } from './access-token.ts';
import { LedgerConflictError, LedgerError, LedgerUnreachableError } from './errors.ts';
import { createTransport, type TransportOptions } from './transport.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function transportTo(answers: ScriptedAnswer[], options: Partial<TransportOptions> = {}) {
  const running = await startScriptedServer(({ number }) => answers[number - 1] ?? answers.at(-1) ?? 'hang');
  server = running;
  const transport = createTransport({
    url: running.url,
    accessToken: 'token-1',
    retry: { baseDelayMs: 1, maxDelayMs: 2, attempts: 5, requestTimeoutMs: 2_000 },
    ...options,
  });
  return { running, transport };
}

const ok = { status: 200, body: { fine: true } };
const problem = (status: number, code: string, more: object = {}) => ({
  status,
  body: {
    type: `docs/errors.md#${code}`,
    title: 'T',
    status,
    code,
    detail: 'the detail',
    request_id: 'req-1',
    ...more,
  },
  headers: { 'content-type': 'application/problem+json' },
});
const failure = async (promise: Promise<unknown>): Promise<LedgerError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LedgerError);
  return error as LedgerError;
};

test('sends method, path, query, token and the same body at every attempt', async () => {
  const { running, transport } = await transportTo([
    'drop',
    'cut',
    { status: 503, text: 'busy' },
    { status: 502, text: '<html>' },
    { ...ok, headers: { 'idempotent-replayed': 'true' } },
  ]);
  const body = { a: '😀', b: [1] };
  const answer = await transport.call({ method: 'POST', path: 'outcomes', query: { x: 'y z', no: null }, body });
  expect(answer).toEqual({ data: { fine: true }, status: 200, replayed: true });
  expect(running.requests).toHaveLength(5);
  for (const request of running.requests) {
    expect(request).toMatchObject({ method: 'POST', path: 'outcomes?x=y+z', json: body });
    expect(request.headers).toMatchObject({ authorization: 'Bearer token-1', 'content-type': 'application/json' });
  }
});

test('a hanging ledger is given up at the time limit, then tried again', async () => {
  const { running, transport } = await transportTo(['hang', ok], { retry: { baseDelayMs: 1, requestTimeoutMs: 700 } });
  expect((await transport.call({ method: 'GET', path: 'outcomes' })).data).toEqual({ fine: true });
  expect(running.requests).toHaveLength(2);
});

test('Retry-After is kept', async () => {
  const { transport } = await transportTo([{ status: 503, headers: { 'retry-after': '1' } }, ok]);
  const from = performance.now();
  await transport.call({ method: 'GET', path: 'outcomes' });
  expect(performance.now() - from).toBeGreaterThanOrEqual(990);
});

test('an unreachable ledger is told as such, with the cause and the attempts', async () => {
  const { running, transport } = await transportTo(['drop']);
  const error = await failure(transport.call({ method: 'GET', path: 'outcomes' }));
  expect(error).toBeInstanceOf(LedgerUnreachableError);
  expect(error).toMatchObject({ code: 'ledger_unreachable', status: 0, attempts: 5 });
  expect(error.message).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/functions\/v1\/outcomes: the ledger did not answer/);
  expect(error.cause).toBeInstanceOf(Error);
  expect(running.requests).toHaveLength(5);
});

test('a lasting 503 keeps its problem', async () => {
  const { transport } = await transportTo([problem(503, 'epoch_unsettled')]);
  const error = await failure(transport.call({ method: 'GET', path: 'outcomes' }));
  expect(error).toBeInstanceOf(LedgerUnreachableError);
  expect(error).toMatchObject({ code: 'epoch_unsettled', status: 503, requestId: 'req-1' });
});

test('refusals are not repeated; a conflict names the winner', async () => {
  const violations = [{ path: '/result', rule: 'status', message: 'must be null' }];
  const { running, transport } = await transportTo([
    problem(422, 'envelope_invalid', { violations }),
    problem(409, 'outcome_conflict', { outcome_id: 'winner' }),
    problem(500, 'internal_error'),
  ]);
  const call = () => failure(transport.call({ method: 'POST', path: 'outcomes', body: {} }));
  expect(await call()).toMatchObject({ code: 'envelope_invalid', status: 422, requestId: 'req-1', violations });
  const conflict = await call();
  expect(conflict).toBeInstanceOf(LedgerConflictError);
  expect(conflict).toMatchObject({ code: 'outcome_conflict', outcomeId: 'winner' });
  expect(await call()).toMatchObject({ code: 'internal_error', status: 500 });
  expect(running.requests).toHaveLength(3);
});

test('another server on that address is noticed', async () => {
  const { running, transport } = await transportTo([
    { status: 200, text: '<html>', headers: { 'content-type': 'text/html' } },
  ]);
  const error = await failure(transport.call({ method: 'GET', path: 'outcomes' }));
  expect(error).toMatchObject({ code: 'reply_unreadable', status: 200 });
  expect(running.requests).toHaveLength(1);
});

test('a token function is asked for every request, not before, and once more when the token has run out', async () => {
  let asked = 0;
  const accessToken = async () => `token-${++asked}`;
  const { running, transport } = await transportTo([problem(401, 'token_expired'), ok, problem(401, 'token_expired')], {
    accessToken,
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(asked).toBe(0);
  await transport.call({ method: 'GET', path: 'outcomes' });
  expect(running.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  expect(await failure(transport.call({ method: 'GET', path: 'outcomes' }))).toMatchObject({ code: 'token_expired' });
  expect(running.requests).toHaveLength(4);
});

test('a token function is told which token was refused, once a call', async () => {
  const asked: (string | undefined)[] = [];
  const { transport } = await transportTo([problem(401, 'token_expired'), { status: 503 }, ok, ok], {
    accessToken: (refused) => {
      asked.push(refused);
      return refused === undefined ? 'old' : 'new';
    },
  });
  await transport.call({ method: 'GET', path: 'outcomes' });
  await transport.call({ method: 'GET', path: 'outcomes' });
  expect(asked).toEqual([undefined, 'old', 'old', undefined]);
});

test('who gives the tokens may say that asking again is useless', async () => {
  let asked = 0;
  const { running, transport } = await transportTo([ok], {
    accessToken: () => {
      asked += 1;
      throw new AccessTokenError('this actor is disabled', { code: 'actor_disabled', final: true, status: 400 });
    },
  });
  const error = await failure(transport.call({ method: 'GET', path: 'outcomes' }));
  expect(error).toMatchObject({ code: 'actor_disabled', status: 400, message: 'this actor is disabled' });
  expect(asked).toBe(1);
  expect(running.requests).toHaveLength(0);
});

test('a fixed token that is refused is not tried twice', async () => {
  const { running, transport } = await transportTo([problem(401, 'token_invalid')]);
  expect(await failure(transport.call({ method: 'GET', path: 'outcomes' }))).toMatchObject({ status: 401 });
  expect(running.requests).toHaveLength(1);
});

test('a token that cannot be had is told apart from a ledger that cannot be reached', async () => {
  let asked = 0;
  const { running, transport } = await transportTo([ok], {
    accessToken: () => {
      asked += 1;
      throw new Error('the key store is locked');
    },
  });
  const error = await failure(transport.call({ method: 'GET', path: 'outcomes' }));
  expect(error).toMatchObject({ code: 'access_token_failed', message: 'no access token: the key store is locked' });
  expect(asked).toBe(5);
  expect(running.requests).toHaveLength(0);
});

test('an abort ends the waiting between attempts', async () => {
  const { transport } = await transportTo([{ status: 503, headers: { 'retry-after': '30' } }]);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), 60);
  const call = transport.call({ method: 'GET', path: 'outcomes', signal: controller.signal });
  await expect(call).rejects.toThrow('enough');
});
