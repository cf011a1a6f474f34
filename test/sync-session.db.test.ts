// The session of a mirror: whom it takes for its ledger, its lock, its quarantine, and what it says when something is wrong.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseSession } from '../lineage/feed/database-session.ts';
import { LedgerUnreachable } from '../lineage/feed/faults.ts';
import { setLease } from '../lineage/feed/lease.ts';
import { type FeedRow, type Ledger, LedgerRefused } from '../lineage/feed/ledger.ts';
import { openLedger } from '../lineage/feed/open.ts';
import type { Position } from '../lineage/graph/graph.ts';
import { useDatabase } from './support/database.ts';
import { purgeTable } from './support/filled-ledger.ts';
import { startMeteredProxy } from './support/metered-proxy.ts';
import { codeOf } from './support/refused.ts';
import { using } from './support/shared-server.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const PATIENCE_MS = 20_000;
const database = useDatabase();
const mirrorOf = () => `neo4j bolt://${randomUUID()}`;
let tenantId: string;
let writer: SqlLedger;
const open: Ledger[] = [];

async function opened(options: Partial<Parameters<typeof openLedger>[0]> = {}): Promise<Ledger> {
  const ledger = await openLedger({ url: database.urlAs('ledger_sync'), tenantId, ...options });
  open.push(ledger);
  return ledger;
}

beforeAll(async () => {
  await sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR }).start();
});
beforeEach(async () => {
  tenantId = await database.tenant();
  writer = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close();
});

const record = async () => writer.end(await writer.start());

async function rowsOf(ledger: Ledger, count: number): Promise<FeedRow[]> {
  const read = async () => (await ledger.read(null, 100)).rows;
  await expect.poll(async () => (await read()).length, { timeout: PATIENCE_MS }).toBe(count);
  return read();
}

function positionOf(row: FeedRow, ledgerId: string): Position {
  return { ledger_id: ledgerId, tenant_id: tenantId, epoch: row.epoch, xid: row.xid, seq: row.seq, kind: row.kind };
}

/** The backends of sessions that a mirror has open on this database. */
async function backends(): Promise<number[]> {
  const rows = await database.admin`
    select pid from pg_stat_activity where datname = ${database.name} and application_name = 'outcome-ledger sync'`;
  return rows.map((row) => row['pid'] as number);
}

const caught = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );

