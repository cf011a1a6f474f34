// Executions by their phases, in SQL: the roll-up against the contract's, the first failed phase, and the next one's input.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PhaseAttempt, rollUpExecution } from '../src/contract/phase/index.ts';
import { SIDE_EFFECTS } from '../src/contract/phase-report/index.ts';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import { openTransaction, waitsOrEnds } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { purgeTable } from './support/filled-ledger.ts';
import { artifact, claim, conclusion } from './support/phase-rows.ts';
import { codeOf, refusalOf } from './support/refused.ts';
import { callIn, idOf, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
const SEED = Number(process.env['OUTCOME_LEDGER_SEED'] ?? 20261201);
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const conclude = (start: Document, over: Document = {}) =>
  ledger.ask('conclude_invocation', uuid(idOf(start)), jsonb(conclusion(over)));
const sequential = () => ledger.startExecution({ execution_pattern: 'sequential' });
const parallel = (over: Document = {}) => ledger.startExecution(over);
const SEQUENTIAL = { execution_context: { execution_pattern: 'sequential', partial_failure_count: 0 } };
const phase = (execution: Document, step_id: string | null, attempt = 1) =>
  ledger.start({ execution_id: execution['execution_id'], ...(step_id === null ? {} : { step_id, attempt }) });
const read = (execution: Document) => ledger.read('get_execution', execution['execution_id']) as Promise<Document>;

/** How an attempt of a generated history ends: concluded, recorded by itself, recorded and concluded late, or not at all. */
const CONCLUSIONS: Record<string, Document> = {
  completed: {},
  refused: {
    phase_status: 'failed',
    failure_classification: 'correct_refusal',
    claims: [claim('failure', { failure_reason: 'task' })],
    reported_failure_reason: 'task',
    error: 'no',
  },
  unclassified: {
    phase_status: 'failed',
    failure_classification: 'unclassified',
    claims: [claim('failure', { failure_reason: 'unknown' })],
    reported_failure_reason: 'unknown',
    error: 'no',
  },
  crashed: { phase_status: 'failed', failure_classification: 'platform', observation: { exit_code: 1 }, error: 'no' },
  cancelled: { phase_status: 'cancelled', observation: { cancelled: true } },
  interrupted: { phase_status: 'interrupted', observation: { interrupted: true } },
};
const RECORDED = ['success', 'partial', 'failure', 'timeout', 'skipped', 'escalated'] as const;

interface Try {
  step: string | null;
  ends: string;
  side_effects: (typeof SIDE_EFFECTS)[number] | null;
  artifacts: 0 | 1;
}
const tries = fc.array(
  fc.record<Try>({
    step: fc.constantFrom('plan', 'draft', 'check', null),
    ends: fc.constantFrom(...Object.keys(CONCLUSIONS), ...RECORDED, 'late', 'running'),
    side_effects: fc.constantFrom(...SIDE_EFFECTS, null),
    artifacts: fc.constantFrom(0, 1),
  }),
  { maxLength: 8 },
);
const ends = fc.constantFrom('running', ...RECORDED);

/** Plays a history and gives it as the contract reads it. */
async function play(execution: Document, history: readonly Try[]): Promise<PhaseAttempt[]> {
  const made = new Map<string, number>();
  const attempts: PhaseAttempt[] = [];
  for (const [position, { step, ends: end, side_effects, artifacts }] of history.entries()) {
    const attempt = step === null ? 1 : (made.get(step) ?? 0) + 1;
    if (step !== null) made.set(step, attempt);
    const start = await phase(execution, step, attempt);
    const over = CONCLUSIONS[end] ?? {};
    const completed = (over['phase_status'] ?? 'completed') === 'completed';
    const report = completed
      ? {
          claims: [claim('success', { side_effects })],
          reported_side_effects: side_effects,
          deliverable_recovered: artifacts === 1,
        }
      : over;
    const left = completed ? 1 : artifacts;
    const sent = { report, artifacts: left === 1 ? [artifact({ recovered: completed && artifacts === 1 })] : [] };
    const recorded = (RECORDED as readonly string[]).includes(end) ? end : end === 'late' ? 'failure' : null;
    if (recorded !== null) await ledger.end(start, recorded as (typeof RECORDED)[number]);
    if (end in CONCLUSIONS || end === 'late') await conclude(start, sent);
    attempts.push({
      step_id: step,
      attempt,
      outcome: end === 'running' ? null : { ...endingOf(end, recorded), position },
      report:
        end in CONCLUSIONS || end === 'late'
          ? {
              phase_status: over['phase_status'] ?? 'completed',
              failure_classification: over['failure_classification'] ?? null,
              reported_failure_reason: over['reported_failure_reason'] ?? null,
              reported_side_effects: completed ? side_effects : null,
              deliverable_recovered: completed && artifacts === 1,
              artifacts: left,
              late: end === 'late',
            }
          : null,
    });
  }
  return attempts;
}

function endingOf(end: string, recorded: string | null) {
  if (recorded !== null) return { status: recorded as 'success', completion_reason: null };
  if (end === 'completed') return { status: 'success' as const, completion_reason: null };
  const reason = { cancelled: 'canceled', interrupted: 'interrupted' }[end] ?? null;
  return { status: 'failure' as const, completion_reason: reason };
}

describe('the roll-up', () => {
  it('is in SQL what the contract makes of the same history', async () => {
    console.log(`seed ${SEED}`);
    await fc.assert(
      fc.asyncProperty(tries, ends, async (history, end) => {
        const execution = await parallel();
        const attempts = await play(execution, history);
        if (end !== 'running') await ledger.end(execution, end);
        const outcome = end === 'running' ? null : { status: end, completion_reason: null };
        const { phases, ...expected } = rollUpExecution(outcome, attempts);
        const row = await read(execution);
        expect(row).toMatchObject(expected);
        const inSql = row['phases'].map((one: Document) => ({
          step_id: one['step_id'],
          status: one['status'],
          deliverable_recovered: one['deliverable_recovered'],
          attempts: one['attempts'].length,
        }));
        expect(inSql).toEqual(phases);
        const [view] = await database.sql`
          select status, failure_classification, reported_failure_reason, deliverable_produced, reported_side_effects
            from public.execution_results where execution_id = ${execution['execution_id']}`;
        expect(view).toEqual(expected);
      }),
      { numRuns: 120, seed: SEED },
    );
  });

  it('keeps apart a step that has the name of an invocation, and what an earlier attempt left', async () => {
    const execution = await parallel();
    const alone = await phase(execution, null);
    await conclude(alone, { report: CONCLUSIONS['crashed'] });
    await conclude(await phase(execution, idOf(alone)));
    await conclude(await phase(execution, 'draft'), { report: CONCLUSIONS['refused'] });
    await conclude(await phase(execution, 'draft', 2), { report: CONCLUSIONS['crashed'], artifacts: [] });
    await ledger.end(execution, 'failure');
    expect(await read(execution)).toMatchObject({
      deliverable_produced: true,
      phases: [
        { step_id: null, status: 'failed' },
        { step_id: idOf(alone), status: 'completed' },
        { step_id: 'draft', status: 'failed' },
      ],
    });
  });

  it('of what was purged is not running again', async () => {
    const own = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const execution = await own.startExecution();
    await own.end(await own.start({ execution_id: execution['execution_id'], step_id: 'draft' }));
    await purgeTable(database, own.tenantId as string, 'agent_invocation_outcomes');
    expect(await own.read('get_execution', execution['execution_id'])).toMatchObject({
      status: 'running',
      phases: [{ status: null }],
    });
  });

  it('of a cancelled execution has no class, whatever its phases were', async () => {
    const execution = await parallel();
    await conclude(await phase(execution, 'draft'), { report: CONCLUSIONS['crashed'] });
    await ledger.ask('cancel_execution', uuid(execution['execution_id']), text('not wanted'));
    expect(await read(execution)).toMatchObject({
      status: 'cancelled',
      failure_classification: null,
      deliverable_produced: true,
    });
  });
});

describe('a sequential execution', () => {
  it('ends at its first failed phase: no other phase, no completion; a failure may be recorded', async () => {
    const execution = await sequential();
    await conclude(await phase(execution, 'plan'));
    await conclude(await phase(execution, 'draft'), { report: CONCLUSIONS['refused'] });
    const refusal = await refusalOf(phase(execution, 'check'));
    expect(refusal).toMatchObject({ code: 'phase_failed', paths: ['/execution_id'] });
    expect(refusal.detail).toContain('draft');
    expect(await codeOf(phase(execution, null))).toBe('phase_failed');
    for (const status of ['success', 'partial'] as const) {
      expect(await refusalOf(ledger.record(execution, envelopeFor(execution, status, SEQUENTIAL)))).toMatchObject({
        code: 'phase_failed',
        paths: ['/status'],
      });
    }
    await ledger.end(execution, 'failure', SEQUENTIAL);
    expect(await read(execution)).toMatchObject({
      status: 'failed',
      failure_classification: 'correct_refusal',
      reported_failure_reason: 'task',
    });
  });

  it('goes on when the failed phase is tried again and completes', async () => {
    const execution = await sequential();
    await ledger.end(await phase(execution, 'draft'), 'timeout');
    expect(await codeOf(phase(execution, 'draft', 1))).toMatch(/phase_failed|attempt_conflict/);
    const again = await phase(execution, 'draft', 2);
    await conclude(again);
    await conclude(await phase(execution, 'check'));
    await ledger.end(execution, 'success', SEQUENTIAL);
    expect(await read(execution)).toMatchObject({
      status: 'completed',
      phases: [{ attempts: [{}, {}] }, { step_id: 'check' }],
    });
  });

  it('is not made good by a retry that runs, or ends otherwise than completed', async () => {
    const execution = await sequential();
    await ledger.end(await phase(execution, 'draft'), 'failure');
    const again = await phase(execution, 'draft', 2);
    const success = () => ledger.record(execution, envelopeFor(execution, 'success', SEQUENTIAL));
    expect(await codeOf(success())).toBe('phase_failed');
    await conclude(again, { report: CONCLUSIONS['cancelled'], artifacts: [] });
    expect(await codeOf(success())).toBe('phase_failed');
    expect(await codeOf(phase(execution, 'check'))).toBe('phase_failed');
    const child = ledger.startExecution({ parent_execution_id: execution['execution_id'] });
    expect(await refusalOf(child)).toMatchObject({ code: 'phase_failed', paths: ['/parent_execution_id'] });
    await conclude(await phase(execution, 'draft', 3));
    await ledger.startExecution({ parent_execution_id: execution['execution_id'] });
    expect(await success()).toMatchObject({ result: 'recorded' });
  });

  it('takes batches as it takes single starts', async () => {
    const execution = await sequential();
    await ledger.end(await phase(execution, 'draft'), 'failure');
    const item = { execution_id: execution['execution_id'], step_id: 'check' };
    const { source, ...rest } = await ledger.start();
    const started = { ...rest, source, ...item, invocation_id: undefined };
    const answers = await ledger.ask<Document[]>('start_invocations', jsonb([started]));
    expect(answers).toMatchObject([{ result: 'refused', refusal: { code: 'phase_failed' } }]);
  });

  it('is not ended by what is no failure, nor is another pattern by one', async () => {
    const execution = await sequential();
    await conclude(await phase(execution, 'a'), { report: CONCLUSIONS['cancelled'], artifacts: [] });
    await ledger.end(await phase(execution, 'b'), 'skipped');
    await conclude(await phase(execution, 'c'));
    await ledger.end(execution, 'success', SEQUENTIAL);
    const free = await parallel();
    await ledger.end(await phase(free, 'a'), 'failure');
    await phase(free, 'b');
    await ledger.end(free);
  });

  it('never starts a phase beside a failure that commits at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const execution = await sequential();
      const failing = await phase(execution, 'draft');
      const one = await openTransaction(database, ledger.caller);
      const two = await openTransaction(database, ledger.caller);
      await recordIn(one.sql, failing, envelopeFor(failing, 'failure'));
      const next = invocationStart({ execution_id: execution['execution_id'], step_id: 'check' });
      const call = callIn(two.sql, 'start_invocation', jsonb(next)).then(
        () => 'started',
        (error) => error.message,
      );
      expect(await waitsOrEnds(database, two.pid, call)).toBe('waits');
      await one.commit();
      expect(await call).toBe('phase_failed');
      await two.rollback();
    }
  });
});

