// Humans in the loop, in SQL: asked, answered once, by somebody else, in time, and seen in the lineage.
import type { TransactionSql } from 'postgres';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb, text } from '../src/database/statement.ts';
import { openTransaction, waitsOrEnds } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, policyDecision, policyMember } from './support/envelopes.ts';
import { codeOf } from './support/refused.ts';
import { connect } from './support/shared-server.ts';
import { callIn, GUARD, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const OPERATOR = { role: 'operator', actorId: 'hanna' } as const;
const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;
let guard: SqlLedger;
let operator: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  guard = sqlLedger(database, { tenantId, ...GUARD });
  operator = sqlLedger(database, { tenantId, ...OPERATOR });
});

async function sweep(): Promise<Document> {
  const sql = connect(database.urlAs('ledger_sweep'), 1);
  const [row] = await sql`select public.sweep_overdue() as said`.finally(() => sql.end());
  return row?.['said'];
}
const answer = (by: SqlLedger, id: string, resolution = 'approved') =>
  by.ask('resolve_hitl_request', jsonb({ hitl_request_id: id, resolution, reason: 'looked at it' }));
const request = (id: string) => ledger.ask<Document>('get_hitl_request', text(id));
const links = (outcomeId: string) =>
  database.sql<Document[]>`
    select l.relation, l.target_outcome_id, o.source_id as target from public.agent_lineage_links l
      join public.agent_invocation_outcomes o on o.outcome_id = l.target_outcome_id
     where l.source_outcome_id = ${outcomeId} order by 1`;

/** A supervised invocation whose decision needs a human. */
async function held() {
  const start = await ledger.start({ governance_class: 'supervised' });
  const guarding = await guard.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'synedrix-os' } });
  const decided = await guard.decide(
    policyDecision(
      { invocation_id: start['invocation_id'] },
      { requires_hitl: true, guard_invocation_id: guarding['invocation_id'] },
    ),
  );
  const outcome = (status: 'success' | 'failure') =>
    envelopeFor(start, status, { policy: { ...policyMember('allow'), requires_hitl: true } });
  return { start, guarding, id: decided.record['decision_id'] as string, outcome };
}

describe('a decision that requires a human', () => {
  it('asks in its own transaction, lets success wait, and an approval lets it pass', async () => {
    const { start, guarding, id, outcome } = await held();
    expect(await request(id)).toMatchObject({
      state: 'open',
      opened_from: 'decision',
      invocation_id: start['invocation_id'],
    });
    expect(await codeOf(ledger.record(start, outcome('success')))).toBe('hitl_required');
    await guard.end(guarding);
    const said = await answer(operator, id);
    expect(said).toMatchObject({ result: 'recorded', record: { resolution: 'approved', resolved_by: 'hanna' } });
    expect(await answer(operator, id)).toMatchObject({ result: 'replayed' });
    expect(await answer(operator, id, 'rejected')).toMatchObject({ result: 'conflict', code: 'hitl_conflict' });
    const ended = await ledger.record(start, outcome('success'));
    expect(ended.result).toBe('recorded');
    const gateway = said.record['gateway_outcome_id'] as string;
    expect(await ledger.read('get_outcome', gateway)).toMatchObject({
      status: 'success',
      source: { type: 'agent', id: 'os-agt-004', version: '1.0.0', domain: 'synedrix-os' },
      result: { hitl_request_id: id, resolution: 'approved', reason: 'looked at it', resolved_by: 'hanna' },
      errors: [],
    });
    expect(await links(ended.record['outcome_id'])).toMatchObject([
      { relation: 'governed-by' },
      { relation: 'governed-by' },
    ]);
    expect((await links(ended.record['outcome_id'])).map((link) => link['target']).sort()).toEqual([
      'os-agt-002',
      'os-agt-004',
    ]);
  });

  it('stays without success once rejected', async () => {
    const { start, id, outcome } = await held();
    expect((await answer(operator, id, 'rejected')).result).toBe('recorded');
    expect(await codeOf(ledger.record(start, outcome('success')))).toBe('hitl_rejected');
    expect((await ledger.record(start, outcome('failure'))).result).toBe('recorded');
  });

  it('waits no longer once its subject ended otherwise', async () => {
    const { start, id, outcome } = await held();
    await ledger.record(start, outcome('failure'));
    expect(await codeOf(answer(operator, id))).toBe('invocation_closed');
    const [open] =
      await database.sql`select count(*)::int as n from ledger_internal.open_requests where hitl_request_id = ${id}`;
    expect(open).toEqual({ n: 0 });
  });
});