describe('a ledger', () => {
  it('has an id of its own that every session agrees on, and its position names it', async () => {
    const [first, second] = [await opened(), await opened({ tenantId: null })];
    const id = await first.identify();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await second.identify()).toBe(id);
    await record();
    await rowsOf(first, 1);
    const { to } = await first.read(null, 100);
    expect(to?.ledger_id).toBe(id);
    const [health] = await database.gateway`select public.ledger_health() ->> 'ledger_id' as id`;
    expect(health?.['id']).toBe(id);
  });

  it('has none before its first row, and gives nothing; then one of its own', async () => {
    const ledger = await opened({ tenantId: null });
    const name = `empty_${randomUUID().replaceAll('-', '')}`;
    await database.admin.unsafe(`create database ${name} owner postgres template ledger_template`);
    onTestFinished(() => database.admin.unsafe(`drop database ${name} with (force)`).then(() => undefined));
    const url = database.urlAs('ledger_sync').replace(database.name, name);
    const empty = await opened({ tenantId: null, url: url });
    expect(await empty.identify()).toBeNull();
    expect(await empty.read(null, 10)).toEqual({ rows: [], to: null });
    expect(await empty.lag(null)).toMatchObject({ rows: 0, seconds: 0 });
    await using(url.replace('ledger_sync', 'postgres'), (sql) => sql`select ledger_internal.open_epoch('first use')`);
    expect(await empty.identify()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await empty.identify()).not.toBe(await ledger.identify());
  });

  it('of another schema is refused, with what to do', async () => {
    const ledger = await opened();
    const [row] = await database.sql<{ text: string }[]>`
      select pg_get_functiondef('ledger_internal.schema_fingerprint()'::regprocedure) as text`;
    await database.sql.unsafe((row?.text ?? '').replace(/return '\w+'/, "return 'another'"));
    const refused = await caught(ledger.identify());
    await database.sql.unsafe(row?.text ?? '');
    expect(refused).toBeInstanceOf(LedgerRefused);
    expect(refused).toMatchObject({
      code: 'schema_outdated',
      message: expect.stringContaining('another'),
      remedy: expect.stringContaining('doctor'),
    });
    expect(await ledger.identify()).not.toBeNull();
  });

  it('that is none at all is refused too', async () => {
    const name = `bare_${randomUUID().replaceAll('-', '')}`;
    await database.admin.unsafe(`create database ${name} template template0`);
    onTestFinished(() => database.admin.unsafe(`drop database ${name} with (force)`).then(() => undefined));
    const bare = await opened({ url: database.urlAs('ledger_sync').replace(database.name, name) });
    expect(await caught(bare.identify())).toMatchObject({ name: 'LedgerRefused', code: 'schema_outdated' });
  });

  it('restored elsewhere is refused until a new epoch is opened; then a mirror goes on where it was', async () => {
    const first = await record();
    const ledger = await opened();
    const id = await ledger.identify();
    const [row] = await rowsOf(ledger, 1);
    const position = positionOf(row as FeedRow, id as string);
    // As after a restore: the latest epoch was opened by another cluster.
    await database.sql`
      insert into public.epochs (epoch, system_identifier, database_oid, reason)
      select max(epoch) + 1, 1, 1, 'another cluster' from public.epochs`;
    const unsettled = { name: 'LedgerRefused', code: 'epoch_unsettled', remedy: expect.stringContaining('epoch new') };
    for (const call of [
      () => ledger.identify(),
      () => ledger.read(position, 10),
      () => ledger.read(null, 10),
      () => ledger.lag(position),
    ]) {
      expect(await caught(call())).toMatchObject(unsettled);
    }
    await database.sql`select ledger_internal.open_epoch('restored')`;
    expect(await ledger.identify()).toBe(id);
    const second = await record();
    await expect
      .poll(async () => (await ledger.read(position, 10)).rows.map(({ change }) => change), { timeout: PATIENCE_MS })
      .toMatchObject([{ facts: { outcome_id: second } }]);
    expect((await ledger.read(null, 10)).rows).toMatchObject([
      { change: { facts: { outcome_id: first } } },
      { epoch: expect.any(Number), change: { facts: { outcome_id: second } } },
    ]);
  });

  it('set back to an older state is refused where the position’s row is gone; a purged row has its tombstone', async () => {
    const ledger = await opened();
    const id = (await ledger.identify()) as string;
    await record();
    await record();
    const [purged, lost] = (await rowsOf(ledger, 2)) as [FeedRow, FeedRow];
    await purgeTable(database, tenantId, 'agent_invocation_outcomes');
    await expect
      .poll(async () => (await ledger.read(positionOf(purged, id), 10)).rows.length, { timeout: PATIENCE_MS })
      .toBe(2);
    await database.admin.begin(async (tx) => {
      await tx`alter table public.tombstones disable trigger refuse_change`;
      await tx`delete from public.tombstones where row_seq = ${lost.seq}`;
      await tx`alter table public.tombstones enable always trigger refuse_change`;
    });
    // Without a witness the feed goes on as if nothing were missing.
    const unseen = database.asRole(
      'ledger_sync',
      (tx) => tx`select from public.feed(${lost.epoch}, ${lost.xid}, ${lost.seq})`,
    );
    await expect(unseen).resolves.toBeDefined();
    expect(await caught(ledger.read(positionOf(lost, id), 10))).toMatchObject({
      name: 'LedgerRefused',
      code: 'epoch_unsettled',
      message: expect.stringContaining('gone'),
    });
    expect(await ledger.identify()).toBe(id);
  });
});

