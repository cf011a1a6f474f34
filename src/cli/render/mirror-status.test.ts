import { expect, it } from 'vitest';
import { colours } from './colour.ts';
import { fromReport, type MirrorStatus, renderMirrorStatus } from './mirror-status.ts';

const plain = colours(false);
const holder = { pid: 42, user: 'postgres', database: 'postgres', age_s: 31.4 };
const well: MirrorStatus = {
  mirror: 'embedded /g all',
  graph: { kind: 'embedded', address: '/g' },
  tenant_id: null,
  state: 'active',
  since: '2026-05-20T10:00:00.000Z',
  position: { ledger_id: 'l', tenant_id: null, epoch: 1, xid: '9007199254740993', seq: 7, kind: 'agent_lineage_links' },
  lag: { rows: 0, rows_capped: false, seconds: 0 },
  held_back_by: [],
  quarantined: 0,
  degraded_by: [],
  quarantine: [],
};

it('tells a healthy mirror in a few lines', () => {
  expect(renderMirrorStatus(well, plain).split('\n')).toEqual([
    'state         active since 2026-05-20 10:00:00.000Z',
    'graph         embedded /g',
    'tenant        all',
    'lag           0 rows, 0.0 s',
    'position      epoch 1, xid 9007199254740993, seq 7',
    'held back by  nobody',
    'quarantined   0',
  ]);
});

it('tells what is wrong, and what to do', () => {
  const row = {
    ...{ mirror: 'm', kind: 'agent_lineage_links', epoch: 1, xid: '1', seq: 3, tenant_id: 't', attempts: 4 },
    row_key: { source_outcome_id: 'a', target_outcome_id: 'b', relation: 'invoked' },
    ...{ code: 'row_refused', reason: 'an end of\nanother tenant' },
    ...{ first_failed_at: '2026-05-20T10:00:00Z', last_failed_at: '2026-05-20T11:00:00Z' },
  };
  const text = renderMirrorStatus(
    {
      ...well,
      state: 'waiting',
      lag: { rows: 100_000, rows_capped: true, seconds: 61.25 },
      held_back_by: [holder, { ...holder, pid: null, prepared: 'gid-1' }],
      quarantined: 1,
      degraded_by: [
        { code: 'Neo.ClientError.Security.Unauthorized', message: 'the graph takes nothing', remedy: 'Mend it' },
      ],
      quarantine: [row],
    },
    plain,
  );
  expect(text).toMatch(/^lag +more than 100000 rows, 61\.3 s$/m);
  expect(text).toMatch(/^held back by +pid 42 \(postgres in postgres\) for 31 s, prepared transaction gid-1 \(/m);
  expect(text).toContain('Neo.ClientError.Security.Unauthorized  the graph takes nothing\n  → Mend it');
  expect(text).toMatch(
    /^agent_lineage_links {2}a b invoked +4 {2}2026-05-20 10:00:00\.000Z {2}row_refused {2}an end of\\nanother tenant$/m,
  );
  expect(text).toMatch(/→ .*sync --retry-quarantined$/);
});

it('asked from outside, knows whether anybody mirrors and who holds the feed back', () => {
  const { state: _, since: __, degraded_by: ___, ...rest } = well;
  const lag = { rows: 0, rows_capped: false, seconds: 0, measured_at: '2026-05-20T10:00:00Z' };
  const report = { ...rest, lag, quarantined: 0, worker_active: false };
  expect(fromReport(report)).toMatchObject({ state: 'no worker', degraded_by: [] });
  expect(fromReport({ ...report, worker_active: true, held_back_by: [holder] })).toMatchObject({
    state: 'active',
    degraded_by: [{ code: 'feed_held_back' }],
  });
  expect(fromReport({ ...report, held_back_by: [{ ...holder, age_s: 29 }] }).degraded_by).toEqual([]);
});
