import { describe, expect, it } from 'vitest';
import { GraphFault } from '../graph/fault.ts';
import { createSyncMetrics } from './metrics.ts';
import { StatusBoard } from './status-board.ts';
import type { GraphSource, SyncLogEntry } from './types.ts';

const SOURCE = { kind: 'neo4j', address: 'bolt://127.0.0.1:7687/neo4j', tenantId: null } as GraphSource;
const WRONG_PASSWORD = { code: 'Neo.ClientError.Security.Unauthorized', message: 'wrong password', remedy: 'mend it' };

function board() {
  const said: SyncLogEntry[] = [];
  const clock = { now: Date.parse('2026-05-20T10:00:00Z') };
  return {
    said,
    clock,
    board: new StatusBoard(
      SOURCE,
      (entry) => said.push(entry),
      () => clock.now,
    ),
  };
}
const holder = (age_s: number, over = {}) => ({
  pid: 42,
  user: 'reports',
  database: 'app',
  age_s,
  prepared: null,
  ...over,
});
const lagOf = (...held_back_by: ReturnType<typeof holder>[]) => ({
  rows: 3,
  rows_capped: false,
  seconds: 2,
  held_back_by,
});

describe('a worker’s log', () => {
  it('says a state once at its change, and a bad one once a minute', () => {
    const { board: it, said, clock } = board();
    for (let second = 0; second < 150; second += 1, clock.now += 1_000) it.enter('waiting', WRONG_PASSWORD);
    expect(said.map(({ level, message }) => `${level} ${message}`)).toEqual(
      Array(3).fill('warn mirror waiting: wrong password'),
    );
    expect(said[0]?.details).toMatchObject({
      code: WRONG_PASSWORD.code,
      remedy: 'mend it',
      since: '2026-05-20T10:00:00.000Z',
    });
    it.enter('active');
    it.enter('active');
    expect(said).toHaveLength(4);
    expect(it.read()).toMatchObject({ state: 'active', since: '2026-05-20T10:02:30.000Z', reason: null });
  });

  it('says another reason at once', () => {
    const { board: it, said } = board();
    it.enter('waiting', WRONG_PASSWORD);
    it.enter('waiting', { ...WRONG_PASSWORD, code: 'other' });
    expect(said).toHaveLength(2);
  });

  it('holds ids and no content of a quarantined row', () => {
    const { board: it, said } = board();
    const row = { kind: 'agent_lineage_links', epoch: 1, xid: '7', seq: 9, tenant_id: 't', change: { type: 'link' } };
    it.parked(row as never, new GraphFault('row', 'Bad', 'property too long'));
    expect(said[0]).toMatchObject({ level: 'error', details: { seq: 9, kind: 'agent_lineage_links', code: 'Bad' } });
    expect(it.read()).toMatchObject({ rows_parked: 1, faults: { row: 1 }, last_error: { code: 'Bad' } });
  });
});

describe('a mirror', () => {
  it('is degraded by what holds the feed back for over thirty seconds, which is named', () => {
    const { board: it, said, clock } = board();
    it.enter('active');
    it.lag(lagOf(holder(30)));
    expect(it.read().degraded_by).toEqual([]);
    it.lag(lagOf(holder(31)));
    const [reason] = it.read().degraded_by;
    expect(reason).toMatchObject({
      code: 'feed_held_back',
      remedy: expect.stringContaining('pg_terminate_backend(42)'),
    });
    expect(reason?.message).toContain('session 42 of reports in database app');
    expect(said.filter(({ details }) => details['code'] === 'feed_held_back')).toHaveLength(1);
    clock.now += 61_000;
    it.lag(lagOf(holder(92)));
    expect(said.filter(({ details }) => details['code'] === 'feed_held_back')).toHaveLength(2);
    it.lag(lagOf());
    expect(it.read().degraded_by).toEqual([]);
  });

  it('names a forgotten prepared transaction with what ends it', () => {
    const { board: it } = board();
    it.lag(lagOf(holder(99, { pid: null, prepared: 'gid-1' })));
    expect(it.read().degraded_by[0]?.remedy).toContain("rollback prepared 'gid-1'");
  });

  it('is degraded while it waits or is refused, not on standby', () => {
    const { board: it } = board();
    it.enter('standby');
    expect(it.read().degraded_by).toEqual([]);
    it.enter('refused', WRONG_PASSWORD);
    expect(it.read().degraded_by).toEqual([WRONG_PASSWORD]);
  });
});

describe('the metrics', () => {
  it('are the status of each worker at the moment they are read', async () => {
    const { board: it } = board();
    const { registry } = createSyncMetrics(() => [{ status: () => it.read() }]);
    expect(await registry.metrics()).not.toMatch(/^outcome_ledger_sync_lag_rows\{/m);
    it.lag(lagOf(holder(12)));
    it.wrote(7, { epoch: 1, xid: '1', seq: 1, kind: 'k', ledger_id: 'l', tenant_id: null });
    it.failed('passing', 'x', new Error('x'));
    it.quarantined(2);
    const mirror = `mirror="neo4j ${SOURCE.address} all"`;
    for (const _ of ['one scrape', 'another']) {
      const text = await registry.metrics();
      for (const line of [
        `outcome_ledger_sync_lag_rows{${mirror}} 3`,
        `outcome_ledger_sync_lag_seconds{${mirror}} 2`,
        `outcome_ledger_sync_feed_held_seconds{${mirror}} 12`,
        `outcome_ledger_sync_rows_total{${mirror}} 7`,
        `outcome_ledger_sync_batches_total{${mirror}} 1`,
        `outcome_ledger_sync_quarantined{${mirror}} 2`,
        `outcome_ledger_sync_active{${mirror}} 1`,
        `outcome_ledger_sync_faults_total{${mirror},kind="passing"} 1`,
        `outcome_ledger_sync_faults_total{${mirror},kind="row"} 0`,
        `outcome_ledger_sync_state{${mirror},state="active"} 1`,
        `outcome_ledger_sync_state{${mirror},state="waiting"} 0`,
      ]) {
        expect(text.split('\n')).toContain(line);
      }
    }
  });
});
