import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type DatabaseLost, keepRunning } from './keep-running.ts';

/** A server that dies when told, and refuses to start while `broken`. */
function scripted() {
  let die: () => void = () => undefined;
  const server = {
    exited: Promise.resolve(),
    restarts: 0,
    broken: false,
    begin() {
      server.exited = new Promise((resolve) => {
        die = resolve;
      });
    },
    async restart() {
      server.restarts += 1;
      if (server.broken) throw new Error('the disk is full');
      server.begin();
    },
    die: () => die(),
  };
  server.begin();
  return server;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function keep(server: ReturnType<typeof scripted>) {
  const notices: string[] = [];
  const lost: DatabaseLost[] = [];
  const keeper = keepRunning(server, {
    name: 'PostgreSQL',
    logFile: 'postgres.log',
    onNotice: (text) => notices.push(text),
    onLost: (error) => lost.push(error),
  });
  return { keeper, notices, lost };
}

it('restarts a server that ended, and says so', async () => {
  const server = scripted();
  const { keeper, notices } = keep(server);
  server.die();
  await vi.waitFor(() => expect(notices).toHaveLength(2));
  expect(notices).toEqual([expect.stringContaining('restart 1 of at most 5'), 'PostgreSQL runs again']);
  expect(keeper.state).toBe('running');
  await keeper.release();
});

it('leaves alone what ends after the release, a waiting restart included', async () => {
  const server = scripted();
  const { keeper, lost } = keep(server);
  server.broken = true;
  server.die();
  await vi.waitFor(() => expect(server.restarts).toBe(1));
  await keeper.release();
  const { restarts } = server;
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([server.restarts, lost]).toEqual([restarts, []]);
});

it('counts restarts of the last minute only', async () => {
  const server = scripted();
  const { keeper, lost } = keep(server);
  for (let death = 1; death <= 8; death += 1) {
    server.die();
    await vi.waitFor(() => expect(server.restarts).toBe(death));
    vi.setSystemTime(Date.now() + 61_000);
  }
  expect(lost).toEqual([]);
  await keeper.release();
});

it('gives up after five, and says why', async () => {
  const server = scripted();
  const { lost, notices } = keep(server);
  server.broken = true;
  server.die();
  await vi.waitFor(() => expect(lost).toHaveLength(1), { timeout: 10_000 });
  expect(server.restarts).toBe(5);
  expect(notices).toHaveLength(10);
  expect(lost[0]).toMatchObject({
    code: 'database_lost',
    message: expect.stringContaining('the disk is full'),
    remedy: expect.stringContaining('postgres.log'),
  });
});

it('never gives up what the stack can do without, and tells its state with what stands in the way', async () => {
  const server = scripted();
  const notices: string[] = [];
  const states: [string, unknown][] = [];
  const keeper = keepRunning(server, {
    name: 'Neo4j',
    logFile: 'debug.log',
    onNotice: (text) => notices.push(text),
    onState: (state, cause) => states.push([state, (cause as Error | undefined)?.message]),
    firstWaitMs: 5,
  });
  server.broken = true;
  server.die();
  await vi.waitFor(() => expect(server.restarts).toBe(7), { timeout: 10_000 });
  server.broken = false;
  await vi.waitFor(() => expect(states.at(-1)?.[0]).toBe('running'), { timeout: 10_000 });
  expect(states.slice(0, 2)).toEqual([
    ['restarting', undefined],
    ['restarting', 'the disk is full'],
  ]);
  expect(notices.at(0)).toBe('Neo4j ended unexpectedly: restart 1');
  expect(notices.at(-1)).toBe('Neo4j runs again');
  await keeper.release();
});
