// The relay against receivers of every kind, and webhooks over HTTP.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROLES, WEBHOOK_ROLES } from '../src/contract/roles.ts';
import { jsonb, uuid } from '../src/database/statement.ts';
import { createRelayMetrics, startRelay } from '../src/relay/index.ts';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, envelopeFor, event, invocationStart } from './support/envelopes.ts';
import { randomFrom, shuffled } from './support/random.ts';
import { answering, type Behaviour, hanging, startReceiver, taking, verifies } from './support/receiver.ts';
import {
  endAll,
  eventsOf,
  expectInOrder,
  expectTaken,
  killProcess,
  QUICK,
  registered,
  relayElsewhere,
  relayOn,
} from './support/relay.ts';
import { call, OPERATOR } from './support/sql-ledger.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
beforeAll(async () => {
  tenantId = await stack.database.tenant();
});

const read = (tenant: string, id: string) =>
  call<Document>(stack.database, { tenantId: tenant, ...OPERATOR }, 'get_webhook', uuid(id));
const numbered = (count: number, prefix = 'c') => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('webhooks over HTTP', () => {
  let operator: Api;
  beforeAll(async () => {
    operator = await apiOf(stack, { tenantId, ...OPERATOR });
  });

  it('from the registration to the signed message', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver();
    const mine = await apiOf(stack, { tenantId: tenant, ...OPERATOR });
    const orchestrator = await apiOf(stack, { tenantId: tenant });
    const made = await mine('POST', '/events/webhooks', { url: receiver.url, event_types: ['os.outcome.*'] });
    expect([made.status, made.body]).toMatchObject([
      201,
      { state: 'active', secret: expect.stringMatching(/^whsec_/) },
    ]);
    const relay = relayOn(stack.database);
    const start = invocationStart({ correlation_id: 'corr/1 ü' });
    await orchestrator('POST', '/invocations', start);
    const recorded = await orchestrator('POST', '/outcomes', {
      invocation_id: start['invocation_id'],
      outcome: envelopeFor(start),
    });
    await expectTaken(receiver, 1);
    const [message] = receiver.took;
    expect(message?.event).toEqual({
      specversion: '1.0',
      id: recorded.body.outcome_id,
      source: `/outcome-ledger/tenants/${tenant}/sources/art-agt-003`,
      type: 'os.outcome.succeeded',
      subject: recorded.body.outcome_id,
      time: '2026-05-20T10:00:01.850000Z',
      datacontenttype: 'application/json',
      data: {
        outcome_id: recorded.body.outcome_id,
        source: recorded.body.source,
        correlation_id: 'corr/1 ü',
        status: 'success',
        duration_ms: 1850,
        judgment: 'delivered',
        verification: 'skipped',
      },
      correlationid: 'corr/1 ü',
      causationid: 'event-abc',
    });
    expect(message?.contentType).toBe('application/cloudevents+json; charset=utf-8');
    expect(message?.id).toBe(recorded.body.outcome_id);
    expect(verifies(message as never, made.body.secret)).toBe(true);
    expect(verifies(message as never, `whsec_${Buffer.alloc(24, 1).toString('base64')}`)).toBe(false);
    expect(verifies({ ...(message as never as Document), body: `${message?.body} ` } as never, made.body.secret)).toBe(
      false,
    );
    await expect
      .poll(async () => (await mine('GET', `/events/webhooks/${made.body.webhook_id}`)).body.last_delivered_at)
      .not.toBeNull();
    await relay.stop();
  });

  it('registers once, replays without the secret, and contests other content', async () => {
    const document = { webhook_id: randomUUID(), url: 'https://hooks.example.com/' };
    const first = await operator('POST', '/events/webhooks', document);
    expect([first.status, typeof first.body.secret]).toEqual([201, 'string']);
    const again = await operator('POST', '/events/webhooks', document);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.secret]).toEqual([
      200,
      'true',
      undefined,
    ]);
    const other = await operator('POST', '/events/webhooks', { ...document, description: 'other' });
    expect(expectProblem(other, 409, 'webhook_conflict')['webhook_id']).toBe(document.webhook_id);
    expect(
      paths(
        expectProblem(await operator('POST', '/events/webhooks', { url: 'http://x.example' }), 422, 'request_invalid'),
      ),
    ).toEqual(['/url']);
    expectProblem(await operator('POST', '/events/webhooks', '{'), 400, 'json_invalid');
  });

  it('lists, rotates, disables, enables, and shows no secret again', async () => {
    const { body } = await operator('POST', '/events/webhooks', { url: 'https://hooks.example.com/' });
    const at = `/events/webhooks/${body.webhook_id}`;
    const rotated = await operator('POST', `${at}/rotate`, {});
    expect([rotated.status, rotated.body.secret === body.secret, typeof rotated.body.secret]).toEqual([
      201,
      false,
      'string',
    ]);
    expect((await operator('POST', `${at}/rotate`, { secret: rotated.body.secret })).status).toBe(200);
    expect((await operator('POST', `${at}/disable`)).body).toMatchObject({
      state: 'disabled',
      disabled_reason: 'operator',
    });
    expect((await operator('GET', '/events/webhooks?state=disabled')).body.items).toMatchObject([
      { webhook_id: body.webhook_id },
    ]);
    expect((await operator('POST', `${at}/enable`)).body).toMatchObject({ state: 'active' });
    const listed = await operator('GET', '/events/webhooks?limit=1000');
    const letters = await operator('GET', `${at}/dead-letters`);
    expect(letters.body).toEqual({ items: [], next_cursor: null });
    expect(JSON.stringify([listed.body, (await operator('GET', at)).body])).not.toMatch(/whsec_|"secret"/);
    expect((await operator('POST', `${at}/redeliver`, { all: true })).body).toEqual({ redelivered: 0, remaining: 0 });
    expectProblem(await operator('POST', `${at}/redeliver`, { event_id: 'x' }), 404, 'unknown_event');
    expectProblem(await operator('POST', `${at}/redeliver`, {}), 422, 'request_invalid');
    expectProblem(await operator('GET', '/events/webhooks/nonsense'), 422, 'request_invalid');
  });

  it('an event called webhooks is reached by another spelling', async () => {
    const orchestrator = await apiOf(stack, { tenantId });
    await orchestrator('POST', '/events', event(undefined, { event_id: 'webhooks' }));
    expect((await orchestrator('GET', '/events/%77ebhooks')).body.event_id).toBe('webhooks');
    expect((await operator('GET', '/events/webhooks')).body).toHaveProperty('items');
  });

  it('every other role and every other tenant is refused', async () => {
    const { body } = await operator('POST', '/events/webhooks', { url: 'https://hooks.example.com/' });
    const requests = (id: string): [string, string, Document?][] => [
      ['GET', `/events/webhooks/${id}`],
      ['POST', `/events/webhooks/${id}/rotate`, {}],
      ['POST', `/events/webhooks/${id}/disable`],
      ['POST', `/events/webhooks/${id}/enable`],
      ['GET', `/events/webhooks/${id}/dead-letters`],
      ['POST', `/events/webhooks/${id}/redeliver`, { all: true }],
    ];
    for (const role of ROLES.filter((one) => !(WEBHOOK_ROLES as readonly string[]).includes(one))) {
      const api = await apiOf(stack, { tenantId, role, actorId: 'someone' });
      for (const [method, path, sent] of [
        ['POST', '/events/webhooks', { url: 'https://hooks.example.com/' }],
        ['GET', '/events/webhooks'],
        ...requests(body.webhook_id),
      ] as [string, string, Document?][]) {
        expectProblem(await api(method, path, sent), 403, 'not_permitted');
      }
    }
    const foreign = await apiOf(stack, { tenantId: await stack.database.tenant(), ...OPERATOR });
    for (const id of [body.webhook_id, randomUUID()]) {
      for (const [method, path, sent] of requests(id)) {
        const { request_id: _, ...problem } = expectProblem(await foreign(method, path, sent), 404, 'unknown_webhook');
        expect(JSON.stringify(problem)).not.toContain(id);
      }
    }
  });
});

