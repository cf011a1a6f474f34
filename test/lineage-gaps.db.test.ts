// What the ledger knows to be missing: listed while it is, gone when it is not.
import { randomUUID } from 'node:crypto';
import type { TransactionSql } from 'postgres';
import { beforeEach, describe, expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { undone } from './support/attacks.ts';
import { claimsOf } from './support/claims.ts';
import { useDatabase } from './support/database.ts';
import {
  type Document,
  envelopeFor,
  event,
  policyDecision,
  policyMember,
  sourceDefinition,
} from './support/envelopes.ts';
import { codeOf } from './support/refused.ts';
import { insertRow, outcomeRow } from './support/rows.ts';
import { connect } from './support/shared-server.ts';
import { GUARD, idOf, OPERATOR, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;
let guard: SqlLedger;

beforeEach(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  guard = sqlLedger(database, { tenantId, ...GUARD });
});

const gaps = async (wanted: string): Promise<Document[]> => [
  ...(await database.as(ledger.caller, (tx) => tx`select * from public.lineage_gaps(${wanted})`)),
];
const subjects = async (wanted: string) => (await gaps(wanted)).map((gap) => gap['subject_id']).sort();

const received = async () => {
  const outside = event();
  await ledger.event(outside);
  return outside['event_id'] as string;
};

describe('unresolved_causation', () => {
  it('goes when the event arrives, registered or received', async () => {
    const outside = event();
    const start = await ledger.start({ causation_id: outside['event_id'] });
    const other = await ledger.start({ causation_id: await received() });
    const registered = event(other['invocation_id']);
    const execution = await ledger.startExecution({ causation_id: registered['event_id'] });
    expect(await subjects('unresolved_causation')).toEqual([idOf(start), idOf(execution)].sort());
    await ledger.event(outside);
    await ledger.event(registered);
    expect(await subjects('unresolved_causation')).toEqual([]);
  });

  it('goes when the invocation or execution it named starts', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const waiting = [await ledger.start({ causation_id: one }), await ledger.start({ causation_id: two })];
    expect(await subjects('unresolved_causation')).toEqual(waiting.map(idOf).sort());
    const cause = await received();
    await ledger.start({ invocation_id: one, causation_id: cause });
    await ledger.startExecution({ execution_id: two, causation_id: cause });
    expect(await subjects('unresolved_causation')).toEqual([]);
  });

  it('is none for an outcome, and stays past the subject’s own outcome', async () => {
    const cause = await ledger.end(await ledger.start({ causation_id: await received() }));
    await ledger.start({ causation_id: cause });
    expect(await subjects('unresolved_causation')).toEqual([]);
    const lost = await ledger.start({ causation_id: 'nobody knows' });
    await ledger.end(lost);
    expect(await subjects('unresolved_causation')).toEqual([idOf(lost)]);
  });
});

