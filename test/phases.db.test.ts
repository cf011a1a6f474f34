// Concluding an invocation, in SQL: report, artifacts and outcome together or not at all, whoever writes and however.
import { beforeAll, describe, expect, it } from 'vitest';
import { assessPhase } from '../src/contract/phase/index.ts';
import { readMessages } from '../src/contract/phase-report/index.ts';
import { jsonb, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, policyDecision, policyMember } from './support/envelopes.ts';
import { artifact, artifactRow, claim, conclusion, reportRow } from './support/phase-rows.ts';
import { codeOf, refusalOf } from './support/refused.ts';
import { insertRow, outcomeRow } from './support/rows.ts';
import { type Answer, GUARD, idOf, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const concludeBy = (by: SqlLedger, start: Document, over: Document = {}) =>
  by.ask<Answer>('conclude_invocation', uuid(idOf(start)), jsonb(conclusion(over)));
const conclude = (start: Document, over: Document = {}) => concludeBy(ledger, start, over);
const failedAs = (failure_classification: string, over: Document = {}): Document => ({
  phase_status: 'failed',
  failure_classification,
  error: 'it did not work',
  ...over,
});

describe('a conclusion', () => {
  it('stores the report, the artifacts and the outcome, and answers all of them', async () => {
    const start = await ledger.start();
    const over = {
      report: { reported_side_effects: 'denied', claims: [claim('success', { side_effects: 'denied' })] },
    };
    const answer = await conclude(start, over);
    expect(answer).toMatchObject({
      result: 'recorded',
      record: {
        phase_status: 'completed',
        late: false,
        reported_side_effects: 'denied',
        artifacts: [{ path: 'artifacts/output/report.md', size_bytes: 14, primary: true, stored: 'table' }],
        outcome: { status: 'success', result: { comments: 'as asked' }, errors: [] },
      },
    });
    const [row] = await database.sql`
      select origin, completion_reason, recorded_by from public.agent_invocation_outcomes where invocation_id = ${idOf(start)}`;
    expect(row).toEqual({ origin: 'concluded', completion_reason: null, recorded_by: ORCHESTRATOR.actorId });
  });

  it('is the same call when it comes again, and a conflict when it says something else', async () => {
    const start = await ledger.start();
    const first = await conclude(start);
    expect(await conclude(start)).toEqual({ ...first, result: 'replayed' });
    const other = {
      digest: '1'.repeat(64),
      report: failedAs('platform', { claims: [], observation: { exit_code: 1 } }),
    };
    expect(await conclude(start, other)).toMatchObject({
      result: 'conflict',
      code: 'outcome_conflict',
      record: { outcome_id: first.record['outcome_id'] },
    });
    expect(await ledger.read('get_outcome', first.record['outcome_id'])).toMatchObject({
      late: [{ outcome: { status: 'failure', errors: [{ code: 'PLATFORM_FAILURE' }] } }],
    });
  });

  it('is weighed also where another one stands', async () => {
    const start = await ledger.start();
    await conclude(start);
    const contradiction = { digest: '1'.repeat(64), report: { observation: { exit_code: 1 } } };
    expect(await codeOf(conclude(start, contradiction))).toBe('conclusion_invalid');
  });

  it('says first whether it may be made, and which one stands', async () => {
    const start = await ledger.start();
    const begin = (by: SqlLedger) => by.ask<Document>('begin_conclusion', uuid(idOf(start)));
    expect(await begin(ledger)).toMatchObject({ start: { invocation_id: idOf(start) }, conclusion_digest: null });
    const agent = sqlLedger(database, { tenantId, role: 'agent', actorId: start['source'].id });
    expect(await codeOf(begin(agent))).toBe('not_permitted');
    await conclude(start);
    expect(await begin(ledger)).toMatchObject({ conclusion_digest: '0'.repeat(64) });
  });

  it('that comes after another outcome is kept beside it, and concludes nothing', async () => {
    const start = await ledger.start();
    const winner = await ledger.end(start, 'timeout');
    for (const _ of [1, 2]) {
      expect(await conclude(start)).toMatchObject({ result: 'conflict', record: { outcome_id: winner } });
    }
    const kept = await database.sql`
      select r.late, (select count(*)::int from public.artifacts a where a.invocation_id = r.invocation_id) as artifacts
        from public.phase_reports r where r.invocation_id = ${idOf(start)}`;
    expect([...kept]).toEqual([{ late: true, artifacts: 1 }]);
    const [late] =
      await database.sql`select count(*)::int as n from public.late_outcomes where invocation_id = ${idOf(start)}`;
    expect(late?.['n']).toBe(1);
  });

  it('of two at once records one, and the loser is told', async () => {
    const start = await ledger.start();
    const answers = await Promise.all(
      ['a', 'b', 'a', 'b'].map((digest) => conclude(start, { digest: digest.repeat(64) })),
    );
    expect(answers.filter(({ result }) => result === 'recorded')).toHaveLength(1);
    expect(new Set(answers.map(({ record }) => record['outcome_id'])).size).toBe(1);
  });

  it('repeats the decision about its invocation, and waits for the human it asks for', async () => {
    const start = await ledger.start({ governance_class: 'supervised' });
    expect(await codeOf(conclude(start))).toBe('policy_required');
    const guard = sqlLedger(database, { tenantId, ...GUARD });
    await guard.decide(policyDecision({ invocation_id: idOf(start) }));
    expect(await conclude(start)).toMatchObject({
      result: 'recorded',
      record: { outcome: { policy: policyMember() } },
    });
    const blocked = await ledger.start();
    await guard.decide(policyDecision({ invocation_id: idOf(blocked) }, { decision: 'block' }));
    expect(await codeOf(conclude(blocked))).toBe('policy_mismatch');
    const [row] =
      await database.sql`select count(*)::int as n from public.phase_reports where invocation_id = ${idOf(blocked)}`;
    expect(row?.['n']).toBe(0);
    const winner = await ledger.end(blocked, 'blocked', { policy: { ...policyMember(), decision: 'block' } });
    expect(await conclude(blocked)).toMatchObject({ result: 'conflict', record: { outcome_id: winner } });
  });
});

describe('each end of a phase', () => {
  const table: [string, Document, Document][] = [
    [
      'a refusal',
      failedAs('correct_refusal', {
        claims: [claim('failure', { failure_reason: 'task' })],
        reported_failure_reason: 'task',
      }),
      { status: 'failure', code: 'CORRECT_REFUSAL', recoverable: false, reason: null },
    ],
    [
      'a failure nobody can class',
      failedAs('unclassified', {
        claims: [claim('failure', { failure_reason: 'unknown' })],
        reported_failure_reason: 'unknown',
      }),
      { status: 'failure', code: 'UNCLASSIFIED', recoverable: false, reason: null },
    ],
    [
      'a crash',
      failedAs('platform', { observation: { exit_code: null } }),
      { status: 'failure', code: 'PLATFORM_FAILURE', recoverable: true, reason: null },
    ],
    [
      'a run past its time',
      failedAs('platform', { observation: { exit_code: 1, timed_out: true } }),
      { status: 'timeout', code: 'TIMEOUT', recoverable: true, reason: null },
    ],
    [
      'a cancelled run',
      { phase_status: 'cancelled', observation: { cancelled: true, interrupted: true, timed_out: true } },
      { status: 'failure', code: 'CANCELED', recoverable: false, reason: 'canceled' },
    ],
    [
      'an interrupted run',
      { phase_status: 'interrupted', observation: { interrupted: true, timed_out: true } },
      { status: 'failure', code: 'INTERRUPTED', recoverable: true, reason: 'interrupted' },
    ],
  ];

  it.each(table)('%s', async (_, report, expected) => {
    for (const recovery_mode of ['reset', 'manual']) {
      const start = await ledger.start({ recovery_mode });
      const { record } = await conclude(start, { report, artifacts: [] });
      const [row] = await database.sql`
        select status, completion_reason as reason, outcome_envelope #>> '{errors,0,code}' as code,
               (outcome_envelope #> '{errors,0,recoverable}')::boolean as recoverable
          from public.agent_invocation_outcomes where outcome_id = ${record['outcome_id']}`;
      expect(row).toEqual({ ...expected, recoverable: expected['recoverable'] && recovery_mode === 'reset' });
    }
  });
});

describe('the database holds', () => {
  const refused: [string, Document, string, string][] = [
    [
      'a report state that no claim has',
      { report: { report_state: 'failure' } },
      'conclusion_invalid',
      '/report/report_state',
    ],
    [
      'a completion of a crash',
      { report: { observation: { exit_code: 1 } } },
      'conclusion_invalid',
      '/report/phase_status',
    ],
    [
      'a refusal out of a crash',
      { report: failedAs('correct_refusal', { claims: [claim('failure')], observation: { exit_code: 2 } }) },
      'conclusion_invalid',
      '/report/phase_status',
    ],
    [
      'a reason the agent did not give',
      { report: failedAs('correct_refusal', { claims: [claim('failure')], reported_failure_reason: 'refused' }) },
      'conclusion_invalid',
      '/report/reported_failure_reason',
    ],
    [
      'side effects the agent did not report',
      { report: { reported_side_effects: 'succeeded' } },
      'conclusion_invalid',
      '/report/reported_side_effects',
    ],
    ['a completed phase without artifacts', { artifacts: [] }, 'conclusion_invalid', '/artifacts'],
    [
      'a hash of something else',
      { artifacts: [artifact({ sha256: 'f'.repeat(64) })] },
      'conclusion_invalid',
      '/artifacts',
    ],
    [
      'another tenant’s object',
      {
        artifacts: [
          artifact({
            content: undefined,
            object_key: `${'0'.repeat(8)}/x`,
            sha256: 'f'.repeat(64),
            size_bytes: 2_000_000,
          }),
        ],
      },
      'conclusion_invalid',
      '/artifacts',
    ],
    ['two contents', { artifacts: [artifact({ object_key: 'k' })] }, 'conclusion_invalid', '/artifacts'],
    ['a path that leads out', { artifacts: [artifact({ path: 'artifacts/output/../x' })] }, 'request_invalid', '/path'],
    ['a path elsewhere', { artifacts: [artifact({ path: 'notes.md' })] }, 'request_invalid', '/path'],
    ['a word of no table', { report: { phase_status: 'done' } }, 'request_invalid', '/phase_status'],
    [
      'a weaker claim that stands',
      { report: { claims: [claim('failure'), claim('success')] } },
      'conclusion_invalid',
      '/report/stands',
    ],
    [
      'no claim that stands beside one',
      { report: { claims: [claim('failure')], stands: null, report_state: 'not_reported' } },
      'conclusion_invalid',
      '/report/stands',
    ],
    [
      'a claim of no state',
      { report: { claims: [{ state: 'done' }], report_state: 'success' } },
      'conclusion_invalid',
      '/report/claims',
    ],
    ['fewer claims than there are', { report: { claims_total: 0 } }, 'conclusion_invalid', '/report/stands'],
    ['a place beyond every number', { report: { stands: 2_147_483_648 } }, 'conclusion_invalid', '/report/stands'],
    [
      'a recovery nobody made',
      { report: { deliverable_recovered: true } },
      'conclusion_invalid',
      '/report/deliverable_recovered',
    ],
    [
      'a recovery of a failure',
      { report: failedAs('platform', { observation: { exit_code: 1 }, deliverable_recovered: true }) },
      'conclusion_invalid',
      '/report/deliverable_recovered',
    ],
    ['no primary artifact', { artifacts: [artifact({ primary: false })] }, 'conclusion_invalid', '/artifacts'],
    [
      'two primary artifacts',
      { artifacts: [artifact(), artifact({ path: 'artifacts/output/b.md' })] },
      'conclusion_invalid',
      '/artifacts',
    ],
    ['one path twice', { artifacts: [artifact(), artifact({ primary: false })] }, 'conclusion_invalid', '/artifacts'],
    [
      'base64 that is none',
      { artifacts: [artifact({ content: undefined, content_base64: '*' })] },
      'conclusion_invalid',
      '/artifacts',
    ],
    [
      'a number where a word stands',
      { report: { observation: { timed_out: 'zzz' } } },
      'request_invalid',
      '/observation/timed_out',
    ],
    ['a digest that is none', { digest: 'x' }, 'conclusion_invalid', '/digest'],
    ['no artifacts member', { report: {} }, 'conclusion_invalid', ''],
  ];

  it.each(refused)('%s', async (name, over, code, path) => {
    const start = await ledger.start();
    const document = conclusion(over);
    if (name === 'no artifacts member') delete document['artifacts'];
    const refusal = await refusalOf(ledger.ask('conclude_invocation', uuid(idOf(start)), jsonb(document)));
    expect(refusal).toMatchObject({ code });
    expect(refusal.paths).toContain(path);
    const [row] = await database.sql`
      select (select count(*) from public.phase_reports where invocation_id = ${idOf(start)})::int
           + (select count(*) from public.agent_invocation_outcomes where invocation_id = ${idOf(start)})::int as n`;
    expect(row?.['n']).toBe(0);
  });

  it('an artifact over the limit of the table', async () => {
    const start = await ledger.start();
    const content = 'é'.repeat(512 * 1024);
    expect(await codeOf(conclude(start, { artifacts: [artifact({ content: `${content}x` })] }))).toBe(
      'artifact_too_large',
    );
    expect(await conclude(start, { artifacts: [artifact({ content })] })).toMatchObject({ result: 'recorded' });
  });

  it('who concludes: never the agent itself, nor a worker its own work or what others started', async () => {
    const start = await ledger.start({ source: { id: 'agent-7', version: '1.0.0', domain: 'art' } });
    for (const caller of [
      { role: 'agent', actorId: 'agent-7' },
      { role: 'worker', actorId: 'agent-7' },
      { role: 'worker', actorId: 'somebody' },
      { role: 'orchestrator', actorId: 'agent-7' },
      { role: 'operator', actorId: 'hanna' },
      { role: 'policy_guard', actorId: 'os-agt-002' },
      { role: 'auditor', actorId: 'anna' },
    ] as const) {
      expect(await codeOf(concludeBy(sqlLedger(database, { tenantId, ...caller }), start)), caller.role).toBe(
        'not_permitted',
      );
    }
    const foreign = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    expect(await codeOf(concludeBy(foreign, start))).toBe('unknown_invocation');
  });
});

describe('a tenant that writes straight to the tables', () => {
  const as = (work: Parameters<typeof database.as>[1]) => database.as({ tenantId, ...ORCHESTRATOR }, work);

  it('leaves no report without its outcome', async () => {
    const start = await ledger.start();
    expect(await codeOf(as((tx) => insertRow(tx, 'phase_reports', reportRow(idOf(start)))))).toBe('conclusion_invalid');
  });

  it('records with a report only the outcome it makes', async () => {
    const start = await ledger.start();
    const wrong = as(async (tx) => {
      await insertRow(
        tx,
        'phase_reports',
        reportRow(idOf(start), failedAs('platform', { observation: { exit_code: 1 } })),
      );
      await tx`select set_config('ledger_internal.concluding', 'on', true)`;
      await insertRow(tx, 'agent_invocation_outcomes', outcomeRow(start, envelopeFor(start)));
    });
    expect(await codeOf(wrong)).toBe('conclusion_invalid');
    const unsaid = as(async (tx) => {
      await insertRow(tx, 'phase_reports', reportRow(idOf(start)));
      await insertRow(tx, 'artifacts', artifactRow(idOf(start)));
      await insertRow(tx, 'agent_invocation_outcomes', outcomeRow(start, envelopeFor(start)));
    });
    expect(await codeOf(unsaid)).toBe('conclusion_invalid');
    await as(async (tx) => {
      await insertRow(tx, 'phase_reports', reportRow(idOf(start)));
      await insertRow(tx, 'artifacts', artifactRow(idOf(start)));
      await tx`select set_config('ledger_internal.concluding', 'on', true)`;
      await insertRow(tx, 'agent_invocation_outcomes', outcomeRow(start, envelopeFor(start)));
    });
  });

  it('cannot pass an outcome off as concluded, nor add an artifact later', async () => {
    const start = await ledger.start();
    await as(async (tx) => {
      await tx`select set_config('ledger_internal.concluding', 'on', true)`;
      await insertRow(tx, 'agent_invocation_outcomes', outcomeRow(start, envelopeFor(start)));
    });
    const [row] =
      await database.sql`select origin from public.agent_invocation_outcomes where invocation_id = ${idOf(start)}`;
    expect(row?.['origin']).toBe('recorded');
    const concluded = await ledger.start();
    await conclude(concluded);
    const more = artifactRow(idOf(concluded), { path: 'artifacts/output/more.md', primary: false });
    expect(await codeOf(as((tx) => insertRow(tx, 'artifacts', more)))).toBe('conclusion_invalid');
  });

  it('without the check at commit would leave a report of nothing', async () => {
    const start = await ledger.start();
    const kept = await database.admin
      .begin(async (tx) => {
        await tx`alter table public.phase_reports disable trigger require_concluded`;
        await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify({
          app_metadata: { tenant_id: tenantId, ledger_role: ORCHESTRATOR.role, actor_id: ORCHESTRATOR.actorId },
        })}, true)`;
        await insertRow(tx, 'phase_reports', reportRow(idOf(start)));
        await tx`set constraints all immediate`;
        const [row] =
          await tx`select count(*)::int as n from public.phase_reports where invocation_id = ${idOf(start)}`;
        throw Object.assign(new Error('undone'), { n: row?.['n'] });
      })
      .catch((error) => error.n);
    expect(kept).toBe(1);
  });
});

it('what the contract weighs, the database takes: every run × report', async () => {
  const facts = {
    stream_intact: [true, false],
    cancelled: [false, true],
    timed_out: [false, true],
    interrupted: [false, true],
  };
  const reports = [
    '',
    'TASK_RESULT: {"success": true}\nTASK_RESULT_END',
    'TASK_RESULT: {"success": 1}\nTASK_RESULT_END',
    ...['task', 'unknown', 'odd'].map(
      (word) => `TASK_RESULT: {"success": false, "failure_reason": "${word}"}\nTASK_RESULT_END`,
    ),
  ];
  for (const exit_code of [0, 1, null]) {
    for (const stream_intact of facts.stream_intact) {
      for (const cancelled of facts.cancelled) {
        for (const timed_out of facts.timed_out) {
          for (const interrupted of facts.interrupted) {
            for (const message of reports) {
              const observation = { exit_code, stream_intact, cancelled, timed_out, interrupted };
              const files = [{ path: 'artifacts/output/a.md', content: 'here it is' }];
              const {
                artifacts,
                artifact_paths: _,
                ...weighed
              } = assessPhase({ messages: [message], observation, files });
              const claims = readMessages([message]).claims;
              const report = { ...weighed, claims, observation };
              const start = await ledger.start();
              const answer = await conclude(start, { report, artifacts: artifacts.map((one) => artifact({ ...one })) });
              expect(answer, JSON.stringify({ observation, message })).toMatchObject({ result: 'recorded' });
            }
          }
        }
      }
    }
  }
});
