// An owner that lacks BYPASSRLS lives under the forced policies itself: what its definer functions need is granted to it by name.
import { randomUUID } from 'node:crypto';
import type { Sql, TransactionSql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import { migrate } from '../src/stack/migrations.ts';
import { ATTACK_NAMES, attack } from './support/attacks.ts';
import { type BareServer, startBareServer } from './support/bare-server.ts';
import { type Caller, claimsOf, isCaller } from './support/claims.ts';
import { type Document, envelopeFor, event, policyDecision, policyMember, toolCall } from './support/envelopes.ts';
import { type FilledLedger, fillLedger, fingerprintOf, LEDGER_TABLES, purgeTable } from './support/filled-ledger.ts';
import { codeOf, readRefusal } from './support/refused.ts';
import { connect } from './support/shared-server.ts';
import { GUARD, idOf, OPERATOR, ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';

let server: BareServer;
let admin: Sql;
let owner: Sql;
let filled: FilledLedger;

const database = {
  get admin() {
    return admin;
  },
  get sql() {
    return owner;
  },
  as: <T>(caller: Caller | Record<string, unknown>, work: (tx: TransactionSql) => Promise<T>) =>
    admin.begin(async (tx) => {
      const claims = JSON.stringify(isCaller(caller) ? claimsOf(caller) : caller);
      await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
      return work(tx);
    }) as Promise<T>,
  async tenant(open = true) {
    const tenantId = randomUUID();
    await owner`insert into public.tenants (tenant_id, name, open) values (${tenantId}, ${`tenant ${tenantId}`}, ${open})`;
    return tenantId;
  },
};

beforeAll(async () => {
  server = await startBareServer();
  admin = connect(server.adminUrl, 4);
  await admin`alter role postgres nobypassrls`;
  owner = connect(server.ownerUrl, 2);
  await migrate(owner, { fingerprint: null });
  filled = await fillLedger(database);
}, 120_000);

afterAll(async () => {
  await Promise.all([admin?.end(), owner?.end()]);
  await server?.stop();
});

describe('under an owner without BYPASSRLS', () => {
  it('it is one', async () => {
    expect(
      await owner`select current_user as me, rolsuper, rolbypassrls from pg_roles where rolname = current_user`,
    ).toEqual([{ me: 'postgres', rolsuper: false, rolbypassrls: false }]);
  });

  it('events are queued, settled, given up and put back', async () => {
    const tenantId = await database.tenant();
    const operator = sqlLedger(database, { tenantId, ...OPERATOR });
    const url = 'https://hooks.example.com/';
    const { record } = await operator.ask('register_webhook', jsonb({ url }));
    const asRelay = <T>(statement: string) =>
      admin.begin(async (tx) => {
        await tx`set local role ledger_relay`;
        const [row] = await tx.unsafe(statement);
        return row?.['answer'] as T;
      });
    const token = randomUUID();
    const traces = `select ledger_internal.trace_take('owner', '${token}', 10, 60000) as answer`;
    await asRelay(traces);
    const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
    const event_id = await ledger.end(await ledger.start());
    const take = `select ledger_internal.relay_take('${token}', 10, 10, 60000, 100) as answer`;
    expect(await asRelay(take)).toMatchObject({ turns: [{ webhook_id: record['webhook_id'], due: [{ event_id }] }] });
    const results = JSON.stringify([{ event_id, result: 'dead', status: 500, error: 'http_status: 500' }]);
    const settle = `select ledger_internal.relay_settle('${tenantId}', '${record['webhook_id']}', '${token}', '${results}', 0, 60000, true) as answer`;
    expect(await asRelay(settle)).toBe(true);
    const letters = await operator.ask<Document>('list_webhook_dead_letters', uuid(record['webhook_id']), jsonb({}));
    expect(letters['items']).toMatchObject([{ event_id }]);
    const back = await operator.ask('redeliver_webhook', uuid(record['webhook_id']), jsonb({ all: true }));
    expect(back).toEqual({ redelivered: 1, remaining: 0 });
    expect(await asRelay(traces)).toMatchObject({ ended: [{ outcome_id: event_id }] });
    expect(await asRelay('select ledger_internal.relay_status() as answer')).toMatchObject({
      waiting: 1,
      dead_letters: 0,
    });
  });

  it('everything is recorded, linked, announced and closed', async () => {
    const tenantId = await database.tenant();
    const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
    const guard = sqlLedger(database, { tenantId, ...GUARD });
    const execution = await ledger.startExecution();
    const guarding = await ledger.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'os' } });
    const agent = await ledger.start({
      execution_id: idOf(execution),
      causation_id: idOf(execution),
      governance_class: 'supervised',
    });
    const registered = event(idOf(agent));
    await ledger.event(registered);
    const caused = await ledger.start({ causation_id: registered['event_id'] });
    await ledger.toolCall(toolCall(idOf(agent)));
    await ledger.ask('heartbeat', uuid(idOf(agent)));
    await guard.decide(policyDecision({ invocation_id: idOf(agent) }, { guard_invocation_id: idOf(guarding) }));
    expect(await codeOf(ledger.record(agent))).toBe('policy_mismatch');
    const answers = await ledger.ask<Document[]>(
      'record_outcomes',
      jsonb([
        { execution_id: idOf(execution), outcome: envelopeFor(execution) },
        { invocation_id: idOf(caused), outcome: envelopeFor(caused) },
        { invocation_id: idOf(agent), outcome: envelopeFor(agent, 'success', { policy: policyMember() }) },
        { invocation_id: idOf(guarding), outcome: envelopeFor(guarding) },
        { invocation_id: idOf(agent), outcome: envelopeFor(agent, 'failure', { policy: policyMember() }) },
      ]),
    );
    expect(answers.map((answer) => answer['result'])).toEqual([
      'recorded',
      'recorded',
      'recorded',
      'recorded',
      'conflict',
    ]);
    const links = await ledger.ask<Document>('lineage_document', text('why'), uuid(answers[1]?.['record'].outcome_id), {
      type: 'integer',
      text: '9',
    });
    expect(links['links'].map((link: Document) => link['relation']).sort()).toEqual([
      'contributed-to',
      'governed-by',
      'invoked',
      'invoked',
    ]);
    expect((await ledger.ask<Document>('list_events', jsonb({})))['items']).toHaveLength(5);
    expect((await owner`select from ledger_internal.open_work where tenant_id = ${tenantId}`).count).toBe(0);
    expect(await codeOf(ledger.toolCall(toolCall(idOf(agent))))).toBe('invocation_closed');
    const late = await ledger.read('get_outcome', answers[2]?.['record'].outcome_id);
    expect(late?.['late']).toHaveLength(1);
    expect(
      (await ledger.ask<Document>('lineage_gaps_document', text('undefined_source')))['items'].length,
    ).toBeGreaterThan(0);
  });

  it('retention leaves tombstones', async () => {
    const tenantId = await database.tenant();
    const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
    await ledger.end(await ledger.start());
    expect((await purgeTable(database, tenantId, 'agent_invocation_outcomes')).deleted).toBe(1);
    expect((await admin`select from public.tombstones where tenant_id = ${tenantId}`).count).toBe(1);
  });

  it('the owner itself changes nothing: it sees no row to change, or is refused', async () => {
    const before = await fingerprintOf(database);
    for (const table of LEDGER_TABLES) {
      for (const name of ATTACK_NAMES) {
        const reached = await owner.begin((tx) => attack(tx, name, table)).catch((error) => readRefusal(error).code);
        expect(
          [0, 'append_only', 'not_permitted', 'unknown_invocation', 'unknown_execution'],
          `${name} ${table}`,
        ).toContain(reached);
      }
    }
    expect(await fingerprintOf(database)).toEqual(before);
  });

  it('another tenant is as far away as under any owner', async () => {
    const stranger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    expect(await stranger.read('get_outcome', filled.invocationOutcome)).toBeNull();
    expect(await codeOf(stranger.record(filled.invocation))).toBe('unknown_invocation');
    expect(await database.as(stranger.caller, (tx) => tx`select from public.agent_invocation_outcomes`)).toHaveLength(
      0,
    );
  });
});
