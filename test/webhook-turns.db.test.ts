// What a relay is given, in which order, and that nothing falls between reading, waiting, sending and giving up.
import { randomUUID } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonb, uuid } from '../src/database/statement.ts';
import type { TurnOrder } from '../src/relay/ledger.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, event, invocationStart, verification } from './support/envelopes.ts';
import { codeOf } from './support/refused.ts';
import { ORCHESTRATOR } from './support/sql-ledger.ts';
import { delivered, ended, failed, idsOf, relayCalls, webhookCalls } from './support/webhook-turns.ts';

const database = useDatabase();
const { asOperator, orchestrating, readable, registered } = webhookCalls(database);
let relay: Sql;
let take: ReturnType<typeof relayCalls>['take'];
let taken: ReturnType<typeof relayCalls>['taken'];
let settle: ReturnType<typeof relayCalls>['settle'];
beforeAll(() => {
  relay = postgres(database.urlAs('ledger_relay'), { max: 4, onnotice: () => undefined });
  ({ take, taken, settle } = relayCalls(relay));
});
afterAll(() => relay.end());

describe('what a relay is given', () => {
  it('the tenant’s own events from the registration on, without a result, and nothing that others sent', async () => {
    const tenantId = await database.tenant();
    const ledger = orchestrating(tenantId);
    await ended(ledger, 'before');
    await readable(tenantId);
    await registered(tenantId);
    await ledger.event(event());
    const [id] = await ended(ledger, 'after');
    await ended(orchestrating(await database.tenant()), 'foreign');
    await readable(tenantId);
    const { turn } = await taken(tenantId);
    expect(turn.due).toEqual([
      {
        event_id: id,
        correlation_id: 'after',
        attempts: 0,
        event: {
          type: 'os.outcome.succeeded',
          source: 'art-agt-003',
          outcome_id: id,
          correlation_id: 'after',
          causation_id: 'event-abc',
          occurred_at: '2026-05-20T10:00:01.850000Z',
          data: {
            outcome_id: id,
            source: expect.any(Object),
            correlation_id: 'after',
            status: 'success',
            duration_ms: 1850,
            judgment: 'delivered',
            verification: 'skipped',
          },
        },
      },
    ]);
  });

  it('of an outcome how it is judged as of sending, of evidence what it said and no later word', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    const ledger = orchestrating(tenantId);
    const [id = ''] = await ended(ledger, 'c');
    const broken = { verification: 'failed', process: { ...verification(id)['process'], exit_code: 1 } };
    for (const over of [broken, {}]) await ledger.ask('record_verification', jsonb(verification(id, over)));
    await ledger.ask('assess_delivery', jsonb({ outcome_id: id, assessment: 'delivered' }));
    await readable(tenantId);
    const { turn } = await taken(tenantId);
    const said = turn.due.map(({ event }) => [event?.type, event?.data?.['verification'], event?.data?.['judgment']]);
    expect(said).toEqual([
      ['os.outcome.succeeded', 'passed', 'verified'],
      ['os.evidence.verification', 'failed', 'verified'],
      ['os.evidence.verification', 'passed', 'verified'],
      ['os.evidence.delivery', 'passed', 'verified'],
    ]);
  });

  it.each([
    [[], ['os.outcome.succeeded', 'os.outcome.failed', 'os.hitl.requested']],
    [['os.*'], ['os.outcome.succeeded', 'os.outcome.failed', 'os.hitl.requested']],
    [['os.outcome.*'], ['os.outcome.succeeded', 'os.outcome.failed']],
    [
      ['os.hitl.*', 'os.outcome.failed'],
      ['os.outcome.failed', 'os.hitl.requested'],
    ],
    [['os.outcome.failed'], ['os.outcome.failed']],
  ])('types %j', async (event_types, wanted) => {
    const tenantId = await database.tenant();
    await registered(tenantId, { event_types });
    const ledger = orchestrating(tenantId);
    await ledger.end(await ledger.start({ correlation_id: 'one' }));
    await ledger.end(await ledger.start({ correlation_id: 'two' }), 'failure');
    const asked = await ledger.start({ correlation_id: 'three' });
    await ledger.ask('open_hitl_request', jsonb({ invocation_id: asked['invocation_id'], reason: 'sends money' }));
    await readable(tenantId);
    const { turn } = await taken(tenantId);
    expect(turn.due.map((due) => due.event?.['type'])).toEqual(wanted);
  });

  it('events nobody wants move the position and are never looked at again', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId, { event_types: ['os.hitl.*'] });
    await ended(orchestrating(tenantId), 'c', 3);
    await readable(tenantId);
    expect(await take(randomUUID(), tenantId)).toEqual([]);
    const [row] = await database.sql`
      select (select max(e.seq) from public.os_events e where e.tenant_id = ${tenantId}) = p.seq as at_end, p.leased_until
        from ledger_internal.webhook_positions p where p.webhook_id = ${webhook_id}`;
    expect(row).toEqual({ at_end: true, leased_until: null });
  });

  it('of each correlation its first events, in order; what waits behind a failure is not given', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    const ledger = orchestrating(tenantId);
    const a = await ended(ledger, 'a', 3);
    const b = await ended(ledger, 'b', 2);
    await readable(tenantId);
    const { token, turn } = await taken(tenantId);
    const given = (correlation: string) =>
      turn.due.filter((due) => due.correlation_id === correlation).map((due) => due.event_id);
    expect([given('a'), given('b')]).toEqual([a, b]);
    await settle(turn, token, [failed({ event_id: a[0] as string }), ...b.map((event_id) => delivered({ event_id }))]);
    const c = await ended(ledger, 'c');
    const [late] = await ended(ledger, 'a');
    await readable(tenantId);
    const next = await taken(tenantId);
    expect(idsOf(next.turn)).toEqual(c);
    await settle(next.turn, next.token, [delivered({ event_id: c[0] as string })]);
    expect(await take(randomUUID(), tenantId)).toEqual([]);
    // Once it is due again the whole correlation follows, the newest last.
    await database.sql`update ledger_internal.webhook_deliveries set due_at = clock_timestamp() where tenant_id = ${tenantId} and due_at is not null`;
    const last = await taken(tenantId);
    expect(last.turn.due.map((due) => [due.event_id, due.attempts])).toEqual(
      [...a, late].map((id, n) => [id, n === 0 ? 1 : 0]),
    );
  });

  it('one correlation does not crowd out the others', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    const ledger = orchestrating(tenantId);
    await ended(ledger, 'long', 30);
    const [short] = await ended(ledger, 'short');
    await readable(tenantId);
    const { turn } = await taken(tenantId, { events: 5 });
    expect(turn.due.map((due) => due.correlation_id)).toEqual(['long', 'short', 'long', 'long', 'long']);
    expect(idsOf(turn)).toContain(short);
  });

  it('no more is read than may wait, and the rest stays in the feed', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    const ledger = orchestrating(tenantId);
    const first = await ended(ledger, 'a', 3);
    await readable(tenantId);
    const one = await taken(tenantId, { mostWaiting: 2 });
    await settle(one.turn, one.token, [failed(one.turn.due[0])]);
    const rest = await ended(ledger, 'b', 2);
    await readable(tenantId);
    expect(await take(randomUUID(), tenantId, { mostWaiting: 2 })).toEqual([]);
    const two = await taken(tenantId, { mostWaiting: 100 });
    expect(idsOf(two.turn)).toEqual(rest);
    expect(first).toHaveLength(3);
  });

  it('an event that retention took meanwhile is told as such', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    const [id] = await ended(orchestrating(tenantId), 'c');
    await readable(tenantId);
    const { token, turn } = await taken(tenantId);
    await settle(turn, token, [failed(turn.due[0], { retry_in_ms: 0 })]);
    const [policy] = await database.sql`
      insert into public.retention_policies (tenant_id, table_name, keep_for, reason) values (${tenantId}, 'os_events', '1 microsecond', 'test') returning policy_id`;
    await database.sql`select ledger_internal.purge(${policy?.['policy_id']})`;
    const next = await taken(tenantId);
    expect(next.turn.due).toEqual([{ event_id: id, correlation_id: 'c', attempts: 1, event: null }]);
    // The row the position was taken from is gone, its tombstone stands: the webhook reads on.
    await settle(next.turn, next.token, [{ ...failed(next.turn.due[0]), result: 'dead', error: 'event_purged' }]);
    const [after] = await ended(orchestrating(tenantId), 'd');
    expect(idsOf((await taken(tenantId)).turn)).toEqual([after]);
  });
});