describe('a receiver that misbehaves', () => {
  const led = (location: string): Behaviour => answering(302, { location });
  const big = (status: number): Behaviour => answering(status, {}, 'x'.repeat(10 * 1024 * 1024));
  const dripping: Behaviour = (_, response) => {
    response.writeHead(500);
    const timer = setInterval(() => response.write('x'), 20);
    response.once('close', () => clearInterval(timer));
  };
  const cutting: Behaviour = (_, response) => response.socket?.destroy();

  it.each([
    ['hangs', hanging, 'timeout', null],
    ['answers 500', answering(500, {}, 'no room'), 'http_status', 500],
    ['answers 404', answering(404), 'http_status', 404],
    ['answers 10 MB of refusal', big(500), 'http_status', 500],
    ['drips a refusal', dripping, 'http_status', 500],
    ['cuts the connection', cutting, 'connection_lost', null],
    ['redirects to this machine', led('http://127.0.0.1:9/'), 'redirected', 302],
    ['redirects to a private address', led('http://10.0.0.1/'), 'redirected', 302],
    ['redirects to the metadata', led('http://169.254.169.254/latest/meta-data/'), 'redirected', 302],
  ] as const)(
    'and %s fails, is told why, holds nobody else up, and is sent everything once it behaves',
    async (_, behaviour, code, status) => {
      const tenant = await stack.database.tenant();
      const [bad, good] = [await startReceiver(behaviour), await startReceiver()];
      const { webhook_id } = await registered(stack.database, tenant, bad.url);
      await registered(stack.database, tenant, good.url);
      const relay = relayOn(stack.database, { pace: { timeoutMs: 400, leaseMs: 3000 } });
      await endAll(stack.database, tenant, ['a', 'b', 'a']);
      await expectTaken(good, 3);
      await expect
        .poll(async () => (await read(tenant, webhook_id))['last_error'], { timeout: 20_000 })
        .toMatch(new RegExp(`^${code}: `));
      expect(await read(tenant, webhook_id)).toMatchObject({
        last_status: status,
        last_delivered_at: null,
        state: 'active',
        dead_letters: 0,
      });
      expect(relay.status().failed).toHaveProperty(code);
      expect(relay.status().degraded_by).toEqual([]);
      bad.behave(taking);
      await expectTaken(bad, 3);
      expectInOrder(bad, await eventsOf(stack.database, tenant));
      await relay.stop();
    },
  );

  it('by taking, and then answering 10 MB, has taken', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver(big(200));
    const { webhook_id } = await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database);
    await endAll(stack.database, tenant, ['a', 'a', 'b']);
    await expect.poll(async () => (await read(tenant, webhook_id))['waiting'], { timeout: 20_000 }).toBe(0);
    await expect.poll(() => new Set(receiver.came.map(({ id }) => id)).size, { timeout: 20_000 }).toBe(3);
    await expect.poll(() => relay.status().delivered).toBe(3);
    expect(receiver.came).toHaveLength(3);
    await relay.stop();
  });

  it('is left alone for as long as it asked with 429, also with what others wait for', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver(answering(429, { 'retry-after': '3600' }));
    const { webhook_id } = await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database, { concurrency: 1 });
    await endAll(stack.database, tenant, ['a', 'b', 'c']);
    await expect.poll(async () => (await read(tenant, webhook_id))['paused_until'], { timeout: 20_000 }).not.toBeNull();
    const passes = relay.status().last_pass_at;
    await expect.poll(() => relay.status().last_pass_at).not.toBe(passes);
    expect(receiver.came).toHaveLength(1);
    const paused = Date.parse((await read(tenant, webhook_id))['paused_until']) - Date.now();
    expect(paused).toBeGreaterThan(3_500_000);
    await relay.stop();
  });

  it('and answers 410 is disabled, keeps what waits, and gets it when it is enabled', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver(answering(410));
    const { webhook_id } = await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database);
    await endAll(stack.database, tenant, ['a', 'a']);
    await expect.poll(async () => (await read(tenant, webhook_id))['state'], { timeout: 20_000 }).toBe('disabled');
    expect(await read(tenant, webhook_id)).toMatchObject({ disabled_reason: 'gone', waiting: 2 });
    receiver.behave(taking);
    await call(stack.database, { tenantId: tenant, ...OPERATOR }, 'enable_webhook', uuid(webhook_id));
    await expectTaken(receiver, 2);
    expectInOrder(receiver, await eventsOf(stack.database, tenant));
    await relay.stop();
  });

  it('for long enough is given up on: what died is listed, lets the rest go on, and can be sent again', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver((message, response) =>
      message.event['correlationid'] === 'poison' ? answering(500)(message, response) : taking(message, response),
    );
    const { webhook_id } = await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database, { retry: { maxAttempts: 3, baseMs: 5, capMs: 10 } });
    await endAll(stack.database, tenant, ['poison', 'fine', 'poison', 'fine']);
    await expectTaken(receiver, 2);
    await expect.poll(async () => (await read(tenant, webhook_id))['dead_letters'], { timeout: 20_000 }).toBe(2);
    expect(await read(tenant, webhook_id)).toMatchObject({ waiting: 0, state: 'active' });
    const events = await eventsOf(stack.database, tenant);
    const operator = await apiOf(stack, { tenantId: tenant, ...OPERATOR });
    const letters = await operator('GET', `/events/webhooks/${webhook_id}/dead-letters`);
    expect(letters.body.items).toMatchObject(
      (events.get('poison') ?? []).map((event_id) => ({
        event_id,
        attempts: 3,
        last_status: 500,
        type: 'os.outcome.succeeded',
      })),
    );
    const tries = receiver.came.filter(({ event: one }) => one['correlationid'] === 'poison').map(({ id }) => id);
    const [first, second] = events.get('poison') as [string, string];
    expect(tries).toEqual([first, first, first, second, second, second]);
    receiver.behave(taking);
    expect((await operator('POST', `/events/webhooks/${webhook_id}/redeliver`, { all: true })).body).toEqual({
      redelivered: 2,
      remaining: 0,
    });
    await expectTaken(receiver, 4);
    expect(receiver.took.map(({ id }) => id).filter((id) => events.get('poison')?.includes(id))).toEqual([
      first,
      second,
    ]);
    await relay.stop();
    expect(relay.status()).toMatchObject({ dead_lettered: 2, delivered: 4 });
  });
});

