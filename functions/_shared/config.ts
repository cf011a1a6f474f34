// What a function reads from its environment, judged once at the start.
import type { ObjectStoreConfig } from './object-store.ts';

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

export interface FunctionConfig {
  databaseUrl: string;
  pooler: 'session' | 'transaction';
  /** Issuers whose tokens are believed, each with the address of its keys; the first is the ledger's own. */
  issuers: { issuer: string; jwksUrl: string }[];
  audience: string;
  /** Secret of legacy HS256 tokens of the ledger's own issuer; null refuses them. */
  legacySecret: string | null;
  /** Origins that browsers may call from; `*` is every origin. */
  corsOrigins: '*' | string[];
  /** Time between two looks at a key set for an unknown key, in ms. */
  keyCooldownMs: number;
  /** Sessions per process. */
  maxConnections: number;
  /** Where artifacts go that are too large for a table; null refuses them. */
  objectStore: ObjectStoreConfig | null;
}

/** Throws an `Error` that names the variable when one is missing or malformed. */
export function readConfig(env: Environment): FunctionConfig {
  const project = env['SUPABASE_URL']?.replace(/\/+$/, '');
  // Never the project's own admin connection string: only the login that can do nothing but become `authenticated`.
  const databaseUrl = required(env, 'LEDGER_DATABASE_URL');
  const issuer = env['LEDGER_JWT_ISSUER'] || (project && `${project}/auth/v1`);
  if (!issuer) throw new Error('LEDGER_JWT_ISSUER (or SUPABASE_URL) must name the issuer of tokens');
  const jwksUrl = env['LEDGER_JWKS_URL'] || (project ? `${project}/auth/v1/.well-known/jwks.json` : keysOf(issuer));
  const trusted = list(env['LEDGER_TRUSTED_ISSUERS']).map((name) => ({ issuer: name, jwksUrl: keysOf(name) }));
  const origins = list(env['LEDGER_CORS_ORIGINS']);
  return {
    databaseUrl,
    pooler: oneOf(env, 'LEDGER_POOLER', ['session', 'transaction']),
    issuers: [{ issuer, jwksUrl: url('LEDGER_JWKS_URL', jwksUrl) }, ...trusted],
    audience: env['LEDGER_JWT_AUDIENCE'] || 'authenticated',
    legacySecret: env['LEDGER_JWT_SECRET'] || null,
    corsOrigins: origins.length === 0 || origins.includes('*') ? '*' : origins,
    keyCooldownMs: count(env, 'LEDGER_JWKS_COOLDOWN_MS', 2000),
    maxConnections: count(env, 'LEDGER_MAX_CONNECTIONS', 2),
    objectStore: objectStoreOf(env, project),
  };
}

function objectStoreOf(env: Environment, project: string | undefined): ObjectStoreConfig | null {
  const bucket = env['LEDGER_ARTIFACT_BUCKET'];
  if (!bucket) return null;
  if (!/^[A-Za-z0-9_.-]+$/.test(bucket)) throw new Error('LEDGER_ARTIFACT_BUCKET must be the name of a bucket');
  if (!project) throw new Error('LEDGER_ARTIFACT_BUCKET needs SUPABASE_URL');
  const key = required(env, 'SUPABASE_SERVICE_ROLE_KEY').trim();
  // What no header can carry would be quoted in the error of every request.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('SUPABASE_SERVICE_ROLE_KEY must be one word of ASCII');
  return { url: url('SUPABASE_URL', project), bucket, key };
}

function keysOf(issuer: string): string {
  return url('LEDGER_TRUSTED_ISSUERS', `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`);
}

function required(env: Environment, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
}

function list(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function oneOf<T extends string>(env: Environment, name: string, words: readonly [T, ...T[]]): T {
  const value = env[name] || words[0];
  const word = words.find((one) => one === value);
  if (word === undefined) throw new Error(`${name} must be one of ${words.join(', ')}`);
  return word;
}

function count(env: Environment, name: string, fallback: number): number {
  const value = env[name] ? Number(env[name]) : fallback;
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a whole number above 0`);
  return value;
}

function url(name: string, value: string): string {
  if (!URL.canParse(value)) throw new Error(`${name} must be a URL`);
  return value;
}
