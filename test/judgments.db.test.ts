// The success contract in SQL: the derivation of every cell, evidence and who may give it, the gate, and what is counted.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  deriveJudgment,
  judgmentTable,
  lifecycleOfOpen,
  standingVerification,
  verificationOf,
  verificationRequired,
  withDelivery,
} from '../src/contract/judgment/index.ts';
import { consequencesOf } from '../src/contract/judgment/table.ts';
import {
  DELIVERY_ASSESSMENTS,
  LIFECYCLES,
  RECORDED_VERIFICATIONS,
  VERIFICATIONS,
} from '../src/contract/judgment/words.ts';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { GOLDEN_CELLS } from './support/judgment-golden.ts';
import { codeOf } from './support/refused.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;
let operator: SqlLedger;
let worker: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  operator = sqlLedger(database, { tenantId, role: 'operator', actorId: 'hanna' });
  worker = sqlLedger(database, { tenantId, role: 'worker', actorId: 'verifier-1' });
});

const ENDED = { started: true, timed_out: false, system_fault: false, signal: null, exit_code: 0 };
const processOf = (over: Document = {}) => ({ ...ENDED, ...over });
type Status = Parameters<typeof envelopeFor>[1];

async function outcome(status: Status = 'success', start: Document = {}): Promise<{ start: Document; id: string }> {
  const started = await ledger.start(start);
  const { record } = await ledger.record(
    started,
    envelopeFor(started, status, status === 'escalated' ? { escalation: asks() } : {}),
  );
  return { start: started, id: record['outcome_id'] };
}
const asks = () => ({
  reason: 'unsure',
  escalation_target: 'os-agt-004',
  escalation_path_id: 'path-1',
  policy_rule_triggered: null,
  hitl_request_id: randomUUID(),
});
const verify = (id: string, verification: string, over: Document = {}, by = worker) =>
  by.ask('record_verification', jsonb({ outcome_id: id, verification, ...evidenceOf(verification), ...over }));
const evidenceOf = (verification: string): Document => {
  const process = {
    passed: processOf(),
    failed: processOf({ exit_code: 1 }),
    timed_out: processOf({ timed_out: true, signal: 'SIGKILL', exit_code: null }),
    infrastructure_failure: processOf({ started: false, exit_code: null }),
  }[verification];
  return process ? { process, command: 'npm test' } : {};
};
const assess = (id: string, assessment: string, by = worker) =>
  by.ask('assess_delivery', jsonb({ outcome_id: id, assessment, reason: 'looked for it' }));
const integrate = (id: string, over: Document = {}, by = operator) =>
  by.ask('record_integration', jsonb({ outcome_id: id, reference: 'abc123', ...over }));
const judged = (id: string, by = ledger) => by.ask<Document | null>('get_judgment', uuid(id));
const gate = (ids: string[], over: Document = {}, by = operator) =>
  by.ask<Document>('pass_gate', jsonb({ ids, ...over }));

