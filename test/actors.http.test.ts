// Actors from their creation to their refusal, over HTTP, with the stand-in for Supabase Auth that
// test/support/auth-admin-api.ts describes: the commands, the client and the ledger are the real ones.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { run } from '../src/cli/program.ts';
import { colours } from '../src/cli/render/colour.ts';
import { createLedger, type Ledger, LedgerError } from '../src/client/index.ts';
import { send } from './functions-client.ts';
import { type AuthStandIn, startAuthStandIn } from './support/auth-admin-api.ts';
import { invocationStart } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let auth: AuthStandIn;
let tenantId: string;
let folder: string;

beforeAll(async () => {
  auth = await startAuthStandIn(stack);
  tenantId = (await stack.createTenant({ name: 'default', open: true })).tenantId;
  await stack.createTenant({ name: 'other', open: true });
  folder = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-actors-'));
});
afterAll(async () => {
  await auth.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  auth.fault = null;
  auth.shiftExpiry = 0;
});

interface Said {
  code: number;
  out: string;
  err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was printed
  json: any;
}

/** The command, in this process, with the variables of a project, or others. */
async function actor(args: string[], env: Record<string, string | undefined> = {}): Promise<Said> {
  const printed: string[] = [];
  const told: string[] = [];
  const plain = colours(false);
  const variables = {
    SUPABASE_URL: auth.url,
    SUPABASE_SERVICE_ROLE_KEY: auth.serviceRoleKey,
    OUTCOME_LEDGER_DATABASE_URL: stack.database.ownerUrl,
    OUTCOME_LEDGER_DATA_DIR: undefined,
    ...env,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const code = await run(['actor', ...args, '--json'], {
    out: (text) => void printed.push(text),
    err: (text) => void told.push(text),
    colour: plain,
    errColour: plain,
    width: undefined,
    watched: false,
    interactive: false,
  });
  vi.unstubAllEnvs();
  const [out, err] = [printed.join(''), told.join('')];
  // No key and no connection's password is ever printed.
  const { password } = new URL(stack.database.ownerUrl);
  for (const secret of [auth.serviceRoleKey, password]) expect(out + err).not.toContain(secret);
  return { code, out, err, json: out === '' ? undefined : JSON.parse(out) };
}

const good = async (...args: string[]) => {
  const said = await actor(args);
  expect(said.code, said.err).toBe(0);
  return said.json;
};
interface Made {
  id: string;
  email: string;
  password: string;
  [member: string]: string;
}
async function newActor(role = 'agent'): Promise<Made> {
  const id = `art-agt-${randomUUID().slice(0, 8)}`;
  return { ...(await good('create', id, '--role', role)), id };
}
const clientOf = ({ email, password }: Pick<Made, 'email' | 'password'>): Ledger =>
  createLedger({
    url: auth.url,
    apiKey: auth.publishableKey,
    actor: { email, password },
    retry: { baseDelayMs: 1, maxDelayMs: 5, attempts: 3 },
  });
const work = (ledger: Ledger, id: string) =>
  ledger.invocation(
    { source: { id, version: '1.0.0', domain: 'art' }, correlation_id: 'c-1', causation_id: 'event-1' },
    async () => ({ done: true }),
    { heartbeat: false },
  );
const failure = (promise: Promise<unknown>): Promise<LedgerError> =>
  promise.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(LedgerError);
      return error as LedgerError;
    },
  );
