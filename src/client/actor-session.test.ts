import { afterEach, expect, test, vi } from 'vitest';
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from '../../test/support/scripted-server.ts';
import { AccessTokenError } from './access-token.ts';
import { ActorSession } from './actor-session.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await server?.stop();
  server = undefined;
});

const grant = (name: string, seconds = 3600, more: object = {}): ScriptedAnswer => ({
  status: 200,
  body: { access_token: name, token_type: 'bearer', expires_in: seconds, refresh_token: `${name}-refresh`, ...more },
});
const refusal = (status: number, code: string, message: string): ScriptedAnswer => ({
  status,
  body: { code, message },
});
const banned = refusal(400, 'user_banned', 'User is banned');

/** A session whose clock is moved by hand, and the server that answers it one by one, the last answer for ever. */
async function sessionOn(answers: ScriptedAnswer[]) {
  const running = await startScriptedServer(({ number }) => answers[number - 1] ?? answers.at(-1) ?? 'hang');
  server = running;
  const clock = { now: 1_000_000 };
  const session = new ActorSession({
    server: {
      url: running.url.replace('/functions/v1', '/auth/v1'),
      apiKey: 'sb_publishable_1',
      fetch,
      timeoutMs: 2_000,
    },
    email: 'a@actors.invalid',
    password: 'a long password',
    retry: { attempts: 3, baseDelayMs: 1, maxDelayMs: 2 },
    monotonic: () => clock.now,
  });
  const asked = () => running.requests.map(({ path, json }) => [path.split('grant_type=')[1], json]);
  return { session, clock, running, asked };
}

const PASSWORD = ['password', { email: 'a@actors.invalid', password: 'a long password' }];
const refresh = (name: string) => ['refresh_token', { refresh_token: `${name}-refresh` }];
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(AccessTokenError);
      return error as AccessTokenError;
    },
  );

test('signs in once, then gives the same token until it nears its end', async () => {
  const { session, clock, running, asked } = await sessionOn([grant('t1'), grant('t2')]);
  expect(await session.token()).toBe('t1');
  clock.now += 3_500_000;
  expect(await session.token()).toBe('t1');
  expect(asked()).toEqual([PASSWORD]);
  expect(running.requests[0]?.headers).toMatchObject({ apikey: 'sb_publishable_1' });
  // Within the last 90 seconds it is renewed beside the work: nobody waits.
  clock.now += 20_000;
  expect(await session.token()).toBe('t1');
  await expect.poll(() => session.token()).toBe('t2');
  expect(asked()).toEqual([PASSWORD, refresh('t1')]);
});

test.each([
  ['at the first sign-in', false],
  ['when it has ended', true],
])('fifty callers at once cause one request: %s', async (_, ended) => {
  const { session, clock, asked } = await sessionOn([grant('t1'), grant('t2')]);
  if (ended) {
    await session.token();
    clock.now += 3_600_000;
  }
  const tokens = await Promise.all(Array.from({ length: 50 }, () => session.token()));
  expect(new Set(tokens)).toEqual(new Set([ended ? 't2' : 't1']));
  expect(asked()).toEqual(ended ? [PASSWORD, refresh('t1')] : [PASSWORD]);
});

test('fifty callers whose token was refused cause one renewal, also one after the other', async () => {
  const { session, asked } = await sessionOn([grant('t1'), grant('t2'), grant('t3')]);
  await session.token();
  const tokens = await Promise.all(Array.from({ length: 50 }, () => session.token('t1')));
  expect(new Set(tokens)).toEqual(new Set(['t2']));
  expect(await session.token('t1')).toBe('t2');
  expect(asked()).toEqual([PASSWORD, refresh('t1')]);
});

test.each([-5, 5])('a clock %i hours off changes nothing', async (hours) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
  // By the local clock this token ended long ago, or lives for hours more.
  const expires_at = Math.floor(Date.now() / 1000) + 3600 - hours * 3600;
  const { session, clock, asked } = await sessionOn([grant('t1', 3600, { expires_at }), grant('t2')]);
  expect(await session.token()).toBe('t1');
  clock.now += 3_000_000;
  expect(await session.token()).toBe('t1');
  clock.now += 700_000;
  expect(await session.token()).toBe('t2');
  expect(asked()).toEqual([PASSWORD, refresh('t1')]);
  // A wall clock that is set while the program runs moves nothing either.
  vi.setSystemTime(Date.now() + 86_400_000);
  expect(await session.token()).toBe('t2');
});