describe('the derivation in SQL', () => {
  it('gives every cell what the table by hand says', async () => {
    const rows = await database.sql`
      select to_jsonb(array[j.judgment, j.reason, j.tag, j.gate]) || to_jsonb(array[j.counts_as_success, j.in_success_base, j.in_agent_score]) as row
        from jsonb_array_elements(${database.sql.json(GOLDEN_CELLS as never)}) with ordinality e (cell, n)
       cross join lateral jsonb_to_record(e.cell) c (lifecycle text, verification text, required boolean)
       cross join lateral ledger_internal.judgment_of(c.lifecycle, c.verification, c.required, null) j order by e.n`;
    expect(rows.map(({ row }) => row)).toEqual(GOLDEN_CELLS.map(({ row }) => row));
  });

  it('says of every cell, and of unknown words, what TypeScript says', async () => {
    const words = <T extends string>(known: readonly T[]) => [...known, 'odd', '', null];
    const cells = words(LIFECYCLES).flatMap((lifecycle) =>
      words(VERIFICATIONS).flatMap((verification) =>
        [true, false].flatMap((required) =>
          [null, ...DELIVERY_ASSESSMENTS, 'odd'].map((assessment) => ({
            lifecycle,
            verification,
            required,
            assessment,
          })),
        ),
      ),
    );
    const rows = await database.sql`
      select j.* from jsonb_array_elements(${database.sql.json(cells)}) with ordinality e (cell, n)
       cross join lateral jsonb_to_record(e.cell) c (lifecycle text, verification text, required boolean, assessment text)
       cross join lateral ledger_internal.judgment_of(c.lifecycle, c.verification, c.required, c.assessment) j order by e.n`;
    const expected = cells.map(({ lifecycle, verification, required, assessment }) => {
      const judgment = withDelivery(deriveJudgment(lifecycle ?? '', verification ?? '', required), assessment);
      const { outcome: word, reason } = judgment;
      return { judgment: word, reason, ...consequencesOf(judgment) };
    });
    expect(rows.map((row) => ({ ...row }))).toEqual(expected);
    expect(judgmentTable()).toHaveLength(140);
  });

  it('asks for a verification by the same rule', async () => {
    const texts = [
      null,
      '',
      ' \t\n\v\f\r ',
      'none',
      ' none ',
      'None',
      'false',
      'skip',
      'skip it',
      'auto',
      'npm test',
      '\u00a0',
      '\u2003none',
    ];
    const rows = await database.sql`
      select ledger_internal.verification_required(t.verify) as required
        from jsonb_array_elements_text(${database.sql.json(texts)}) with ordinality t (verify, n) order by t.n`;
    expect(rows.map(({ required }) => required)).toEqual(texts.map(verificationRequired));
  });

  it('reads a process as TypeScript does', async () => {
    const cells = [true, false].flatMap((started) =>
      [true, false].flatMap((timed_out) =>
        [true, false].flatMap((system_fault) =>
          [null, 'SIGKILL'].flatMap((signal) =>
            [null, 0, 1, 125, 126, 127, 128, 137, 255, -1, 4294967295].map((exit_code) => ({
              started,
              timed_out,
              system_fault,
              signal,
              exit_code,
            })),
          ),
        ),
      ),
    );
    const rows = await database.sql`
      select ledger_internal.process_verdict(c.started, c.timed_out, c.system_fault, c.signal, c.exit_code) as word
        from jsonb_array_elements(${database.sql.json(cells)}) with ordinality e (cell, n)
       cross join lateral jsonb_to_record(e.cell) c (started boolean, timed_out boolean, system_fault boolean, signal text, exit_code bigint) order by e.n`;
    expect(rows.map(({ word }) => word)).toEqual(cells.map(verificationOf));
  });
});

