// Deadlines and late arrivals as other systems got them wrong (B069, B071). The races themselves, 200 times each, are in
// races-sweep.chaos.test.ts.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { jsonb, uuid } from '../src/database/statement.ts';
import { startSweep } from '../src/sweep/index.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor } from './support/envelopes.ts';
import { type Swept, useSweepRaces } from './support/races-sweep.ts';
import { randomFrom } from './support/random.ts';
import { idOf } from './support/sql-ledger.ts';

const SEED = 71;
const database = useDatabase();
const races = useSweepRaces(database, SEED);

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));
const outcomeOf = async (start: Document): Promise<Document | null> => {
  const [name, key] = start['invocation_id'] ? ['get_invocation', 'outcome'] : ['get_execution', 'outcome'];
  return (await races.ledger.read(name as string, idOf(start)))?.[key as string] ?? null;
};
const eventsOf = (outcomeId: string) =>
  database.sql<{ type: string }[]>`select type from public.os_events where outcome_id = ${outcomeId} order by seq`;

describe('B069 the timeout first, the completion later', () => {
  it.each(['invocation', 'execution'])('an %s: one second later it is told who won, and kept', async (kind) => {
    const start = kind === 'invocation' ? await races.ledger.start() : await races.ledger.startExecution();
    await database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() where subject_id = ${idOf(start)}`;
    expect(await races.sweep()).toMatchObject({ swept: 1 });
    const winner = await outcomeOf(start);
    expect(winner).toMatchObject({ status: 'timeout' });
    await wait(1000);
    const late = envelopeFor(start, 'success');
    const said = await races.ledger.record(start, late);
    expect(said).toMatchObject({
      result: 'conflict',
      code: 'outcome_conflict',
      record: { outcome_id: winner?.['outcome_id'] },
    });
    // Again and again changes nothing: kept once, announced never.
    await races.ledger.record(start, late);
    expect(await races.sweep()).toMatchObject({ swept: 0, skipped: 0 });
    const read = await races.ledger.read('get_outcome', winner?.['outcome_id']);
    expect(read?.['late']).toHaveLength(1);
    expect(read).toMatchObject({
      status: 'timeout',
      late: [{ outcome: { status: 'success', result: late['result'] } }],
    });
    expect(await eventsOf(winner?.['outcome_id'])).toEqual([{ type: 'os.outcome.timeout' }]);
    expect(await races.left([start])).toMatchObject([{ origins: ['swept'], events: 1, late: ['success'] }]);
  });
});

describe('B071 a finish at its deadline, and a clock that is wrong', () => {
  it(`finishes within a tick of the deadline are what they are, and no sweep is early (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const seen = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      const start = await races.ledger.start();
      await database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() + interval '8 milliseconds' where subject_id = ${idOf(start)}`;
      const [row] =
        await database.sql`select deadline_at from ledger_internal.open_work where subject_id = ${idOf(start)}`;
      const sweeping = (async () => {
        while (!(await outcomeOf(start))) await races.sweep();
      })();
      await wait(random() * 12);
      const said = await races.ledger.record(start);
      await sweeping;
      const [ended] = await database.sql`
        select origin, status, recorded_at >= ${row?.['deadline_at']} as past from public.agent_invocation_outcomes where invocation_id = ${idOf(start)}`;
      // A clean finish is never labelled as timed out, whatever the hour; a timeout never stands before its deadline.
      const expected =
        said.result === 'recorded'
          ? { origin: 'recorded', status: 'success', past: expect.any(Boolean) }
          : { origin: 'swept', status: 'timeout', past: true };
      expect(ended, `round ${round}`).toEqual(expected);
      expect(await races.left([start]), `round ${round}`).toMatchObject([
        { events: 1, late: said.result === 'recorded' ? [] : ['success'] },
      ]);
      seen.add(said.result);
    }
    expect([...seen].sort()).toEqual(['conflict', 'recorded']);
  });

  it('what sent no heartbeat runs, and is swept no sooner than what did', async () => {
    const [silent, lively] = [await races.ledger.start(), await races.ledger.start()];
    await races.ledger.ask('heartbeat', uuid(idOf(lively)));
    // An hour without a sign of life, and inside its deadline.
    await database.sql`
      update ledger_internal.open_work set opened_at = clock_timestamp() - interval '1 hour', deadline_at = clock_timestamp() + interval '1 minute' where subject_id = ${idOf(silent)}`;
    await database.sql`update ledger_internal.open_work set heartbeat_at = clock_timestamp() - interval '1 hour' where subject_id = ${idOf(lively)}`;
    expect(await races.sweep()).toMatchObject({ swept: 0, skipped: 0 });
    expect(await races.ledger.read('get_invocation', idOf(silent))).toMatchObject({ state: 'running', outcome: null });
    expect(await races.ledger.read('get_invocation', idOf(lively))).toMatchObject({ state: 'stalled', outcome: null });
    expect((await races.ledger.record(silent)).result).toBe('recorded');
    expect((await races.ledger.record(lively)).result).toBe('recorded');
  });

  describe('with a sweeper five minutes fast', () => {
    beforeAll(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 }));
    afterEach(() => vi.useRealTimers());

    it('nothing times out early, and what is due does: the database’s clock decides', async () => {
      const [early, due] = [await races.ledger.start(), await races.ledger.start()];
      const asked = { invocation_id: idOf(early), reason: 'may it?', expires_in_ms: 120_000 };
      await races.ledger.ask('open_hitl_request', jsonb(asked));
      await database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() + interval '2 minutes' where subject_id = ${idOf(early)}`;
      await database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() where subject_id = ${idOf(due)}`;
      const worker = startSweep({ url: database.urlAs('ledger_sweep'), pace: { idleMs: 10 } });
      try {
        await vi.waitFor(async () => expect(await outcomeOf(due)).toMatchObject({ status: 'timeout' }), 10_000);
      } finally {
        await worker.stop();
      }
      // The same call from any session, whatever zone or clock it thinks it has.
      const [row] = await database.sql.begin(async (tx) => {
        await tx`select set_config('timezone', 'Pacific/Kiritimati', true)`;
        return tx<{ said: Swept }[]>`select ledger_internal.sweep(100) as said`;
      });
      expect(row?.said).toMatchObject({ swept: 0, expired_requests: 0 });
      expect(await outcomeOf(early)).toBeNull();
      expect(await races.left([due])).toMatchObject([{ origins: ['swept'], events: 1 }]);
    });
  });
});
