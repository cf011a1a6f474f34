import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTokenVerifier, type TokenVerifier } from './auth.ts';

// A real key server: what it publishes is changed by the tests.
type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let server: Server;
let jwksUrl: string;
let published: { status: number; keys: JWK[] };
let first: Pair;
let second: Pair;
let rsa: Pair;
let verify: TokenVerifier;

const ISSUER = 'https://ledger.example/auth/v1';
const SECRET = 'a legacy secret of at least thirty-two bytes';
const TENANT = '3f333df6-90a4-4fda-8dd3-9485d27cee36';
const APP = { tenant_id: TENANT, ledger_role: 'agent', actor_id: 'art-agt-003' };

const publish = async (pair: Pair, kid: string, alg: string | undefined): Promise<JWK> => ({
  ...(await exportJWK(pair.publicKey)),
  kid,
  ...(alg && { alg }),
});
const config = (over = {}) => ({
  issuers: [{ issuer: ISSUER, jwksUrl }],
  audience: 'authenticated',
  legacySecret: null as string | null,
  keyCooldownMs: 1,
  ...over,
});
const claims = (over: Record<string, unknown> = {}) => ({ role: 'authenticated', app_metadata: APP, ...over });

interface Mint {
  key?: CryptoKey | Uint8Array;
  header?: Record<string, unknown>;
  payload?: Record<string, unknown>;
  issuer?: string;
  audience?: string;
  expires?: string | number | null;
}

async function mint({ key = first.privateKey, header = {}, payload = claims(), ...rest }: Mint = {}): Promise<string> {
  const token = new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', kid: 'first', ...header })
    .setIssuer(rest.issuer ?? ISSUER)
    .setAudience(rest.audience ?? 'authenticated')
    .setSubject('user-1');
  if (rest.expires !== null) token.setExpirationTime(rest.expires ?? '5m');
  return `Bearer ${await token.sign(key)}`;
}