describe('who answers', () => {
  it('is an operator, and never who asked', async () => {
    const start = await ledger.start();
    const asked = await ledger.ask(
      'open_hitl_request',
      jsonb({ invocation_id: start['invocation_id'], reason: 'may I?' }),
    );
    const id = asked.record['hitl_request_id'] as string;
    for (const role of ['agent', 'worker', 'orchestrator', 'policy_guard', 'auditor'] as const) {
      expect(await codeOf(answer(sqlLedger(database, { tenantId, role, actorId: 'hanna' }), id)), role).toBe(
        'not_permitted',
      );
    }
    const both = sqlLedger(database, { tenantId, role: 'operator', actorId: ORCHESTRATOR.actorId });
    expect(await codeOf(answer(both, id))).toBe('not_permitted');
    const elsewhere = sqlLedger(database, { tenantId: await database.tenant(), ...OPERATOR });
    expect(await codeOf(answer(elsewhere, id))).toBe('unknown_hitl_request');
    expect(await codeOf(answer(operator, 'nothing'))).toBe('unknown_hitl_request');
    expect((await answer(operator, id)).result).toBe('recorded');
  });

  it('is answered by the first of two at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { id } = await held();
      const said = await Promise.all([answer(operator, id), answer(operator, id, 'rejected'), answer(operator, id)]);
      expect(said.filter(({ result }) => result === 'recorded')).toHaveLength(1);
      const [rows] =
        await database.sql`select count(*)::int as n from public.hitl_resolutions where hitl_request_id = ${id}`;
      expect(rows).toEqual({ n: 1 });
    }
  });

  it('comes too late after expiry, by the database’s clock', async () => {
    const start = await ledger.start();
    const asked = await ledger.ask(
      'open_hitl_request',
      jsonb({ invocation_id: start['invocation_id'], reason: 'quick', expires_in_ms: 1 }),
    );
    expect(await codeOf(answer(operator, asked.record['hitl_request_id']))).toBe('hitl_expired');
  });
});

describe('an answer', () => {
  it('is nobody’s who decided about the subject, and nobody’s about their own work', async () => {
    const { start, id } = await held();
    for (const actorId of [GUARD.actorId, start['source'].id]) {
      const same = sqlLedger(database, { tenantId, role: 'operator', actorId });
      expect(await codeOf(answer(same, id)), actorId).toBe('not_permitted');
    }
    expect((await answer(operator, id)).result).toBe('recorded');
  });

  it('given before the decision says nothing about it', async () => {
    const start = await ledger.start({ governance_class: 'supervised' });
    const about = { invocation_id: start['invocation_id'] };
    const early = await ledger.ask('open_hitl_request', jsonb({ ...about, reason: 'may I use the test data?' }));
    await answer(operator, early.record['hitl_request_id']);
    const decided = await guard.decide(policyDecision(about, { requires_hitl: true }));
    const outcome = envelopeFor(start, 'success', { policy: { ...policyMember('allow'), requires_hitl: true } });
    expect(await codeOf(ledger.record(start, outcome))).toBe('hitl_required');
    await answer(operator, decided.record['decision_id']);
    expect((await ledger.record(start, outcome)).result).toBe('recorded');
  });

  it('that came later counts', async () => {
    const { start, id, outcome } = await held();
    await answer(operator, id);
    const again = await ledger.ask(
      'open_hitl_request',
      jsonb({ invocation_id: start['invocation_id'], reason: 'the buyer has changed' }),
    );
    await answer(operator, again.record['hitl_request_id'], 'rejected');
    expect(await codeOf(ledger.record(start, outcome('success')))).toBe('hitl_rejected');
  });
});

