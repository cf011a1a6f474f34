// Webhooks in the database: who may do what, and what is told of secrets.
import { randomUUID } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Argument, jsonb, text, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import type { Document } from './support/envelopes.ts';
import { codeOf, refusalOf } from './support/refused.ts';
import { call, GUARD, OPERATOR } from './support/sql-ledger.ts';
import { ended, failed, relayCalls, webhookCalls } from './support/webhook-turns.ts';

const database = useDatabase();
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const { asOperator, orchestrating, readable, registered } = webhookCalls(database);
let relay: Sql;
let taken: ReturnType<typeof relayCalls>['taken'];
let settle: ReturnType<typeof relayCalls>['settle'];
beforeAll(() => {
  relay = postgres(database.urlAs('ledger_relay'), { max: 4, onnotice: () => undefined });
  ({ taken, settle } = relayCalls(relay));
});
afterAll(() => relay.end());

describe('registering', () => {
  it('gives the secret once, and the same registration again gives none', async () => {
    const tenantId = await database.tenant();
    const document = { webhook_id: randomUUID(), url: 'https://hooks.example.com/a', event_types: ['os.outcome.*'] };
    const first = await asOperator(tenantId, 'register_webhook', jsonb(document));
    expect(first['result']).toBe('recorded');
    expect(first['record']['secret']).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(first['record']).toMatchObject({ ...document, state: 'active', waiting: 0, dead_letters: 0 });
    const again = await asOperator(tenantId, 'register_webhook', jsonb(document));
    expect(again['result']).toBe('replayed');
    expect(again['record']).not.toHaveProperty('secret');
    const other = await asOperator(
      tenantId,
      'register_webhook',
      jsonb({ ...document, url: 'https://elsewhere.example/' }),
    );
    expect([other['result'], other['code']]).toEqual(['conflict', 'webhook_conflict']);
  });

  it('tells a secret again only to who has just said it', async () => {
    const tenantId = await database.tenant();
    const document = { webhook_id: randomUUID(), url: 'https://hooks.example.com/a' };
    const minted = (secret: string) => asOperator(tenantId, 'register_webhook', jsonb(document), text(secret));
    expect((await minted(SECRET))['record']['secret']).toBe(SECRET);
    expect((await minted(SECRET))['record']['secret']).toBe(SECRET);
    expect((await minted(OTHER_SECRET))['record']).not.toHaveProperty('secret');
    const own = await registered(tenantId, { secret: OTHER_SECRET });
    expect(own['secret']).toBe(OTHER_SECRET);
  });

  it.each([
    [{ url: 'http://hooks.example.com/' }, '/url'],
    [{ url: 'http://127.0.0.1.example.com/' }, '/url'],
    [{ url: 'http://10.0.0.1/' }, '/url'],
    [{ url: 'https://user:word@hooks.example.com/' }, '/url'],
    [{ url: 'https://hooks.example.com/#part' }, '/url'],
    [{ url: 'https://hooks.example.com:99999/' }, '/url'],
    [{ url: 'https://hooks.example.com\\@evil.example/' }, '/url'],
    [{ url: 'ftp://hooks.example.com/' }, '/url'],
    [{ url: `https://hooks.example.com/${'x'.repeat(2000)}` }, '/url'],
    [{ event_types: ['art.edition.requested'] }, '/event_types/0'],
    [{ event_types: ['os.outcome.*', 'os.out*'] }, '/event_types/1'],
    [{ secret: 'whsec_AAAA' }, '/secret'],
    [{ secret: `whsec_${'A'.repeat(92)}` }, '/secret'],
    [{ webhook_id: 'one' }, '/webhook_id'],
    [{ headers: {} }, '/headers'],
  ])('refuses %j', async (over, path) => {
    const refused = await refusalOf(registered(await database.tenant(), over));
    expect([refused.code, refused.paths]).toEqual(['request_invalid', [path]]);
  });

  it('an unknown tenant is refused', async () => {
    expect(await codeOf(registered(randomUUID()))).toBe('unknown_tenant');
  });

  it('two at once with one id are one', async () => {
    const tenantId = await database.tenant();
    const document = { webhook_id: randomUUID(), url: 'https://hooks.example.com/' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => asOperator(tenantId, 'register_webhook', jsonb(document))),
    );
    expect(answers.map((answer) => answer['result']).sort()).toEqual(['recorded', 'replayed', 'replayed', 'replayed']);
  });
});