describe('addresses', () => {
  it('of this machine are not called unless that is allowed', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver();
    const { webhook_id } = await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database, { allowLoopback: false });
    await endAll(stack.database, tenant, ['a']);
    await expect
      .poll(async () => (await read(tenant, webhook_id))['last_error'], { timeout: 20_000 })
      .toMatch(/^address_refused: /);
    expect(receiver.came).toEqual([]);
    await relay.stop();
    const allowing = relayOn(stack.database);
    await expectTaken(receiver, 1);
    await allowing.stop();
  });

  it.each([
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433.example.invalid/',
  ])('%s is not called, whatever is allowed', async (url) => {
    const tenant = await stack.database.tenant();
    const { webhook_id } = await registered(stack.database, tenant, url);
    const relay = relayOn(stack.database);
    await endAll(stack.database, tenant, ['a']);
    await expect
      .poll(async () => (await read(tenant, webhook_id))['last_error'], { timeout: 20_000 })
      .toMatch(/^(address_refused|name_unresolved): /);
    await relay.stop();
  });
});

describe('rotating a secret', () => {
  it('both secrets verify, and then the new one alone', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver();
    const { webhook_id, secret } = await registered(stack.database, tenant, receiver.url);
    const rotate = async (document: Document) =>
      (
        await call(
          stack.database,
          { tenantId: tenant, ...OPERATOR },
          'rotate_webhook',
          uuid(webhook_id),
          jsonb(document),
        )
      ).record['secret'];
    const relay = relayOn(stack.database);
    const second = await rotate({});
    await endAll(stack.database, tenant, ['a']);
    await expectTaken(receiver, 1);
    const third = await rotate({ previous_valid_ms: 0 });
    await endAll(stack.database, tenant, ['a']);
    await expectTaken(receiver, 2);
    const verdicts = receiver.took.map((message) => [secret, second, third].map((one) => verifies(message, one)));
    expect(verdicts).toEqual([
      [true, true, false],
      [false, false, true],
    ]);
    expect(receiver.took.map((message) => message.signatures.length)).toEqual([2, 1]);
    await relay.stop();
  });
});