it('past_deadline: what is open past it, until its outcome', async () => {
  const [late, inTime] = [await ledger.start(), await ledger.start()];
  await database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() - interval '1 second' where subject_id = ${idOf(late)}`;
  expect(await subjects('past_deadline')).toEqual([idOf(late)]);
  expect(await ledger.read('get_invocation', idOf(late))).toMatchObject({ state: 'overdue' });
  expect(await ledger.read('get_invocation', idOf(inTime))).toMatchObject({ state: 'running' });
  await ledger.end(late);
  expect(await subjects('past_deadline')).toEqual([]);
});

it('missing_contribution: what still runs in an execution that has ended', async () => {
  const execution = await ledger.startExecution();
  const agent = await ledger.start({ execution_id: idOf(execution) });
  const child = await ledger.startExecution({ parent_execution_id: idOf(execution) });
  expect(await subjects('missing_contribution')).toEqual([]);
  const outcomeId = await ledger.end(execution);
  expect((await gaps('missing_contribution')).map((gap) => [gap['subject_id'], gap['outcome_id']]).sort()).toEqual(
    [idOf(agent), idOf(child)].sort().map((id) => [id, outcomeId]),
  );
  await ledger.end(agent);
  await ledger.end(child);
  expect(await subjects('missing_contribution')).toEqual([]);
});

it('policy_missing: supervised and undecided, while open and after', async () => {
  const supervised = { governance_class: 'supervised' };
  const decided = await ledger.start(supervised);
  const open = await ledger.start(supervised);
  const failed = await ledger.start(supervised);
  const execution = await ledger.startExecution({ governance_class: 'restricted' });
  await ledger.start();
  await guard.decide(policyDecision({ invocation_id: idOf(decided) }));
  const outcomeId = await ledger.end(failed, 'failure');
  const found = await gaps('policy_missing');
  expect(found.map((gap) => gap['subject_id']).sort()).toEqual([open, failed, execution].map(idOf).sort());
  expect(found.find((gap) => gap['subject_id'] === idOf(failed))?.['outcome_id']).toBe(outcomeId);
});

it('hitl_missing: a decision that waits for a human', async () => {
  const [escalated, asks, allowed] = [await ledger.start(), await ledger.startExecution(), await ledger.start()];
  await guard.decide(policyDecision({ invocation_id: idOf(escalated) }, { decision: 'escalate' }));
  await guard.decide(policyDecision({ execution_id: idOf(asks) }, { requires_hitl: true }));
  await guard.decide(policyDecision({ invocation_id: idOf(allowed) }));
  expect(await subjects('hitl_missing')).toEqual([escalated, asks].map(idOf).sort());
  const policy = { ...policyMember('escalate') };
  expect(await codeOf(ledger.record(escalated, envelopeFor(escalated, 'success', { policy })))).toBe('hitl_required');
  await ledger.end(escalated, 'escalated', { policy });
  expect(await subjects('hitl_missing')).toEqual([idOf(asks)]);
});

const overdue = (start: Document) =>
  database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() - interval '1 second' where subject_id = ${idOf(start)}`;
const sweep = async () => {
  const sql = connect(database.urlAs('ledger_sweep'), 1);
  await sql`select public.sweep_overdue()`.finally(() => sql.end());
};

it('decision_unended: decided, past its deadline and not ended, until it ends', async () => {
  const [late, run, inTime, undecided] = [
    await ledger.start(),
    await ledger.startExecution(),
    await ledger.start(),
    await ledger.start(),
  ];
  await guard.decide(policyDecision({ invocation_id: idOf(late) }, { decision: 'block' }));
  await guard.decide(policyDecision({ execution_id: idOf(run) }));
  await guard.decide(policyDecision({ invocation_id: idOf(inTime) }));
  expect(await gaps('decision_unended')).toEqual([]);
  for (const start of [late, run, undecided]) await overdue(start);
  const found = await gaps('decision_unended');
  expect(found.map((gap) => [gap['subject_type'], gap['subject_id'], gap['detail'].decision]).sort()).toEqual(
    [
      ['invocation', idOf(late), 'block'],
      ['execution', idOf(run), 'allow'],
    ].sort(),
  );
  expect(await subjects('past_deadline')).toEqual([late, run, undecided].map(idOf).sort());
  await ledger.end(run, 'success', { policy: policyMember() });
  expect(await subjects('decision_unended')).toEqual([idOf(late)]);
  await sweep();
  expect(await gaps('decision_unended')).toEqual([]);
  expect(await gaps('past_deadline')).toEqual([]);
});

it('decision_unguarded: without a guard’s invocation for ever, with one until its outcome', async () => {
  const guarding = await guard.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'synedrix-os' } });
  const [governed, alone, run] = [await ledger.start(), await ledger.start(), await ledger.startExecution()];
  const guard_invocation_id = idOf(guarding);
  await guard.decide(policyDecision({ invocation_id: idOf(governed) }, { guard_invocation_id }));
  await guard.decide(policyDecision({ execution_id: idOf(run) }, { guard_invocation_id }));
  await guard.decide(policyDecision({ invocation_id: idOf(alone) }));
  const found = await gaps('decision_unguarded');
  expect(found.map((gap) => [gap['subject_id'], gap['detail'].guard_invocation_id]).sort()).toEqual(
    [
      [idOf(governed), guard_invocation_id],
      [idOf(alone), null],
      [idOf(run), guard_invocation_id],
    ].sort(),
  );
  await guard.end(guarding);
  expect(await subjects('decision_unguarded')).toEqual([idOf(alone)]);
  await ledger.end(alone, 'success', { policy: policyMember() });
  expect(await subjects('decision_unguarded')).toEqual([idOf(alone)]);
});

