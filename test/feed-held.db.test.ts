// A transaction left open anywhere in the cluster holds the feed back; health names it.
import type { Sql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { openTransaction } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { type Document, invocationStart } from './support/envelopes.ts';
import { type FeedRow, follow, readFeed, START } from './support/feed.ts';
import { connect } from './support/shared-server.ts';
import { callIn, idOf, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let sync: Sql;
let tenantId: string;
let ledger: SqlLedger;

beforeAll(() => {
  sync = connect(database.urlAs('ledger_sync'), 1);
});
afterAll(() => sync.end());
beforeEach(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const started = (rows: FeedRow[]) => rows.map((row) => row.content['invocation_id']);
const ours = () => ({ kinds: ['agent_invocations'], tenant: tenantId });

describe('what holds the feed back', () => {
  interface Health {
    feed: { held_back_by: Document[]; degraded: boolean };
  }
  const health = async (): Promise<Health> => (await sync`select public.ledger_health() as health`)[0]?.['health'];
  const until = async (holds: (found: Document[]) => boolean): Promise<Document[]> => {
    for (const patience = Date.now() + 15_000; ; ) {
      const found = (await health()).feed.held_back_by;
      if (holds(found)) return found;
      if (Date.now() > patience) throw new Error(`health names ${JSON.stringify(found)}`);
    }
  };

  it('is named: pid, user, database, age', async () => {
    const slow = await openTransaction(database, ledger.caller);
    await callIn(slow.sql, 'start_invocation', jsonb(invocationStart()));
    onTestFinished(() => slow.rollback().catch(() => undefined));
    const found = await until((holders) => holders.some((holder) => holder['pid'] === slow.pid));
    expect(found.find((holder) => holder['pid'] === slow.pid)).toMatchObject({
      user: 'ledger_gateway',
      database: database.name,
      age_s: expect.any(Number),
    });
    await slow.commit();
    await until((holders) => holders.every((holder) => holder['pid'] !== slow.pid));
  });

  it('may be a forgotten prepared transaction, or one in another database', async () => {
    const elsewhere = connect(database.adminUrl.replace(/\/[^/]*$/, '/postgres'), 1);
    const gid = `forgotten-${tenantId}`;
    try {
      await elsewhere
        .unsafe(`begin; select pg_current_xact_id(); create temp table held () on commit drop`)
        .simple()
        .catch(() => undefined);
      const [row] = await elsewhere`select pg_backend_pid() as pid`;
      await database.admin.reserve().then(async (session) => {
        await session
          .unsafe(`begin; create table public.held_${tenantId.replaceAll('-', '_')} (); prepare transaction '${gid}'`)
          .simple();
        session.release();
      });
      const mine = await ledger.start();
      expect(await readFeed(sync, START, ours())).toEqual([]);
      const found = await until(
        (holders) =>
          holders.some((holder) => holder['prepared'] === gid) &&
          holders.some((holder) => holder['pid'] === row?.['pid']),
      );
      expect(found.find((holder) => holder['pid'] === row?.['pid'])).toMatchObject({
        user: 'supabase_admin',
        database: 'postgres',
      });
      await elsewhere`rollback`;
      expect(await readFeed(sync, START, ours())).toEqual([]);
      await database.admin.unsafe(`rollback prepared '${gid}'`);
      expect(started(await follow(sync, START, ours(), (rows) => rows.length === 1))).toEqual([idOf(mine)]);
    } finally {
      await elsewhere.end();
      await database.admin.unsafe(`rollback prepared '${gid}'`).catch(() => undefined);
    }
  });

  it('degrades health after thirty seconds', async () => {
    const [row] = await database.sql<
      { text: string }[]
    >`select pg_get_functiondef('ledger_internal.feed_holders()'::regprocedure) as text`;
    const held = (age: number) =>
      database.sql.unsafe(
        `create or replace function ledger_internal.feed_holders() returns jsonb language sql as $$ select '[{"age_s": ${age}}]'::jsonb $$`,
      );
    await held(30);
    expect((await health()).feed.degraded).toBe(false);
    await held(31);
    expect((await health()).feed.degraded).toBe(true);
    await database.sql.unsafe(row?.text as string);
  });
});

describe('the lag', () => {
  it('counts committed rows that the feed withholds', async () => {
    const slow = await openTransaction(database, ledger.caller);
    onTestFinished(() => slow.rollback().catch(() => undefined));
    await slow.sql`select pg_current_xact_id()`;
    const lag = async () =>
      (
        await sync`select behind, age_s from public.feed_lag(0, '0', 0, array['agent_invocations'], ${tenantId}::uuid)`
      )[0];
    expect(await lag()).toEqual({ behind: 0, age_s: 0 });
    await ledger.start();
    expect(await readFeed(sync, START, ours())).toEqual([]);
    const found = await lag();
    expect(found?.['behind']).toBe(1);
    expect(found?.['age_s']).toBeGreaterThan(0);
  });
});
