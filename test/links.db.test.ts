// Links are written by the database when outcomes are, whichever end comes first.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, event, policyDecision, policyMember } from './support/envelopes.ts';
import { type Answer, GUARD, idOf, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;
let guard: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  guard = sqlLedger(database, { tenantId, ...GUARD });
});

/** One subject that will end, and how. */
interface Ending {
  start: Document;
  envelope: Document;
}
const ending = (
  start: Document,
  status: Parameters<typeof envelopeFor>[1] = 'success',
  over: Document = {},
): Ending => ({
  start,
  envelope: envelopeFor(start, status, over),
});

/** Ends two subjects in some order; gives their outcome ids in the order of the arguments. */
type Order = (one: Ending, two: Ending) => Promise<[string, string]>;
const recorded = (answer: Answer): string => {
  expect(answer.result).toBe('recorded');
  return answer.record['outcome_id'];
};
const batch = (endings: Ending[]) =>
  ledger.ask<Answer[]>(
    'record_outcomes',
    jsonb(
      endings.map(({ start, envelope }) => ({
        [start['invocation_id'] ? 'invocation_id' : 'execution_id']: idOf(start),
        outcome: envelope,
      })),
    ),
  );

const ORDERS: Record<string, Order> = {
  'cause first': async (cause, effect) => [
    recorded(await ledger.record(cause.start, cause.envelope)),
    recorded(await ledger.record(effect.start, effect.envelope)),
  ],
  'effect first': async (cause, effect) => {
    const second = recorded(await ledger.record(effect.start, effect.envelope));
    return [recorded(await ledger.record(cause.start, cause.envelope)), second];
  },
  'in one transaction': (cause, effect) =>
    database.as(ledger.caller, async (tx) => [
      recorded(await recordIn(tx, cause.start, cause.envelope)),
      recorded(await recordIn(tx, effect.start, effect.envelope)),
    ]),
  'in one transaction, effect first': (cause, effect) =>
    database.as(ledger.caller, async (tx) => {
      const second = recorded(await recordIn(tx, effect.start, effect.envelope));
      return [recorded(await recordIn(tx, cause.start, cause.envelope)), second];
    }),
  'in one batch': async (cause, effect) => {
    const [one, two] = await batch([cause, effect]);
    return [recorded(one as Answer), recorded(two as Answer)];
  },
  'in one batch, effect first': async (cause, effect) => {
    const [two, one] = await batch([effect, cause]);
    return [recorded(one as Answer), recorded(two as Answer)];
  },
};
const orders = Object.entries(ORDERS);

const linksOf = async (...ids: string[]) =>
  (
    await database.sql`
      select source_outcome_id as source, relation, target_outcome_id as target, origin, source_type, target_type from public.agent_lineage_links
       where source_outcome_id = any(${ids}) or target_outcome_id = any(${ids}) order by relation, source_outcome_id`
  ).map((row) => ({ ...row }));

const link = (source: string, relation: string, target: string, [source_type, target_type] = ['agent', 'agent']) => ({
  source,
  relation,
  target,
  origin: 'derived',
  source_type,
  target_type,
});

