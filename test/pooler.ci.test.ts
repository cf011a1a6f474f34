// The sync worker holds a lock of its session: behind a real PgBouncer it runs in session mode and is refused in any other.
import { afterEach, describe, expect, it } from 'vitest';
import { DatabaseSession } from '../lineage/feed/database-session.ts';
import { LedgerUnreachable } from '../lineage/feed/faults.ts';
import { type Ledger, LedgerRefused } from '../lineage/feed/ledger.ts';
import { MirrorLock } from '../lineage/feed/lock.ts';
import { openLedger } from '../lineage/feed/open.ts';
import { useDatabase } from './support/database.ts';
import { type Pooler, startPgBouncer } from './support/pgbouncer.ts';
import { connect } from './support/shared-server.ts';
import { ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';

const MIRROR = 'neo4j bolt://test';
const database = useDatabase();
const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function pooler(settings: Record<string, string | number>): Promise<Pooler> {
  const started = await startPgBouncer(database, settings);
  opened.push({ close: () => started.stop() });
  return started;
}

async function ledgerOf(url: string, answerMs?: number): Promise<Ledger> {
  const ledger = await openLedger({ url, answerMs });
  opened.push(ledger);
  return ledger;
}

async function sessionOf(url: string): Promise<DatabaseSession> {
  const session = await DatabaseSession.open({ url });
  opened.push(session);
  return session;
}

describe('a transaction pooler', () => {
  it('would let two workers hold one lock', async () => {
    const { urlAs } = await pooler({ pool_mode: 'transaction', default_pool_size: 1 });
    const lock = "select pg_try_advisory_lock(hashtextextended('one', 0)) as taken";
    const [first, second] = [await sessionOf(urlAs('ledger_sync')), await sessionOf(urlAs('ledger_sync'))];
    expect([await first.plain(lock), await second.plain(lock)]).toEqual([[{ taken: true }], [{ taken: true }]]);
    const [own, other] = [
      await sessionOf(database.urlAs('ledger_sync')),
      await sessionOf(database.urlAs('ledger_sync')),
    ];
    expect(await new MirrorLock(own).try(MIRROR)).toBe(true);
    expect(await new MirrorLock(other).try(MIRROR)).toBe(false);
  });

  it.each<Record<string, string | number>>([
    { pool_mode: 'transaction', default_pool_size: 1 },
    { pool_mode: 'transaction', default_pool_size: 2, server_round_robin: 1 },
    { pool_mode: 'transaction', default_pool_size: 20 },
    { pool_mode: 'transaction', default_pool_size: 20, min_pool_size: 10, server_round_robin: 1 },
    { pool_mode: 'statement', default_pool_size: 5 },
  ])('is refused at the start, with what to do: %o', async (settings) => {
    const { urlAs } = await pooler(settings);
    for (let round = 0; round < 5; round += 1) {
      const refused = await openLedger({ url: urlAs('ledger_sync') }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(LedgerRefused);
      expect(refused).toMatchObject({ code: 'pooler_unsupported', remedy: expect.stringContaining('5432') });
    }
  });

  it('is refused also while many others use its sessions', async () => {
    const { urlAs } = await pooler({ pool_mode: 'transaction', default_pool_size: 6, min_pool_size: 6 });
    const others = connect(`${urlAs('ledger_sync')}?prepare=false`, 4);
    let busy = true;
    const traffic = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (busy) await others.begin((tx) => tx.unsafe('select pg_backend_pid()'));
      }),
    );
    try {
      for (let round = 0; round < 10; round += 1) {
        await expect(openLedger({ url: urlAs('ledger_sync') })).rejects.toMatchObject({ code: 'pooler_unsupported' });
      }
    } finally {
      busy = false;
      await traffic;
      await others.end({ timeout: 5 });
    }
  });
});

describe('a session pooler', () => {
  it('carries the ledger: reads, the lock, and its release', async () => {
    const { urlAs } = await pooler({ pool_mode: 'session', default_pool_size: 10 });
    const writer = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const outcomeId = await writer.end(await writer.start());
    const active = await ledgerOf(urlAs('ledger_sync'));
    const standby = await ledgerOf(urlAs('ledger_sync'));
    expect(await active.identify()).toMatch(/^[0-9a-f-]{36}$/);
    await expect
      .poll(async () => (await active.read(null, 100)).rows.map((row) => JSON.stringify(row.change)).join(), {
        timeout: 10_000,
      })
      .toContain(outcomeId);
    expect(await active.tryLock(MIRROR)).toBe(true);
    expect(await standby.tryLock(MIRROR)).toBe(false);
    await active.close();
    await expect.poll(() => standby.tryLock(MIRROR), { timeout: 10_000 }).toBe(true);
  });

  it('with no session left is a passing fault, soon', async () => {
    const { urlAs } = await pooler({ pool_mode: 'session', default_pool_size: 1 });
    const began = Date.now();
    const fault = await openLedger({ url: urlAs('ledger_sync'), answerMs: 2_000 }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(LedgerUnreachable);
    expect(Date.now() - began).toBeLessThan(15_000);
  });
});