describe('order', () => {
  it('within a correlation holds through failures of every kind', { timeout: 120_000 }, async () => {
    const seed = 20_260_520;
    console.info(`order within a correlation: seed ${seed}`);
    const random = randomFrom(seed);
    const tenant = await stack.database.tenant();
    const kinds: Behaviour[] = [
      taking,
      taking,
      taking,
      answering(500),
      answering(302, { location: '/' }),
      (_, response) => response.socket?.destroy(),
    ];
    const receiver = await startReceiver((message, response) =>
      kinds[Math.floor(random() * kinds.length)]?.(message, response),
    );
    await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database, { random: randomFrom(seed + 1) });
    await endAll(
      stack.database,
      tenant,
      shuffled(
        numbered(20).flatMap((name) => Array(10).fill(name) as string[]),
        random,
      ),
    );
    await expectTaken(receiver, 200, 100_000);
    expectInOrder(receiver, await eventsOf(stack.database, tenant));
    expect(receiver.came.length).toBeGreaterThan(250);
    await relay.stop();
  });

  it('would break without the guard: an event would pass the one that failed before it', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver();
    await registered(stack.database, tenant, receiver.url);
    const events = async () => (await eventsOf(stack.database, tenant)).get('a') ?? [];
    const [guard] = await stack.database.sql`
      select pg_get_functiondef('ledger_internal.order_deliveries(uuid, uuid, text[])'::regprocedure) as text`;
    // Every event is due at once, whatever waits before it.
    await stack.database.sql.unsafe(
      guard?.['text'].replace(
        /foreach[\s\S]*end loop;/,
        `update ledger_internal.webhook_deliveries d set due_at = moment
          where d.webhook_id = webhook and d.tenant_id = tenant and d.due_at is null;`,
      ),
    );
    try {
      const relay = relayOn(stack.database, { concurrency: 1 });
      await endAll(stack.database, tenant, ['a']);
      receiver.behave(answering(500));
      await expect.poll(() => receiver.came.length, { timeout: 20_000 }).toBeGreaterThan(0);
      await relay.stop();
      // The first waits long for its next attempt; without the guard the second does not wait behind it.
      await stack.database
        .sql`update ledger_internal.webhook_deliveries set due_at = clock_timestamp() + interval '1 hour' where tenant_id = ${tenant}`;
      receiver.behave(taking);
      await endAll(stack.database, tenant, ['a']);
      const again = relayOn(stack.database);
      await expect.poll(() => receiver.came.map(({ id }) => id).at(-1), { timeout: 20_000 }).toBe((await events())[0]);
      await again.stop();
    } finally {
      await stack.database.sql.unsafe(guard?.['text']);
    }
  });
});

