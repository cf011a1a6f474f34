// What the ledger knows to be missing: listed while it is, gone when it is not.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
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
