// The gateway against a real database: what travels, what is retried, what never carries over.

import { randomUUID } from 'node:crypto';
import { createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type Caller,
  connect,
  type Database,
  type DatabaseOptions,
  getInvocation,
  listInvocations,
  recordAgentOutcome,
  startInvocation,
} from '../src/database/index.ts';
import { useDatabase } from './support/database.ts';
import { envelopeFor, invocationStart } from './support/envelopes.ts';
import { useServer } from './support/server.ts';

const shared = useDatabase();
const opened: Database[] = [];
let caller: Caller;

beforeAll(async () => {
  caller = { subject: 's', tenantId: await shared.tenant(), role: 'orchestrator', actorId: 'os-agt-001' };
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

function open(options: Partial<DatabaseOptions> = {}): Database {
  const database = connect({ url: shared.gatewayUrl, ...options });
  opened.push(database);
  return database;
}

describe.each(['session', 'transaction'] as const)('over the %s wire', (mode) => {
  test('documents come back to the byte, quotes and backslashes too', async () => {
    const session = open({ mode }).as(caller);
    const attributes = JSON.parse('{"a":"it\'s \\\\ \\"q\\" $1 $$ é😀 \\n","__proto__":{"x":1e22},"n":0.1}');
    const start = invocationStart({ attributes });
    const { result, record } = await startInvocation(session, start);
    expect([result, record['invocation_id']]).toEqual(['recorded', start['invocation_id']]);
    const read = await getInvocation(session, start['invocation_id']);
    expect(JSON.stringify(read?.['attributes'], Object.keys(attributes).sort())).toBe(
      JSON.stringify(attributes, Object.keys(attributes).sort()),
    );
    expect(Object.keys(read?.['attributes'] as object)).toContain('__proto__');
  });

  test('a refusal leaves the session clean for the next caller', async () => {
    const database = open({ mode, max: 1 });
    const stranger = { ...caller, tenantId: await shared.tenant() };
    const start = invocationStart();
    await startInvocation(database.as(caller), start);
    for (let n = 0; n < 5; n += 1) {
      const wrong = recordAgentOutcome(database.as(caller), randomUUID(), envelopeFor(start));
      await expect(wrong).rejects.toMatchObject({ code: 'unknown_invocation', status: 404 });
      expect(await getInvocation(database.as(stranger), start['invocation_id'])).toBeNull();
      expect((await getInvocation(database.as(caller), start['invocation_id']))?.['invocation_id']).toBe(
        start['invocation_id'],
      );
    }
    const [row] = await shared.admin`
      select count(*)::int as n from pg_stat_activity where usename = 'ledger_gateway' and datname = ${shared.name} and state like 'idle in%'`;
    expect(row?.['n']).toBe(0);
  });

  test('fifty at once on two sessions', async () => {
    const session = open({ mode }).as(caller);
    const starts = Array.from({ length: 50 }, () => invocationStart());
    const answers = await Promise.all(starts.map((start) => startInvocation(session, start)));
    expect(answers.map((answer) => answer.record['invocation_id'])).toEqual(
      starts.map((start) => start['invocation_id']),
    );
  });
});

test('nobody at all is told a tenant’s rows: without claims nothing is read', async () => {
  const rows = await shared.gateway.begin(async (sql) => {
    await sql`select set_config('role', 'authenticated', true)`;
    return sql`select public.list_invocations('{}') as page`;
  });
  expect(rows[0]?.['page'].items).toEqual([]);
  await expect(shared.gateway`select * from public.agent_invocations`).rejects.toMatchObject({ code: '42501' });
});

describe('a database in trouble', () => {
  test('a session killed between two requests costs nobody anything', async () => {
    const session = open({ max: 1 }).as(caller);
    for (let n = 0; n < 5; n += 1) {
      const start = invocationStart();
      expect((await startInvocation(session, start)).result).toBe('recorded');
      await shared.admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ledger_gateway' and datname = ${shared.name}`;
    }
  });

  test('sessions killed while they work: every call is answered, nothing doubles', async () => {
    const session = open().as(caller);
    const correlation_id = `corr-${randomUUID()}`;
    let stop = false;
    const killing = (async () => {
      while (!stop) {
        await shared.admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ledger_gateway' and datname = ${shared.name}`;
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
    })();
    const starts = Array.from({ length: 400 }, () => invocationStart({ correlation_id }));
    const answers = await Promise.allSettled(starts.map((start) => startInvocation(session, start)));
    stop = true;
    await killing;
    const page = await listInvocations(session, { correlation_id, limit: 1000 });
    const held = new Set(page.items.map((item) => item['invocation_id']));
    expect(page.items).toHaveLength(held.size);
    answers.forEach((answer, n) => {
      if (answer.status === 'fulfilled') expect(held.has(starts[n]?.['invocation_id'])).toBe(true);
      else expect(answer.reason).toMatchObject({ code: 'database_unavailable', status: 503 });
    });
    expect(answers.filter((answer) => answer.status === 'fulfilled').length).toBeGreaterThan(300);
  });

  test('nobody listening, and nobody let in, are a 503 with a time to come back', async () => {
    const retries = { attempts: 2, firstPauseMs: 1, budgetMs: 100 };
    const nobody = open({ url: 'postgres://ledger_gateway:x@127.0.0.1:1/x', retries }).as(caller);
    await expect(listInvocations(nobody, {})).rejects.toMatchObject({ code: 'database_unavailable', retryAfter: 1 });
    const wrong = open({ url: shared.gatewayUrl.replace(/:[^:@]+@/, ':wrong@'), retries }).as(caller);
    await expect(listInvocations(wrong, {})).rejects.toMatchObject({ code: 'database_unavailable', status: 503 });
  });

  test('a wait for a session is bounded, in time and in number', async () => {
    const database = open({ max: 1, waitMs: 100, maxWaiting: 2 });
    const start = invocationStart();
    await startInvocation(database.as(caller), start);
    const outcome = envelopeFor(start);
    await shared.admin.begin(async (sql) => {
      // Whoever records waits for this lock, and holds the one session meanwhile.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`${caller.tenantId}:${start['invocation_id']}`}, 0))`;
      const blocked = recordAgentOutcome(database.as(caller), start['invocation_id'], outcome);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const begun = Date.now();
      const others = await Promise.allSettled(
        Array.from({ length: 4 }, () => listInvocations(database.as(caller), {})),
      );
      expect(Date.now() - begun).toBeLessThan(30_000);
      for (const other of others)
        expect(other).toMatchObject({ reason: { code: 'database_unavailable', retryAfter: 1 } });
      void blocked.catch(() => {});
    });
    const again = await recordAgentOutcome(database.as(caller), start['invocation_id'], outcome);
    expect(again.result).toBe('replayed');
  });
});

describe('a database of another make', () => {
  const server = useServer();

  test('another schema is refused until it is right again, and health says so', async () => {
    const { database } = server;
    const tenantId = await database.tenant();
    const [{ definition } = { definition: '' }] = await database.sql<{ definition: string }[]>`
      select pg_get_functiondef('ledger_internal.schema_fingerprint()'::regprocedure) as definition`;
    await database.sql.unsafe(definition.replace(/'[0-9a-f]{32}'/, "'another'"));
    const gateway = open({ url: database.gatewayUrl });
    const session = gateway.as({ ...caller, tenantId });
    const refused = { code: 'schema_outdated', status: 503, retryAfter: 30, extra: { fingerprint: 'another' } };
    await expect(listInvocations(session, {})).rejects.toMatchObject(refused);
    expect((await gateway.health()).fingerprint).toBe('another');
    await database.sql.unsafe(definition);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await listInvocations(session, {})).items).toEqual([]);
  });

  test('a server that crashes and comes back is used again', async () => {
    const { database } = server;
    const session = open({ url: database.gatewayUrl }).as({ ...caller, tenantId: await database.tenant() });
    const start = invocationStart();
    await startInvocation(session, start);
    await server.kill();
    await expect(listInvocations(session, {})).rejects.toMatchObject({ code: 'database_unavailable' });
    await server.restart();
    expect((await startInvocation(session, start)).result).toBe('replayed');
  });

  test('a copied database is refused until its epoch is settled', async () => {
    const { database } = server;
    const session = open({ url: database.gatewayUrl }).as({ ...caller, tenantId: await database.tenant() });
    await startInvocation(session, invocationStart());
    await database.sql.begin(async (sql) => {
      await sql`alter table public.epochs disable trigger refuse_change`;
      await sql`create policy "test" on public.epochs for update to current_user using (true)`;
      await sql`update public.epochs set system_identifier = system_identifier + 1`;
      await sql`alter table public.epochs enable always trigger refuse_change`;
    });
    const late = open({ url: database.gatewayUrl }).as({ ...caller, tenantId: await database.tenant() });
    await expect(listInvocations(late, {})).rejects.toMatchObject({ code: 'epoch_unsettled', status: 503 });
    await database.sql`select ledger_internal.open_epoch('test')`;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await listInvocations(late, {})).items).toEqual([]);
  });
});

// One round trip a request: through a proxy that holds every packet back, a request costs little more than one trip.
describe('round trips', () => {
  test.each(['session', 'transaction'] as const)('%s: one', async (mode) => {
    const delay = 40;
    const proxy = await delayingProxy(Number(new URL(shared.gatewayUrl).port), delay);
    try {
      const url = new URL(shared.gatewayUrl);
      url.port = String(proxy.port);
      const session = open({ url: url.toString(), mode, max: 1 }).as(caller);
      // The first call of a function describes its statement.
      await listInvocations(session, { limit: 1 });
      const times: number[] = [];
      for (let n = 0; n < 5; n += 1) {
        const begun = performance.now();
        await listInvocations(session, { limit: 1 });
        times.push(performance.now() - begun);
      }
      expect(Math.min(...times)).toBeGreaterThanOrEqual(delay * 2 - 5);
      expect(Math.min(...times)).toBeLessThan(delay * 4);
    } finally {
      await proxy.close();
    }
  });
});

async function delayingProxy(target: number, delay: number): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), delay));
    from.on('close', () => setTimeout(() => to.destroy(), delay));
    from.on('error', () => to.destroy());
  };
  const server: Server = createServer((client) => {
    const upstream = new Socket().connect(target, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
