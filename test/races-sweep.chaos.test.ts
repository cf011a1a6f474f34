// Deadlines against completions (B069): released together 200 times, with two sweepers, with a cancel: exactly one outcome and
// one event each time, and the loser's envelope is kept.

import type { TransactionSql } from 'postgres';
import { describe, expect, it } from 'vitest';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import { openTransaction, waitsOrEnds } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, event, invocationStart, policyDecision, toolCall } from './support/envelopes.ts';
import { counted } from './support/racers.ts';
import { type End, type Swept, useSweepRaces } from './support/races-sweep.ts';
import { openSweep, sweepStoppedDuring } from './support/races-sweep-sessions.ts';
import { callIn, GUARD, idOf, recordIn } from './support/sql-ledger.ts';

const ROUNDS = 200;
const SEED = 1129;
const database = useDatabase();
const races = useSweepRaces(database, SEED);

/** Races each of `ROUNDS` subjects; the words of each, and what is left of it. */
async function raced(ends: readonly End[]) {
  const starts = await races.overdue(ROUNDS);
  // Only the one that is raced is overdue: a sweep takes whatever is.
  const ids = starts.map((start) => start['invocation_id'] ?? start['execution_id']);
  const move = (which: string[], by: string) =>
    database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() + ${by}::interval where subject_id::text = any(${which})`;
  await move(ids, '1 hour');
  const words: string[][] = [];
  for (const [n, start] of starts.entries()) {
    await move([ids[n]], '-1 second');
    words.push(await races.race(start, ends));
  }
  return { words, left: await races.left(starts) };
}

const oneEach = (left: Document[], n: number) => {
  expect(left[n], `round ${n}`).toMatchObject({ events: 1 });
  expect(left[n]?.['origins'], `round ${n}`).toHaveLength(1);
};

describe(`${ROUNDS} rounds each, seed ${SEED}`, () => {
  it('B069 a completion and a sweep: one of them, and the completion is kept when it comes second', async () => {
    const { words, left } = await raced(['complete', 'sweep']);
    for (const [n, [completed, swept]] of words.entries()) {
      const won = completed === 'recorded';
      expect(`${completed} ${swept}`, `round ${n}`).toBe(won ? 'recorded nothing' : 'conflict swept');
      oneEach(left, n);
      expect(left[n], `round ${n}`).toMatchObject({
        origins: [won ? 'recorded' : 'swept'],
        late: won ? [] : ['success'],
      });
    }
    const counts = counted(words.map((pair) => pair.join(' ')));
    expect(Object.keys(counts).sort(), JSON.stringify(counts)).toEqual(['conflict swept', 'recorded nothing']);
  });

  it('B069 two sweepers: one of them', async () => {
    const { words, left } = await raced(['sweep', 'sweep']);
    for (const [n, pair] of words.entries()) {
      expect([...pair].sort(), `round ${n}`).toEqual(['nothing', 'swept']);
      oneEach(left, n);
      expect(left[n], `round ${n}`).toMatchObject({ origins: ['swept'], late: [] });
    }
  });

  it('a cancel and a completion: one of them', async () => {
    const { words, left } = await raced(['cancel', 'complete']);
    for (const [n, pair] of words.entries()) {
      expect([...pair].sort(), `round ${n}`).toEqual(['conflict', 'recorded']);
      oneEach(left, n);
      const canceled = pair[0] === 'recorded';
      expect(left[n], `round ${n}`).toMatchObject({
        origins: [canceled ? 'canceled' : 'recorded'],
        late: canceled ? ['success'] : [],
      });
    }
    expect(Object.keys(counted(words.map((pair) => pair.join(' ')))).sort()).toEqual([
      'conflict recorded',
      'recorded conflict',
    ]);
  });

  it('a completion twice, a cancel and two sweepers: one of them', async () => {
    const { words, left } = await raced(['complete', 'sweep', 'cancel', 'complete', 'sweep']);
    const seen = new Set<string>();
    for (const [n, [one, swept, cancel, two, sweptToo]] of words.entries()) {
      oneEach(left, n);
      const origin: string = left[n]?.['origins'][0];
      seen.add(origin);
      const expected = {
        completions: origin === 'recorded' ? ['recorded', 'replayed'] : ['conflict', 'conflict'],
        cancel: origin === 'canceled' ? 'recorded' : 'conflict',
        sweeps: origin === 'swept' ? ['nothing', 'swept'] : ['nothing', 'nothing'],
      };
      expect(
        { completions: [one, two].sort(), cancel, sweeps: [swept, sweptToo].sort() },
        `round ${n}: ${origin}`,
      ).toEqual(expected);
      // Both lost with the same content, which is kept once.
      expect(left[n]?.['late'], `round ${n}`).toEqual(origin === 'recorded' ? [] : ['success']);
    }
    expect([...seen].sort()).toEqual(['canceled', 'recorded', 'swept']);
  });
});

it('three sweepers over 350 at once end each once, and none waits for another', async () => {
  const starts = await races.overdue(350);
  const until = async (): Promise<Swept[]> => {
    const said: Swept[] = [];
    do said.push(await races.sweep());
    while (said.at(-1)?.more);
    return said;
  };
  const said = (await Promise.all([until(), until(), until()])).flat();
  expect(said.reduce((sum, { swept }) => sum + swept, 0)).toBe(350);
  const left = await races.left(starts);
  for (const [n] of starts.entries()) oneEach(left, n);
  expect(await races.sweep()).toEqual({ swept: 0, skipped: 0, expired_requests: 0, more: false });
});

/** Started and past its deadline. */
const overdue = async (count: number) => {
  const starts = await races.overdue(count);
  return starts as [Document, ...Document[]];
};
const ends = async (pid: number, call: Promise<unknown>) => ({
  wait: await waitsOrEnds(database, pid, call),
  answer: await call,
});

describe('a sweep whose transaction is open', () => {
  it('makes no recording wait but that of what it ended', async () => {
    const [swept, held] = (await overdue(2)) as [Document, Document];
    const { ledger } = races;
    const [running, agent, run] = [await ledger.start(), await ledger.start(), await ledger.startExecution()];
    // Somebody who has a subject's lock, and will write it in a moment.
    const writer = await openTransaction(database, ledger.caller);
    await callIn(writer.sql, 'start_invocation', jsonb(held));
    const sweeping = await openSweep(database);
    expect(await sweeping.said).toEqual({ swept: 1, skipped: 1, expired_requests: 0, more: false });

    const recorded = await ends(writer.pid, recordIn(writer.sql, held, envelopeFor(held)));
    expect(recorded).toMatchObject({ wait: 'ends', answer: { result: 'recorded' } });
    await writer.commit();
    const calls: [string, Parameters<typeof callIn>[2], object?][] = [
      ['start_invocation', jsonb(invocationStart())],
      ['heartbeat', uuid(idOf(running))],
      ['record_tool_call', jsonb(toolCall(idOf(running)))],
      ['record_policy_decision', jsonb(policyDecision({ invocation_id: idOf(agent) })), GUARD],
      ['open_hitl_request', jsonb({ execution_id: idOf(run), reason: 'may it?' })],
      ['record_outcomes', jsonb([{ invocation_id: idOf(running), outcome: envelopeFor(running) }])],
    ];
    for (const [name, argument, caller] of calls) {
      const other = await openTransaction(database, { ...ledger.caller, ...caller } as typeof ledger.caller);
      expect(await ends(other.pid, callIn(other.sql, name, argument)), name).toMatchObject({ wait: 'ends' });
      await other.commit();
    }

    const loser = await openTransaction(database, ledger.caller);
    const late = recordIn(loser.sql, swept, envelopeFor(swept));
    expect(await waitsOrEnds(database, loser.pid, late)).toBe('waits');
    await sweeping.commit();
    expect(await late).toMatchObject({ result: 'conflict', record: { status: 'timeout' } });
    await loser.commit();
    expect(await races.left([swept, held])).toMatchObject([
      { origins: ['swept'], events: 1, late: ['success'] },
      { origins: ['recorded'], events: 1, late: [] },
    ]);
  });

  it('makes an execution wait for its agent’s timeout, whose link would be lost else', async () => {
    const { ledger } = races;
    const run = await ledger.startExecution();
    const agent = await ledger.start({ execution_id: idOf(run) });
    await database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() where subject_id = ${idOf(agent)}`;
    const sweeping = await openSweep(database);
    expect(await sweeping.said).toMatchObject({ swept: 1 });
    const writer = await openTransaction(database, ledger.caller);
    const call = recordIn(writer.sql, run, envelopeFor(run));
    expect(await waitsOrEnds(database, writer.pid, call)).toBe('waits');
    await sweeping.commit();
    const { record } = await call;
    await writer.commit();
    const links = await database.sql`
      select l.relation from public.agent_lineage_links l join public.agent_invocation_outcomes o on o.outcome_id = l.source_outcome_id
       where o.invocation_id = ${idOf(agent)} and l.target_outcome_id = ${record['outcome_id']}`;
    expect(links).toEqual([{ relation: 'contributed-to' }]);
  });
});