it('a request whose subject ended otherwise is closed, for one who reads it and in the lists', async () => {
  const { start, id, outcome } = await held();
  await ledger.record(start, outcome('failure'));
  expect(await request(id)).toMatchObject({ state: 'closed', resolution: null });
  expect(await codeOf(answer(operator, id))).toBe('invocation_closed');
  const listed = async (state: string) =>
    (await ledger.ask<Document>('list_hitl_requests', jsonb({ state, invocation_id: start['invocation_id'] })))[
      'items'
    ].map((item: Document) => item['hitl_request_id']);
  expect([await listed('closed'), await listed('open'), await listed('expired')]).toEqual([[id], [], []]);
  const late = await ledger.start({ deadline_in_ms: 1 });
  const asked = await ledger.ask(
    'open_hitl_request',
    jsonb({ invocation_id: late['invocation_id'], reason: 'now?', expires_in_ms: 1 }),
  );
  await sweep();
  const expired = asked.record['hitl_request_id'];
  expect(await request(expired)).toMatchObject({ state: 'expired' });
  const page = await ledger.ask<Document>('list_hitl_requests', jsonb({ state: 'expired' }));
  expect(page['items'].map((item: Document) => item['hitl_request_id'])).toContain(expired);
});

describe('an escalated outcome', () => {
  it('opens the request it names and is linked to the answer', async () => {
    const start = await ledger.start();
    const outcomeId = await ledger.end(start, 'escalated', {
      escalation: {
        reason: 'not sure',
        escalation_target: 'os-agt-004',
        escalation_path_id: 'p',
        hitl_request_id: `ask ${start['invocation_id']}`,
      },
    });
    const id = `ask ${start['invocation_id']}`;
    expect(await request(id)).toMatchObject({
      state: 'open',
      opened_from: 'outcome',
      outcome_id: outcomeId,
      reason: 'not sure',
    });
    const said = await answer(operator, id);
    expect(await links(outcomeId)).toEqual([
      { relation: 'escalated-to', target_outcome_id: said.record['gateway_outcome_id'], target: 'os-agt-004' },
    ]);
  });

  it('can be put before a human afterwards; another outcome cannot', async () => {
    const start = await ledger.start();
    const escalated = await ledger.end(start, 'escalated');
    const asked = await ledger.ask('open_hitl_request', jsonb({ outcome_id: escalated, reason: 'please' }));
    expect(asked).toMatchObject({ result: 'recorded', record: { invocation_id: start['invocation_id'] } });
    expect((await answer(operator, asked.record['hitl_request_id'])).result).toBe('recorded');
    const done = await ledger.end(await ledger.start());
    expect(await codeOf(ledger.ask('open_hitl_request', jsonb({ outcome_id: done, reason: 'please' })))).toBe(
      'invocation_closed',
    );
  });
});

it('announces each step', async () => {
  const { start, id } = await held();
  await answer(operator, id);
  const events = await database.sql`
    select type, data ->> 'hitl_request_id' as id from public.os_events
     where correlation_id = ${start['correlation_id']} and type like 'os.hitl.%' and data ->> 'hitl_request_id' = ${id} order by seq`;
  expect(events.map((event) => event['type'])).toEqual(['os.hitl.requested', 'os.hitl.resolved']);
});

it.each(['swept in between', 'not yet swept'])('announces once what expired and was asked anew, %s', async (when) => {
  const start = await ledger.start();
  const ask = (expires_in_ms: number) =>
    ledger.ask('open_hitl_request', jsonb({ invocation_id: start['invocation_id'], reason: 'may I?', expires_in_ms }));
  const first = await ask(1);
  if (when === 'swept in between') await sweep();
  const second = await ask(60_000);
  await sweep();
  const events = await database.sql`
    select type, data ->> 'hitl_request_id' as id from public.os_events
     where type like 'os.hitl.%' and data ->> 'subject_id' = ${start['invocation_id']} order by seq`;
  const [one, two] = [first, second].map(({ record }) => record['hitl_request_id']);
  expect(events.map((event) => [event['type'], event['id']])).toEqual([
    ['os.hitl.requested', one],
    ['os.hitl.expired', one],
    ['os.hitl.requested', two],
  ]);
});