describe('the next phase finds', () => {
  const inputs = (start: Document) => ledger.ask<Document>('list_inputs', uuid(idOf(start)));
  const paths = async (start: Document) => (await inputs(start))['items'].map((item: Document) => item['path']);
  const file = (name: string, over: Document = {}) => artifact({ path: `artifacts/output/${name}`, ...over });

  it('what completed phases before it left, under their steps and as one file', async () => {
    const execution = await parallel();
    const plan = await phase(execution, 'plan');
    await conclude(plan, { artifacts: [file('plan.md'), file('notes/a.md', { primary: false })] });
    await conclude(await phase(execution, 'failed'), { report: CONCLUSIONS['crashed'] });
    await phase(execution, 'running');
    const draft = await phase(execution, 'draft');
    expect(await paths(draft)).toEqual([
      'artifacts/input/plan/plan.md',
      'artifacts/input/plan/notes/a.md',
      'artifacts/input/plan.md',
    ]);
    expect(await paths(plan)).toEqual([]);
    // What ended after it started is not its input.
    await conclude(await phase(execution, 'late'));
    expect((await paths(draft)).length).toBe(3);
  });

  it('what the execution it was resumed from left, unless the step was done again', async () => {
    const before = await parallel();
    await conclude(await phase(before, 'plan'), { artifacts: [file('old.md')] });
    await conclude(await phase(before, 'draft'), { artifacts: [file('draft.md')] });
    const execution = await parallel({ resumed_from_execution_id: before['execution_id'] });
    await conclude(await phase(execution, 'draft'), { artifacts: [file('new.md')] });
    const check = await phase(execution, 'check');
    expect(await paths(check)).toEqual([
      'artifacts/input/plan/old.md',
      'artifacts/input/plan.md',
      'artifacts/input/draft/new.md',
      'artifacts/input/draft.md',
    ]);
    // Inherited phases are the parent's.
    expect(await read(execution)).toMatchObject({ phases: [{ step_id: 'draft' }, { step_id: 'check' }] });
  });

  it('nothing under a step that cannot name a folder, and is told', async () => {
    const execution = await parallel();
    for (const step of ['..', 'a/b', 'C:x', 'a\\b']) await conclude(await phase(execution, step));
    const listed = await inputs(await phase(execution, 'next'));
    expect(listed['items']).toEqual([]);
    expect(listed['omitted']).toHaveLength(8);
  });

  it('no file where a folder must be, and no path too long to be written', async () => {
    const execution = await parallel();
    await conclude(await phase(execution, 'plan'), {
      artifacts: [file('a.md'), file('x'.repeat(983), { primary: false })],
    });
    await conclude(await phase(execution, 'plan.md'), { artifacts: [file('b.md')] });
    const next = await phase(execution, 'next');
    expect(await paths(next)).toEqual([
      'artifacts/input/plan/a.md',
      'artifacts/input/plan.md/b.md',
      'artifacts/input/plan.md.md',
    ]);
    expect((await inputs(next))['omitted'].map((one: Document) => one['reason'])).toEqual([
      'the path is longer than 1,000 characters',
      'another step has the name of this file',
    ]);
  });

  it('nothing of a report that came late, and every good file beside one that has no place', async () => {
    const execution = await parallel();
    const recorded = await phase(execution, 'recorded');
    await ledger.end(recorded);
    await conclude(recorded, { report: CONCLUSIONS['crashed'] });
    await conclude(await phase(execution, 'a/b'), { artifacts: [file('c')] });
    await conclude(await phase(execution, 'a'), { artifacts: [file('b/c')] });
    expect(await paths(await phase(execution, 'next'))).toEqual(['artifacts/input/a/b/c', 'artifacts/input/a.md']);
  });

  it('the same whenever it asks, and nothing of a step that a nearer execution failed at', async () => {
    const before = await parallel();
    await conclude(await phase(before, 'draft'), { artifacts: [file('draft.md')] });
    const open = await phase(before, 'plan');
    const execution = await parallel({ resumed_from_execution_id: before['execution_id'] });
    await conclude(await phase(execution, 'draft'), { report: CONCLUSIONS['crashed'] });
    const check = await phase(execution, 'check');
    await conclude(open);
    expect(await paths(check)).toEqual([]);
  });

  it('what the first of a long line of resumptions left', async () => {
    let execution = await parallel();
    await conclude(await phase(execution, 'plan'));
    for (let time = 0; time < 70; time += 1)
      execution = await parallel({ resumed_from_execution_id: execution['execution_id'] });
    expect(await paths(await phase(execution, 'next'))).toHaveLength(2);
  });

  it('nothing outside an execution, and nobody else’s invocation', async () => {
    expect(await inputs(await ledger.start())).toEqual({ items: [], omitted: [] });
    const foreign = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    expect(await codeOf(foreign.ask('list_inputs', uuid(idOf(await ledger.start()))))).toBe('unknown_invocation');
  });
});

