// The feed gives what can no longer be overtaken, in one order, and loses nothing.
import type { Sql } from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { openCrowd, openTransaction, waitsOrEnds } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { envelopeFor, invocationStart, sourceDefinition } from './support/envelopes.ts';
import { type FeedRow, follow, positionOf, readFeed, START } from './support/feed.ts';
import { fillLedger, LEDGER_TABLES, purgeTable } from './support/filled-ledger.ts';
import { randomFrom } from './support/random.ts';
import { codeOf } from './support/refused.ts';
import { connect } from './support/shared-server.ts';
import { callIn, idOf, OPERATOR, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const SEED = 20;
const database = useDatabase();
let sync: Sql;
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  sync = connect(database.urlAs('ledger_sync'), 1);
  // The first write opens the first epoch, and holds other writers until it commits.
  await sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR }).start();
});
afterAll(() => sync.end());
beforeEach(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  await sqlLedger(database, { tenantId, ...OPERATOR }).define(sourceDefinition());
});

const started = (rows: FeedRow[]) => rows.map((row) => row.content['invocation_id']);
const ours = () => ({ kinds: ['agent_invocations'], tenant: tenantId });

describe('a row that commits late', () => {
  const startIn = async (sql: Parameters<typeof callIn>[0]) => {
    const start = invocationStart();
    await callIn(sql, 'start_invocation', jsonb(start));
    return idOf(start);
  };

  it('is lost to a reader that goes by seq or by time; the feed waits for it', async () => {
    const slow = await openTransaction(database, ledger.caller);
    const late = await startIn(slow.sql);
    const early = idOf(await ledger.start());
    const naive = (after: string) =>
      database.sql`select invocation_id, seq::text from public.agent_invocations where tenant_id = ${tenantId} and seq > ${after} order by seq`;
    const seen = await naive('0');
    expect(seen.map((row) => row['invocation_id'])).toEqual([early]);
    expect(await readFeed(sync, START, ours())).toEqual([]);
    await slow.commit();
    expect(await naive(seen[0]?.['seq'])).toEqual([]);
    const rows = await follow(sync, START, ours(), (found) => found.length === 2);
    expect(started(rows)).toEqual([late, early]);
  });

  it('and never commits leaves no stall and no trace', async () => {
    const first = idOf(await ledger.start());
    const slow = await openTransaction(database, ledger.caller);
    await startIn(slow.sql);
    const last = idOf(await ledger.start());
    await slow.rollback();
    expect(started(await follow(sync, START, ours(), (found) => found.length === 2))).toEqual([first, last]);
  });

  it('in a subtransaction comes with its transaction', async () => {
    const ids: string[] = [];
    await database.as(ledger.caller, async (tx) => {
      ids.push(await startIn(tx));
      await tx.savepoint(async (inner) => ids.push(await startIn(inner)));
      await tx
        .savepoint(async (inner) => {
          await startIn(inner);
          throw new Error('taken back');
        })
        .catch(() => undefined);
      ids.push(await startIn(tx));
    });
    const rows = await follow(sync, START, ours(), (found) => found.length === 3);
    expect(started(rows)).toEqual(ids);
    expect(new Set(rows.map((row) => row.xid)).size).toBe(1);
  });

  // An epoch settles all that came before: none of it may still be on its way.
  it('under an epoch that is opened meanwhile is not lost', async () => {
    await ledger.start();
    const slow = await openTransaction(database, ledger.caller);
    const held = await startIn(slow.sql);
    await ledger.start();
    const operator = connect(database.ownerUrl, 1);
    onTestFinished(() => operator.end());
    const [session] = await operator`select pg_backend_pid() as pid`;
    const opening = operator`select ledger_internal.open_epoch('a test')`.execute();
    // Whether opening waits for the writer or not, what the reader has seen must not pass it.
    await waitsOrEnds(database, session?.['pid'], opening);
    const seen = await readFeed(sync, START, ours());
    await slow.commit();
    await opening;
    await ledger.start();
    const rest = await follow(sync, positionOf(seen.at(-1)), ours(), (found) => found.length + seen.length >= 4).catch(
      () => [],
    );
    expect(started([...seen, ...rest])).toContain(held);
    expect(seen.length + rest.length).toBe(4);
  });
});