beforeAll(async () => {
  first = await generateKeyPair('ES256', { extractable: true });
  second = await generateKeyPair('ES256', { extractable: true });
  rsa = await generateKeyPair('RS256', { extractable: true });
  server = createServer((_, response) => {
    response
      .writeHead(published.status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ keys: published.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(async () => {
  published = { status: 200, keys: [await publish(first, 'first', 'ES256'), await publish(rsa, 'rsa', 'RS256')] };
  verify = createTokenVerifier(config());
});

describe('a good token', () => {
  test('names its caller', async () => {
    expect(await verify(await mint())).toEqual({
      subject: 'user-1',
      tenantId: TENANT,
      role: 'agent',
      actorId: 'art-agt-003',
    });
    expect(await verify(await mint({ key: rsa.privateKey, header: { alg: 'RS256', kid: 'rsa' } }))).toMatchObject({
      tenantId: TENANT,
    });
  });

  test('is refused once it has expired, also when it was believed before', async () => {
    const token = await mint({ expires: Math.floor(Date.now() / 1000) + 600 });
    await verify(token);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    onTestFinished(() => void vi.useRealTimers());
    await expect(verify(token)).rejects.toMatchObject({ code: 'token_expired', status: 401 });
  });
});

describe('no usable token', () => {
  test.each([
    [null, 'token_missing'],
    ['', 'token_missing'],
    ['Basic abc', 'token_invalid'],
    ['Bearer', 'token_invalid'],
    ['Bearer abc', 'token_invalid'],
    ['Bearer a.b.c', 'token_invalid'],
  ])('%s is %s', async (header, code) => {
    await expect(verify(header)).rejects.toMatchObject({ code, status: 401 });
  });
});

// B051: the token's own header must not pick the algorithm.
describe('the algorithm is ours', () => {
  test('none', async () => {
    const token = new UnsecuredJWT(claims())
      .setIssuer(ISSUER)
      .setAudience('authenticated')
      .setExpirationTime('5m')
      .encode();
    await expect(verify(`Bearer ${token}`)).rejects.toMatchObject({ code: 'token_invalid', status: 401 });
  });
  test('HS256 signed with the text of the public key', async () => {
    const key = new TextEncoder().encode(await exportSPKI(first.publicKey));
    const token = await mint({ key, header: { alg: 'HS256' } });
    await expect(verify(token)).rejects.toMatchObject({ code: 'token_invalid', status: 401 });
    const legacy = createTokenVerifier(config({ legacySecret: SECRET }));
    await expect(legacy(token)).rejects.toMatchObject({ code: 'token_invalid', status: 401 });
  });
  test('ES256 with an unknown key id', async () => {
    await expect(verify(await mint({ header: { kid: 'nobody' } }))).rejects.toMatchObject({
      status: 401,
      detail: /key/,
    });
  });
  test('a key set that names no algorithm', async () => {
    published.keys = [await publish(first, 'first', undefined)];
    await expect(verify(await mint())).rejects.toMatchObject({ code: 'token_invalid', status: 401 });
  });
  test('another key under a known id', async () => {
    const swapped = await mint({ key: second.privateKey });
    await expect(verify(swapped)).rejects.toMatchObject({ code: 'token_invalid', detail: /signature/ });
  });
  test('ES512 and PS256 are not on the list', async () => {
    const ps = await generateKeyPair('PS256');
    await expect(
      verify(await mint({ key: ps.privateKey, header: { alg: 'PS256', kid: 'rsa' } })),
    ).rejects.toMatchObject({
      code: 'token_invalid',
      detail: /algorithm/,
    });
  });
});

// B052: rotation, and the old secret's time of grace.
describe('keys change while we run', () => {
  test('a rotated key is picked up, and one withdrawn is no longer believed', async () => {
    await verify(await mint());
    published.keys = [await publish(second, 'second', 'ES256')];
    await new Promise((resolve) => setTimeout(resolve, 5));
    await verify(await mint({ key: second.privateKey, header: { kid: 'second' } }));
    await expect(verify(await mint())).rejects.toMatchObject({ code: 'token_invalid', detail: /does not list/ });
  });
  test('HS256 only while a legacy secret is configured, and only of the own issuer', async () => {
    const key = new TextEncoder().encode(SECRET);
    const header = { alg: 'HS256', kid: undefined };
    await expect(verify(await mint({ key, header }))).rejects.toMatchObject({
      code: 'token_invalid',
      detail: /algorithm/,
    });
    const other = { issuer: 'https://app.example/auth/v1', jwksUrl };
    const legacy = createTokenVerifier(config({ legacySecret: SECRET, issuers: [{ issuer: ISSUER, jwksUrl }, other] }));
    expect(await legacy(await mint({ key, header }))).toMatchObject({ tenantId: TENANT });
    await expect(legacy(await mint({ key, header, issuer: other.issuer }))).rejects.toMatchObject({
      code: 'token_invalid',
    });
  });
  test('keys that cannot be read are our trouble, not the token’s', async () => {
    published.status = 500;
    await expect(verify(await mint())).rejects.toMatchObject({ code: 'keys_unavailable', status: 503, retryAfter: 1 });
    published.status = 200;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await verify(await mint());
  });
});

describe('what a token must say', () => {
  test.each([
    ['issuer', { issuer: 'https://evil.example' }, /issuer/],
    ['audience', { audience: 'other' }, /aud/],
    ['no expiry', { expires: null }, /exp/],
    ['role anon', { payload: claims({ role: 'anon' }) }, /role/],
    ['role service_role', { payload: claims({ role: 'service_role' }) }, /role/],
  ])('%s', async (_, over, detail) => {
    await expect(verify(await mint(over as Mint))).rejects.toMatchObject({
      code: 'token_invalid',
      status: 401,
      detail,
    });
  });
  test('an expired one has a code of its own', async () => {
    await expect(verify(await mint({ expires: Math.floor(Date.now() / 1000) - 1 }))).rejects.toMatchObject({
      code: 'token_expired',
    });
  });

  // B046: only app_metadata counts.
  test.each([
    ['number', 12],
    ['array', [TENANT]],
    ['empty', ''],
    ['upper case', TENANT.toUpperCase()],
    ['no hyphens', TENANT.replaceAll('-', '')],
    ['braces', `{${TENANT}}`],
    ['absent', undefined],
    ['null', null],
  ])('tenant_id %s belongs to no tenant', async (_, tenant_id) => {
    const payload = claims({ app_metadata: { ...APP, tenant_id }, user_metadata: APP });
    await expect(verify(await mint({ payload }))).rejects.toMatchObject({ code: 'not_permitted', status: 403 });
  });
  test.each([
    ['role', { ledger_role: 'admin' }],
    ['role list', { ledger_role: ['agent'] }],
    ['actor', { actor_id: '' }],
    ['actor number', { actor_id: 7 }],
  ])('%s', async (_, over) => {
    const payload = claims({ app_metadata: { ...APP, ...over }, user_metadata: APP });
    await expect(verify(await mint({ payload }))).rejects.toMatchObject({ code: 'not_permitted', status: 403 });
  });
  test('user_metadata with another tenant changes nothing', async () => {
    const payload = claims({
      user_metadata: { tenant_id: '00000000-0000-4000-8000-000000000000', ledger_role: 'operator' },
    });
    expect(await verify(await mint({ payload }))).toMatchObject({ tenantId: TENANT, role: 'agent' });
  });
});