describe('leases', () => {
  it('a webhook is one relay’s at a time, and two relays share the webhooks', async () => {
    const tenantId = await database.tenant();
    for (let n = 0; n < 4; n += 1) await registered(tenantId);
    await ended(orchestrating(tenantId), 'c');
    await readable(tenantId);
    const ask = async (token: string) => {
      const [row] = await relay<{ taken: { turns: TurnOrder[] } }[]>`
        select ledger_internal.relay_take(${token}, 2, 100, 60000, 1000) as taken`;
      const turns = row?.taken.turns ?? [];
      return turns.filter((turn) => turn.tenant_id === tenantId).map((turn) => turn.webhook_id);
    };
    const both = await Promise.all([ask(randomUUID()), ask(randomUUID())]);
    const rest = [...(await ask(randomUUID())), ...(await ask(randomUUID()))];
    const all = [...both.flat(), ...rest];
    expect(all).toHaveLength(4);
    expect(new Set(all).size).toBe(4);
    expect(await ask(randomUUID())).toEqual([]);
  });

  it('one that ran out is anybody’s, and its holder’s word counts for deliveries alone', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    const [a1, a2] = await ended(orchestrating(tenantId), 'a', 2);
    const [b1] = await ended(orchestrating(tenantId), 'b');
    await readable(tenantId);
    const silent = await taken(tenantId, { leaseMs: 1 });
    const next = await taken(tenantId);
    expect(idsOf(next.turn).sort()).toEqual([a1, a2, b1].sort());
    expect(
      await settle(silent.turn, silent.token, [
        delivered({ event_id: a1 as string }),
        failed({ event_id: b1 as string }),
      ]),
    ).toBe(false);
    const [row] = await database.sql`
      select array_agg(d.event_id order by d.seq) as waiting, max(d.attempts) as attempts, max(p.lease_token::text) as holder
        from ledger_internal.webhook_deliveries d join ledger_internal.webhook_positions p using (webhook_id, tenant_id) where d.tenant_id = ${tenantId}`;
    expect(row).toEqual({ waiting: [a2, b1], attempts: 0, holder: next.token });
    expect(await settle(next.turn, next.token, [])).toBe(true);
  });

  it('a settling keeps the lease as long as it is wanted', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    await ended(orchestrating(tenantId), 'a', 2);
    await readable(tenantId);
    const { token, turn } = await taken(tenantId);
    expect(await settle(turn, token, [delivered(turn.due[0])], { release: false })).toBe(true);
    expect(await take(randomUUID(), tenantId)).toEqual([]);
    expect(await settle(turn, token, [], { release: true })).toBe(true);
    expect(idsOf((await taken(tenantId)).turn)).toEqual([turn.due[1]?.event_id]);
  });
});