describe('rights', () => {
  type Call = [name: string, ...args: Argument[]];
  const CALLS: Call[] = [
    ['register_webhook', jsonb({ url: 'https://hooks.example.com/' })],
    ['list_webhooks', jsonb({})],
  ];
  const callsAbout = (id: string): Call[] => [
    ['get_webhook', uuid(id)],
    ['rotate_webhook', uuid(id), jsonb({})],
    ['enable_webhook', uuid(id)],
    ['disable_webhook', uuid(id)],
    ['list_webhook_dead_letters', uuid(id), jsonb({})],
    ['redeliver_webhook', uuid(id), jsonb({ all: true })],
  ];

  it.each(['agent', 'worker', 'orchestrator', 'policy_guard', 'auditor'] as const)(
    '%s may do nothing with webhooks',
    async (role) => {
      const tenantId = await database.tenant();
      const { webhook_id } = await registered(tenantId);
      for (const [name, ...args] of [...CALLS, ...callsAbout(webhook_id), ...callsAbout(randomUUID())]) {
        expect(await codeOf(call(database, { tenantId, role, actorId: 'someone' }, name, ...args)), name).toBe(
          'not_permitted',
        );
      }
    },
  );

  it('a disabled operator may do nothing either', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    await database.sql`insert into ledger_internal.disabled_actors (tenant_id, actor_id) values (${tenantId}, ${OPERATOR.actorId})`;
    expect(await codeOf(asOperator(tenantId, 'list_webhooks', jsonb({})))).toBe('not_permitted');
  });

  it('a webhook of another tenant and one that is not there are the same', async () => {
    const [mine, theirs] = [await database.tenant(), await database.tenant()];
    const { webhook_id } = await registered(theirs);
    for (const id of [webhook_id, randomUUID()]) {
      expect(await asOperator(mine, 'get_webhook', uuid(id))).toBeNull();
      for (const [name, ...args] of callsAbout(id).slice(1)) {
        expect(await codeOf(asOperator(mine, name, ...args)), name).toBe('unknown_webhook');
      }
    }
    expect((await asOperator<Document>(mine, 'list_webhooks', jsonb({})))['items']).toEqual([]);
    // The same id in two tenants is two webhooks.
    expect(await registered(mine, { webhook_id })).toMatchObject({ webhook_id, secret: expect.any(String) });
  });

  it('no table of webhooks is read or written by a token, a service key, an auditor or a worker’s login', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    for (const table of [
      'webhooks',
      'webhook_positions',
      'webhook_deliveries',
      'webhook_dead_letters',
      'trace_positions',
    ]) {
      for (const statement of [`select from ledger_internal.${table}`, `delete from ledger_internal.${table}`]) {
        expect(await codeOf(database.as({ tenantId, ...OPERATOR }, (tx) => tx.unsafe(statement))), statement).toBe(
          'not_permitted',
        );
        for (const role of [
          'anon',
          'service_role',
          'ledger_auditor',
          'ledger_gateway',
          'ledger_sync',
          'ledger_sweep',
          'ledger_relay',
          'ledger_seal',
        ]) {
          expect(await codeOf(database.asRole(role, (tx) => tx.unsafe(statement))), `${role}: ${statement}`).toBe(
            'not_permitted',
          );
        }
      }
    }
  });

  it('only the relay’s login takes, settles and sees secrets', async () => {
    const nobody = randomUUID();
    for (const statement of [
      `select ledger_internal.relay_take('${nobody}', 1, 1, 1000, 1)`,
      `select ledger_internal.relay_settle('${nobody}', '${nobody}', '${nobody}', '[]', 0, 1000, true)`,
      `select ledger_internal.relay_status()`,
      `select ledger_internal.trace_take('x', '${nobody}', 1, 1000)`,
      `select ledger_internal.trace_settle('x', '${nobody}', null, 1000, true)`,
    ]) {
      for (const role of [
        'anon',
        'authenticated',
        'service_role',
        'ledger_auditor',
        'ledger_gateway',
        'ledger_sync',
        'ledger_sweep',
        'ledger_seal',
      ]) {
        expect(await codeOf(database.asRole(role, (tx) => tx.unsafe(statement))), `${role}: ${statement}`).toBe(
          'not_permitted',
        );
      }
      if (!statement.includes('trace')) await relay.unsafe(statement);
    }
  });

  it('no route gives a secret again', async () => {
    const tenantId = await database.tenant();
    const made = await registered(tenantId, { secret: SECRET });
    const rotated = await asOperator(
      tenantId,
      'rotate_webhook',
      uuid(made['webhook_id']),
      jsonb({ secret: OTHER_SECRET }),
    );
    expect(rotated['record']['secret']).toBe(OTHER_SECRET);
    const answers = [
      await asOperator(tenantId, 'get_webhook', uuid(made['webhook_id'])),
      await asOperator(tenantId, 'list_webhooks', jsonb({})),
      await asOperator(tenantId, 'disable_webhook', uuid(made['webhook_id'])),
      await asOperator(tenantId, 'enable_webhook', uuid(made['webhook_id'])),
      await asOperator(tenantId, 'list_webhook_dead_letters', uuid(made['webhook_id']), jsonb({})),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/whsec_|"(previous_)?secret"/);
  });
});