/** A token of its own for an actor, as any program would get it. */
async function signIn({
  email,
  password,
}: Pick<Made, 'email' | 'password'>): Promise<{ status: number; token: string }> {
  const response = await fetch(`${auth.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: auth.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { access_token = '' } = (await response.json()) as { access_token?: string };
  return { status: response.status, token: access_token };
}
const started = (id: string) => invocationStart({ source: { id, version: '1.0.0', domain: 'art' } });
/** Status of one start, and of reads of every kind, with a token. */
async function callsWith(token: string, id: string): Promise<Record<string, number | string>> {
  const headers = { authorization: `Bearer ${token}` };
  const start = await send(stack.functionsUrl, 'POST', '/invocations', started(id), headers);
  const list = await send(stack.functionsUrl, 'GET', '/outcomes', undefined, headers);
  const gaps = await send(stack.functionsUrl, 'GET', '/lineage/gaps', undefined, headers);
  const one = await send(stack.functionsUrl, 'GET', `/outcomes/${randomUUID()}`, undefined, headers);
  return { start: start.status, list: list.status, gaps: gaps.status, one: one.status, detail: list.body.detail ?? '' };
}
const WELCOME = { start: 201, list: 200, gaps: 200, one: 404, detail: '' };
const REFUSED = { start: 403, list: 403, gaps: 403, one: 403, detail: expect.stringContaining('disabled') };
const unlist = (id: string) =>
  stack.database.sql`delete from ledger_internal.disabled_actors where actor_id = ${id} and tenant_id = ${tenantId}`;

describe('an actor of a project', () => {
  test('is made, works, gets new keys, is refused at once although its token lives, and comes back', async () => {
    const made = await newActor();
    expect(made).toMatchObject({ actor_id: made.id, role: 'agent', tenant_id: tenantId });
    expect(made.password).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[-_])[\w-]{32}$/);
    const ledger = clientOf(made);
    const first = await work(ledger, made.id);
    expect(first).toMatchObject({ status: 'success', result: { done: true } });

    const old = await signIn(made);
    const rotated = await good('rotate', made.id);
    expect(rotated).toMatchObject({ actor_id: made.id, role: 'agent', email: made.email });
    expect(rotated.password).not.toBe(made.password);
    expect((await signIn(made)).status).toBe(400);
    expect((await signIn(rotated)).status).toBe(200);
    expect(await failure(work(clientOf(made), made.id))).toMatchObject({ code: 'credentials_refused', status: 400 });
    // What rotating does not do: a token that was given before lives on. Disabling does.
    expect(await callsWith(old.token, made.id)).toEqual(WELCOME);

    const disabled = await good('disable', made.id, '--reason', 'key found in a log');
    expect(disabled).toMatchObject({ state: 'disabled', reason: 'key found in a log', changed: true, accounts: 1 });
    expect(await callsWith(old.token, made.id)).toEqual(REFUSED);
    expect(await failure(work(ledger, made.id))).toMatchObject({ code: 'not_permitted', status: 403 });
    expect(await failure(work(clientOf(rotated), made.id))).toMatchObject({ code: 'actor_disabled', status: 400 });
    expect((await signIn(rotated)).status).toBe(400);
    const [listed] = (await good('list', '--all')).items.filter(
      (one: { actor_id: string }) => one.actor_id === made.id,
    );
    expect(listed).toMatchObject({ state: 'disabled', reason: 'key found in a log', role: 'agent' });
    const without = (await good('list')).items.map((one: { actor_id: string }) => one.actor_id);
    expect(without).not.toContain(made.id);

    expect(await good('enable', made.id)).toMatchObject({ state: 'active', changed: true });
    expect(await callsWith(old.token, made.id)).toEqual(WELCOME);
    expect((await work(clientOf(rotated), made.id)).status).toBe('success');
    expect(await good('enable', made.id)).toMatchObject({ changed: false });
  });

  test('is refused by the list, not by the ban: without its row the living token works', async () => {
    const made = await newActor();
    const { token } = await signIn(made);
    await good('disable', made.id, '--reason', 'a test');
    expect(await callsWith(token, made.id)).toEqual(REFUSED);
    await unlist(made.id);
    expect(await callsWith(token, made.id)).toEqual(WELCOME);
    const [listed] = (await good('list')).items.filter((one: { actor_id: string }) => one.actor_id === made.id);
    expect(listed).toMatchObject({ state: 'banned', disabled_at: null, banned_until: expect.any(String) });
    await good('disable', made.id, '--reason', 'a test');
    expect(await callsWith(token, made.id)).toEqual(REFUSED);
  });

  test('is refused as plainly in SQL with the claims of its token', async () => {
    const made = await newActor('orchestrator');
    const claims = { tenantId, role: 'orchestrator', actorId: made.id } as const;
    const start = () =>
      stack.database.as(
        claims,
        (tx) => tx`select public.start_invocation(${tx.json(started('x'))}) ->> 'result' as result`,
      );
    const insert = () =>
      stack.database.as(
        claims,
        (
          tx,
        ) => tx`insert into public.agent_invocations (source_id, source_version, domain, correlation_id, causation_id)
                   values ('x', '1.0.0', 'art', 'c-1', 'event-1')`,
      );
    const seen = () => stack.database.as(claims, async (tx) => (await tx`select from public.agent_invocations`).count);
    expect(await start()).toEqual([{ result: 'recorded' }]);
    expect((await insert()).count).toBe(1);
    expect(await seen()).toBeGreaterThan(1);
    await good('disable', made.id, '--reason', 'a test');
    for (const write of [start, insert]) {
      await expect(write()).rejects.toMatchObject({ code: 'PT403', message: 'not_permitted' });
    }
    expect(await seen()).toBe(0);
    await good('enable', made.id);
    expect(await start()).toEqual([{ result: 'recorded' }]);
  });

  test('whose session was ended elsewhere signs in again by itself', async () => {
    const made = await newActor();
    const ledger = clientOf(made);
    auth.shiftExpiry = -2 * 3600;
    await failure(work(ledger, made.id));
    auth.shiftExpiry = 0;
    const { token } = await signIn(made);
    const headers = { authorization: `Bearer ${token}`, apikey: auth.publishableKey };
    expect((await fetch(`${auth.url}/auth/v1/logout?scope=global`, { method: 'POST', headers })).status).toBe(204);
    auth.asked.length = 0;
    expect((await work(ledger, made.id)).status).toBe('success');
    expect(auth.asked).toEqual(['POST /token?grant_type=refresh_token', 'POST /token?grant_type=password']);
  });

  test('fifty calls at once with a token that has ended cause one renewal, and all succeed', async () => {
    const made = await newActor();
    const ledger = clientOf(made);
    // The ledger takes this token for ended although by `expires_in` it lives: a machine that slept, clocks that differ.
    auth.shiftExpiry = -2 * 3600;
    await failure(work(ledger, made.id));
    auth.shiftExpiry = 0;
    auth.asked.length = 0;
    const runs = await Promise.all(Array.from({ length: 50 }, () => work(ledger, made.id)));
    expect(new Set(runs.map((one) => one.status))).toEqual(new Set(['success']));
    expect(auth.asked).toEqual(['POST /token?grant_type=refresh_token']);
  });

  test.each([-5, 5])('on a machine whose clock is %i hours off signs in once and records everything', async (hours) => {
    const made = await newActor();
    auth.asked.length = 0;
    const root = path.join(import.meta.dirname, '..');
    const args = [
      path.join(root, 'node_modules/vite-node/vite-node.mjs'),
      path.join(root, 'test/support/shifted-client.ts'),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        SHIFT_HOURS: String(hours),
        URL: auth.url,
        API_KEY: auth.publishableKey,
        EMAIL: made.email,
        PASSWORD: made.password,
        SOURCE: made.id,
      },
    });
    const said = JSON.parse(stdout);
    expect(said).toMatchObject({ statuses: ['success'], ids: 51 });
    expect(Math.round((Date.parse(said.here) - Date.now()) / 3_600_000)).toBe(hours);
    expect(auth.asked).toEqual(['POST /token?grant_type=password']);
  });
});

describe('what is refused, and how', () => {
  const NOWHERE = { SUPABASE_URL: 'http://127.0.0.1:1' };
  const nothing = { SUPABASE_URL: undefined, SUPABASE_SERVICE_ROLE_KEY: undefined };
  const role = ['--role', 'agent'];
  test.each<[string, string[], Record<string, string | undefined>, number, string]>([
    ['a role that is none', ['create', 'a', '--role', 'agnet'], {}, 2, 'usage'],
    ['no role', ['create', 'a'], {}, 2, 'usage'],
    ['a blank id', ['create', ' ', ...role], {}, 2, 'usage'],
    ['an id of 201 characters', ['create', 'x'.repeat(201), ...role], {}, 2, 'usage'],
    ['an id with a space at its end', ['create', 'a ', ...role], {}, 2, 'usage'],
    ['an id with a control character', ['create', 'a\u001b[2J', ...role], {}, 2, 'usage'],
    ['an address that is none', ['create', 'a', ...role, '--email', 'nobody'], {}, 2, 'usage'],
    ['a blank reason', ['disable', 'a', '--reason', ' '], {}, 2, 'usage'],
    ['no reason', ['disable', 'a'], {}, 2, 'usage'],
    ['a blank id to rotate', ['rotate', ''], {}, 2, 'usage'],
    ['an unknown actor to rotate', ['rotate', 'nobody'], {}, 1, 'unknown_actor'],
    ['an unknown actor to disable', ['disable', 'nobody', '--reason', 'r'], {}, 1, 'unknown_actor'],
    ['an unknown actor to enable', ['enable', 'nobody'], {}, 1, 'unknown_actor'],
    [
      'an unknown tenant',
      ['create', 'a', ...role, '--tenant', '5b0c8d6e-3f0a-4a39-9a55-6f2f3c1d7e10'],
      {},
      1,
      'unknown_tenant',
    ],
    ['a tenant that is no id', ['create', 'a', ...role, '--tenant', 'acme'], {}, 2, 'usage'],
    ['no key', ['list'], { SUPABASE_SERVICE_ROLE_KEY: '' }, 2, 'service_key_missing'],
    ['no project', ['list'], { SUPABASE_URL: '' }, 2, 'project_url_missing'],
    ['a project that is none', ['list'], { SUPABASE_URL: 'ref.supabase.co' }, 2, 'usage'],
    ['a path that is none', ['list', '--url', 'http://127.0.0.1:1/rest/v1'], {}, 2, 'usage'],
    ['a key file that is not there', ['list', '--service-role-key-file', '/nowhere/key'], {}, 2, 'unreadable_input'],
    ['no database', ['list'], { OUTCOME_LEDGER_DATABASE_URL: '' }, 2, 'database_url_missing'],
    [
      'a database that does not answer',
      ['list', '--database-url', 'postgres://a:b@127.0.0.1:1/x'],
      {},
      2,
      'database_unreachable',
    ],
    ['another key', ['list'], { SUPABASE_SERVICE_ROLE_KEY: 'sb_secret_of_another_project' }, 2, 'service_key_refused'],
    ['Auth away', ['create', 'away', ...role], NOWHERE, 2, 'auth_unreachable'],
    ['neither project nor stack', ['list', '--data-dir', '/nowhere'], nothing, 2, 'ledger_unreachable'],
    ['keys from a database alone', ['create', 'a', ...role, '--database-url', 'OWNER'], nothing, 2, 'usage'],
  ])('%s', async (_, args, env, code, problem) => {
    const given = args.map((word) => (word === 'OWNER' ? stack.database.ownerUrl : word));
    const said = await actor(given, env);
    expect({ code: said.code, problem: said.json?.code, err: said.err }).toMatchObject({ code, problem });
    expect(said.json.detail).not.toBe('');
  });

  test('the key of a browser is not the key of an admin', async () => {
    const said = await actor(['list'], { SUPABASE_SERVICE_ROLE_KEY: auth.publishableKey });
    expect(said).toMatchObject({ code: 2, json: { code: 'service_key_refused' } });
    expect(said.json.detail).toContain('User not allowed');
  });

  test('halves of two projects are refused before anything is asked', async () => {
    const [ours, theirs] = ['a'.repeat(20), 'b'.repeat(20)];
    for (const database of [
      `postgres://postgres:x@db.${theirs}.supabase.co/x`,
      `postgres://postgres.${theirs}:x@pooler/x`,
    ]) {
      const said = await actor(['list', '--url', `https://${ours}.supabase.co`, '--database-url', database]);
      expect(said).toMatchObject({ code: 2, json: { code: 'usage', detail: expect.stringContaining(theirs) } });
    }
  });

  test('what answers but is not Auth', async () => {
    auth.fault = 200;
    expect(await actor(['list'])).toMatchObject({ code: 2, json: { code: 'unexpected_answer' } });
    auth.fault = 404;
    expect(await actor(['list'])).toMatchObject({ code: 2, json: { code: 'unexpected_answer' } });
    auth.fault = 503;
    expect(await actor(['list'])).toMatchObject({ code: 2, json: { code: 'auth_unreachable' } });
  });

  test('an actor that exists already, and an address that is taken', async () => {
    const made = await newActor();
    const again = await actor(['create', made.id, ...role]);
    expect(again).toMatchObject({ code: 1, json: { code: 'actor_exists' } });
    const taken = await actor(['create', `${made.id}-2`, ...role, '--email', made.email]);
    expect(taken).toMatchObject({ code: 1, json: { code: 'email_taken' } });
    // The same id is another actor in another tenant.
    const { tenantId: other } = await stack.createTenant({ open: true });
    expect((await good('create', made.id, ...role, '--tenant', other)).email).not.toBe(made.email);
  });

  test('one of two creations at the same moment', async () => {
    const id = `twice-${randomUUID()}`;
    const make = (email: string) => actor(['create', id, ...role, '--email', email]);
    const said = await Promise.all([make(`${id}-1@actors.invalid`), make(`${id}-2@actors.invalid`)]);
    expect(said.map(({ code, json }) => [code, json.code]).sort()).toEqual([
      [0, undefined],
      [1, 'actor_exists'],
    ]);
  });

  test('new keys for one of two users who are the same actor; both are disabled', async () => {
    const made = await newActor();
    const app_metadata = { tenant_id: tenantId, ledger_role: 'agent', actor_id: made.id };
    auth.users.create({ email: `${made.id}@by.hand`, password: 'by hand', email_confirm: true, app_metadata });
    expect(await actor(['rotate', made.id])).toMatchObject({ code: 1, json: { code: 'actor_ambiguous' } });
    expect(await good('disable', made.id, '--reason', 'two of them')).toMatchObject({ accounts: 2 });
    expect((await signIn({ email: `${made.id}@by.hand`, password: 'by hand' })).status).toBe(400);
  });

  test('disabling while Auth is away: nothing, or the list alone when asked; run again it is whole', async () => {
    const made = await newActor();
    const { token } = await signIn(made);
    auth.fault = 'away';
    const plain = await actor(['disable', made.id, '--reason', 'leaked']);
    expect(plain).toMatchObject({ code: 2, json: { code: 'auth_unreachable' } });
    expect(plain.json.remedy).toContain('--unlisted');
    expect(await callsWith(token, made.id)).toEqual(WELCOME);
    const urgent = await actor(['disable', made.id, '--reason', 'leaked', '--unlisted']);
    expect(urgent).toMatchObject({ code: 1, json: { code: 'auth_unreachable' } });
    expect(urgent.json.detail).toContain('refuses');
    expect(await callsWith(token, made.id)).toEqual(REFUSED);
    auth.fault = null;
    expect((await signIn(made)).status).toBe(200);
    // The first reason stays.
    expect(await good('disable', made.id, '--reason', 'again')).toMatchObject({ changed: false, reason: 'leaked' });
    expect((await signIn(made)).status).toBe(400);
  });

  test('enabling while Auth is away leaves the actor refused', async () => {
    const made = await newActor();
    const { token } = await signIn(made);
    await good('disable', made.id, '--reason', 'r');
    auth.fault = 503;
    expect(await actor(['enable', made.id])).toMatchObject({ code: 2, json: { code: 'auth_unreachable' } });
    expect(await callsWith(token, made.id)).toEqual(REFUSED);
  });

  test('an id whose tokens come from elsewhere: by --unlisted, with the database alone', async () => {
    const id = `elsewhere-${randomUUID()}`;
    const token = await stack.mintToken({ tenantId, role: 'agent', actorId: id });
    const env = { SUPABASE_URL: undefined, SUPABASE_SERVICE_ROLE_KEY: undefined };
    const at = ['--database-url', stack.database.ownerUrl];
    expect(await callsWith(token, id)).toEqual(WELCOME);
    expect(await actor(['disable', id, '--reason', 'r', ...at], env)).toMatchObject({
      json: { code: 'unknown_actor' },
    });
    expect(await actor(['disable', id, '--reason', 'r', '--unlisted', ...at], env)).toMatchObject({ code: 0 });
    expect(await callsWith(token, id)).toEqual(REFUSED);
    expect((await actor(['list', '--all', ...at], env)).json.items).toContainEqual(
      expect.objectContaining({ actor_id: id, state: 'disabled', role: null }),
    );
    expect(await actor(['create', id, ...role])).toMatchObject({ code: 1, json: { code: 'actor_disabled' } });
    expect(await actor(['enable', id, ...at], env)).toMatchObject({ code: 0, json: { changed: true } });
    expect(await callsWith(token, id)).toEqual(WELCOME);
  });

  test('a list of many pages is whole, and of one tenant', async () => {
    const { tenantId: many } = await stack.createTenant({ open: true });
    for (let n = 0; n < 2300; n += 1) {
      const tenant_id = n % 2 === 0 ? many : tenantId;
      const app_metadata = { tenant_id, ledger_role: 'agent', actor_id: `many-${n}` };
      const id = randomUUID();
      const common = { aud: 'authenticated', role: 'authenticated', user_metadata: {} } as const;
      auth.users.users.set(id, { ...common, id, email: `${n}@many`, app_metadata, created_at: '2026-05-20T10:00:00Z' });
    }
    const { items } = await good('list', '--tenant', many);
    expect(items).toHaveLength(1150);
    expect(new Set(items.map((one: { actor_id: string }) => one.actor_id)).size).toBe(1150);
    for (const [id, { email }] of auth.users.users) if (email.endsWith('@many')) auth.users.users.delete(id);
  });

  test('the key may come from a file that only its owner reads', async () => {
    const file = path.join(folder, 'key');
    await writeFile(file, `${auth.serviceRoleKey}\n`, { mode: 0o600 });
    const env = { SUPABASE_URL: undefined, SUPABASE_SERVICE_ROLE_KEY: undefined };
    const at = ['--url', `${auth.url}/functions/v1`, '--service-role-key-file', file];
    expect(await actor(['list', ...at], env)).toMatchObject({ code: 0 });
    await writeFile(file, 'two words');
    expect(await actor(['list', ...at], env)).toMatchObject({ code: 2, json: { code: 'usage' } });
  });
});