describe('what becomes of attempts', () => {
  it('a failure is told, waits, and is forgotten by a delivery', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId);
    await ended(orchestrating(tenantId), 'a');
    const first = await taken(tenantId);
    expect(first.turn.failing).toBe(false);
    await settle(first.turn, first.token, [failed(first.turn.due[0], { retry_in_ms: 0 })]);
    const second = await taken(tenantId);
    expect(second.turn.failing).toBe(true);
    expect(await asOperator(tenantId, 'get_webhook', uuid(webhook_id))).toMatchObject({
      waiting: 1,
      consecutive_failures: 1,
      last_status: 500,
      last_error: 'http_status: answered 500',
      last_failed_at: expect.any(String),
      last_delivered_at: null,
    });
    await settle(second.turn, second.token, [delivered(second.turn.due[0])]);
    expect(await asOperator(tenantId, 'get_webhook', uuid(webhook_id))).toMatchObject({
      waiting: 0,
      consecutive_failures: 0,
      last_delivered_at: expect.any(String),
    });
  });

  it('what is given up lies with the dead letters, lets the next go on, and comes back in order', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId);
    const ids = await ended(orchestrating(tenantId), 'a', 3);
    await readable(tenantId);
    for (const id of ids.slice(0, 2)) {
      const { token, turn } = await taken(tenantId);
      expect(turn.due[0]?.event_id).toBe(id);
      await settle(turn, token, [{ ...failed(turn.due[0]), result: 'dead' }]);
    }
    const letters = await asOperator(tenantId, 'list_webhook_dead_letters', uuid(webhook_id), jsonb({}));
    expect(letters['items']).toMatchObject(
      ids.slice(0, 2).map((event_id) => ({
        event_id,
        type: 'os.outcome.succeeded',
        correlation_id: 'a',
        attempts: 1,
        last_status: 500,
        last_error: 'http_status: answered 500',
        dead_at: expect.any(String),
      })),
    );
    // The third is under way with a retry when the dead ones come back: they go first again.
    const third = await taken(tenantId);
    await settle(third.turn, third.token, [failed(third.turn.due[0])]);
    expect(await asOperator(tenantId, 'redeliver_webhook', uuid(webhook_id), jsonb({ event_id: ids[1] }))).toEqual({
      redelivered: 1,
      remaining: 1,
    });
    expect(await asOperator(tenantId, 'redeliver_webhook', uuid(webhook_id), jsonb({ all: true }))).toEqual({
      redelivered: 1,
      remaining: 0,
    });
    expect(await asOperator(tenantId, 'redeliver_webhook', uuid(webhook_id), jsonb({ all: true }))).toEqual({
      redelivered: 0,
      remaining: 0,
    });
    const back = await taken(tenantId);
    expect(back.turn.due.map((due) => [due.event_id, due.attempts])).toEqual([
      [ids[0], 0],
      [ids[1], 0],
      [ids[2], 1],
    ]);
    expect(await codeOf(asOperator(tenantId, 'redeliver_webhook', uuid(webhook_id), jsonb({ event_id: 'x' })))).toBe(
      'unknown_event',
    );
    for (const wrong of [{}, { event_id: 'x', all: true }, { all: 1 }]) {
      expect(await codeOf(asOperator(tenantId, 'redeliver_webhook', uuid(webhook_id), jsonb(wrong)))).toBe(
        'request_invalid',
      );
    }
  });

  it('gone disables the webhook and keeps what waits; enabled, it goes on where it stood', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId);
    const [first] = await ended(orchestrating(tenantId), 'a');
    const { token, turn } = await taken(tenantId);
    await settle(turn, token, [{ ...failed(turn.due[0]), result: 'gone', status: 410 }]);
    expect(await asOperator(tenantId, 'get_webhook', uuid(webhook_id))).toMatchObject({
      state: 'disabled',
      disabled_reason: 'gone',
      waiting: 1,
      updated_by: 'ledger-relay',
    });
    const [second] = await ended(orchestrating(tenantId), 'b');
    await readable(tenantId);
    expect(await take(randomUUID(), tenantId)).toEqual([]);
    expect(await asOperator(tenantId, 'enable_webhook', uuid(webhook_id))).toMatchObject({
      state: 'active',
      disabled_reason: null,
    });
    expect(idsOf((await taken(tenantId)).turn)).toEqual([first, second]);
  });

  it('a receiver that asks to be left alone is', async () => {
    const tenantId = await database.tenant();
    const { webhook_id } = await registered(tenantId);
    await ended(orchestrating(tenantId), 'a');
    await ended(orchestrating(tenantId), 'b');
    await readable(tenantId);
    const { token, turn } = await taken(tenantId);
    await settle(turn, token, [failed(turn.due[0], { status: 429 })], { pause: 3_600_000 });
    expect(await take(randomUUID(), tenantId)).toEqual([]);
    expect(await asOperator(tenantId, 'get_webhook', uuid(webhook_id))).toMatchObject({
      paused_until: expect.any(String),
    });
  });

  it('a transaction that is still open is waited for: its event comes in its place', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    const ledger = orchestrating(tenantId);
    const [slow, quick] = [await ledger.start({ correlation_id: 'a' }), await ledger.start({ correlation_id: 'a' })];
    let inner = '';
    await database.as({ tenantId, ...ORCHESTRATOR }, async (tx) => {
      const [row] =
        await tx`select public.record_agent_outcome(${slow['invocation_id']}, ${tx.json(envelopeFor(slow))}) as answer`;
      inner = row?.['answer'].record.outcome_id;
      await ledger.end(quick);
      expect(await take(randomUUID(), tenantId)).toEqual([]);
    });
    await readable(tenantId);
    const { turn } = await taken(tenantId);
    expect(turn.due).toHaveLength(2);
    expect(idsOf(turn)[0]).toBe(inner);
  });

  it('a position whose row is gone stops that webhook alone, loudly', async () => {
    const tenantId = await database.tenant();
    const broken = await registered(tenantId);
    const whole = await registered(tenantId);
    await database.sql`update ledger_internal.webhook_positions set seq = 999999999, xid = '3', witness = 'os_events' where webhook_id = ${broken['webhook_id']}`;
    await ended(orchestrating(tenantId), 'a');
    await readable(tenantId);
    const { turn } = await taken(tenantId);
    expect(turn.webhook_id).toBe(whole['webhook_id']);
    expect(await asOperator(tenantId, 'get_webhook', uuid(broken['webhook_id']))).toMatchObject({
      state: 'disabled',
      disabled_reason: 'position_gone',
    });
    await asOperator(tenantId, 'enable_webhook', uuid(broken['webhook_id']));
    const [later] = await ended(orchestrating(tenantId), 'b');
    expect(idsOf((await taken(tenantId)).turn)).toEqual([later]);
  });

  it('a restored database is not read', async () => {
    const tenantId = await database.tenant();
    await registered(tenantId);
    await expect(
      database.sql.begin(async (tx) => {
        await tx`insert into public.epochs (epoch, system_identifier, database_oid, reason) select max(epoch) + 1, 1, 1, 'as if elsewhere' from public.epochs`;
        await tx`select ledger_internal.relay_take(${randomUUID()}, 1, 1, 1000, 1)`;
      }),
    ).rejects.toMatchObject({ message: 'epoch_unsettled' });
  });
});