describe('rotating', () => {
  it('keeps the secret before beside the new one, and nothing of it when it is told to', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId, { secret: SECRET });
    await ended(orchestrating(tenantId), 'c');
    const rotate = (document: Document) => asOperator(tenantId, 'rotate_webhook', uuid(webhook_id), jsonb(document));
    const secrets = async () => {
      const { token, turn } = await taken(tenantId);
      await settle(turn, token, []);
      return turn.secrets;
    };
    expect(await secrets()).toEqual([SECRET]);
    const first = await rotate({});
    expect(first['record']['previous_secret_until']).toEqual(expect.any(String));
    expect(await secrets()).toEqual([first['record']['secret'], SECRET]);
    // Its answer may have been lost: what receivers know stays valid.
    const second = await rotate({ secret: OTHER_SECRET });
    expect(await secrets()).toEqual([OTHER_SECRET, SECRET]);
    expect((await rotate({ secret: OTHER_SECRET }))['result']).toBe('replayed');
    expect(await secrets()).toEqual([OTHER_SECRET, SECRET]);
    expect(second['result']).toBe('recorded');
    // Back to the one before: both go on.
    await rotate({ secret: SECRET });
    expect(await secrets()).toEqual([SECRET, OTHER_SECRET]);
    const last = await rotate({ previous_valid_ms: 0 });
    expect(await secrets()).toEqual([last['record']['secret']]);
    expect(last['record']['previous_secret_until']).toBeNull();
  });

  it('the secret before stops when its time is over', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId, { secret: SECRET });
    await ended(orchestrating(tenantId), 'c');
    await asOperator(
      tenantId,
      'rotate_webhook',
      uuid(webhook_id),
      jsonb({ secret: OTHER_SECRET, previous_valid_ms: 1 }),
    );
    expect((await taken(tenantId)).turn.secrets).toEqual([OTHER_SECRET]);
  });
});

describe('lists', () => {
  it('page completely, in order', async () => {
    const tenantId = await database.tenant();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await registered(tenantId))['webhook_id']);
    await asOperator(tenantId, 'disable_webhook', uuid(ids[2] as string));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Document = await asOperator(
        tenantId,
        'list_webhooks',
        jsonb({ limit: '2', ...(cursor ? { cursor } : {}) }),
      );
      seen.push(...page['items'].map((item: Document) => item['webhook_id']));
      cursor = page['next_cursor'];
    } while (cursor);
    expect(seen).toEqual(ids);
    const off = await asOperator(tenantId, 'list_webhooks', jsonb({ state: 'disabled' }));
    expect(off['items'].map((item: Document) => item['webhook_id'])).toEqual([ids[2]]);
    for (const filter of [{ state: 'x' }, { limit: '0' }, { cursor: 'x' }, { url: 'x' }, []]) {
      expect(await codeOf(asOperator(tenantId, 'list_webhooks', jsonb(filter)))).toBe('request_invalid');
    }
  });

  it('of dead letters page by the feed’s order', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId);
    const ledger = orchestrating(tenantId);
    const ids = [...(await ended(ledger, 'a')), ...(await ended(ledger, 'b')), ...(await ended(ledger, 'c'))];
    await readable(tenantId);
    const { token, turn } = await taken(tenantId);
    await settle(
      turn,
      token,
      turn.due.map((due) => ({ ...failed(due), result: 'dead' })),
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Document = await asOperator(
        tenantId,
        'list_webhook_dead_letters',
        uuid(webhook_id),
        jsonb({ limit: '1', ...(cursor ? { cursor } : {}) }),
      );
      seen.push(...page['items'].map((item: Document) => item['event_id']));
      cursor = page['next_cursor'];
    } while (cursor);
    expect(seen).toEqual(ids);
    const one = await asOperator(
      tenantId,
      'list_webhook_dead_letters',
      uuid(webhook_id),
      jsonb({ correlation_id: 'b' }),
    );
    expect(one['items'].map((item: Document) => item['event_id'])).toEqual([ids[1]]);
  });
});

it('the guard of webhooks is the role’s word and nothing else', async () => {
  const tenantId = await database.tenant();
  expect(await codeOf(call(database, { tenantId, ...GUARD }, 'list_webhooks', jsonb({})))).toBe('not_permitted');
  await database.sql.unsafe(
    `create or replace function ledger_internal.may_manage_webhooks(ledger_role text) returns boolean language plpgsql immutable set search_path = pg_catalog, pg_temp as 'begin return true; end'`,
  );
  expect(await call(database, { tenantId, ...GUARD }, 'list_webhooks', jsonb({}))).toEqual({
    items: [],
    next_cursor: null,
  });
});
