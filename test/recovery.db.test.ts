// Deadlines and cancel, in SQL: exactly one outcome, whoever is first.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, policyDecision, policyMember } from './support/envelopes.ts';
import { codeOf } from './support/refused.ts';
import { connect } from './support/shared-server.ts';
import { GUARD, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;
let guard: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  guard = sqlLedger(database, { tenantId, ...GUARD });
});

async function sweep(): Promise<Document> {
  const sql = connect(database.urlAs('ledger_sweep'), 1);
  try {
    const [row] = await sql`select public.sweep_overdue() as said`;
    return row?.['said'];
  } finally {
    await sql.end();
  }
}
const outcomeOf = async (start: Document) =>
  (
    await ledger.read(
      start['invocation_id'] ? 'get_invocation' : 'get_execution',
      start['invocation_id'] ?? start['execution_id'],
    )
  )?.['outcome'];
const SOON = { deadline_in_ms: 1 };
/** Past its deadline, which lies after its start as in life. */
async function overdue(start: Document): Promise<Document> {
  const [id, table] = start['invocation_id']
    ? [start['invocation_id'], 'agent_invocations']
    : [start['execution_id'], 'workflow_executions'];
  const passed = async () => {
    const [row] = await database.sql.unsafe(
      `select clock_timestamp() > deadline_at and deadline_at > recorded_at as passed from public.${table} where '${id}' in (${table === 'agent_invocations' ? 'invocation_id' : 'execution_id'}::text)`,
    );
    return row?.['passed'] as boolean;
  };
  while (!(await passed()));
  return start;
}

describe('the sweep', () => {
  it('ends what passed its deadline, at its deadline, and nothing else', async () => {
    const late = await overdue(await ledger.start({ deadline_in_ms: 300, recovery_mode: 'manual' }));
    const lateRun = await ledger.startExecution(SOON);
    const open = await ledger.start();
    const said = await sweep();
    expect(said).toMatchObject({ swept: 2, skipped: 0, more: false });
    const read = await ledger.read('get_invocation', late['invocation_id']);
    expect(read?.['outcome']).toMatchObject({
      status: 'timeout',
      result: null,
      policy: null,
      errors: [{ code: 'TIMEOUT', recoverable: false }],
      timing: { completed_at: read?.['deadline_at'] },
    });
    expect(await outcomeOf(lateRun)).toMatchObject({
      status: 'timeout',
      errors: [{ code: 'TIMEOUT', recoverable: true }],
    });
    expect(await outcomeOf(open)).toBeNull();
    const [row] =
      await database.sql`select origin, recorded_by from public.agent_invocation_outcomes where invocation_id = ${late['invocation_id']}`;
    expect(row).toEqual({ origin: 'swept', recorded_by: 'ledger-sweep' });
    expect(await ledger.record(late, envelopeFor(late))).toMatchObject({
      result: 'conflict',
      code: 'outcome_conflict',
    });
    expect((await ledger.read('get_outcome', read?.['outcome']['outcome_id']))?.['late']).toHaveLength(1);
  });

  it('repeats the recorded decision, a block too', async () => {
    const start = await ledger.start({ ...SOON, governance_class: 'supervised' });
    await guard.decide(policyDecision({ invocation_id: start['invocation_id'] }, { decision: 'block' }));
    await sweep();
    expect(await outcomeOf(start)).toMatchObject({ status: 'timeout', policy: { decision: 'block' } });
  });

  it('waits for a human, and says when none answered', async () => {
    const start = await ledger.start(SOON);
    const patient = await ledger.start(SOON);
    await ledger.ask(
      'open_hitl_request',
      jsonb({ invocation_id: start['invocation_id'], reason: 'now?', expires_in_ms: 1 }),
    );
    await ledger.ask('open_hitl_request', jsonb({ invocation_id: patient['invocation_id'], reason: 'later?' }));
    const said = await sweep();
    expect(said).toMatchObject({ swept: 1, expired_requests: 1 });
    expect((await outcomeOf(start))?.['errors'].map((error: Document) => error['code'])).toEqual([
      'TIMEOUT',
      'HITL_EXPIRED',
    ]);
    expect(await outcomeOf(patient)).toBeNull();
    expect(await sweep()).toMatchObject({ swept: 0, expired_requests: 0 });
    const [events] =
      await database.sql`select count(*)::int as n from public.os_events where type = 'os.hitl.expired' and data ->> 'subject_id' = ${start['invocation_id']}`;
    expect(events).toEqual({ n: 1 });
  });

  it('finds nothing overdue while a human is asked, and everything afterwards', async () => {
    const start = await ledger.start({ deadline_in_ms: 300 });
    await ledger.ask(
      'open_hitl_request',
      jsonb({ invocation_id: start['invocation_id'], reason: 'may it?', expires_in_ms: 1_500 }),
    );
    await overdue(start);
    const state = async () => (await ledger.read('get_invocation', start['invocation_id']))?.['state'];
    const gap = async () =>
      database.as(
        ledger.caller,
        (tx) => tx`select gap from public.lineage_gaps('past_deadline') where subject_id = ${start['invocation_id']}`,
      );
    expect([await state(), (await gap()).length]).toEqual(['running', 0]);
    await vi.waitFor(async () => expect(await state()).toBe('overdue'), { timeout: 20_000, interval: 25 });
    expect(await gap()).toHaveLength(1);
    await sweep();
    expect((await outcomeOf(start))?.errors.map((error: Document) => error['code'])).toEqual([
      'TIMEOUT',
      'HITL_EXPIRED',
    ]);
  });

  it('skips what somebody holds, and never waits', async () => {
    const start = await ledger.start(SOON);
    const key = `${tenantId}:${start['invocation_id']}`;
    await database.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
      expect(await sweep()).toMatchObject({ swept: 0, skipped: 1 });
    });
    expect(await sweep()).toMatchObject({ swept: 1 });
  });

  it('is nobody’s to call but its worker’s', async () => {
    expect(await codeOf(database.as(ledger.caller, (tx) => tx`select public.sweep_overdue()`))).toBe('not_permitted');
    expect(await codeOf(database.as(ledger.caller, (tx) => tx`select ledger_internal.sweep(1)`))).toBe('not_permitted');
  });
});

