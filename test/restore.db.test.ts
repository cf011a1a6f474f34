// A restore as Supabase documents it, into a fresh cluster: ids kept, foreign ones refused, and nothing goes on before an
// operator opens a new epoch.
import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLedger } from '../lineage/feed/open.ts';
import { jsonb } from '../src/database/statement.ts';
import { undone } from './support/attacks.ts';
import { restoreData } from './support/copying.ts';
import { type OpenDatabase, openDatabase, useDatabase } from './support/database.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { type FeedRow, follow, positionOf, readFeed, START } from './support/feed.ts';
import { type FilledLedger, fillLedger, fingerprintOf, LEDGER_TABLES, purgeTable } from './support/filled-ledger.ts';
import { codeOf } from './support/refused.ts';
import { connect, startTestServer, urlOf, using } from './support/shared-server.ts';
import { callIn, idOf, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const source = useDatabase();
let server: Awaited<ReturnType<typeof startTestServer>>;
let target: OpenDatabase;
let admin: Sql;
let sync: Sql;
let filled: FilledLedger;
let open: Document;
let purged: Document;
let purgedTenant: string;
let seen: FeedRow[];
let before: Record<string, string>;

beforeAll(async () => {
  // The old cluster has lived longer: its transaction ids are far above the new one's.
  await source.admin.unsafe('do $$ begin for n in 1..5000 loop perform pg_current_xact_id(); commit; end loop; end $$');
  filled = await fillLedger(source);
  const ledger = sqlLedger(source, { tenantId: filled.tenantId, ...ORCHESTRATOR });
  open = await ledger.start();
  const other = sqlLedger(source, { tenantId: await source.tenant(), ...ORCHESTRATOR });
  purged = await other.start();
  await other.end(purged);
  await purgeTable(source, other.tenantId as string, 'agent_invocation_outcomes');
  purgedTenant = other.tenantId as string;
  const reader = connect(source.urlAs('ledger_sync'), 1);
  const written = await using(source.adminUrl, countRows);
  seen = await follow(reader, START, {}, (rows) => rows.length === written);
  await reader.end();
  before = await fingerprintOf(source);

  server = await startTestServer({
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    scram_iterations: '1',
  });
  target = await openDatabase({ port: server.server.port });
  admin = connect(target.adminUrl, 1);
  sync = connect(target.urlAs('ledger_sync'), 1);
  await restoreData(source.admin, admin);
}, 180_000);

afterAll(async () => {
  await Promise.all([admin?.end(), sync?.end(), target?.close()]);
  await server?.server.stop('immediate');
  await server?.remove();
});

async function countRows(sql: Sql): Promise<number> {
  const tables = LEDGER_TABLES.filter((table) => table !== 'outcome_ids');
  const [row] = await sql.unsafe(
    `select (${tables.map((table) => `(select count(*)::int from public.${table})`).join(' + ')}) as n`,
  );
  return row?.['n'];
}

/** Inserts a copy of a recorded outcome, changed, in replica mode as the superuser; undone. Rows, or the refusal. */
async function loaded(table: string, over: Document, alter = 'select 1'): Promise<number | string> {
  try {
    return await undone(
      (work) => admin.begin(work),
      async (tx) => {
        await tx.unsafe(alter);
        await tx`set local session_replication_role = replica`;
        const row = {
          [table === 'workflow_outcomes' ? 'execution_id' : 'invocation_id']: randomUUID(),
          seq: 0,
          ...over,
        };
        const { count } = await tx.unsafe(
          `insert into public.${table} select (jsonb_populate_record(o, $1::text::jsonb)).* from public.${table} o limit 1`,
          [JSON.stringify(row)],
        );
        return count;
      },
    );
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the data', () => {
  it('is there to the byte: ids, positions, operational state', async () => {
    expect(await fingerprintOf(target)).toEqual(before);
    const work = (sql: Sql) => sql`select subject_id from ledger_internal.open_work order by 1`;
    expect([...(await work(target.admin))]).toEqual([...(await work(source.admin))]);
  });

  it('would have lost its ids to an accepting trigger enabled always', async () => {
    const always = 'alter table public.agent_invocation_outcomes enable always trigger accept';
    expect(await loaded('agent_invocation_outcomes', { outcome_id: filled.invocationOutcome }, always)).toBe(
      'not_permitted',
    );
  });
});

describe('an outcome loaded with an id', () => {
  const unclaimed = () => randomUUID();
  const noGuard =
    'alter table public.agent_invocation_outcomes disable trigger refuse_unclaimed; alter table public.workflow_outcomes disable trigger refuse_unclaimed';

  it.each(['agent_invocation_outcomes', 'workflow_outcomes'])('nobody minted, into %s', async (table) => {
    expect(await loaded(table, { outcome_id: unclaimed() }, noGuard)).toBe(1);
    expect(await loaded(table, { outcome_id: unclaimed() })).toBe('unclaimed_outcome_id');
  });

  it('of the other table: one id would stand in both', async () => {
    expect(await loaded('agent_invocation_outcomes', { outcome_id: filled.executionOutcome }, noGuard)).toBe(1);
    expect(await loaded('agent_invocation_outcomes', { outcome_id: filled.executionOutcome })).toBe(
      'unclaimed_outcome_id',
    );
    expect(await loaded('workflow_outcomes', { outcome_id: filled.invocationOutcome })).toBe('unclaimed_outcome_id');
  });

  it('of another tenant', async () => {
    const over = { outcome_id: filled.invocationOutcome, tenant_id: randomUUID() };
    expect(await loaded('agent_invocation_outcomes', over, noGuard)).not.toBe('unclaimed_outcome_id');
    expect(await loaded('agent_invocation_outcomes', over)).toBe('unclaimed_outcome_id');
  });
});

describe('until an operator opens a new epoch', () => {
  let ledger: SqlLedger;
  beforeAll(() => {
    ledger = sqlLedger(target, { tenantId: filled.tenantId, ...ORCHESTRATOR });
  });

  it('feed and writes are refused, and health says why', async () => {
    const [health] = await target.gateway`select public.ledger_health() as health`;
    expect(health?.['health']).toMatchObject({ epoch: 1, epoch_settled: false });
    expect(await codeOf(readFeed(sync, START, {}))).toBe('epoch_unsettled');
    expect(await codeOf(ledger.start())).toBe('epoch_unsettled');
    expect(await codeOf(ledger.record(open))).toBe('epoch_unsettled');
    const mirror = await openLedger({ url: target.urlAs('ledger_sync') });
    await expect(mirror.identify()).rejects.toMatchObject({ code: 'epoch_unsettled' });
    await expect(mirror.read(null, 10)).rejects.toMatchObject({ code: 'epoch_unsettled' });
    await mirror.close();
    const [batch] = await ledger.ask<Document[]>('start_invocations', jsonb([invocationStart()]));
    expect(batch?.['refusal'].code).toBe('epoch_unsettled');
    // What was recorded is read, and a lost reply answered.
    expect(await ledger.read('get_outcome', filled.invocationOutcome)).toMatchObject({
      outcome_id: filled.invocationOutcome,
    });
  });

  it('which is the owner’s to open, and nobody else’s', async () => {
    for (const role of [
      'anon',
      'authenticated',
      'service_role',
      'ledger_gateway',
      'ledger_sync',
      'ledger_sweep',
      'ledger_auditor',
    ]) {
      expect(await codeOf(target.asRole(role, (tx) => tx`select ledger_internal.open_epoch('mine')`)), role).toBe(
        'not_permitted',
      );
    }
  });

  it('after it, the ledger goes on and the feed is complete', async () => {
    // A restore of schema public alone comes without the operational state.
    await admin`delete from ledger_internal.open_work`;
    expect(await target.sql`select ledger_internal.open_epoch('restored') as epoch`).toEqual([{ epoch: 2 }]);
    const [health] = await target.gateway`select public.ledger_health() as health`;
    expect(health?.['health']).toMatchObject({ epoch: 2, epoch_settled: true });
    const replay = await ledger.record(
      { invocation_id: filled.invocation['invocation_id'] },
      { ...(await ledger.read('get_invocation', idOf(filled.invocation)))?.['outcome'] },
    );
    expect(replay).toMatchObject({ result: 'replayed', record: { outcome_id: filled.invocationOutcome } });
    const outcomeId = await ledger.end(open);
    await ledger.start();

    // A reader that had seen everything before goes on where it was; a new one sees the same whole.
    const total = await countRows(admin);
    const rest = await follow(sync, positionOf(seen.at(-1)), {}, (rows) => rows.length + seen.length >= total);
    expect(rest.some((row) => row.content['outcome_id'] === outcomeId)).toBe(true);
    const whole = await follow(sync, START, {}, (rows) => rows.length >= total);
    const keys = (rows: FeedRow[]) => rows.map(({ epoch, xid, seq }) => `${epoch}.${xid}.${seq}`);
    expect(keys(whole)).toEqual([...keys(seen), ...keys(rest)]);
    expect(whole).toHaveLength(total);
    // It is the ledger it was before: a graph that mirrored it goes on.
    const [was] = await source.sql`select ledger_internal.ledger_id() as id`;
    const mirror = await openLedger({ url: target.urlAs('ledger_sync') });
    expect(await mirror.identify()).toBe(was?.['id']);
    await mirror.close();
    // By transaction id alone every new row lies before the old position.
    for (const row of rest) expect(BigInt(row.xid)).toBeLessThan(BigInt(seen.at(-1)?.xid as string));
  });

  it('what had ended is closed as before, also where its outcome was purged', async () => {
    const other = sqlLedger(target, { tenantId: purgedTenant, ...ORCHESTRATOR });
    expect(await codeOf(other.record(purged))).toBe('invocation_closed');
    expect(await ledger.read('get_invocation', idOf(filled.invocation))).toMatchObject({ state: 'ended' });
  });
});

describe('a copy within one cluster', () => {
  it('is another database: it waits for an epoch of its own', async () => {
    const name = `copy_${randomUUID().replaceAll('-', '')}`;
    const access = { port: target.port };
    const maintenance = urlOf(access, 'supabase_admin', 'postgres');
    await Promise.all([admin.end(), sync.end()]);
    await using(maintenance, async (sql) => {
      // The copied database must have no sessions.
      await sql.unsafe(`alter database ${target.name} allow_connections false`);
      await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${target.name}`;
      await sql.unsafe(`create database ${name} template ${target.name}`);
      await sql.unsafe(`alter database ${target.name} allow_connections true`);
    });
    await using(urlOf(access, 'ledger_gateway', name), async (copy) => {
      const claims = JSON.stringify({
        app_metadata: { tenant_id: filled.tenantId, ledger_role: 'orchestrator', actor_id: 'x' },
      });
      const start = copy.begin(async (tx) => {
        await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
        return callIn(tx, 'start_invocation', jsonb(invocationStart()));
      });
      expect(await codeOf(start)).toBe('epoch_unsettled');
    });
    await using(urlOf(access, 'ledger_sync', name), async (copy) =>
      expect(await codeOf(copy`select * from public.feed()`)).toBe('epoch_unsettled'),
    );
    await using(urlOf(access, 'supabase_admin', name), (copy) => copy`select ledger_internal.open_epoch('copied')`);
    await using(urlOf(access, 'ledger_sync', name), async (copy) =>
      expect((await copy`select * from public.feed()`).count).toBeGreaterThan(0),
    );
    // The original goes on as before.
    expect(
      await sqlLedger(target, { tenantId: filled.tenantId, ...ORCHESTRATOR })
        .start()
        .then(envelopeFor),
    ).toBeTruthy();
  });
});
