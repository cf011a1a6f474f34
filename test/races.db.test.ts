// Two writers at one moment. Each hole is opened by hand, two transactions held against each other, then the locks are back
// and the second waits; then the same at random (the full number of rounds is in races.chaos).
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb, uuid } from '../src/database/statement.ts';
import { openTransaction, waitsOrEnds, withoutLocks } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, executionStart, invocationStart, policyDecision } from './support/envelopes.ts';
import { describeRaces } from './support/races.ts';
import { callIn, GUARD, idOf, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

type Work = (tx: Parameters<typeof recordIn>[0]) => Promise<unknown>;

/** Does `first` and leaves its transaction open, does `second` beside it, commits `first`, then `second`. */
async function entangled(first: Work, second: Work, roles: [object, object] = [ORCHESTRATOR, ORCHESTRATOR]) {
  const [one, two] = await Promise.all(
    roles.map((role) => openTransaction(database, { tenantId, ...ORCHESTRATOR, ...role })),
  );
  if (!one || !two) throw new Error('no transactions');
  await first(one.sql);
  const call = second(two.sql);
  const wait = await waitsOrEnds(database, two.pid, call);
  await one.commit();
  const ended = await call.then(
    (answer) => ({ answer }),
    (error) => ({ error: error.code as string, message: error.message as string }),
  );
  await ('error' in ended ? two.rollback() : two.commit());
  return { wait, ...ended };
}

const linked = async (...ids: string[]) =>
  (
    await database.sql`select from public.agent_lineage_links where source_outcome_id = any(${ids}) and target_outcome_id = any(${ids})`
  ).count;
const outcomeOf = async (start: Document): Promise<string> =>
  (await ledger.read(start['invocation_id'] ? 'get_invocation' : 'get_execution', idOf(start)))?.['outcome_id'];

describe('the locks of a writer', () => {
  it('two outcomes of one subject: without them a database error, with them an answer', async () => {
    const contest = async (start: Document, status: 'success' | 'failure') =>
      entangled(
        (tx) => recordIn(tx, start, envelopeFor(start)),
        (tx) => recordIn(tx, start, envelopeFor(start, status)),
      );
    const open = await ledger.start();
    expect(await withoutLocks(database, () => contest(open, 'success'))).toMatchObject({ error: '23505' });
    expect(await contest(await ledger.start(), 'success')).toMatchObject({
      wait: 'waits',
      answer: { result: 'replayed' },
    });
    expect(await contest(await ledger.start(), 'failure')).toMatchObject({
      wait: 'waits',
      answer: { result: 'conflict' },
    });
  });

  it.each([
    [
      'an effect and its cause',
      async (): Promise<[Document, Document]> => {
        const cause = await ledger.start();
        return [cause, await ledger.start({ causation_id: idOf(cause) })];
      },
    ],
    [
      'an agent and its workflow',
      async (): Promise<[Document, Document]> => {
        const workflow = await ledger.startExecution();
        return [workflow, await ledger.start({ execution_id: idOf(workflow) })];
      },
    ],
    [
      'a child and its parent',
      async (): Promise<[Document, Document]> => {
        const parent = await ledger.startExecution();
        return [parent, await ledger.startExecution({ parent_execution_id: idOf(parent) })];
      },
    ],
  ])('%s that end together: without them no link, with them the link', async (_, make) => {
    for (const turned of [false, true]) {
      const end = async (pair: [Document, Document]) => {
        const [first, second] = turned ? [pair[1], pair[0]] : pair;
        const ended = await entangled(
          (tx) => recordIn(tx, first, envelopeFor(first)),
          (tx) => recordIn(tx, second, envelopeFor(second)),
        );
        return { wait: ended.wait, links: await linked(await outcomeOf(first), await outcomeOf(second)) };
      };
      const open = await make();
      expect(await withoutLocks(database, () => end(open))).toEqual({ wait: 'ends', links: 0 });
      expect(await end(await make())).toEqual({ wait: 'waits', links: 1 });
    }
  });

  it('a block and a success: without them both stand, with them one', async () => {
    const contest = async (start: Document) =>
      entangled(
        (tx) =>
          callIn(
            tx,
            'record_policy_decision',
            jsonb(policyDecision({ invocation_id: idOf(start) }, { decision: 'block' })),
          ),
        (tx) => recordIn(tx, start, envelopeFor(start)),
        [GUARD, {}],
      );
    const open = await ledger.start();
    expect(await withoutLocks(database, () => contest(open))).toMatchObject({
      wait: 'ends',
      answer: { result: 'recorded' },
    });
    expect(await contest(await ledger.start())).toMatchObject({
      wait: 'waits',
      error: 'PT422',
      message: 'policy_mismatch',
    });
  });

  it('a start within an execution that ends: without them it slips in, with them it is refused', async () => {
    const contest = async (execution: Document) =>
      entangled(
        (tx) => recordIn(tx, execution, envelopeFor(execution)),
        (tx) => callIn(tx, 'start_invocation', jsonb(invocationStart({ execution_id: idOf(execution) }))),
      );
    const open = await ledger.startExecution();
    expect(await withoutLocks(database, () => contest(open))).toMatchObject({
      wait: 'ends',
      answer: { result: 'recorded' },
    });
    expect(await contest(await ledger.startExecution())).toMatchObject({ wait: 'waits', message: 'execution_closed' });
    const parent = await ledger.startExecution();
    const child = await entangled(
      (tx) => recordIn(tx, parent, envelopeFor(parent)),
      (tx) => callIn(tx, 'start_execution', jsonb(executionStart({ parent_execution_id: idOf(parent) }))),
    );
    expect(child).toMatchObject({ wait: 'waits', message: 'execution_closed' });
  });

  it('what refers to one subject without ending it does not wait', async () => {
    const execution = await ledger.startExecution();
    const agents = [
      await ledger.start({ execution_id: idOf(execution) }),
      await ledger.start({ execution_id: idOf(execution) }),
    ];
    const both = await entangled(
      (tx) => recordIn(tx, agents[0] as Document, envelopeFor(agents[0] as Document)),
      (tx) => recordIn(tx, agents[1] as Document, envelopeFor(agents[1] as Document)),
    );
    expect(both.wait).toBe('ends');
    const beat = await entangled(
      (tx) =>
        callIn(
          tx,
          'record_tool_call',
          jsonb({
            invocation_id: idOf(open),
            tool_name: 'a',
            status: 'succeeded',
            timing: envelopeFor(open)['timing'],
          }),
        ),
      (tx) =>
        callIn(
          tx,
          'record_tool_call',
          jsonb({
            invocation_id: idOf(open),
            tool_name: 'b',
            status: 'succeeded',
            timing: envelopeFor(open)['timing'],
          }),
        ),
    );
    expect(beat.wait).toBe('ends');
  });

  let open: Document;
  beforeAll(async () => {
    open = await ledger.start();
  });

  it('another tenant’s subject of the same id is not waited for, nor asked about', async () => {
    const strangerTenant = await database.tenant();
    const start = await ledger.start();
    const one = await openTransaction(database, { tenantId, ...ORCHESTRATOR });
    await recordIn(one.sql, start, envelopeFor(start));
    const two = await openTransaction(database, { tenantId: strangerTenant, ...ORCHESTRATOR });
    const call = callIn(two.sql, 'record_agent_outcome', uuid(idOf(start)), jsonb(envelopeFor(start))).catch(
      (error) => error.message,
    );
    expect(await waitsOrEnds(database, two.pid, call)).toBe('ends');
    expect(await call).toBe('unknown_invocation');
    await two.rollback();
    await one.rollback();
  });
});

describeRaces(database, { duplicates: 2, links: 2, decisions: 2, batches: 2, closings: 2, starts: 2 });