it('failure rates are counted from the classification alone', async () => {
  const own = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
  const source = { id: 'writer', version: '2.0.0', domain: 'art' };
  for (const word of ['completed', 'completed', 'refused', 'crashed', 'unclassified', 'cancelled', 'interrupted']) {
    const start = await own.start({ source });
    const sent = conclusion({ report: CONCLUSIONS[word], artifacts: [artifact()] });
    await own.ask('conclude_invocation', uuid(idOf(start)), jsonb(sent));
  }
  const late = await own.start({ source });
  await own.end(late);
  await own.ask('conclude_invocation', uuid(idOf(late)), jsonb(conclusion({ report: CONCLUSIONS['crashed'] })));
  const counts = {
    source_id: 'writer',
    source_version: '2.0.0',
    domain: 'art',
    concluded: 7,
    completed: 2,
    failed: 3,
    cancelled: 1,
    interrupted: 1,
    platform: 1,
    correct_refusal: 1,
    unclassified: 1,
    failure_rate: 0.6,
    platform_rate: 0.2,
  };
  expect(await own.ask('failure_rates', jsonb({ source_id: 'writer' }))).toEqual({ items: [counts] });
  expect(await own.ask('failure_rates', jsonb({ domain: 'elsewhere' }))).toEqual({ items: [] });
  expect(await codeOf(own.ask('failure_rates', jsonb({ agent: 'writer' })))).toBe('request_invalid');
  const viewed = await database.as({ tenantId: own.tenantId as string, role: 'auditor', actorId: 'anna' }, (tx) =>
    callIn(tx, 'failure_rates', jsonb({})),
  );
  expect(viewed).toEqual({ items: [counts] });
});