describe('what a ledger holds, judged', () => {
  it('follows an invocation from its start to its integration', async () => {
    const start = await ledger.start({ verify: 'npm test' });
    const subject = start['invocation_id'];
    expect(await judged(subject)).toMatchObject({
      outcome_id: null,
      status: null,
      lifecycle: 'running',
      verification: 'pending',
      required: true,
      judgment: 'in_progress',
      gate: 'refuse',
    });
    await ledger.ask('record_lifecycle', jsonb({ invocation_id: subject, lifecycle: 'waiting', reason: 'for a slot' }));
    expect(await judged(subject)).toMatchObject({ lifecycle: 'waiting', judgment: 'in_progress' });
    const id = (await ledger.record(start)).record['outcome_id'];
    expect(await judged(id)).toMatchObject({
      status: 'success',
      lifecycle: 'done',
      verification: 'pending',
      judgment: 'unverified',
      reason: 'no_result',
      tag: 'VNORESULT',
      gate: 'warn',
    });
    expect(await codeOf(integrate(id))).toBe('gate_refused');
    await verify(id, 'failed');
    expect(await judged(id)).toMatchObject({
      verification: 'failed',
      judgment: 'broken',
      tag: 'VFAIL',
      gate: 'refuse_override',
    });
    await verify(id, 'passed');
    expect(await judged(subject)).toMatchObject({ outcome_id: id, judgment: 'verified', tag: null, gate: 'proceed' });
    expect(await integrate(id)).toMatchObject({ result: 'recorded', record: { gate_flag: null } });
    const read = await judged(id);
    expect(read).toMatchObject({ lifecycle: 'merged', judgment: 'verified', integration: { reference: 'abc123' } });
    expect(read?.['verifications'].map((one: Document) => one['verification'])).toEqual(['failed', 'passed']);
    expect(await ledger.read('get_outcome', id)).toMatchObject({
      status: 'success',
      judgment: 'verified',
      verification: 'passed',
    });
  });

  it.each([
    ['partial', 'done', 'delivered'],
    ['failure', 'failed', 'failed'],
    ['timeout', 'failed', 'failed'],
    ['skipped', 'skipped', 'skipped'],
    ['escalated', 'awaiting_input', 'in_progress'],
  ] as const)('%s reads as %s and is judged %s', async (status, lifecycle, judgment) => {
    const { id } = await outcome(status);
    expect(await judged(id)).toMatchObject({ lifecycle, judgment, required: false, verification: 'skipped' });
  });

  it('calls what was canceled stopped, and an escalation that was answered too', async () => {
    const start = await ledger.start();
    const { record } = await ledger.ask('cancel_invocation', uuid(start['invocation_id']), text('no'));
    expect(await judged(record['outcome_id'])).toMatchObject({
      status: 'failure',
      lifecycle: 'stopped',
      judgment: 'stopped',
    });
    const asked = await outcome('escalated');
    const hitl_request_id = (await ledger.read('get_outcome', asked.id))?.['escalation']?.hitl_request_id;
    await operator.ask('resolve_hitl_request', jsonb({ hitl_request_id, resolution: 'approved', reason: 'fine' }));
    expect(await judged(asked.id)).toMatchObject({ lifecycle: 'stopped', judgment: 'stopped', gate: 'refuse' });
  });

  it.each(
    [true, false].flatMap((open_request) =>
      [true, false].flatMap((heartbeat_lapsed) =>
        ([null, 'waiting', 'pending', 'running'] as const).map((event) => ({ open_request, heartbeat_lapsed, event })),
      ),
    ),
  )('says of what is open what TypeScript says: %j', async ({ open_request, heartbeat_lapsed, event }) => {
    const id = (await ledger.start())['invocation_id'];
    if (event) await ledger.ask('record_lifecycle', jsonb({ invocation_id: id, lifecycle: event }));
    if (open_request) await ledger.ask('open_hitl_request', jsonb({ invocation_id: id, reason: 'may it?' }));
    if (heartbeat_lapsed) {
      await database.admin`update ledger_internal.open_work set heartbeat_at = now() - interval '1 hour' where subject_id = ${id}`;
    }
    const lifecycle = lifecycleOfOpen({ open_request, heartbeat_lapsed, event });
    expect(await judged(id)).toMatchObject({
      lifecycle,
      judgment: deriveJudgment(lifecycle, 'skipped', false).outcome,
    });
  });

  it('judges executions too, beside an invocation that asks for a human', async () => {
    const run = await ledger.startExecution({ verify: 'auto' });
    const step = await ledger.start({ execution_id: run['execution_id'] });
    await ledger.ask('open_hitl_request', jsonb({ invocation_id: step['invocation_id'], reason: 'may it?' }));
    expect(await judged(step['invocation_id'])).toMatchObject({ lifecycle: 'awaiting_input', judgment: 'in_progress' });
    const id = (await ledger.record(run)).record['outcome_id'];
    expect(await judged(run['execution_id'])).toMatchObject({
      subject_type: 'execution',
      outcome_id: id,
      judgment: 'unverified',
    });
    await verify(id, 'skipped', { resolved_verify: 'skip' });
    expect(await judged(id)).toMatchObject({ required: false, verification: 'skipped', judgment: 'delivered' });
  });

  it('lets a hollow delivery turn a success into a failure, and nothing else', async () => {
    const plain = await outcome();
    await assess(plain.id, 'hollow');
    expect(await judged(plain.id)).toMatchObject({
      status: 'success',
      lifecycle: 'done',
      assessment: 'hollow',
      judgment: 'failed',
      gate: 'refuse',
    });
    await assess(plain.id, 'delivered');
    expect(await judged(plain.id)).toMatchObject({ judgment: 'delivered' });
    const broken = await outcome();
    await verify(broken.id, 'failed');
    await assess(broken.id, 'missing_deliverable');
    expect(await judged(broken.id)).toMatchObject({ judgment: 'broken' });
  });
});

