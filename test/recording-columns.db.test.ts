// Filter columns say what the envelope says; schemas are attested; what was stored is what was checked.
import { beforeAll, describe, expect, it } from 'vitest';
import { STATUSES } from '../src/contract/statuses.ts';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, policyDecision, policyMember, sourceDefinition } from './support/envelopes.ts';
import { conclusion } from './support/phase-rows.ts';
import { codeOf, refusalOf } from './support/refused.ts';
import { callIn, GUARD, OPERATOR, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const timing = (started_at: string, completed_at: string, duration_ms: number) => ({
  timing: { started_at, completed_at, duration_ms },
});

/** Times that a float, a rounding or a session's time zone would bend. */
const TIMES: [string, Document, { started: string; completed: string; drift: number }][] = [
  [
    'whole seconds',
    timing('2026-05-20T10:00:00Z', '2026-05-20T10:00:01Z', 1000),
    { started: '2026-05-20 10:00:00.000000', completed: '2026-05-20 10:00:01.000000', drift: 0 },
  ],
  [
    'nine decimals, cut and not rounded',
    timing('2026-05-20T23:59:59.123456789Z', '2026-05-20T23:59:59.999999999Z', 876),
    { started: '2026-05-20 23:59:59.123456', completed: '2026-05-20 23:59:59.999999', drift: 0 },
  ],
  [
    'an offset of nought',
    timing('2026-05-20T10:00:00+00:00', '2026-05-20T10:00:00.0000001+00:00', 0),
    { started: '2026-05-20 10:00:00.000000', completed: '2026-05-20 10:00:00.000000', drift: 0 },
  ],
  [
    'a duration that disagrees by an hour',
    timing('2026-05-20T10:00:00Z', '2026-05-20T10:00:01.850Z', 3_601_850),
    { started: '2026-05-20 10:00:00.000000', completed: '2026-05-20 10:00:01.850000', drift: 3_600_000 },
  ],
  [
    'a duration too short',
    timing('2026-05-20T10:00:00Z', '2026-05-20T10:00:01Z', 0),
    { started: '2026-05-20 10:00:00.000000', completed: '2026-05-20 10:00:01.000000', drift: -1000 },
  ],
  [
    'the first and the last year',
    timing('1970-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z', 1),
    { started: '1970-01-01 00:00:00.000000', completed: '9999-12-31 23:59:59.999999', drift: 1 - 253402300799999 },
  ],
];

describe('the columns beside the envelope', () => {
  it.each(TIMES)('carry %s', async (_, over, wanted) => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
      const start = await ledger.start();
      await database.as(ledger.caller, async (tx) => {
        await tx`select set_config('timezone', ${zone}, true), set_config('datestyle', 'German', true), set_config('extra_float_digits', '-15', true)`;
        await recordIn(tx, start, envelopeFor(start, 'success', over));
      });
      const [row] = await database.sql`
        select to_char(started_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as started,
               to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as completed,
               timing_drift_ms::bigint as drift, outcome_envelope -> 'timing' as timing
          from public.agent_invocation_outcomes where invocation_id = ${start['invocation_id']}`;
      expect({ ...row, drift: Number(row?.['drift']) }, zone).toEqual({ ...wanted, timing: over['timing'] });
    }
  });

  it('equal it, in both tables and for every status', async () => {
    const guard = sqlLedger(database, { tenantId, ...GUARD });
    for (const status of STATUSES) {
      for (const start of [
        await ledger.start({ governance_class: 'supervised' }),
        await ledger.startExecution({ governance_class: 'restricted' }),
      ]) {
        const decision = status === 'blocked' ? 'block' : 'allow';
        const { invocation_id, execution_id } = start;
        await guard.decide(policyDecision(invocation_id ? { invocation_id } : { execution_id }, { decision }));
        await ledger.record(start, envelopeFor(start, status, { policy: policyMember(decision) }));
      }
    }
    const differing = await database.sql`
      select o.outcome_id from ledger_internal.outcomes o
        join (select outcome_id, outcome_envelope as e from public.agent_invocation_outcomes
              union all select outcome_id, outcome_envelope from public.workflow_outcomes) f using (outcome_id)
       where (o.status, o.correlation_id, o.causation_id, o.source_type, o.source_id, o.source_version, o.domain, o.duration_ms, o.outcome_id)
             is distinct from
             (e ->> 'status', e ->> 'correlation_id', e ->> 'causation_id', e #>> '{source,type}', e #>> '{source,id}', e #>> '{source,version}', e #>> '{source,domain}',
              (e #> '{timing,duration_ms}')::bigint, (e ->> 'outcome_id')::uuid)
          or o.decision is distinct from e #>> '{policy,decision}'
          or o.escalation_target is distinct from e #>> '{escalation,escalation_target}'
          or o.started_at is distinct from ledger_internal.moment(e #>> '{timing,started_at}')
          or o.completed_at is distinct from ledger_internal.moment(e #>> '{timing,completed_at}')`;
    expect(differing).toEqual([]);
    const counts =
      await database.sql`select status, count(*)::int as n from ledger_internal.outcomes where governance_class <> 'autonomous' group by 1`;
    expect(counts).toHaveLength(STATUSES.length);
  });

  it('say whether the start row asks for a verification, whoever writes the outcome', async () => {
    const verifies: [string | undefined, boolean][] = [
      [undefined, false],
      [' none ', false],
      ['skip', false],
      ['auto', true],
      ['npm test', true],
    ];
    const wanted = new Map<string, boolean>();
    for (const [verify, required] of verifies) {
      const over = { verify };
      const [alone, batched, cancelled, concluded] = [
        await ledger.start(over),
        await ledger.start(over),
        await ledger.start(over),
        await ledger.start(over),
      ];
      const [execution, stopped] = [await ledger.startExecution(over), await ledger.startExecution(over)];
      await ledger.end(alone);
      await ledger.ask(
        'record_outcomes',
        jsonb([{ invocation_id: batched['invocation_id'], outcome: envelopeFor(batched) }]),
      );
      await ledger.ask('cancel_invocation', uuid(cancelled['invocation_id']), text('no longer wanted'));
      await ledger.ask('conclude_invocation', uuid(concluded['invocation_id']), jsonb(conclusion()));
      await ledger.end(execution);
      await ledger.ask('cancel_execution', uuid(stopped['execution_id']), text('no longer wanted'));
      for (const { invocation_id, execution_id } of [alone, batched, cancelled, concluded, execution, stopped]) {
        wanted.set(invocation_id ?? execution_id, required);
      }
    }
    const rows = await database.sql`
      select invocation_id as id, verification_required from public.agent_invocation_outcomes where invocation_id = any (${[...wanted.keys()]}::uuid[])
      union all select execution_id, verification_required from public.workflow_outcomes where execution_id = any (${[...wanted.keys()]}::uuid[])`;
    expect(new Map(rows.map((row) => [row['id'], row['verification_required']]))).toEqual(wanted);
  });

  it('are nobody’s to set: ids, origin and positions are the server’s', async () => {
    const start = await ledger.start();
    const outcomeId = await ledger.end(start);
    const [row] = await database.sql`
      select o.origin, o.completion_reason, o.recorded_by, o.xid = i.xid as same_xid, o.seq > i.seq as later, c.source_type
        from public.agent_invocation_outcomes o join public.agent_invocations i using (invocation_id) join public.outcome_ids c using (outcome_id)
       where o.outcome_id = ${outcomeId}`;
    expect(row).toEqual({
      origin: 'recorded',
      completion_reason: null,
      recorded_by: ORCHESTRATOR.actorId,
      same_xid: false,
      later: true,
      source_type: 'agent',
    });
  });
});