describe('the whole feed', () => {
  it('holds every ledger table but the ids, tombstones included, each row as it stands', async () => {
    const filled = await fillLedger(database);
    const tables = LEDGER_TABLES.filter((table) => table !== 'outcome_ids');
    const rows = await follow(
      sync,
      START,
      { tenant: filled.tenantId },
      (found) => new Set(found.map((row) => row.kind)).size === tables.length,
    );
    for (const table of tables) {
      const [stands] = await database.sql.unsafe(
        `select coalesce(jsonb_agg(to_jsonb(t) order by t.epoch, t.xid, t.seq), '[]') as rows from public.${table} t where t.tenant_id = '${filled.tenantId}'`,
      );
      expect(
        rows.filter((row) => row.kind === table).map((row) => row.content),
        table,
      ).toEqual(stands?.['rows']);
    }
  });

  it('puts a tombstone where a row was, and the row away', async () => {
    const start = await ledger.start();
    const outcomeId = await ledger.end(start);
    await purgeTable(database, tenantId, 'agent_invocation_outcomes');
    const rows = await follow(sync, START, { tenant: tenantId }, (found) =>
      found.some((row) => row.kind === 'tombstones'),
    );
    expect(rows.filter((row) => row.kind === 'agent_invocation_outcomes')).toEqual([]);
    expect(rows.at(-1)).toMatchObject({
      kind: 'tombstones',
      content: { table_name: 'agent_invocation_outcomes', row_key: { outcome_id: outcomeId } },
    });
  });

  it(`read in small pages while many write, gives each row once, in a total order (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const crowd = openCrowd(database, 8);
    let writing = true;
    const writer = async (n: number) => {
      for (let round = 0; round < 15; round += 1) {
        await crowd
          .as(ledger.caller, async (tx) => {
            const start = invocationStart({ correlation_id: `writer-${n}` });
            await callIn(tx, 'start_invocation', jsonb(start));
            // Some commit late, some never.
            for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await tx`select 1`;
            if (random() < 0.8) await recordIn(tx, start, envelopeFor(start));
            if (random() < 0.15) throw new Error('taken back');
          })
          .catch((error) => {
            if (error.message !== 'taken back') throw error;
          });
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, (_, n) => writer(n))).finally(() => {
      writing = false;
    });
    const seen: FeedRow[] = [];
    const readOn = async () => {
      const page = await readFeed(sync, positionOf(seen.at(-1)), { tenant: tenantId, limit: 7 });
      seen.push(...page);
      return page.length;
    };
    while (writing) await readOn();
    await writers;
    await crowd.end();
    const kinds = ['agent_invocations', 'agent_invocation_outcomes', 'os_events'];
    const counts = await database.sql`
      select (select count(*)::int from public.agent_invocations where tenant_id = ${tenantId}) as agent_invocations,
             (select count(*)::int from public.agent_invocation_outcomes where tenant_id = ${tenantId}) as agent_invocation_outcomes,
             (select count(*)::int from public.os_events where tenant_id = ${tenantId}) as os_events`;
    const total = kinds.reduce((sum, kind) => sum + counts[0]?.[kind], 0);
    while (seen.length < total) await readOn();
    for (const kind of kinds)
      expect(
        seen.filter((row) => row.kind === kind),
        kind,
      ).toHaveLength(counts[0]?.[kind]);
    const keys = seen.map((row) => [row.epoch, BigInt(row.xid), BigInt(row.seq)] as const);
    for (const [n, key] of keys.slice(1).entries()) {
      const before = keys[n] as (typeof keys)[number];
      const later = key[0] - before[0] || Number(key[1] - before[1]) || Number(key[2] - before[2]);
      expect(later, `row ${n}`).toBeGreaterThan(0);
    }
  });

  it('is read by the workers alone', async () => {
    for (const role of ['anon', 'service_role', 'ledger_auditor', 'ledger_sweep', 'ledger_gateway']) {
      expect(await codeOf(database.asRole(role, (tx) => tx`select * from public.feed()`)), role).toBe('not_permitted');
    }
    expect(await codeOf(database.as(ledger.caller, (tx) => tx`select * from public.feed()`))).toBe('not_permitted');
    for (const role of ['ledger_sync', 'ledger_relay', 'ledger_seal']) {
      expect(await database.asRole(role, (tx) => tx`select * from public.feed(max_rows => 1)`)).toHaveLength(1);
    }
  });
});