describe('evidence', () => {
  it('is the word its process decides', async () => {
    const { id } = await outcome();
    for (const [said, process] of [
      ['passed', processOf({ exit_code: 1 })],
      ['failed', processOf()],
      ['failed', processOf({ exit_code: 127 })],
      ['passed', processOf({ signal: 'SIGKILL', exit_code: null })],
      ['passed', processOf({ system_fault: true })],
      ['infrastructure_failure', processOf({ exit_code: 2 })],
      ['timed_out', processOf({ exit_code: 2 })],
    ] as const) {
      expect(await codeOf(verify(id, said, { process })), said).toBe('evidence_invalid');
    }
    for (const over of [{ process: null }, { command: null }]) {
      expect(await codeOf(verify(id, 'passed', over))).toBe('request_invalid');
    }
    for (const word of ['pending', 'PASSED', 'odd', '']) expect(await codeOf(verify(id, word))).toBe('request_invalid');
    expect((await judged(id))?.['verifications']).toEqual([]);
  });

  it('may not resolve away what was asked for by name', async () => {
    const named = await outcome('success', { verify: 'npm test' });
    for (const resolved_verify of ['skip', '', ' none ']) {
      expect(await codeOf(verify(named.id, 'skipped', { resolved_verify }))).toBe('evidence_invalid');
    }
    await verify(named.id, 'skipped');
    expect(await judged(named.id)).toMatchObject({ required: true, judgment: 'unverified', reason: 'no_result' });
    const open = await outcome('success', { verify: ' auto ' });
    await verify(open.id, 'skipped', { resolved_verify: 'npm test' });
    expect(await judged(open.id)).toMatchObject({ required: true, judgment: 'unverified' });
    await verify(open.id, 'skipped', { resolved_verify: 'skip' });
    await verify(open.id, 'skipped');
    expect(await judged(open.id)).toMatchObject({ required: false, judgment: 'delivered' });
  });

  it('is about what ran, of this tenant, and by somebody else', async () => {
    const skipped = await outcome('skipped');
    expect(await codeOf(verify(skipped.id, 'passed'))).toBe('evidence_invalid');
    expect(await codeOf(assess(skipped.id, 'hollow'))).toBe('evidence_invalid');
    expect(await codeOf(integrate(skipped.id))).toBe('evidence_invalid');
    expect(await codeOf(verify(randomUUID(), 'passed'))).toBe('unknown_outcome');
    const elsewhere = await database.tenant();
    const stranger = sqlLedger(database, { tenantId: elsewhere, role: 'worker', actorId: 'verifier-1' });
    const { id, start } = await outcome();
    expect(await codeOf(verify(id, 'passed', {}, stranger))).toBe('unknown_outcome');
    expect(await stranger.ask('get_judgment', uuid(id))).toBeNull();
    const itself = sqlLedger(database, { tenantId, role: 'worker', actorId: start['source'].id });
    expect(await codeOf(verify(id, 'passed', {}, itself))).toBe('not_permitted');
    const agent = sqlLedger(database, { tenantId, role: 'agent', actorId: start['source'].id });
    for (const by of [agent, operator]) expect(await codeOf(verify(id, 'passed', {}, by))).toBe('not_permitted');
    expect(await codeOf(integrate(id, {}, ledger))).toBe('not_permitted');
    expect(
      await codeOf(
        agent.ask('record_lifecycle', jsonb({ invocation_id: start['invocation_id'], lifecycle: 'waiting' })),
      ),
    ).toBe('not_permitted');
  });

  it('comes once under its id, and an integration once an outcome', async () => {
    const { id } = await outcome();
    const verification_id = randomUUID();
    expect(await verify(id, 'passed', { verification_id })).toMatchObject({ result: 'recorded' });
    expect(await verify(id, 'passed', { verification_id, duration_ms: null })).toMatchObject({ result: 'replayed' });
    expect(await verify(id, 'failed', { verification_id })).toMatchObject({
      result: 'conflict',
      code: 'evidence_conflict',
    });
    expect(await integrate(id)).toMatchObject({ result: 'recorded' });
    expect(await integrate(id)).toMatchObject({ result: 'replayed' });
    expect(await integrate(id, { reference: 'def456' })).toMatchObject({
      result: 'conflict',
      code: 'evidence_conflict',
    });
  });

  it('that says no stands until another verification answers', async () => {
    for (const asked of ['none', 'auto', 'npm test']) {
      const { id } = await outcome('success', { verify: asked });
      await verify(id, 'failed', asked === 'auto' ? { resolved_verify: 'npm test' } : {});
      for (const word of ['skipped', 'unobserved', 'timed_out', 'infrastructure_failure']) {
        await verify(id, word, asked === 'auto' ? { resolved_verify: 'skip' } : {});
        expect(await judged(id), `${asked} ${word}`).toMatchObject({ verification: 'failed', judgment: 'broken' });
        expect(await codeOf(gate([id], { allow_unverified: 'please' }))).toBe('gate_refused');
      }
      await verify(id, 'passed');
      expect(await judged(id)).toMatchObject({ verification: 'passed', judgment: 'verified' });
      await verify(id, 'timed_out');
      expect(await judged(id)).toMatchObject({ verification: 'timed_out', judgment: 'unverified' });
    }
    const words = [null, ...RECORDED_VERIFICATIONS] as const;
    for (const before of words) {
      for (const next of RECORDED_VERIFICATIONS) {
        const [row] = await database.sql`select ledger_internal.standing_verification(${before}, ${next}) as word`;
        expect(row?.['word'], `${before} ${next}`).toBe(standingVerification(before, next));
      }
    }
  });

  it('is read as its latest hundred, and how much there is', async () => {
    const { id } = await outcome();
    const row = { outcome_id: id, verification: 'passed', command: 'npm test', ...ENDED };
    await database.as({ tenantId, role: 'worker', actorId: 'verifier-1' }, async (tx) => {
      for (let n = 0; n < 103; n += 1) await tx`insert into public.outcome_verifications ${tx(row)}`;
    });
    const read = await judged(id);
    expect([read?.['verifications'].length, read?.['verifications_total']]).toEqual([100, 103]);
  });

  it('of one statement that contradicts itself counts by its last row', async () => {
    const { id } = await outcome();
    const rows = ['failed', 'passed', 'failed'].map((verification) => ({
      outcome_id: id,
      verification,
      command: 'npm test',
      ...(evidenceOf(verification)['process'] as Document),
    }));
    await database.as(
      { tenantId, role: 'worker', actorId: 'verifier-1' },
      (tx) => tx`insert into public.outcome_verifications ${tx(rows)}`,
    );
    expect(await judged(id)).toMatchObject({ verification: 'failed', judgment: 'broken' });
  });

  it('says what it is in an event, and of an open run only while it is open', async () => {
    const { id, start } = await outcome();
    await verify(id, 'failed');
    const events = await database.sql`select type, data from public.os_events where outcome_id = ${id} order by seq`;
    expect(events.map(({ type }) => type)).toEqual(['os.outcome.succeeded', 'os.evidence.verification']);
    expect(events[1]?.['data']).toMatchObject({ outcome_id: id, verification: 'failed' });
    const late = { invocation_id: start['invocation_id'], lifecycle: 'running' };
    expect(await codeOf(ledger.ask('record_lifecycle', jsonb(late)))).toBe('invocation_closed');
    for (const lifecycle of ['done', 'merged', 'stalled', 'awaiting_input', 'odd']) {
      expect(await codeOf(ledger.ask('record_lifecycle', jsonb({ ...late, lifecycle })))).toBe('request_invalid');
    }
  });
});