it('escalation_unasked: escalated without a request, until there is one', async () => {
  const [agent, run, asked] = [await ledger.start(), await ledger.startExecution(), await ledger.start()];
  const outcomes = [await ledger.end(agent, 'escalated'), await ledger.end(run, 'escalated')];
  const { escalation } = envelopeFor(asked, 'escalated');
  await ledger.end(asked, 'escalated', { escalation: { ...escalation, hitl_request_id: `ask ${idOf(asked)}` } });
  const found = await gaps('escalation_unasked');
  expect(found.map((gap) => [gap['subject_id'], gap['outcome_id']]).sort()).toEqual(
    [agent, run].map((start, n) => [idOf(start), outcomes[n]]).sort(),
  );
  expect(found[0]?.['detail']).toMatchObject({ escalation_target: 'os-agt-004' });
  for (const outcome_id of outcomes) await ledger.ask('open_hitl_request', jsonb({ outcome_id, reason: 'please' }));
  expect(await gaps('escalation_unasked')).toEqual([]);
});

it('hitl_expired: asked, and nobody answered in time, until asked anew or ended otherwise', async () => {
  const [again, failed, swept, open] = [
    await ledger.start(),
    await ledger.start(),
    await ledger.startExecution(),
    await ledger.start(),
  ];
  const ask = (start: Document, expires_in_ms: number) => {
    const about = start['invocation_id'] ? { invocation_id: idOf(start) } : { execution_id: idOf(start) };
    return ledger.ask('open_hitl_request', jsonb({ ...about, reason: 'may it?', expires_in_ms }));
  };
  for (const start of [again, failed, swept]) await ask(start, 1);
  const waiting = await ask(open, 60_000);
  expect(await subjects('hitl_expired')).toEqual([again, failed, swept].map(idOf).sort());
  await sweep();
  // Announced, and still without an answer.
  expect(await subjects('hitl_expired')).toEqual([again, failed, swept].map(idOf).sort());
  await ask(again, 60_000);
  await ledger.end(failed, 'failure');
  expect(await subjects('hitl_expired')).toEqual([idOf(swept)]);
  await overdue(swept);
  await sweep();
  expect(await gaps('hitl_expired')).toEqual([]);
  const answer = { hitl_request_id: waiting.record['hitl_request_id'], resolution: 'approved', reason: 'yes' };
  await sqlLedger(database, { tenantId, ...OPERATOR }).ask('resolve_hitl_request', jsonb(answer));
  expect(await gaps('hitl_expired')).toEqual([]);
});

it('undefined_source: until somebody defines it', async () => {
  await ledger.start();
  await ledger.start();
  expect(
    (await gaps('undefined_source')).map((gap) => [gap['subject_type'], gap['subject_id'], gap['detail']]),
  ).toEqual([['agent', 'art-agt-003', { version: '1.1.0' }]]);
  await sqlLedger(database, { tenantId, ...OPERATOR }).define(sourceDefinition());
  expect(await gaps('undefined_source')).toEqual([]);
});

it('another tenant’s gaps are nobody’s, an auditor’s are those of its tenants', async () => {
  const start = await ledger.start({ causation_id: 'nobody knows' });
  const stranger = { tenantId: await database.tenant(), ...ORCHESTRATOR };
  expect(await database.as(stranger, (tx) => tx`select from public.lineage_gaps()`)).toHaveLength(0);
  const auditor = connect(database.auditorUrl, 1);
  try {
    const seen = () =>
      auditor`select from public.lineage_gaps('unresolved_causation') where subject_id = ${idOf(start)}`;
    expect(await seen()).toHaveLength(1);
    await database.sql`delete from ledger_internal.auditor_tenants where tenant_id = ${tenantId}`;
    expect(await seen()).toHaveLength(0);
  } finally {
    await auditor.end();
  }
});

