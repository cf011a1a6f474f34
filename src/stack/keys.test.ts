import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openKeys } from './keys.ts';
import { mintToken } from './tokens.ts';

const ISSUER = 'http://127.0.0.1:1/auth/v1';
const CLAIMS = { tenantId: 'b6d7a2a6-9c3e-4a51-8f4e-6a5c1f0f2d11', role: 'agent', actorId: 'art-agt-003' } as const;
let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-keys-'));
  file = path.join(dir, 'signing-keys.json');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it('signs ES256 tokens with the ledger’s claims that the served keys verify', async () => {
  const keys = await openKeys(file);
  const token = await mintToken(keys, ISSUER, CLAIMS);
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(await keys.jwks()), {
    issuer: ISSUER,
    audience: 'authenticated',
    algorithms: ['ES256'],
  });
  expect(protectedHeader.kid).toBeTruthy();
  expect(payload).toMatchObject({
    sub: CLAIMS.actorId,
    role: 'authenticated',
    app_metadata: { tenant_id: CLAIMS.tenantId, ledger_role: 'agent', actor_id: CLAIMS.actorId },
  });
  expect(payload.exp).toBe((payload.iat ?? 0) + 3600);
});

it('keeps its file private and serves no private part', async () => {
  const keys = await openKeys(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const key of (await keys.jwks()).keys) expect(key).not.toHaveProperty('d');
});

it('rotates: new tokens carry a new kid, old ones verify through the grace time only', async () => {
  const keys = await openKeys(file);
  const old = await mintToken(keys, ISSUER, CLAIMS);
  const { kid } = await keys.rotate(60);
  // Another process that has the same keys open signs with the new one at once.
  const token = await mintToken(await openKeys(file), ISSUER, CLAIMS);
  expect(decodeProtectedHeader(token).kid).toBe(kid);
  await jwtVerify(old, createLocalJWKSet(await keys.jwks()));
  await keys.rotate(0);
  const served = (await keys.jwks()).keys.map((key) => key.kid);
  expect(served).not.toContain(kid);
  // The first key's grace of 60 s still runs.
  expect(served).toContain(decodeProtectedHeader(old).kid);
});