describe('the gate', () => {
  it('lets what succeeded pass, and what has a reason and the right for it', async () => {
    const good = await outcome();
    expect(await gate([good.id])).toMatchObject({ items: [{ id: good.id, judgment: 'delivered', gate_flag: null }] });
    const open = await outcome('success', { verify: 'auto' });
    expect(await codeOf(gate([good.id, open.id]))).toBe('gate_refused');
    const flagged = await gate([good.id, open.id], { allow_unverified: 'the checks are down' }, ledger);
    expect(flagged['items'].map((one: Document) => one['gate_flag'])).toEqual([null, 'allow_unverified']);
    await verify(open.id, 'failed');
    expect(await codeOf(gate([open.id], { allow_unverified: 'please' }))).toBe('gate_refused');
    expect(await codeOf(gate([open.id], { override_broken: 'please' }, ledger))).toBe('not_permitted');
    expect(await gate([open.start['invocation_id']], { override_broken: 'a known flake' })).toMatchObject({
      items: [{ judgment: 'broken', gate_flag: 'override_broken', gate_reason: 'a known flake' }],
    });
    const passed =
      await database.sql`select data, recorded_by from public.os_events where type = 'os.gate.passed' and outcome_id = ${open.id} order by seq`;
    expect(passed.map(({ data, recorded_by }) => [data.gate_flag, data.gate_reason, recorded_by])).toEqual([
      ['allow_unverified', 'the checks are down', ORCHESTRATOR.actorId],
      ['override_broken', 'a known flake', 'hanna'],
    ]);
  });

  it('refuses everything else whatever the flags, and whoever passes with a flag for its own work', async () => {
    const flags = { allow_unverified: 'please', override_broken: 'please' };
    const failed = await outcome('failure');
    const running = await ledger.start();
    for (const id of [failed.id, running['invocation_id']])
      expect(await codeOf(gate([id], flags))).toBe('gate_refused');
    expect(await codeOf(gate([randomUUID()]))).toBe('unknown_subject');
    expect(await codeOf(gate([failed.id], { allow_unverified: ' \t' }))).toBe('request_invalid');
    for (const ids of [[], [failed.id, failed.id], ['x']])
      expect(await codeOf(gate(ids as string[]))).toBe('request_invalid');
    const own = await outcome('success', { verify: 'auto' });
    const itself = sqlLedger(database, { tenantId, role: 'operator', actorId: own.start['source'].id });
    expect(await codeOf(gate([own.id], flags, itself))).toBe('not_permitted');
    const agent = sqlLedger(database, { tenantId, role: 'agent', actorId: 'somebody' });
    expect(await codeOf(gate([own.id], flags, agent))).toBe('not_permitted');
    const events =
      await database.sql`select from public.os_events where type = 'os.gate.passed' and outcome_id = ${own.id}`;
    expect(events).toHaveLength(0);
  });

  it('is recorded as passed by nobody who has not passed it', async () => {
    const announce = (id: string, flags: Document, caller: SqlLedger) =>
      database.as(caller.caller, (tx) => tx`select ledger_internal.announce_gate(${id}, ${tx.json(flags)})`);
    const flags = { allow_unverified: 'please', override_broken: 'please' };
    const failed = await outcome('failure');
    expect(await codeOf(announce(failed.id, flags, operator))).toBe('gate_refused');
    const own = await outcome('success', { verify: 'auto' });
    const itself = sqlLedger(database, { tenantId, role: 'operator', actorId: own.start['source'].id });
    expect(await codeOf(announce(own.id, flags, itself))).toBe('not_permitted');
    expect(await codeOf(announce(own.id, { allow_unverified: '' }, operator))).toBe('request_invalid');
    const good = await outcome();
    await announce(good.id, flags, operator);
    const said =
      await database.sql`select from public.os_events where type = 'os.gate.passed' and outcome_id in ${database.sql([failed.id, own.id, good.id])}`;
    expect(said).toHaveLength(0);
  });

  it('keeps with an integration the flag that it took, asked of the row itself as well', async () => {
    const { id } = await outcome('success', { verify: 'make check' });
    const bare = (row: Document) =>
      database.as(
        { tenantId, role: 'operator', actorId: 'hanna' },
        (tx) => tx`insert into public.outcome_integrations ${tx({ outcome_id: id, reference: 'r', ...row })}`,
      );
    expect(await codeOf(bare({}))).toBe('gate_refused');
    expect(await codeOf(bare({ gate_flag: 'override_broken', gate_reason: 'please' }))).toBe('gate_refused');
    expect(await codeOf(bare({ gate_flag: 'odd', gate_reason: 'please' }))).toBe('request_invalid');
    expect(await codeOf(bare({ gate_flag: 'allow_unverified' }))).toBe('gate_refused');
    const kept = await integrate(id, { allow_unverified: 'read by hand', override_broken: 'if it were' });
    expect(kept.record).toMatchObject({ gate_flag: 'allow_unverified', gate_reason: 'read by hand' });
    expect(await judged(id)).toMatchObject({ lifecycle: 'merged', judgment: 'unverified', gate: 'warn' });
  });
});