describe('being stopped', () => {
  it('lets messages under way arrive, and does not send them again', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver((message, response) => void setTimeout(() => taking(message, response), 300));
    const { webhook_id } = await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database);
    await endAll(stack.database, tenant, ['a', 'b', 'a', 'b']);
    await expect.poll(() => receiver.came.length, { timeout: 20_000, interval: 5 }).toBe(2);
    await relay.stop();
    expect(relay.status()).toMatchObject({ state: 'stopped', delivered: 2, serving: 0 });
    expect(receiver.took).toHaveLength(2);
    expect(await read(tenant, webhook_id)).toMatchObject({ waiting: 2 });
    const [lease] = await stack.database
      .sql`select leased_until from ledger_internal.webhook_positions where webhook_id = ${webhook_id}`;
    expect(lease?.['leased_until']).toBeNull();
    const next = relayOn(stack.database);
    await expectTaken(receiver, 4);
    expect(receiver.came).toHaveLength(4);
    await next.stop();
  });

  it('survives sessions of the database that are cut, and sends nothing less', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver();
    await registered(stack.database, tenant, receiver.url);
    const relay = relayOn(stack.database);
    for (let round = 0; round < 5; round += 1) {
      await endAll(
        stack.database,
        tenant,
        shuffled(
          numbered(8).flatMap((name) => [name, name]),
          randomFrom(round),
        ),
      );
      await stack.database.admin`
        select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ledger_relay' and datname = ${stack.database.name}`;
    }
    await expectTaken(receiver, 80);
    expectInOrder(receiver, await eventsOf(stack.database, tenant));
    await relay.stop();
  });

  it('a ledger that does not let it in is told, with what to do, and tried again', async () => {
    const wrong = new URL(stack.database.urlAs('ledger_relay'));
    wrong.username = 'ledger_seal';
    const relay = startRelay({ ...QUICK, url: wrong.href });
    await expect.poll(() => relay.status().state, { timeout: 20_000 }).toBe('refused');
    expect(relay.status().reason).toMatchObject({
      code: 'not_permitted',
      remedy: expect.stringContaining('ledger_relay'),
    });
    expect(relay.status().degraded_by).toHaveLength(1);
    await relay.stop();
    wrong.port = '9';
    const unreachable = startRelay({ ...QUICK, url: wrong.href });
    await expect.poll(() => unreachable.status().state, { timeout: 20_000 }).toBe('waiting');
    expect(unreachable.status().reason).toMatchObject({ code: 'database_unavailable', remedy: null });
    expect(JSON.stringify(unreachable.status())).not.toContain('ledger-tests');
    await unreachable.stop();
  });
});