describe('a sweep beside an open transaction never waits', () => {
  const WRITERS: Record<string, (tx: TransactionSql, start: Document) => Promise<unknown>> = {
    'a recording': (tx, start) => recordIn(tx, start, envelopeFor(start)),
    'a heartbeat': (tx, start) => callIn(tx, 'heartbeat', uuid(idOf(start))),
    'a tool call': (tx, start) => callIn(tx, 'record_tool_call', jsonb(toolCall(idOf(start)))),
    'an event': (tx, start) => callIn(tx, 'register_event', jsonb(event(idOf(start)))),
    'a decision': (tx, start) =>
      callIn(tx, 'record_policy_decision', jsonb(policyDecision({ invocation_id: idOf(start) }))),
    'a question to a human': (tx, start) =>
      callIn(tx, 'open_hitl_request', jsonb({ invocation_id: idOf(start), reason: 'may it?' })),
    'a cancel': (tx, start) => callIn(tx, 'cancel_invocation', uuid(idOf(start)), text('withdrawn')),
    'a start within it': (tx, start) =>
      callIn(tx, 'start_invocation', jsonb(invocationStart({ causation_id: idOf(start) }))),
  };

  it.each(Object.keys(WRITERS))('of %s', async (name) => {
    const [start] = await overdue(1);
    const { ledger } = races;
    const caller = name === 'a decision' ? { ...ledger.caller, ...GUARD } : ledger.caller;
    const writer = await openTransaction(database, caller as typeof ledger.caller);
    await (WRITERS[name] as (typeof WRITERS)[string])(writer.sql, start);
    const sweeping = await openSweep(database);
    expect(await ends(sweeping.pid, sweeping.said)).toEqual({
      wait: 'ends',
      answer: { swept: 0, skipped: 1, expired_requests: 0, more: false },
    });
    await sweeping.commit();
    await writer.rollback();
    expect(await races.sweep()).toMatchObject({ swept: 1, skipped: 0 });
  });

  it('and announces no request as expired whose subject somebody writes', async () => {
    const [start] = await overdue(1);
    const { ledger } = races;
    await ledger.ask('open_hitl_request', jsonb({ invocation_id: idOf(start), reason: 'quick', expires_in_ms: 1 }));
    const writer = await openTransaction(database, ledger.caller);
    await callIn(writer.sql, 'start_invocation', jsonb(start));
    expect(await races.sweep()).toEqual({ swept: 0, skipped: 1, expired_requests: 0, more: false });
    await writer.commit();
    expect(await races.sweep()).toEqual({ swept: 1, skipped: 0, expired_requests: 1, more: false });
  });
});

describe('what committed after the sweep looked and before it had the lock counts', () => {
  it.each<[string, (start: Document) => Promise<unknown>]>([
    ['an outcome', (start) => races.ledger.end(start)],
    [
      'a question to a human',
      (start) => races.ledger.ask('open_hitl_request', jsonb({ invocation_id: idOf(start), reason: 'may it?' })),
    ],
  ])('%s', async (_, work) => {
    const [start] = await overdue(1);
    expect(await sweepStoppedDuring(database, () => work(start))).toEqual({
      swept: 0,
      skipped: 1,
      expired_requests: 0,
      more: false,
    });
    const [{ origins }] = (await races.left([start])) as [Document];
    expect(origins ?? []).not.toContain('swept');
  });
});