describe('a list by judgment', () => {
  it('looks at so many on a page, and goes on behind them', async () => {
    const elsewhere = await database.tenant();
    const there = sqlLedger(database, { tenantId: elsewhere, ...ORCHESTRATOR });
    const first = await there.start();
    const id = (await there.record(first)).record['outcome_id'];
    const verifier = sqlLedger(database, { tenantId: elsewhere, role: 'worker', actorId: 'verifier-1' });
    await verify(id, 'failed', {}, verifier);
    for (let batch = 0; batch < 6; batch += 1) {
      await there.ask('start_invocations', jsonb(Array.from({ length: 100 }, () => invocationStart())));
    }
    const page = (cursor: string | null) =>
      there.ask<Document>('list_judgments', jsonb({ judgment: 'broken', cursor }));
    for (const odd of [{ judgment: 'nope' }, { lifecycle: ['done'] }, 5, [1]]) {
      expect(await codeOf(there.ask('list_judgments', jsonb(odd)))).toBe('request_invalid');
    }
    const one = await page(null);
    expect([one['items'], typeof one['next_cursor']]).toEqual([[], 'string']);
    const two = await page(one['next_cursor']);
    expect([two['items'].length, two['items'][0].outcome_id, two['next_cursor']]).toEqual([1, id, null]);
  });
});

