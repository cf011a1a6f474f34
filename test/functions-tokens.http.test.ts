// Tokens of every making, against functions in this process over a real database: whose rows they see.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeps, FUNCTIONS, type FunctionDeps, type LedgerApp } from '../functions/index.ts';
import { answered, expectProblem } from './functions-client.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';

const ISSUER = 'https://ledger.example/auth/v1';
const database = useDatabase();
let keys: Server;
let published: JWK[];
let signer: Awaited<ReturnType<typeof generateKeyPair>>;
let deps: FunctionDeps;
let apps: Record<string, LedgerApp>;
let a: string;
let b: string;

beforeAll(async () => {
  signer = await generateKeyPair('ES256', { extractable: true });
  published = [{ ...(await exportJWK(signer.publicKey)), kid: 'one', alg: 'ES256' }];
  keys = createServer((_, response) => void response.end(JSON.stringify({ keys: published })));
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
  deps = createDeps({
    LEDGER_DATABASE_URL: database.gatewayUrl,
    LEDGER_JWKS_URL: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`,
    LEDGER_JWT_ISSUER: ISSUER,
    LEDGER_JWKS_COOLDOWN_MS: '1',
    LEDGER_MAX_CONNECTIONS: '1',
    LEDGER_CORS_ORIGINS: 'https://console.example',
  });
  apps = Object.fromEntries(Object.entries(FUNCTIONS).map(([name, create]) => [name, create(deps)]));
  [a, b] = [await database.tenant(), await database.tenant()];
});
afterAll(async () => {
  await deps.close();
  await new Promise((resolve) => keys.close(resolve));
});

async function tokenOf(
  app_metadata: unknown,
  more: Record<string, unknown> = {},
  kid = 'one',
  key = signer.privateKey,
) {
  return new SignJWT({ role: 'authenticated', app_metadata, ...more })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(ISSUER)
    .setAudience('authenticated')
    .setSubject('someone')
    .setExpirationTime('5m')
    .sign(key);
}

const claims = (tenant_id: unknown) => ({ tenant_id, ledger_role: 'orchestrator', actor_id: 'os-agt-001' });

async function ask(token: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const name = /^\/([a-z]+)/.exec(path)?.[1] ?? '';
  const init = {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  return answered((await apps[name]?.request(path, init)) as Response);
}

// B044, B045: one session, two tenants, errors and cancelled requests between: nothing carries over.
test('tenants taking turns on one session never see each other', async () => {
  const [ta, tb] = [await tokenOf(claims(a)), await tokenOf(claims(b))];
  const mine: Record<string, string[]> = { [ta]: [], [tb]: [] };
  for (let round = 0; round < 20; round += 1) {
    for (const token of [ta, tb]) {
      const start = invocationStart();
      mine[token]?.push(start['invocation_id']);
      const other = token === ta ? tb : ta;
      const work = [
        ask(token, 'POST', '/invocations', start),
        ask(other, 'GET', `/invocations/${mine[token]?.[0]}`),
        ask(token, 'POST', '/outcomes', { invocation_id: randomUUID(), outcome: envelopeFor(start) }),
        ask(other, 'POST', '/invocations', { ...start, invocation_id: start['invocation_id'], source: { id: '' } }),
        ask(token, 'GET', '/invocations?limit=1000'),
      ];
      const [started, foreign, , , list] = await Promise.all(work);
      expect(started?.status).toBe(201);
      expect(foreign?.status).toBe(404);
      const seen = list?.body.items.map((item: Document) => item['invocation_id']);
      expect(seen.every((id: string) => mine[token]?.includes(id))).toBe(true);
    }
  }
  const left = await deps.database
    .as({ subject: 'x', tenantId: randomUUID(), role: 'auditor', actorId: 'x' })
    .call<Document>('list_invocations');
  expect(left).toMatchObject({ items: [] });
});

// B046: only app_metadata counts, and a tenant that is none reads nothing.
describe('claims', () => {
  test('user_metadata is never read', async () => {
    const start = invocationStart();
    await ask(await tokenOf(claims(b)), 'POST', '/invocations', start);
    const forged = await tokenOf(claims(a), { user_metadata: claims(b), tenant_id: b });
    expectProblem(await ask(forged, 'GET', `/invocations/${start['invocation_id']}`), 404, 'unknown_invocation');
    const only = await tokenOf({}, { user_metadata: claims(a) });
    expectProblem(await ask(only, 'GET', '/invocations'), 403, 'not_permitted');
  });
  test.each([[12], [['x']], [''], [null], [{}]])('tenant %j', async (tenant) => {
    expectProblem(await ask(await tokenOf(claims(tenant)), 'GET', '/outcomes'), 403, 'not_permitted');
    expectProblem(
      await ask(await tokenOf(claims(tenant)), 'POST', '/invocations', invocationStart()),
      403,
      'not_permitted',
    );
  });
  test('a tenant in upper case', async () => {
    expectProblem(await ask(await tokenOf(claims(a.toUpperCase())), 'GET', '/outcomes'), 403, 'not_permitted');
  });
});

// B052: rotation without a restart.
test('a key rotated while running is picked up', async () => {
  const next = await generateKeyPair('ES256', { extractable: true });
  published = [...published, { ...(await exportJWK(next.publicKey)), kid: 'two', alg: 'ES256' }];
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await ask(await tokenOf(claims(a), {}, 'two', next.privateKey), 'GET', '/outcomes')).status).toBe(200);
  const unknown = await ask(await tokenOf(claims(a), {}, 'three', next.privateKey), 'GET', '/outcomes');
  expect(expectProblem(unknown, 401, 'token_invalid')['detail']).toMatch(/key/);
});

// B055: a list of origins names only those on it.
test('an allow-list names the origin asked from, and no other', async () => {
  const token = await tokenOf(claims(a));
  const listed = await ask(token, 'GET', '/outcomes', undefined, { origin: 'https://console.example' });
  expect(listed.headers.get('access-control-allow-origin')).toBe('https://console.example');
  expect(listed.headers.get('vary')).toBe('Origin');
  for (const origin of ['https://evil.example', 'https://console.example.evil', 'null']) {
    const other = await ask(token, 'GET', '/outcomes?x=1', undefined, { origin });
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([422, null]);
  }
});

test('the bare app takes paths with and without the prefix of the platform', async () => {
  const token = await tokenOf(claims(a));
  for (const path of ['/outcomes', '/functions/v1/outcomes', '/outcomes/', '//outcomes//']) {
    const response = await apps['outcomes']?.fetch(
      new Request(`http://any.example${path}`, { headers: { authorization: `Bearer ${token}` } }),
    );
    expect([path, response?.status]).toEqual([path, 200]);
  }
});