it('a word that is no gap is refused', async () => {
  expect(await codeOf(gaps('everything'))).toBe('request_invalid');
});

describe('a result of a stricter class without a decision', () => {
  const strict = { governance_class: 'supervised' };
  const TABLES = { agent_invocation_outcomes: 'invocation_id', workflow_outcomes: 'execution_id' } as const;
  type Table = keyof typeof TABLES;
  const start = (table: Table) =>
    table === 'workflow_outcomes' ? ledger.startExecution(strict) : ledger.start(strict);
  /** As the owner: a good outcome, taken whole over to another subject. What the ledger sets itself is set so by hand. */
  const ownersCopy = (tx: TransactionSql, table: Table, from: Document, to: Document) =>
    tx.unsafe(
      `insert into public.${table} select (jsonb_populate_record(o, jsonb_build_object('${TABLES[table]}', $2::text, 'status', 'success', 'decision', null,
         'governance_class', 'supervised', 'outcome_id', gen_random_uuid(), 'seq', nextval('ledger_internal.feed_seq'), 'xid', pg_current_xact_id()))).*
         from public.${table} o where ${TABLES[table]} = $1::text::uuid`,
      [idOf(from), idOf(to)],
    );
  const proof = (tx: Pick<TransactionSql, 'unsafe'>, table: Table) =>
    tx.unsafe(
      `select from public.${table} o where o.status in ('success', 'partial') and o.governance_class <> 'autonomous' and o.decision is null`,
    );

  it.each(Object.keys(TABLES) as Table[])('is in %s for nobody', async (table) => {
    const subject = await start(table);
    // The tenant, by the function and by a bare insert.
    expect(await codeOf(ledger.record(subject))).toBe('policy_required');
    const bare = () =>
      database.as(ledger.caller, (tx) => insertRow(tx, table, outcomeRow(subject, envelopeFor(subject))));
    expect(await codeOf(bare())).toBe('policy_required');
    // The owner, whom no accept trigger judges.
    const donor = await start(table);
    await ledger.end(donor, 'failure');
    const copy = () =>
      undone(
        (work) => database.sql.begin(work),
        async (tx) => (await ownersCopy(tx, table, donor, subject)).count,
      );
    await expect(copy()).rejects.toMatchObject({ code: '23514', constraint_name: `${table}_governed` });
    expect((await proof(database.sql, table)).count).toBe(0);
  });

  it.each(Object.keys(TABLES) as Table[])(
    'is in %s once its guards are gone, and not when they are back',
    async (table) => {
      const [subject, donor] = [await start(table), await start(table)];
      await ledger.end(donor, 'failure');
      const unguarded = await undone(
        (work) => database.sql.begin(work),
        async (tx) => {
          await tx.unsafe(`alter table public.${table} drop constraint ${table}_governed`);
          await ownersCopy(tx, table, donor, subject);
          return (await proof(tx, table)).count;
        },
      );
      expect(unguarded).toBe(1);
      // The tenant needs the accept trigger's rule gone as well.
      const byTenant = await undone(
        (work) => database.admin.begin(work),
        async (tx) => {
          await tx.unsafe(`alter table public.${table} drop constraint ${table}_governed`);
          await tx.unsafe(`create or replace function ledger_internal.require_policy(envelope jsonb, subject ledger_internal.subject, recorded public.policy_decisions)
          returns void language plpgsql as 'begin end'`);
          const claims = JSON.stringify(claimsOf({ tenantId, ...ORCHESTRATOR }));
          await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
          await insertRow(tx, table, outcomeRow(subject, envelopeFor(subject)));
          return (await proof(tx, table)).count;
        },
      );
      expect(byTenant).toBe(1);
      expect((await proof(database.sql, table)).count).toBe(0);
      expect(
        await codeOf(
          database.as(ledger.caller, (tx) => insertRow(tx, table, outcomeRow(subject, envelopeFor(subject)))),
        ),
      ).toBe('policy_required');
    },
  );
});