describe('the rows behind traces', () => {
  const asked = async (exporter: string, token: string = randomUUID(), leaseMs = 60_000) => {
    const [row] = await relay`select ledger_internal.trace_take(${exporter}, ${token}, 100, ${leaseMs}) as taken`;
    return row?.['taken'] as Document | null;
  };

  it('outcomes after the position, with their start, their cause and what is around them', async () => {
    const tenantId = await database.tenant();
    const ledger = orchestrating(tenantId);
    const exporter = `test-${randomUUID()}`;
    const token = randomUUID();
    expect((await asked(exporter, token))?.['ended']).toEqual([]);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const execution = await ledger.startExecution({ correlation_id: 't', traceparent });
    const cause = invocationStart({
      correlation_id: 't',
      execution_id: execution['execution_id'],
      causation_id: execution['execution_id'],
    });
    await ledger.ask('start_invocation', jsonb(cause));
    const causeOutcome = await ledger.end(cause);
    const effect = await ledger.start({ correlation_id: 't', causation_id: causeOutcome });
    await ledger.end(effect, 'failure');
    let rows: Document[] = [];
    await expect
      .poll(
        async () => {
          rows = ((await asked(exporter, token))?.['ended'] ?? []).filter(
            (row: Document) => row['tenant_id'] === tenantId,
          );
          return rows.length;
        },
        { timeout: 30_000 },
      )
      .toBe(2);
    expect(rows[0]).toMatchObject({
      subject_id: cause['invocation_id'],
      source_type: 'agent',
      status: 'success',
      traceparent: null,
      cause: { subject_id: execution['execution_id'], correlation_id: 't', traceparent },
      around: { subject_id: execution['execution_id'], traceparent },
      started_at: '2026-05-20T10:00:00.000Z',
      completed_at: '2026-05-20T10:00:01.850Z',
    });
    expect(rows[1]).toMatchObject({
      status: 'failure',
      error_code: 'VALIDATION_FAILED',
      cause: { subject_id: cause['invocation_id'] },
      around: null,
    });
    expect(JSON.stringify(rows)).not.toContain('allocated_editions');
  });

  it('are one relay’s at a time, and the position moves only when they are settled', async () => {
    const tenantId = await database.tenant();
    const exporter = `test-${randomUUID()}`;
    const token = randomUUID();
    await asked(exporter, token);
    await ended(orchestrating(tenantId), 'a');
    await readable(tenantId);
    let taken: Document | null = null;
    await expect
      .poll(
        async () => {
          taken = await asked(exporter, token);
          return taken?.['ended'].length;
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(0);
    expect(await asked(exporter)).toBeNull();
    const place = (taken as unknown as Document)['position'];
    const settle = async (by: string, release = false) => {
      const [row] =
        await relay`select ledger_internal.trace_settle(${exporter}, ${by}, ${relay.json(place)}, 60000, ${release}) as held`;
      return row?.['held'];
    };
    expect(await settle(randomUUID())).toBe(false);
    expect((await asked(exporter, token))?.['position']).toEqual(place);
    expect(await settle(token, true)).toBe(true);
    expect((await asked(exporter))?.['ended'].filter((row: Document) => row['tenant_id'] === tenantId)).toEqual([]);
  });
});