test('a session that is over (a new password, a sign-out) is begun anew with the password', async () => {
  const over = refusal(400, 'session_not_found', 'Invalid Refresh Token: No Valid Session Found');
  const { session, clock, asked } = await sessionOn([grant('t1'), over, grant('t2')]);
  await session.token();
  clock.now += 3_600_000;
  expect(await session.token()).toBe('t2');
  expect(asked()).toEqual([PASSWORD, refresh('t1'), PASSWORD]);
});

test('a disabled actor is told as such, at once, and is let in again when it is enabled', async () => {
  const { session, clock, asked } = await sessionOn([grant('t1'), banned, grant('t2')]);
  await session.token();
  clock.now += 3_600_000;
  const errors = await Promise.all([1, 2].map(() => failure(session.token())));
  expect(errors[0]).toMatchObject({ code: 'actor_disabled', status: 400, final: true });
  // Each caller has an error of its own to write on.
  expect(errors[0]).not.toBe(errors[1]);
  // For some seconds nobody asks again.
  expect(await failure(session.token())).toMatchObject({ code: 'actor_disabled' });
  expect(asked()).toEqual([PASSWORD, refresh('t1')]);
  clock.now += 5_001;
  expect(await session.token()).toBe('t2');
});

test('wrong credentials are not tried again, and no message holds the password', async () => {
  const { session, asked } = await sessionOn([refusal(400, 'invalid_credentials', 'Invalid login credentials')]);
  const error = await failure(session.token());
  expect(error).toMatchObject({ code: 'credentials_refused', status: 400 });
  expect(error.message).toContain('Invalid login credentials');
  expect(`${error.message} ${error.stack} ${JSON.stringify(session)}`).not.toContain('a long password');
  expect(asked()).toHaveLength(1);
});

test('the answers of older servers are understood', async () => {
  const old = {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Invalid Refresh Token: User Banned' },
  };
  const { session } = await sessionOn([old]);
  expect(await failure(session.token())).toMatchObject({ code: 'actor_disabled' });
});

test('Auth that is busy, gone or cut off is asked again', async () => {
  const { session } = await sessionOn(['drop', { status: 503, text: '<html>' }, grant('t1')]);
  expect(await session.token()).toBe('t1');
});

test('Auth that stays away is told with the attempts and its address', async () => {
  const { session, asked } = await sessionOn(['drop']);
  const error = await failure(session.token());
  expect(error).toMatchObject({ code: 'auth_unreachable', final: true });
  expect(error.message).toMatch(/after 3 attempts: http:\/\/127\.0\.0\.1:\d+\/auth\/v1 did not answer/);
  expect(asked()).toHaveLength(3);
});

test('a token that still lives is used while Auth is away; one that has ended has the full patience', async () => {
  const { session, clock, asked } = await sessionOn([grant('t1'), 'drop', 'drop', grant('t2')]);
  await session.token();
  clock.now += 3_550_000;
  expect(await session.token()).toBe('t1');
  await expect.poll(() => asked().length).toBe(2);
  expect(await session.token()).toBe('t1');
  clock.now += 60_000;
  expect(await session.token()).toBe('t2');
  expect(asked()).toHaveLength(4);
});

test.each([
  { status: 200, text: '<html>' },
  { status: 200, body: { access_token: 't', expires_in: 0, refresh_token: 'r' } },
  { status: 200, body: { access_token: 't', expires_in: '3600' } },
])('what is no token is not taken for one: %j', async (answer) => {
  const { session } = await sessionOn([answer as ScriptedAnswer]);
  expect(await failure(session.token())).toMatchObject({ code: 'access_token_failed', status: 200 });
});

test('a redirect is not followed with the password', async () => {
  const { session } = await sessionOn([{ status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' } }]);
  expect(await failure(session.token())).toMatchObject({ code: 'auth_unreachable' });
});