describe('the lock', () => {
  it('is one session’s for each mirror, and held once however often it is asked for', async () => {
    const [mirror, other] = [mirrorOf(), mirrorOf()];
    const [active, standby] = [await opened(), await opened()];
    expect(await active.tryLock(mirror)).toBe(true);
    expect(await active.tryLock(mirror)).toBe(true);
    expect(await standby.tryLock(mirror)).toBe(false);
    expect(await standby.tryLock(other)).toBe(true);
    expect(await active.tryLock(other)).toBe(false);
    await active.close();
    await expect.poll(() => standby.tryLock(mirror), { timeout: PATIENCE_MS }).toBe(true);
  });

  it('goes to the next when its backend is ended, and whoever had it learns that at the next call', async () => {
    const mirror = mirrorOf();
    const active = await opened();
    const [pid] = await backends();
    const standby = await opened();
    expect(await active.tryLock(mirror)).toBe(true);
    expect(await standby.tryLock(mirror)).toBe(false);
    await database.admin`select pg_terminate_backend(${pid as number}, 10000)`;
    expect(await standby.tryLock(mirror)).toBe(true);
    for (const call of [
      () => active.tryLock(mirror),
      () => active.read(null, 10),
      () => active.lag(null),
      () => active.identify(),
      () => active.quarantine.count(mirror),
      () => active.outcomesAfter(null, 1),
    ]) {
      expect(await caught(call())).toBeInstanceOf(LedgerUnreachable);
    }
    await active.close();
    expect(await standby.tryLock(mirror)).toBe(true);
  });

  it('is given up by the server soon after the machine that held it is gone', async () => {
    const session = await DatabaseSession.open({ url: database.urlAs('ledger_sync') });
    onTestFinished(() => session.close());
    await setLease(session);
    // Of a connection over TCP the server shows what the socket really does.
    const shown = async (name: string) => Object.values((await session.plain(`show ${name}`))[0] ?? {})[0];
    const seconds = await Promise.all(['idle', 'interval', 'count'].map((name) => shown(`tcp_keepalives_${name}`)));
    const [idle, interval, count] = seconds.map(Number) as [number, number, number];
    expect(idle + interval * count).toBeLessThanOrEqual(15);
    expect(Number(await shown('tcp_user_timeout'))).toBeLessThanOrEqual(15_000);
    expect(await shown('idle_session_timeout')).toBe('5min');
  });
});

describe('the quarantine', () => {
  const fault = {
    code: 'Neo.ClientError.Statement.TypeError',
    reason: 'Property values can only be of primitive types',
  };

  it('keeps a row once, with its ids, its last reason and how often it was tried', async () => {
    const mirror = mirrorOf();
    const ledger = await opened();
    const [a, b] = [await record(), await record()];
    const link = await writer.link({ source_outcome_id: a, target_outcome_id: b, relation: 'invoked' });
    const [first, , third] = (await rowsOf(ledger, 3)) as [FeedRow, FeedRow, FeedRow];
    await ledger.quarantine.put(mirror, third, fault);
    await ledger.quarantine.put(mirror, first, fault);
    await ledger.quarantine.put(mirror, first, { code: 'other', reason: 'now \u0000 another: “ü” \n ' });
    await ledger.quarantine.put(mirrorOf(), first, fault);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const common = { mirror, epoch: first.epoch, tenant_id: tenantId, first_failed_at: time, last_failed_at: time };
    const listed = await ledger.quarantine.list(mirror);
    expect(listed).toEqual([
      {
        ...common,
        kind: 'agent_invocation_outcomes',
        xid: first.xid,
        seq: first.seq,
        row_key: { outcome_id: a },
        code: 'other',
        reason: 'now \ufffd another: “ü” \n ',
        attempts: 2,
      },
      {
        ...common,
        kind: 'agent_lineage_links',
        xid: third.xid,
        seq: third.seq,
        row_key: { source_outcome_id: a, target_outcome_id: b, relation: 'invoked' },
        ...fault,
        attempts: 1,
      },
    ]);
    expect((listed[0]?.first_failed_at ?? '') < (listed[0]?.last_failed_at ?? '')).toBe(true);
    expect(link.record['link_id']).toBe(third.change.type === 'link' && third.change.facts.link_id);
    expect(await ledger.quarantine.list(mirror, 1)).toHaveLength(1);
    expect(await ledger.quarantine.count(mirror)).toBe(2);
    await ledger.quarantine.remove(mirror, first.seq);
    await ledger.quarantine.remove(mirror, first.seq);
    expect(await ledger.quarantine.count(mirror)).toBe(1);
    // Another session sees it: it outlives the worker.
    expect(await (await opened()).quarantine.count(mirror)).toBe(1);
  });

  it('finds a row as it stands now, or not at all once it was purged', async () => {
    const mirror = mirrorOf();
    const ledger = await opened();
    await record();
    await record();
    const [first] = (await rowsOf(ledger, 2)) as [FeedRow];
    await ledger.quarantine.put(mirror, first, fault);
    const [parked] = await ledger.quarantine.list(mirror);
    expect(await ledger.quarantine.current(parked as never)).toEqual(first);
    await purgeTable(database, tenantId, 'agent_invocation_outcomes');
    expect(await ledger.quarantine.current(parked as never)).toBeNull();
    // A deletion can be refused as well, and stays what it is.
    const tombstone = (await rowsOf(ledger, 2))[1] as FeedRow;
    expect(tombstone.kind).toBe('tombstones');
    await ledger.quarantine.put(mirror, tombstone, fault);
    const [, deletion] = await ledger.quarantine.list(mirror);
    const deleted = tombstone.change.type === 'outcome_deleted' && tombstone.change.key.outcome_id;
    expect(deletion).toMatchObject({ kind: 'tombstones', row_key: { outcome_id: deleted } });
    expect(await ledger.quarantine.current(deletion as never)).toEqual(tombstone);
  });

  it('is the sync worker’s and the owner’s alone', async () => {
    for (const role of [
      'anon',
      'authenticated',
      'service_role',
      'ledger_gateway',
      'ledger_auditor',
      'ledger_sweep',
      'ledger_relay',
      'ledger_seal',
    ]) {
      for (const statement of [
        'select * from ledger_internal.sync_quarantine',
        'delete from ledger_internal.sync_quarantine',
      ]) {
        expect(await codeOf(database.asRole(role, (tx) => tx.unsafe(statement))), `${role}: ${statement}`).toBe(
          'not_permitted',
        );
      }
    }
    expect(await codeOf(database.asRole('ledger_sync', (tx) => tx`truncate ledger_internal.sync_quarantine`))).toBe(
      'not_permitted',
    );
    expect((await database.sql`select from ledger_internal.sync_quarantine`).length).toBeGreaterThan(0);
  });
});

