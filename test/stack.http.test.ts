import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attach, readState, type Stack, StackRunning, startStack } from '../src/stack/index.ts';
import { LOGIN_ROLES } from '../src/stack/role-passwords.ts';
import { writeSecrets } from '../src/stack/secrets.ts';
import { startLedger } from '../src/testing/index.ts';
import { sharedAccess } from './support/database.ts';
import { PASSWORD, urlOf, using } from './support/shared-server.ts';

let dir: string;
let running: Stack[] = [];
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-dir-'));
});
afterEach(async () => {
  for (const stack of running) await stack.stop();
  running = [];
  await rm(dir, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startStack>[0] = {}): Promise<Stack> {
  const stack = await startStack({ dataDir: dir, quiet: true, ...options });
  running.push(stack);
  return stack;
}

async function tenants(stack: Stack): Promise<string[]> {
  const rows = await using(stack.databaseUrl, (sql) => sql`select tenant_id from public.tenants`);
  return rows.map((row) => row['tenant_id']);
}

async function reachable(url: string): Promise<boolean> {
  return using(url, (sql) => sql`select 1`).then(
    () => true,
    () => false,
  );
}

const CALLER = { role: 'agent', actorId: 'art-agt-003' } as const;

describe('a stack', () => {
  it('serves its functions and keys, and says where everything is', async () => {
    const stack = await start();
    const health = await fetch(`${stack.functionsUrl}/outcomes/health`);
    expect(health.status).toBe(200);
    const doubled = await fetch(stack.functionsUrl.replace('/v1', '/v1//outcomes//health/'));
    expect(doubled.status).toBe(200);
    const unknown = await fetch(`${stack.functionsUrl}/nothing/here`);
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get('content-type')).toBe('application/problem+json');
    expect(await unknown.json()).toMatchObject({ status: 404, code: 'not_found' });

    const { tenantId } = await stack.createTenant();
    const token = await stack.mintToken({ tenantId, ...CALLER });
    await jwtVerify(token, createRemoteJWKSet(new URL(stack.jwksUrl)), { issuer: stack.issuer });

    const state = await readState(dir);
    expect(state).toMatchObject({
      functions_url: stack.functionsUrl,
      database_url: stack.databaseUrl,
      jwks_url: stack.jwksUrl,
      data_dir: stack.dataDir,
      workers: ['sweep', 'relay'].map((name) => ({ name, state: 'running', pid: process.pid })),
      pid: process.pid,
    });
    for (const file of ['stack.json', 'secrets.json', 'signing-keys.json']) {
      expect((await stat(path.join(dir, file))).mode & 0o777, file).toBe(0o600);
    }
    for (const url of [stack.databaseUrl, stack.adminUrl, stack.gatewayUrl, stack.auditorUrl]) {
      expect(await reachable(url), url).toBe(true);
    }
  });

  it('is alone on its data directory: a second start is refused, and attaches', async () => {
    const first = await start();
    await expect(startStack({ dataDir: dir, quiet: true })).rejects.toThrow(StackRunning);
    const second = await attach(dir);
    expect(second?.functionsUrl).toBe(first.functionsUrl);
    expect(second?.pid).toBe(process.pid);
    const { tenantId } = (await second?.createTenant({ open: false })) ?? { tenantId: '' };
    expect(await tenants(first)).toEqual([tenantId]);
    // Keys rotated by one are used by the other at once.
    const rotated = await second?.rotateKeys();
    const token = await first.mintToken({ tenantId, ...CALLER });
    const { protectedHeader } = await jwtVerify(token, createRemoteJWKSet(new URL(first.jwksUrl)));
    expect(protectedHeader.kid).toBe(rotated?.kid);
  });

  it('is stopped by whoever may read its state, and nobody else', async () => {
    const stack = await start();
    const url = new URL('/.outcome-ledger/stop', stack.functionsUrl);
    expect((await fetch(url, { method: 'POST', headers: { authorization: 'Bearer guess' } })).status).toBe(403);
    const attached = await attach(dir);
    await attached?.stop();
    await Promise.all([stack.stopped, attached?.stopped]);
    expect(await attach(dir)).toBeUndefined();
    expect(await reachable(stack.adminUrl)).toBe(false);
    await expect(access(path.join(dir, 'stack.json'))).rejects.toThrow();
  });

  it('keeps rows, ports, passwords and keys through a stop and a start', async () => {
    const before = await start();
    const { tenantId } = await before.createTenant();
    const token = await before.mintToken({ tenantId, ...CALLER });
    await before.stop();
    const after = await start();
    expect(await tenants(after)).toEqual([tenantId]);
    expect(after.functionsUrl).toBe(before.functionsUrl);
    expect(after.databaseUrl).toBe(before.databaseUrl);
    await jwtVerify(token, createRemoteJWKSet(new URL(after.jwksUrl)), { issuer: after.issuer });
  });

  it('refuses a schema with another fingerprint and leaves nothing running', async () => {
    const first = await start();
    await using(first.databaseUrl, (owner) =>
      owner.unsafe(`create or replace function ledger_internal.schema_fingerprint() returns text
                    language sql immutable set search_path = pg_catalog, pg_temp as $$ select 'older' $$`),
    );
    await first.stop();
    await expect(startStack({ dataDir: dir, quiet: true })).rejects.toMatchObject({
      code: 'schema_outdated',
      remedy: expect.stringContaining('new data directory'),
    });
    expect(await reachable(first.adminUrl)).toBe(false);
    expect(await attach(dir)).toBeUndefined();
  });

  it('fails on a taken port, and leaves nothing running', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(startStack({ dataDir: dir, port, quiet: true })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    taken.close();
    const stack = await start({ port });
    expect(stack.functionsUrl).toBe(`http://127.0.0.1:${port}/functions/v1`);
  });
});

describe('a database that someone named', () => {
  let name: string;
  let url: string;
  const maintain = async (statement: string) =>
    using(urlOf(await sharedAccess(), 'supabase_admin', 'postgres'), (admin) => admin.unsafe(statement));
  beforeEach(async () => {
    name = `named_${process.pid}_${Date.now()}`;
    await maintain(`create database ${name} owner postgres template template0`);
    url = urlOf(await sharedAccess(), 'postgres', name);
    // Roles belong to the whole shared server, whose passwords others use.
    await writeSecrets(dir, Object.fromEntries(LOGIN_ROLES.map((role) => [role, PASSWORD])));
  });
  afterEach(async () => {
    for (const stack of running.splice(0)) await stack.stop();
    await maintain(`drop database ${name} with (force)`);
  });

  it('becomes a ledger when it is empty, and is found as one again', async () => {
    const stack = await start({ databaseUrl: url });
    const { tenantId } = await stack.createTenant();
    await stack.stop();
    const again = await start({ databaseUrl: url });
    expect(await tenants(again)).toEqual([tenantId]);
    expect(await reachable(again.gatewayUrl)).toBe(true);
  });

  it('is refused untouched when it holds something else', async () => {
    await using(url, (owner) => owner`create table public.mine (n int)`);
    await expect(startStack({ dataDir: dir, databaseUrl: url, quiet: true })).rejects.toMatchObject({
      code: 'database_not_empty',
    });
    const schemas = await using(
      url,
      (owner) => owner`select nspname from pg_namespace where nspname !~ '^pg_' order by 1`,
    );
    expect(schemas.map((row) => row['nspname'])).toEqual(['information_schema', 'public']);
  });
});

describe('a stack whose process is killed', () => {
  const SCRIPT = path.join(import.meta.dirname, 'support', 'stack-process.ts');
  const RUNNER = path.join(import.meta.dirname, '..', 'node_modules', 'vite-node', 'vite-node.mjs');

  async function startElsewhere(dataDir?: string): Promise<{ child: ChildProcess; said: Record<string, string> }> {
    const args = [RUNNER, SCRIPT, ...(dataDir ? [dataDir] : [])];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit').then(([code]) => {
      throw new Error(`the stack's process ended with ${code}`);
    });
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), exit])) as [string];
    exit.catch(() => undefined);
    return { child, said: JSON.parse(line) };
  }

  async function kill(child: ChildProcess): Promise<void> {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  it('starts again on the same directory with every committed row', async () => {
    const { child, said } = await startElsewhere(dir);
    expect((await attach(dir))?.pid).toBe(child.pid);
    await kill(child);
    expect(await readFile(path.join(dir, 'stack.json'), 'utf8')).toContain(`"pid": ${child.pid}`);
    expect(await attach(dir)).toBeUndefined();
    const stack = await start();
    expect(await tenants(stack)).toEqual([said['tenantId']]);
  });

  it('leaves no server and no temporary files behind', async () => {
    const { child, said } = await startElsewhere();
    await kill(child);
    for (let tries = 0; tries < 200 && (await stat(said['dataDir'] ?? '').catch(() => undefined)); tries += 1) {
      await sleep(50);
    }
    await expect(stat(said['dataDir'] ?? '')).rejects.toThrow();
    expect(await reachable(said['adminUrl'] ?? '')).toBe(false);
  });
});

it('outcome-ledger/testing gives a ledger with a tenant and tokens, and deletes it', async () => {
  const ledger = await startLedger();
  const authorization = `Bearer ${await ledger.token('auditor', 'someone')}`;
  const answer = await fetch(`${ledger.url}/outcomes`, { headers: { authorization } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ items: [], next_cursor: null });
  const { dataDir } = ledger.stack;
  await ledger.stop();
  await expect(stat(dataDir)).rejects.toThrow();
});