describe('a registered schema', () => {
  const schema = { type: 'object', required: ['allocated_editions'] };

  async function defined(source_id: string, over: Document) {
    const operator = sqlLedger(database, { tenantId, ...OPERATOR });
    const { record } = await operator.define(sourceDefinition({ source_id, ...over }));
    const start = await ledger.start({ source: { id: source_id, version: '1.1.0', domain: 'art' } });
    return {
      start,
      result: record['output_schema_hash'] as string,
      confidence: record['confidence_schema_hash'] as string,
    };
  }

  it('must be attested by the recorder, by its hash', async () => {
    const { start, result } = await defined('checked-1', { output_schema: schema });
    expect(result).toMatch(/^[0-9a-f]{64}$/);
    for (const checked of [undefined, {}, { result: 'f'.repeat(64) }, { confidence: result }]) {
      const refused = await refusalOf(ledger.record(start, envelopeFor(start), checked));
      expect(refused).toMatchObject({
        code: 'schema_unchecked',
        paths: ['/result'],
        extra: { output_schema_hash: result },
      });
    }
    expect((await ledger.record(start, envelopeFor(start), { result })).result).toBe('recorded');
    // A replay is answered whether attested or not: nothing is recorded by it.
    expect((await ledger.record(start, envelopeFor(start))).result).toBe('replayed');
  });

  it('of the confidence likewise, when there is one', async () => {
    const { start, confidence } = await defined('checked-2', { confidence_schema: { minimum: 0.5 } });
    const sure = envelopeFor(start, 'success', { quality: { confidence: 0.9 } });
    expect(await refusalOf(ledger.record(start, sure))).toMatchObject({
      code: 'schema_unchecked',
      paths: ['/quality/confidence'],
    });
    expect((await ledger.record(start, sure, { confidence })).result).toBe('recorded');
  });

  it('says nothing about an outcome without a result', async () => {
    for (const status of ['failure', 'timeout', 'skipped'] as const) {
      const { start } = await defined(`checked-${status}`, { output_schema: schema });
      expect((await ledger.record(start, envelopeFor(start, status))).result, status).toBe('recorded');
    }
  });

  it('binds by the start row: a definition put later changes nothing', async () => {
    const source = { id: 'checked-late', version: '1.1.0', domain: 'art' };
    const start = await ledger.start({ source });
    await sqlLedger(database, { tenantId, ...OPERATOR }).define(
      sourceDefinition({ source_id: source.id, output_schema: schema }),
    );
    expect((await ledger.record(start)).result).toBe('recorded');
    const next = await ledger.start({ source });
    expect(await codeOf(ledger.record(next))).toBe('schema_unchecked');
  });

  it('is never changed under its version', async () => {
    const operator = sqlLedger(database, { tenantId, ...OPERATOR });
    const definition = sourceDefinition({ source_id: 'fixed', output_schema: schema });
    expect((await operator.define(definition)).result).toBe('recorded');
    expect((await operator.define(definition)).result).toBe('replayed');
    const other = await operator.define({ ...definition, output_schema: {} });
    expect(other).toMatchObject({ result: 'conflict', code: 'definition_conflict', record: { output_schema: schema } });
  });

  it('attested in a batch, each item for itself', async () => {
    const one = await defined('checked-b1', { output_schema: schema });
    const two = await defined('checked-b2', { output_schema: schema });
    const items = [
      {
        invocation_id: one.start['invocation_id'],
        outcome: envelopeFor(one.start),
        checked_schemas: { result: one.result },
      },
      { invocation_id: two.start['invocation_id'], outcome: envelopeFor(two.start) },
    ];
    const answers = await database.as(ledger.caller, (tx) => callIn<Document[]>(tx, 'record_outcomes', jsonb(items)));
    expect(answers.map((answer) => answer['result'])).toEqual(['recorded', 'refused']);
    expect(answers[1]?.['refusal'].code).toBe('schema_unchecked');
  });
});
