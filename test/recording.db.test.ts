// Exactly one outcome per subject: recorded, replayed, contested; and after it nothing more.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkEnvelope } from '../src/contract/index.ts';
import { STATUSES } from '../src/contract/statuses.ts';
import { jsonb, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import {
  envelopeFor,
  event,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
  toolCall,
} from './support/envelopes.ts';
import { codeOf, refusalOf } from './support/refused.ts';
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

const late = (outcomeId: string) =>
  database.sql`select outcome_envelope, recorded_by from public.late_outcomes where winning_outcome_id = ${outcomeId} order by seq`;

const kinds = [
  ['an invocation', () => ledger.start()],
  ['an execution', () => ledger.startExecution()],
] as const;

describe.each(kinds)('the outcome of %s', (kind, begin) => {
  it.each(STATUSES)('is recorded as %s, with an id, an event and no open work left', async (status) => {
    const start = await begin();
    const blocked = status === 'blocked';
    if (blocked) {
      const about =
        kind === 'an invocation' ? { invocation_id: start['invocation_id'] } : { execution_id: start['execution_id'] };
      await guard.decide(policyDecision(about, { decision: 'block' }));
    }
    const envelope = envelopeFor(start, status);
    const { result, record } = await ledger.record(start, envelope);
    expect(result).toBe('recorded');
    const { outcome_id, ...rest } = record;
    expect(outcome_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // Absent optional members are stored as null.
    const checked = checkEnvelope(envelope);
    expect({ outcome_id: null, ...rest }).toEqual(checked.ok && checked.envelope);
    const [emitted] =
      await database.sql`select type, kind, data, causation_id from public.os_events where event_id = ${outcome_id}`;
    expect(emitted).toEqual({
      type:
        { success: 'os.outcome.succeeded', failure: 'os.outcome.failed' }[status as string] ?? `os.outcome.${status}`,
      kind: 'emitted',
      causation_id: envelope['causation_id'],
      data: {
        outcome_id,
        source: envelope['source'],
        correlation_id: envelope['correlation_id'],
        status,
        duration_ms: envelope['timing'].duration_ms,
      },
    });
    const id = start['invocation_id'] ?? start['execution_id'];
    expect(await database.sql`select from ledger_internal.open_work where subject_id = ${id}`).toHaveLength(0);
  });

  it('is replayed for the same content, however spelled', async () => {
    const start = await begin();
    const outcomeId = await ledger.end(start);
    const { quality: _, policy: __, ...spelled } = Object.fromEntries(Object.entries(envelopeFor(start)).reverse());
    for (const again of [
      envelopeFor(start),
      spelled,
      { ...spelled, outcome_id: outcomeId },
      { ...spelled, errors: null },
    ]) {
      expect(await ledger.record(start, again)).toMatchObject({
        result: 'replayed',
        record: { outcome_id: outcomeId },
      });
    }
    expect(await late(outcomeId)).toEqual([]);
  });

  it('is never replaced: other content is a conflict with the winner, and is kept once', async () => {
    const start = await begin();
    const outcomeId = await ledger.end(start);
    for (const loser of ['failure', 'timeout', 'failure'] as const) {
      const answer = await ledger.record(start, envelopeFor(start, loser));
      expect(answer).toMatchObject({
        result: 'conflict',
        code: 'outcome_conflict',
        record: { outcome_id: outcomeId, status: 'success' },
      });
    }
    const kept = await late(outcomeId);
    expect(kept.map((row) => row['outcome_envelope'].status)).toEqual(['failure', 'timeout']);
    expect(kept.every((row) => row['recorded_by'] === ORCHESTRATOR.actorId)).toBe(true);
    const read = await ledger.read('get_outcome', outcomeId);
    expect(read?.['late'].map((entry: { outcome: { status: string } }) => entry.outcome.status)).toEqual([
      'failure',
      'timeout',
    ]);
  });

  it('takes no id from its author, except the one it was recorded with', async () => {
    const start = await begin();
    const made = envelopeFor(start, 'success', { outcome_id: randomUUID() });
    const refused = await refusalOf(ledger.record(start, made));
    expect(refused).toMatchObject({ code: 'outcome_id_refused', paths: ['/outcome_id'] });
    const outcomeId = await ledger.end(start);
    expect(await codeOf(ledger.record(start, made))).toBe('outcome_id_refused');
    const contested = await ledger.record(start, envelopeFor(start, 'failure', { outcome_id: outcomeId }));
    expect(contested.result).toBe('conflict');
  });

  it('must speak of its start', async () => {
    const start = await begin();
    const wrong = [
      [{ correlation_id: 'another' }, '/correlation_id'],
      [{ causation_id: 'another' }, '/causation_id'],
      [{ source: { ...envelopeFor(start)['source'], id: 'another' } }, '/source/id'],
      [{ source: { ...envelopeFor(start)['source'], version: '9.9.9' } }, '/source/version'],
      [{ source: { ...envelopeFor(start)['source'], domain: 'another' } }, '/source/domain'],
    ] as const;
    for (const [over, path] of wrong) {
      const refused = await refusalOf(ledger.record(start, envelopeFor(start, 'success', over)));
      expect(refused).toMatchObject({ code: 'envelope_invalid', paths: [path] });
    }
    expect((await ledger.record(start)).result).toBe('recorded');
  });

  it('cannot be of a subject nobody started', async () => {
    const start = kind === 'an invocation' ? invocationStart() : executionStart();
    const code = kind === 'an invocation' ? 'unknown_invocation' : 'unknown_execution';
    expect(await codeOf(ledger.record(start))).toBe(code);
  });
});

it('a workflow’s pattern equals its start’s', async () => {
  const start = await ledger.startExecution();
  const context = { ...envelopeFor(start, 'partial')['execution_context'], execution_pattern: 'parallel' };
  const refused = await refusalOf(ledger.record(start, envelopeFor(start, 'partial', { execution_context: context })));
  expect(refused).toMatchObject({ code: 'envelope_invalid', paths: ['/execution_context/execution_pattern'] });
});

it('an agent’s envelope does not end an execution, nor a workflow’s an invocation', async () => {
  const [invocation, execution] = [await ledger.start(), await ledger.startExecution()];
  const swapped = [
    ledger.ask('record_agent_outcome', uuid(invocation['invocation_id']), jsonb(envelopeFor(execution))),
    ledger.ask('record_workflow_outcome', uuid(execution['execution_id']), jsonb(envelopeFor(invocation))),
  ];
  for (const answer of swapped) expect(await codeOf(answer)).toBe('envelope_invalid');
  expect(
    await codeOf(
      ledger.ask('record_workflow_outcome', uuid(invocation['invocation_id']), jsonb(envelopeFor(execution))),
    ),
  ).toBe('unknown_execution');
});

it('an id stands for one kind of thing only: a cause resolves to one', async () => {
  const start = await ledger.start();
  const outcomeId = await ledger.end(start);
  const running = await ledger.start();
  const registered = event(running['invocation_id'], { event_id: randomUUID() });
  await ledger.event(registered);
  for (const taken of [outcomeId, registered['event_id']])
    expect(await codeOf(ledger.start({ invocation_id: taken as string }))).toBe('invocation_conflict');
  for (const taken of [outcomeId, registered['event_id'], start['invocation_id']])
    expect(await codeOf(ledger.startExecution({ execution_id: taken as string }))).toBe('execution_conflict');
  expect(await codeOf(ledger.event(event(running['invocation_id'], { event_id: start['invocation_id'] })))).toBe(
    'event_conflict',
  );
});

describe('after its outcome', () => {
  it('an invocation takes nothing more, but a lost reply is still answered', async () => {
    const start = await ledger.start();
    const id = start['invocation_id'];
    const [call, registered] = [toolCall(id), event(id)];
    await ledger.toolCall(call);
    await ledger.event(registered);
    await ledger.end(start);
    expect(await codeOf(ledger.toolCall(toolCall(id)))).toBe('invocation_closed');
    expect(await codeOf(ledger.event(event(id)))).toBe('invocation_closed');
    expect(await codeOf(guard.decide(policyDecision({ invocation_id: id })))).toBe('invocation_closed');
    expect(await codeOf(ledger.ask('heartbeat', uuid(id)))).toBe('invocation_closed');
    expect((await ledger.toolCall(call)).result).toBe('replayed');
    expect((await ledger.event(registered)).result).toBe('replayed');
    expect((await ledger.ask('start_invocation', jsonb(start))).result).toBe('replayed');
  });

  it('an execution takes no start, child or decision; it may be resumed', async () => {
    const start = await ledger.startExecution();
    const id = start['execution_id'];
    const early = await ledger.start({ execution_id: id });
    await ledger.end(start);
    expect(await codeOf(ledger.start({ execution_id: id }))).toBe('execution_closed');
    expect(await codeOf(ledger.startExecution({ parent_execution_id: id }))).toBe('execution_closed');
    expect(await codeOf(guard.decide(policyDecision({ execution_id: id })))).toBe('execution_closed');
    expect((await ledger.startExecution({ resumed_from_execution_id: id }))['resumed_from_execution_id']).toBe(id);
    // What was started in time may still end.
    expect((await ledger.record(early)).result).toBe('recorded');
  });
});

describe('the recorded decision', () => {
  it('is one per subject', async () => {
    const start = await ledger.start();
    const decision = policyDecision({ invocation_id: start['invocation_id'] });
    expect((await guard.decide(decision)).result).toBe('recorded');
    expect((await guard.decide({ ...decision, policy_rule_triggered: undefined })).result).toBe('replayed');
    const other = await guard.decide({ ...decision, decision: 'block' });
    expect(other).toMatchObject({ result: 'conflict', code: 'decision_conflict', record: { decision: 'allow' } });
    expect((await ledger.record(start, envelopeFor(start, 'success', { policy: policyMember() }))).result).toBe(
      'recorded',
    );
  });
});
