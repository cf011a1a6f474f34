import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const PROJECT = { LEDGER_DATABASE_URL: 'postgres://x', SUPABASE_URL: 'https://p.supabase.co/' };

test('a Supabase project needs only the gateway’s database', () => {
  expect(readConfig(PROJECT)).toEqual({
    databaseUrl: 'postgres://x',
    pooler: 'session',
    issuers: [
      { issuer: 'https://p.supabase.co/auth/v1', jwksUrl: 'https://p.supabase.co/auth/v1/.well-known/jwks.json' },
    ],
    audience: 'authenticated',
    legacySecret: null,
    corsOrigins: '*',
    keyCooldownMs: 2000,
    maxConnections: 2,
    objectStore: null,
  });
});

test('an object store is a bucket of the project, with its key', () => {
  const bucket = { LEDGER_ARTIFACT_BUCKET: 'artifacts', SUPABASE_SERVICE_ROLE_KEY: ' sb_secret_x\n' };
  expect(readConfig({ ...PROJECT, ...bucket }).objectStore).toEqual({
    url: 'https://p.supabase.co',
    bucket: 'artifacts',
    key: 'sb_secret_x',
  });
});

test('the project’s admin connection string is never used', () => {
  expect(() => readConfig({ ...PROJECT, LEDGER_DATABASE_URL: '', SUPABASE_DB_URL: 'postgres://admin' })).toThrow(
    'LEDGER_DATABASE_URL',
  );
});

test('trusted issuers bring their own keys, and origins are a list', () => {
  const config = readConfig({
    ...PROJECT,
    LEDGER_TRUSTED_ISSUERS: ' https://app.example/auth/v1 ,',
    LEDGER_CORS_ORIGINS: 'https://a.example, https://b.example',
  });
  expect(config.issuers[1]).toEqual({
    issuer: 'https://app.example/auth/v1',
    jwksUrl: 'https://app.example/auth/v1/.well-known/jwks.json',
  });
  expect(config.corsOrigins).toEqual(['https://a.example', 'https://b.example']);
});

test.each([
  [{ SUPABASE_URL: '' }, 'LEDGER_JWT_ISSUER'],
  [{ LEDGER_POOLER: 'statement' }, 'LEDGER_POOLER'],
  [{ LEDGER_JWKS_URL: 'not a url' }, 'LEDGER_JWKS_URL'],
  [{ LEDGER_MAX_CONNECTIONS: '0' }, 'LEDGER_MAX_CONNECTIONS'],
  [{ LEDGER_ARTIFACT_BUCKET: 'artifacts' }, 'SUPABASE_SERVICE_ROLE_KEY'],
  [{ LEDGER_ARTIFACT_BUCKET: '../other', SUPABASE_SERVICE_ROLE_KEY: 'k' }, 'LEDGER_ARTIFACT_BUCKET'],
  [{ LEDGER_ARTIFACT_BUCKET: 'artifacts', SUPABASE_SERVICE_ROLE_KEY: 'a\nb' }, 'SUPABASE_SERVICE_ROLE_KEY'],
])('%o is refused, naming %s', (over, name) => {
  expect(() => readConfig({ ...PROJECT, ...over })).toThrow(name);
});
