// A bare insert, as a token can send through the Data API, meets the rules of the recording functions and their codes.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { WRITABLE_COLUMNS, WRITE_TABLES } from '../src/contract/roles.ts';
import { STATUSES } from '../src/contract/statuses.ts';
import { undone } from './support/attacks.ts';
import { useDatabase } from './support/database.ts';
import {
  type Document,
  envelopeFor,
  event,
  executionStart,
  invocationStart,
  policyDecision,
  sourceDefinition,
  toolCall,
} from './support/envelopes.ts';
import { codeOf, refusalOf } from './support/refused.ts';
import { insertRow, outcomeRow, startRow } from './support/rows.ts';
import { OPERATOR, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const caller = () => ({ tenantId, ...ORCHESTRATOR });
const insert = (table: string, row: Document) => database.as(caller(), (tx) => insertRow(tx, table, row));
const tableOf = (start: Document) => (start['invocation_id'] ? 'agent_invocation_outcomes' : 'workflow_outcomes');
const insertOutcome = (start: Document, envelope: Document) => insert(tableOf(start), outcomeRow(start, envelope));

const TIME = '2026-05-20T10:00:00.000Z';
const BREAKS: [string, (envelope: Document) => unknown][] = [
  ['no object', () => []],
  ['a status of another word', (e) => ({ ...e, status: 'done' })],
  ['an unknown member', (e) => ({ ...e, mood: 'good' })],
  ['an unknown member below', (e) => ({ ...e, timing: { ...e['timing'], zone: 'UTC' } })],
  ['a success with errors', (e) => ({ ...e, errors: [{ code: 'X', message: 'm', recoverable: false }] })],
  ['a result that is a list', (e) => ({ ...e, result: [] })],
  [
    'a time that runs backwards',
    (e) => ({ ...e, timing: { ...e['timing'], completed_at: '2026-05-20T09:59:59.999Z' } }),
  ],
  ['a duration below nought', (e) => ({ ...e, timing: { ...e['timing'], duration_ms: -5 } })],
  [
    'a leap second',
    (e) => ({ ...e, timing: { started_at: '2026-06-30T23:59:60Z', completed_at: TIME, duration_ms: 1 } }),
  ],
  ['the thirtieth of February', (e) => ({ ...e, timing: { ...e['timing'], started_at: '2026-02-30T00:00:00Z' } })],
  ['a time that only the database reads', (e) => ({ ...e, timing: { ...e['timing'], started_at: 'now' } })],
  ['infinity', (e) => ({ ...e, timing: { ...e['timing'], completed_at: 'infinity' } })],
  ['an id of its own', (e) => ({ ...e, outcome_id: randomUUID() })],
  ['another correlation', (e) => ({ ...e, correlation_id: 'other' })],
  [
    'a policy nobody recorded',
    (e) => ({ ...e, policy: { decision: 'allow', risk_score: 0, requires_hitl: false, evaluated_at: TIME } }),
  ],
  ['a version that is none', (e) => ({ ...e, source: { ...e['source'], version: '1.0' } })],
];

describe.each(['invocation', 'execution'] as const)('the outcome of an %s, inserted barely', (kind) => {
  const begin = () => (kind === 'invocation' ? ledger.start() : ledger.startExecution());

  it.each(BREAKS)('with %s is refused as the function refuses it', async (_, spoil) => {
    const start = await begin();
    const envelope = spoil(envelopeFor(start)) as Document;
    const byFunction = await refusalOf(ledger.record(start, envelope));
    const byInsert = await refusalOf(insertOutcome(start, envelope));
    expect(byInsert).toEqual(byFunction);
    expect(
      await database.sql`select from ledger_internal.open_work where subject_id = ${start[`${kind}_id`]}`,
    ).toHaveLength(1);
  });

  it('is accepted like a recorded one, and refused when there is one already', async () => {
    const start = await begin();
    expect(await insertOutcome(start, envelopeFor(start))).toBe(1);
    const replay = await ledger.record(start);
    expect(replay.result).toBe('replayed');
    const refused = await refusalOf(insertOutcome(start, envelopeFor(start, 'failure')));
    expect(refused).toMatchObject({ code: 'outcome_conflict', extra: { outcome_id: replay.record['outcome_id'] } });
    expect(await codeOf(insertOutcome(start, envelopeFor(start)))).toBe('outcome_conflict');
  });

  it('twice in one statement is refused whole', async () => {
    const start = await begin();
    const twice = database.as(caller(), (tx) =>
      tx.unsafe(
        `insert into public.${tableOf(start)} (${kind}_id, outcome_envelope) select $1::text::uuid, $2::text::jsonb from generate_series(1, 2)`,
        [start[`${kind}_id`], JSON.stringify(envelopeFor(start))],
      ),
    );
    expect(await codeOf(twice)).toBe('outcome_conflict');
    expect((await ledger.record(start)).result).toBe('recorded');
  });

  it('with the flag of the recording functions set by hand is dropped, never doubled', async () => {
    const start = await begin();
    await ledger.end(start);
    const count = await database.as(caller(), async (tx) => {
      await tx`select set_config('ledger_internal.recording', 'on', true)`;
      return insertRow(tx, tableOf(start), outcomeRow(start, envelopeFor(start, 'failure')));
    });
    expect(count).toBe(0);
    expect(
      await database.sql.unsafe(`select from public.${tableOf(start)} where ${kind}_id = '${start[`${kind}_id`]}'`),
    ).toHaveLength(1);
  });
});

describe('what a token may not set', () => {
  it.each(WRITE_TABLES)('in %s is refused by name', async (table) => {
    const columns = await database.sql<{ name: string }[]>`
      select attname::text as name from pg_attribute where attrelid = ${`public.${table}`}::regclass and attnum > 0 and not attisdropped`;
    const server = columns
      .map((column) => column.name)
      .filter((name) => !(WRITABLE_COLUMNS[table] as readonly string[]).includes(name));
    expect(server).toEqual(expect.arrayContaining(['seq', 'epoch', 'xid', 'recorded_at', 'recorded_by']));
    for (const column of server) {
      const named = database.as({ tenantId, ...OPERATOR }, (tx) =>
        tx.unsafe(
          `insert into public.${table} (tenant_id, ${column}) select tenant_id, ${column} from public.${table} limit 0`,
        ),
      );
      expect(await codeOf(named), column).toBe('not_permitted');
    }
  });
});

describe('starts inserted barely', () => {
  it('are held to the definition and the clock', async () => {
    const closed = await database.tenant(false);
    const operator = sqlLedger(database, { tenantId: closed, ...OPERATOR });
    await operator.define(sourceDefinition({ governance_class: 'supervised', verify: 'run tests' }));
    const there = (row: Document) =>
      database.as({ tenantId: closed, ...ORCHESTRATOR }, (tx) => insertRow(tx, 'agent_invocations', row));
    const good = () => startRow(invocationStart());
    expect(await codeOf(there({ ...good(), source_id: 'nobody' }))).toBe('undefined_source');
    expect(await codeOf(there({ ...good(), governance_class: 'autonomous' }))).toBe('governance_lowered');
    expect(await codeOf(there({ ...good(), verify: 'none' }))).toBe('governance_lowered');
    expect(await codeOf(there({ ...good(), domain: 'other' }))).toBe('request_invalid');
    expect(await codeOf(there({ ...good(), deadline_at: '2020-01-01T00:00:00Z' }))).toBe('deadline_invalid');
    expect(await codeOf(there({ ...good(), deadline_at: '2099-01-01T00:00:00Z' }))).toBe('deadline_invalid');
    expect(await codeOf(there({ ...good(), execution_id: randomUUID() }))).toBe('unknown_execution');
    expect(await codeOf(there({ ...good(), correlation_id: ' ' }))).toBe('request_invalid');
    const row = good();
    expect(await there(row)).toBe(1);
    expect(
      await database.sql`select governance_class, verify, defined, recorded_by from public.agent_invocations where invocation_id = ${row['invocation_id']}`,
    ).toEqual([
      { governance_class: 'supervised', verify: 'run tests', defined: true, recorded_by: ORCHESTRATOR.actorId },
    ]);
  });

  it('cannot be their own cause, parent or predecessor', async () => {
    const invocation = invocationStart();
    expect(
      await codeOf(insert('agent_invocations', startRow(invocation, { causation_id: invocation['invocation_id'] }))),
    ).toBe('lineage_invalid');
    for (const member of ['causation_id', 'parent_execution_id', 'resumed_from_execution_id']) {
      const execution = executionStart();
      expect(
        await codeOf(insert('workflow_executions', startRow(execution, { [member]: execution['execution_id'] }))),
        member,
      ).toBe('lineage_invalid');
    }
  });

  it('with an id that stands already are conflicts, as the functions say; so are tool calls and events', async () => {
    const [invocation, execution] = [await ledger.start(), await ledger.startExecution()];
    const [tool, registered] = [toolCall(invocation['invocation_id']), event(invocation['invocation_id'])];
    await ledger.toolCall(tool);
    await ledger.event(registered);
    expect(await codeOf(insert('agent_invocations', startRow(invocation)))).toBe('invocation_conflict');
    expect(await codeOf(insert('workflow_executions', startRow(execution)))).toBe('execution_conflict');
    expect(await codeOf(insert('agent_tool_calls', tool))).toBe('tool_call_conflict');
    expect(await codeOf(insert('os_events', registered))).toBe('event_conflict');
  });

  it('take one attempt per execution and step', async () => {
    const execution = await ledger.startExecution();
    const at = (attempt: number) =>
      insert(
        'agent_invocations',
        startRow(invocationStart({ execution_id: execution['execution_id'], step_id: 'allocate', attempt })),
      );
    expect(await at(1)).toBe(1);
    expect(await codeOf(at(1))).toBe('attempt_conflict');
    expect(await at(2)).toBe(1);
  });
});

describe('a late envelope inserted barely', () => {
  it('is kept only when it lost to another one', async () => {
    const start = await ledger.start();
    const lost = (envelope: Document) => insert('late_outcomes', outcomeRow(start, envelope));
    expect(await codeOf(lost(envelopeFor(start)))).toBe('not_permitted');
    await ledger.end(start);
    expect(await codeOf(lost(envelopeFor(start)))).toBe('not_permitted');
    expect(await codeOf(lost({ ...envelopeFor(start, 'failure'), mood: 1 }))).toBe('envelope_invalid');
    expect(await lost(envelopeFor(start, 'failure'))).toBe(1);
  });
});

describe('an isolation level other than read committed', () => {
  const at = <T>(level: string, work: (tx: Parameters<typeof insertRow>[0]) => Promise<T>) =>
    database.gateway.begin(`isolation level ${level}`, async (tx) => {
      const claims = {
        app_metadata: { tenant_id: tenantId, ledger_role: 'orchestrator', actor_id: ORCHESTRATOR.actorId },
      };
      await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
      return work(tx);
    });

  it('would hide the outcome that was there first; it is refused', async () => {
    const start = await ledger.start();
    const stale = () =>
      at('repeatable read', async (tx) => {
        await tx`select count(*) from public.agent_invocations`;
        await ledger.record(start);
        return recordIn(tx, start, envelopeFor(start));
      });
    await database.sql.unsafe(`alter function ledger_internal.require_read_committed() rename to required_before;
      create function ledger_internal.require_read_committed() returns void language plpgsql as 'begin end'`);
    await expect(stale()).rejects.toMatchObject({ code: expect.stringMatching(/^(23505|40001)$/) });
    await database.sql.unsafe(`drop function ledger_internal.require_read_committed();
      alter function ledger_internal.required_before() rename to require_read_committed`);
    expect(await codeOf(stale())).toBe('isolation_unsupported');
  });

  it.each(['repeatable read', 'serializable'])('%s is refused to every writer', async (level) => {
    const open = await ledger.start();
    const rows: [string, Document][] = [
      ['agent_invocations', startRow(invocationStart())],
      ['workflow_executions', startRow(executionStart())],
      ['agent_tool_calls', toolCall(open['invocation_id'])],
      ['agent_invocation_outcomes', outcomeRow(open, envelopeFor(open))],
      ['os_events', { type: 'shop.order', source: 'shop' }],
    ];
    for (const [table, row] of rows)
      expect(await codeOf(at(level, (tx) => insertRow(tx, table, row))), table).toBe('isolation_unsupported');
    const asRole = (role: string, table: string, row: Document) =>
      undone(
        (work) => database.gateway.begin(`isolation level ${level}`, work),
        async (tx) => {
          const claims = { app_metadata: { tenant_id: tenantId, ledger_role: role, actor_id: 'x' } };
          await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
          return insertRow(tx, table, row);
        },
      );
    expect(await codeOf(asRole('operator', 'source_definitions', sourceDefinition({ source_id: 'isolated' })))).toBe(
      'isolation_unsupported',
    );
    expect(
      await codeOf(
        asRole('policy_guard', 'policy_decisions', policyDecision({ invocation_id: open['invocation_id'] })),
      ),
    ).toBe('isolation_unsupported');
  });
});

it('every status can be recorded barely', async () => {
  for (const status of STATUSES.filter((word) => word !== 'blocked')) {
    const start = await ledger.start();
    expect(await insertOutcome(start, envelopeFor(start, status)), status).toBe(1);
  }
});