describe.each(orders)('%s', (_, end) => {
  it('an event that the cause registered while open', async () => {
    const cause = await ledger.start();
    const registered = event(cause['invocation_id']);
    await ledger.event(registered);
    const effect = await ledger.start({ causation_id: registered['event_id'] });
    const [one, two] = await end(ending(cause), ending(effect));
    expect(await linksOf(one, two)).toEqual([link(one, 'invoked', two)]);
  });

  it('an event registered after what it caused had started', async () => {
    const cause = await ledger.start();
    const registered = event(cause['invocation_id']);
    const effect = await ledger.start({ causation_id: registered['event_id'] });
    await ledger.event(registered);
    const [one, two] = await end(ending(cause), ending(effect));
    expect(await linksOf(one, two)).toEqual([link(one, 'invoked', two)]);
  });

  it('a running invocation', async () => {
    const cause = await ledger.start();
    const effect = await ledger.start({ causation_id: cause['invocation_id'] });
    const [one, two] = await end(ending(cause), ending(effect));
    expect(await linksOf(one, two)).toEqual([link(one, 'invoked', two)]);
  });

  it('a running invocation as the cause of an execution', async () => {
    const cause = await ledger.start();
    const effect = await ledger.startExecution({ causation_id: cause['invocation_id'] });
    const [one, two] = await end(ending(cause), ending(effect));
    expect(await linksOf(one, two)).toEqual([link(one, 'invoked', two, ['agent', 'workflow'])]);
  });

  it('a running execution', async () => {
    const cause = await ledger.startExecution();
    const effect = await ledger.start({ causation_id: cause['execution_id'] });
    const [one, two] = await end(ending(cause), ending(effect));
    expect(await linksOf(one, two)).toEqual([link(one, 'invoked', two, ['workflow', 'agent'])]);
  });

  it('what runs in an execution contributes to it', async () => {
    const workflow = await ledger.startExecution();
    const agent = await ledger.start({ execution_id: workflow['execution_id'] });
    const [one, two] = await end(ending(agent), ending(workflow));
    expect(await linksOf(one, two)).toEqual([link(one, 'contributed-to', two, ['agent', 'workflow'])]);
  });

  it('and is caused by it, when it says so', async () => {
    const workflow = await ledger.startExecution();
    const agent = await ledger.start({
      execution_id: workflow['execution_id'],
      causation_id: workflow['execution_id'],
    });
    const [one, two] = await end(ending(agent), ending(workflow));
    expect(await linksOf(one, two)).toEqual([
      link(one, 'contributed-to', two, ['agent', 'workflow']),
      link(two, 'invoked', one, ['workflow', 'agent']),
    ]);
  });

  it('a child execution contributes to its parent', async () => {
    const parent = await ledger.startExecution();
    const child = await ledger.startExecution({ parent_execution_id: parent['execution_id'] });
    const [one, two] = await end(ending(child), ending(parent));
    expect(await linksOf(one, two)).toEqual([link(one, 'contributed-to', two, ['workflow', 'workflow'])]);
  });

  it.each(['invocation', 'execution'])('the guard’s invocation governs an %s', async (kind) => {
    const guarding = await ledger.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'synedrix-os' } });
    const governed = kind === 'invocation' ? await ledger.start() : await ledger.startExecution();
    await guard.decide(
      policyDecision({ [`${kind}_id`]: idOf(governed) }, { guard_invocation_id: guarding['invocation_id'] }),
    );
    const [one, two] = await end(ending(guarding), ending(governed, 'success', { policy: policyMember() }));
    expect(await linksOf(one, two)).toEqual([
      link(two, 'governed-by', one, [kind === 'invocation' ? 'agent' : 'workflow', 'agent']),
    ]);
  });

  it('an escalation leads to its target, and not elsewhere', async () => {
    const escalated = await ledger.start();
    const escalation = envelopeFor(escalated, 'escalated');
    const target = escalation['escalation'].escalation_target;
    const at = (id: string) => ({
      causation_id: escalated['invocation_id'],
      source: { id, version: '1.0.0', domain: 'art' },
    });
    const there = await ledger.start(at(target));
    const elsewhere = await ledger.start(at('another-agent'));
    const [one, two] = await end({ start: escalated, envelope: escalation }, ending(there));
    expect(await linksOf(two)).toEqual([link(one, 'escalated-to', two)]);
    const three = await ledger.end(elsewhere);
    expect(await linksOf(three)).toEqual([link(one, 'invoked', three)]);
  });

  it('two that caused each other', async () => {
    const first = randomUUID();
    const second = await ledger.start({ causation_id: first });
    const one = await ledger.start({ invocation_id: first, causation_id: second['invocation_id'] });
    const ids = await end(ending(one), ending(second));
    expect(await linksOf(...ids)).toHaveLength(2);
    expect(await linksOf(...ids)).toEqual(
      expect.arrayContaining([link(ids[0], 'invoked', ids[1]), link(ids[1], 'invoked', ids[0])]),
    );
  });
});

describe('a recorded outcome as the cause', () => {
  it.each(['agent', 'workflow'])('of an %s', async (kind) => {
    const one = await ledger.end(await ledger.start());
    const effect =
      kind === 'agent' ? await ledger.start({ causation_id: one }) : await ledger.startExecution({ causation_id: one });
    const two = await ledger.end(effect);
    expect(await linksOf(one, two)).toEqual([link(one, 'invoked', two, ['agent', kind])]);
  });

  it('that escalated to it', async () => {
    const escalated = await ledger.start();
    const one = await ledger.end(escalated, 'escalated');
    const effect = await ledger.start({
      causation_id: one,
      source: { id: 'os-agt-004', version: '1.0.0', domain: 'synedrix-os' },
    });
    const two = await ledger.end(effect);
    expect(await linksOf(one, two)).toEqual([link(one, 'escalated-to', two)]);
  });
});

describe('a late cause', () => {
  it('is linked to every effect that waited for it', async () => {
    const cause = await ledger.start();
    const effects = await Promise.all([1, 2].map(() => ledger.start({ causation_id: cause['invocation_id'] })));
    const ids = await Promise.all(effects.map((start) => ledger.end(start)));
    const one = await ledger.end(cause);
    expect((await linksOf(one)).map((row) => (row as { target?: string }).target).sort()).toEqual(ids.sort());
  });
});