describe('while a human is asked', () => {
  it('the deadline waits: what was left of it is left after the answer', async () => {
    const start = await ledger.start({ deadline_in_ms: 1_000 });
    const asked = await ledger.ask(
      'open_hitl_request',
      jsonb({ invocation_id: start['invocation_id'], reason: 'may I?' }),
    );
    const deadline = async () => {
      const [row] = await database.sql`
        select w.deadline_at <= clock_timestamp() as passed, w.deadline_at - i.deadline_at as waited,
               (select s.recorded_at - r.recorded_at from public.hitl_requests r join public.hitl_resolutions s using (hitl_request_id, tenant_id)
                 where r.invocation_id = i.invocation_id) as human
          from ledger_internal.open_work w join public.agent_invocations i on i.invocation_id = w.subject_id where i.invocation_id = ${start['invocation_id']}`;
      return row as Document;
    };
    while (!(await deadline())['passed']);
    expect(await sweep()).toMatchObject({ swept: 0 });
    await answer(operator, asked.record['hitl_request_id']);
    const after = await deadline();
    expect(after['passed']).toBe(false);
    expect(after['waited']).toEqual(after['human']);
    // Approved, and alive: no sweep takes it before what was left is over.
    expect(await sweep()).toMatchObject({ swept: 0 });
    while (!(await deadline())['passed']);
    expect(await sweep()).toMatchObject({ swept: 1 });
    expect((await ledger.read('get_invocation', start['invocation_id']))?.['outcome']).toMatchObject({
      status: 'timeout',
      errors: [{ code: 'TIMEOUT' }],
    });
  });
});

describe('one hitl_request_id, named by two subjects at the same moment', () => {
  const escalatedIn = (tx: TransactionSql, start: Document, hitl_request_id: string) =>
    recordIn(
      tx,
      start,
      envelopeFor(start, 'escalated', {
        escalation: { ...envelopeFor(start, 'escalated')['escalation'], hitl_request_id },
      }),
    );
  const beside = async (
    first: (tx: TransactionSql) => Promise<unknown>,
    second: (tx: TransactionSql) => Promise<unknown>,
  ) => {
    const one = await openTransaction(database, ledger.caller);
    const two = await openTransaction(database, ledger.caller);
    await first(one.sql);
    const call = second(two.sql);
    expect(await waitsOrEnds(database, two.pid, call)).toBe('waits');
    await one.commit();
    const said = await call;
    await two.commit();
    return said;
  };

  it('is the first’s; the second escalates all the same, and nobody was asked about it', async () => {
    const [one, two] = [await ledger.start(), await ledger.start()];
    const id = `ask ${one['invocation_id']}`;
    const said = await beside(
      (tx) => escalatedIn(tx, one, id),
      (tx) => escalatedIn(tx, two, id),
    );
    expect(said).toMatchObject({ result: 'recorded' });
    expect(await request(id)).toMatchObject({ invocation_id: one['invocation_id'] });
    const unasked = await database.as(
      ledger.caller,
      (tx) => tx`select * from public.lineage_gaps('escalation_unasked')`,
    );
    expect(unasked.map((gap) => gap['subject_id'])).toContain(two['invocation_id']);
    expect(unasked.map((gap) => gap['subject_id'])).not.toContain(one['invocation_id']);
  });

  it('is the escalation’s where an orchestrator names it too late', async () => {
    const [one, two] = [await ledger.start(), await ledger.start()];
    const id = `ask ${one['invocation_id']}`;
    const ask = { hitl_request_id: id, invocation_id: two['invocation_id'], reason: 'may it?' };
    const said = await beside(
      (tx) => escalatedIn(tx, one, id),
      (tx) => callIn(tx, 'open_hitl_request', jsonb(ask)),
    );
    expect(said).toMatchObject({
      result: 'conflict',
      code: 'hitl_request_conflict',
      record: { invocation_id: one['invocation_id'] },
    });
  });
});