describe('statistics', () => {
  it('count what the table counts, with claims beside judgments', async () => {
    const id = `counted-${randomUUID()}`;
    const source = { id, version: '1.0.0', domain: 'art' };
    const make = (status: Status = 'success', verify = 'auto') => outcome(status, { source, verify });
    await verify((await make()).id, 'passed');
    await make('success', 'none');
    await verify((await make()).id, 'failed');
    await verify((await make()).id, 'infrastructure_failure');
    await make();
    await verify((await make('failure')).id, 'passed');
    await assess((await make('success', 'none')).id, 'hollow');
    await make('skipped');
    await make('escalated');
    await ledger.start({ source });
    const statistics = (over: Document = {}) =>
      ledger.ask<Document>('judgment_statistics', jsonb({ source_id: id, ...over }));
    expect(await statistics()).toEqual({
      items: [
        {
          source: { type: 'agent', ...source },
          outcomes: 9,
          judgments: {
            verified: 1,
            delivered: 1,
            unverified: 2,
            broken: 1,
            failed: 2,
            stopped: 0,
            skipped: 1,
            in_progress: 1,
          },
          success_base: 8,
          successes: 2,
          success_rate: 0.25,
          // Wilson (1927) for 2 of 8 and 2 of 5.
          success_interval: { low: 0.0715, high: 0.5907 },
          agent_score_base: 5,
          agent_score: 0.4,
          agent_score_interval: { low: 0.1176, high: 0.7693 },
          claims: { success: 6, contradicted: 1, hollow: 1, unverified: 2 },
          shares: { partial: 0, blocked: 0, skipped: 0.1111, escalated: 0.1111 },
        },
      ],
    });
    expect(await statistics({ to: '2020-01-01T00:00:00Z' })).toEqual({ items: [] });
    expect(await codeOf(statistics({ odd: 1 }))).toBe('request_invalid');
  });

  it('have no rate over nothing', async () => {
    const id = `empty-${randomUUID()}`;
    await outcome('skipped', { source: { id, version: '1.0.0', domain: 'art' } });
    const { items } = await ledger.ask<Document>('judgment_statistics', jsonb({ source_id: id }));
    expect(items).toMatchObject([
      { success_rate: 0, agent_score_base: 0, agent_score: null, agent_score_interval: null },
    ]);
  });
});