describe('the local stack', () => {
  const local = (...args: string[]) => actor([...args, '--data-dir', stack.dataDir]);

  test('has development keys: register, token, refusal, return', async () => {
    const id = `local-${randomUUID()}`;
    const made = await local('create', id, '--role', 'orchestrator');
    expect(made.json).toMatchObject({ actor_id: id, role: 'orchestrator', tenant_id: tenantId });
    expect(made.json.token_command).toContain(`token --role orchestrator --actor ${id} --tenant ${tenantId}`);
    expect((await stat(path.join(stack.dataDir, 'actors.json'))).mode & 0o777).toBe(0o600);
    expect(await local('create', id, '--role', 'agent')).toMatchObject({ code: 1, json: { code: 'actor_exists' } });
    const rotated = await local('rotate', id);
    expect(rotated.json).toMatchObject({ role: 'orchestrator', expires_at: expect.any(String) });
    const { token } = rotated.json;
    expect(await callsWith(token, id)).toEqual(WELCOME);
    expect((await local('list')).json.items).toContainEqual(expect.objectContaining({ actor_id: id, state: 'active' }));
    expect(await local('disable', id, '--reason', 'r')).toMatchObject({ code: 0 });
    expect(await callsWith(token, id)).toEqual(REFUSED);
    expect((await local('list')).json.items).not.toContainEqual(expect.objectContaining({ actor_id: id }));
    expect(await local('enable', id)).toMatchObject({ code: 0, json: { changed: true } });
    expect(await callsWith(token, id)).toEqual(WELCOME);
  });

  test('knows no addresses, and no actor that was not made', async () => {
    const withAddress = await local('create', 'a', '--role', 'agent', '--email', 'a@b');
    expect(withAddress).toMatchObject({ code: 2, json: { code: 'usage' } });
    expect(await local('rotate', 'nobody')).toMatchObject({ code: 1, json: { code: 'unknown_actor' } });
  });

  test('keeps all of twenty actors that are made at once', async () => {
    const ids = Array.from({ length: 20 }, () => `crowd-${randomUUID()}`);
    const said = await Promise.all(ids.map((id) => local('create', id, '--role', 'agent')));
    expect(said.map(({ code }) => code)).toEqual(ids.map(() => 0));
    const listed = (await local('list')).json.items.map((one: { actor_id: string }) => one.actor_id);
    expect(listed).toEqual(expect.arrayContaining(ids));
  });
});