describe('a session', () => {
  it('that falls silent is lost after a while, not waited for', async () => {
    const proxy = await startMeteredProxy(database.port);
    onTestFinished(() => proxy.stop());
    const ledger = await opened({ url: proxy.through(database.urlAs('ledger_sync')), answerMs: 1_500 });
    await ledger.identify();
    proxy.silence();
    const fault = await caught(ledger.read(null, 10));
    expect(fault).toBeInstanceOf(LedgerUnreachable);
    expect(fault).toMatchObject({ code: 'ETIMEDOUT' });
    expect(await caught(ledger.tryLock('any'))).toBe(fault);
  });

  it('that is cut fails what is under way and what comes after', async () => {
    const proxy = await startMeteredProxy(database.port);
    const ledger = await opened({ url: proxy.through(database.urlAs('ledger_sync')) });
    await ledger.identify();
    const calls = [ledger.lag(null), ledger.read(null, 10), ledger.quarantine.count('x')].map(caught);
    await proxy.stop();
    for (const fault of [...(await Promise.all(calls)), await caught(ledger.identify())]) {
      if (fault instanceof Error) expect(fault).toBeInstanceOf(LedgerUnreachable);
    }
    expect(await caught(ledger.identify())).toBeInstanceOf(LedgerUnreachable);
  });

  it('that cannot be opened says why, without the driver’s words or the password', async () => {
    const url = new URL(database.urlAs('ledger_sync'));
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return caught(opened({ url: copy.href }));
    };
    const unreachable = await changed((copy) => {
      copy.port = '1';
    });
    expect(unreachable).toBeInstanceOf(LedgerUnreachable);
    expect(unreachable).toMatchObject({ code: 'ECONNREFUSED' });
    const refusals: [unknown, string][] = [
      [await changed((copy) => (copy.password = 'secret-and-wrong')), 'not_permitted'],
      [await changed((copy) => (copy.username = 'nobody')), 'not_permitted'],
      [await changed((copy) => (copy.pathname = '/nothing')), 'database_unavailable'],
      [await caught(opened({ url: 'postgres://u:secret-and-wrong@host:notaport/db' })), 'request_invalid'],
    ];
    for (const [refused, code] of refusals) {
      expect(refused).toBeInstanceOf(LedgerRefused);
      expect(refused).toMatchObject({ code, remedy: expect.stringMatching(/\w/) });
      expect(`${(refused as Error).message} ${(refused as LedgerRefused).remedy}`).not.toContain('secret');
    }
  });

  it('of another login is refused what is not its own', async () => {
    const sweep = await opened({ url: database.urlAs('ledger_sweep') });
    expect(await caught(sweep.read(null, 1))).toMatchObject({
      name: 'LedgerRefused',
      code: 'not_permitted',
      remedy: expect.stringContaining('ledger_sync'),
    });
  });

  it('leaves nothing behind when it is closed', async () => {
    const ledger = await opened();
    expect(await backends()).toHaveLength(1);
    await ledger.close();
    await ledger.close();
    await expect.poll(backends, { timeout: PATIENCE_MS }).toEqual([]);
    expect(await caught(ledger.identify())).toBeInstanceOf(LedgerUnreachable);
  });
});