describe('several', () => {
  it('relays share the webhooks: every event, in order', { timeout: 120_000 }, async () => {
    const tenant = await stack.database.tenant();
    const receivers = [await startReceiver(), await startReceiver(), await startReceiver()];
    for (const receiver of receivers) await registered(stack.database, tenant, receiver.url);
    const relays = [relayOn(stack.database), relayOn(stack.database)];
    await endAll(
      stack.database,
      tenant,
      numbered(10).flatMap((name) => Array(10).fill(name) as string[]),
    );
    const events = await eventsOf(stack.database, tenant);
    for (const receiver of receivers) {
      await expectTaken(receiver, 100);
      expectInOrder(receiver, events);
    }
    await Promise.all(relays.map((relay) => relay.stop()));
    // At least once: a relay that is starved past its lease may send one again.
    expect(relays.map((relay) => relay.status().delivered).reduce((a, b) => a + b)).toBeGreaterThanOrEqual(300);
  });

  it('tenants hear of their own events alone', async () => {
    const [one, two] = [await stack.database.tenant(), await stack.database.tenant()];
    const [first, second] = [await startReceiver(), await startReceiver()];
    await registered(stack.database, one, first.url);
    await registered(stack.database, two, second.url);
    const relay = relayOn(stack.database);
    await endAll(stack.database, one, ['same', 'same']);
    await endAll(stack.database, two, ['same']);
    await expectTaken(first, 2);
    await expectTaken(second, 1);
    expectInOrder(first, await eventsOf(stack.database, one));
    expectInOrder(second, await eventsOf(stack.database, two));
    await relay.stop();
  });
});

describe('killed', () => {
  it('a receiver and a relay, in the middle of it: each event at least once, in order, nothing dead', {
    timeout: 180_000,
  }, async () => {
    const tenant = await stack.database.tenant();
    const slowly: Behaviour = (message, response) => void setTimeout(() => taking(message, response), 30);
    const receiver = await startReceiver(slowly);
    const { webhook_id } = await registered(stack.database, tenant, receiver.url);
    const relay = await relayElsewhere(stack.database);
    const correlations = shuffled(
      numbered(12).flatMap((name) => Array(5).fill(name) as string[]),
      randomFrom(7),
    );
    await endAll(stack.database, tenant, correlations.slice(0, 30));
    await expect.poll(() => receiver.took.length, { timeout: 30_000, interval: 5 }).toBeGreaterThan(5);
    expect(receiver.took.length).toBeLessThan(30);
    await receiver.kill();
    await endAll(stack.database, tenant, correlations.slice(30));
    await killProcess(relay);
    await receiver.restart();
    const second = await relayElsewhere(stack.database);
    await expectTaken(receiver, 60, 120_000);
    expectInOrder(receiver, await eventsOf(stack.database, tenant));
    await expect.poll(async () => (await read(tenant, webhook_id))['waiting']).toBe(0);
    expect(await read(tenant, webhook_id)).toMatchObject({ dead_letters: 0 });
    await killProcess(second);
  });
});

describe('what is told of a relay', () => {
  it('is a status without secrets, and metrics', async () => {
    const tenant = await stack.database.tenant();
    const receiver = await startReceiver();
    const { secret } = await registered(stack.database, tenant, receiver.url);
    const lines: string[] = [];
    const relay = relayOn(stack.database, { log: (entry) => lines.push(JSON.stringify(entry)) });
    receiver.behave(answering(500, {}, 'no'));
    await endAll(stack.database, tenant, ['a']);
    await expect.poll(() => relay.status().failed['http_status'] ?? 0, { timeout: 20_000 }).toBeGreaterThan(1);
    receiver.behave(taking);
    await expectTaken(receiver, 1);
    await expect.poll(() => relay.status().delivered, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => relay.status().queue?.waiting, { timeout: 20_000 }).toBeTypeOf('number');
    const text = await createRelayMetrics(() => [relay]).registry.metrics();
    expect(text).toMatch(/^outcome_ledger_relay_delivered_total 1$/m);
    expect(text).toMatch(/^outcome_ledger_relay_failed_total\{code="http_status"\} [2-9]/m);
    expect(text).toMatch(/^outcome_ledger_relay_state\{state="active"\} 1$/m);
    expect(lines.join('\n')).toContain('fails');
    const told = `${JSON.stringify(relay.status())}${text}${lines.join('\n')}`;
    for (const hidden of [secret, 'ledger-tests', receiver.url]) expect(told).not.toContain(hidden);
    await relay.stop();
    await sleep(0);
    expect(await createRelayMetrics(() => [relay]).registry.metrics()).toMatch(/state="stopped"\} 1$/m);
  });

  it('a lease that is too short for its attempts is refused', () => {
    expect(() => startRelay({ ...QUICK, url: '', pace: { leaseMs: 1000, timeoutMs: 1000 } })).toThrow(
      expect.objectContaining({ code: 'relay_misconfigured' }),
    );
  });
});