describe('a race of sweep and completion', () => {
  it('has one winner each time', async () => {
    for (let round = 0; round < 40; round += 1) {
      const start = await ledger.start(SOON);
      const [recorded] = await Promise.all([ledger.record(start), sweep(), sweep()]);
      if (recorded.result === 'conflict') await sweep();
      const [rows] = await database.sql`
        select (select count(*)::int from public.agent_invocation_outcomes where invocation_id = ${start['invocation_id']}) as outcomes,
               (select count(*)::int from public.os_events e join public.agent_invocation_outcomes o using (outcome_id) where o.invocation_id = ${start['invocation_id']}) as events,
               (select count(*)::int from public.late_outcomes where invocation_id = ${start['invocation_id']}) as late`;
      expect(rows).toEqual({ outcomes: 1, events: 1, late: recorded.result === 'conflict' ? 1 : 0 });
      // Shown beside the winner, wherever an outcome is read.
      const { late } = (await ledger.read('get_invocation', start['invocation_id'])) ?? {};
      expect(late?.length).toBe(recorded.result === 'conflict' ? 1 : undefined);
    }
  });
});

describe('cancel', () => {
  const cancel = (by: SqlLedger, start: Document, reason = 'not wanted') =>
    start['invocation_id']
      ? by.ask('cancel_invocation', uuid(start['invocation_id']), text(reason))
      : by.ask('cancel_execution', uuid(start['execution_id']), text(reason));

  it('ends an open subject once, with the reason', async () => {
    for (const start of [await ledger.start(), await ledger.startExecution()]) {
      const said = await cancel(ledger, start);
      expect(said).toMatchObject({
        result: 'recorded',
        record: { status: 'failure', errors: [{ code: 'CANCELED', message: 'not wanted', recoverable: false }] },
      });
      expect(await cancel(ledger, start)).toMatchObject({ result: 'replayed', record: said.record });
      expect(await cancel(ledger, start, 'other')).toMatchObject({ result: 'conflict', record: said.record });
      expect(await ledger.record(start)).toMatchObject({ result: 'conflict' });
    }
  });

  it('leaves a blocked subject blocked', async () => {
    const start = await ledger.start({ governance_class: 'supervised' });
    await guard.decide(policyDecision({ invocation_id: start['invocation_id'] }, { decision: 'block' }));
    expect(await cancel(ledger, start)).toMatchObject({
      record: { status: 'blocked', policy: { ...policyMember('block') } },
    });
  });

  it('is an operator’s or an orchestrator’s', async () => {
    const start = await ledger.start();
    for (const role of ['agent', 'worker', 'policy_guard', 'auditor'] as const) {
      expect(await codeOf(cancel(sqlLedger(database, { tenantId, role, actorId: 'x' }), start)), role).toBe(
        'not_permitted',
      );
    }
    const foreign = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    expect(await codeOf(cancel(foreign, start))).toBe('unknown_invocation');
    expect(await codeOf(cancel(ledger, start, ''))).toBe('request_invalid');
    expect((await cancel(sqlLedger(database, { tenantId, role: 'operator', actorId: 'hanna' }), start)).result).toBe(
      'recorded',
    );
  });
});
