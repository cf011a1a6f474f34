import { randomUUID } from 'node:crypto';
import type { TransactionSql } from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeFor, invocationStart } from './support/envelopes.ts';
import { type History, writeHistory } from './support/history.ts';
import { openPlanReader, type PlanReader, type Scan } from './support/plans.ts';
import { useServer } from './support/server.ts';

/** What grows with every outcome; what is open right now does not, and may be read whole. */
const GROWING = [
  'agent_invocations',
  'agent_invocation_outcomes',
  'workflow_executions',
  'workflow_outcomes',
  'outcome_ids',
  'os_events',
  'agent_lineage_links',
  'policy_decisions',
  'outcome_verifications',
];

/** Far above what any of these answers needs, far below a table. */
const FEW = 25_000;

const server = useServer({
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '1GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  maintenance_work_mem: '256MB',
  autovacuum: 'off',
});

let history: History;
let reader: PlanReader;

beforeAll(async () => {
  history = await writeHistory(server.database.admin);
  reader = openPlanReader(server.database.adminUrl);
}, 900_000);
afterAll(() => reader?.close());

/** What reads a growing table whole, or most of it, in what `work` does. */
async function wide(work: (sql: TransactionSql) => Promise<unknown>, tenantId = history.tenantId): Promise<string[]> {
  const caller = { tenantId, role: 'orchestrator', actorId: 'orchestrator-1' } as const;
  const scans = await reader.scansOf(caller, work);
  expect(scans.length, 'the plans were seen').toBeGreaterThan(0);
  const growing = scans.filter((scan) => GROWING.includes(scan.table));
  return growing.filter((scan) => scan.node === 'Seq Scan' || scan.touched > FEW).map(told);
}

function told({ node, table, index, touched, query }: Scan): string {
  return `${node} on ${table}${index ? ` by ${index}` : ''}, ${touched} rows, in: ${query.replace(/\s+/g, ' ').slice(0, 300)}`;
}

/** Plans of a first call differ from those of a call that has been made often: both are read. */
const list = (name: string, filter: object) => async (sql: TransactionSql) => {
  for (let time = 0; time < 2; time += 1)
    await sql.unsafe(`select public.${name}($1::text::jsonb)`, [JSON.stringify(filter)]);
};

describe('a business transaction', () => {
  it.each(['lineage_correlation', 'lineage_correlation_document'])('%s reads by index', async (name) => {
    const { correlation } = history.ids(70_000);
    expect(await wide((sql) => sql.unsafe(`select * from public.${name}($1)`, [correlation]))).toEqual([]);
  });
});

describe('pages of outcomes', () => {
  const deep = (at: number) => async (sql: TransactionSql) => {
    const [row] = await sql<{ cursor: string }[]>`
      select concat_ws('.', epoch, xid, seq) as cursor from public.agent_invocation_outcomes where outcome_id = ${history.ids(at).agentOutcome}`;
    return row?.cursor;
  };

  it.each(['desc', 'asc'])('the first, %s', async (order) => {
    expect(await wide(list('list_outcomes', { order }))).toEqual([]);
  });

  it.each(['desc', 'asc'])('a deep one, %s', async (order) => {
    expect(
      await wide(async (sql) => {
        const cursor = await deep(40_000)(sql);
        expect(cursor).toBeTruthy();
        await list('list_outcomes', { order, cursor })(sql);
      }),
    ).toEqual([]);
  });

  it('of a small tenant in the middle of a large one', async () => {
    expect(await wide(list('list_outcomes', { limit: 1000 }), history.smallTenantId)).toEqual([]);
  });

  it.each([
    ['correlation_id', () => history.ids(70_000).correlation],
    ['causation_id', () => 'event-70000'],
    ['invocation_id', () => history.ids(70_000).invocation],
    ['execution_id', () => history.ids(70_000).execution],
  ])('of one %s', async (parameter, value) => {
    expect(await wide(list('list_outcomes', { [parameter]: value() }))).toEqual([]);
  });
});

describe('an execution by its phases', () => {
  it('is read by index, and so is what its next phase finds', async () => {
    const { execution, invocation } = history.ids(70_000);
    for (const [name, id] of [
      ['get_execution', execution],
      ['list_inputs', invocation],
    ] as const) {
      expect(await wide((sql) => sql.unsafe(`select public.${name}($1)`, [id]))).toEqual([]);
    }
  });

  it.each(['execution_results', 'execution_phases', 'execution_attempts'])('%s of one execution', async (view) => {
    const { execution } = history.ids(70_000);
    expect(
      await wide((sql) => sql.unsafe(`select * from public.${view} where execution_id = $1`, [execution])),
    ).toEqual([]);
  });

  it('another start in it asks by index what failed', async () => {
    const start = invocationStart({ execution_id: history.ids(70_000).execution, step_id: 'next' });
    // Refused where a phase has failed: the plan of the question is seen all the same.
    const work = async (sql: TransactionSql) => {
      await sql
        .savepoint((one) => one.unsafe('select public.start_invocation($1::text::jsonb)', [JSON.stringify(start)]))
        .catch(() => null);
    };
    expect(await wide(work)).toEqual([]);
  });
});

describe('judgments', () => {
  const judged = (condition: string) => (sql: TransactionSql) =>
    sql.unsafe(`select count(*), count(judgment) from public.outcome_judgments where ${condition}`);

  it.each([
    ['correlation', () => `correlation_id = '${history.ids(70_000).correlation}'`],
    ['outcome', () => `outcome_id = '${history.ids(70_000).agentOutcome}'`],
    ['invocation', () => `invocation_id = '${history.ids(70_000).invocation}'`],
    ['agent and day', () => "source_id = 'agent-3' and recorded_at >= '2026-03-01' and recorded_at < '2026-03-02'"],
    // Of a whole day's thousands the planner may read all evidence at once, which is then the shorter way.
    ['hour', () => "recorded_at >= '2026-03-01 10:00Z' and recorded_at < '2026-03-01 11:00Z'"],
  ])('of one %s', async (_, condition) => {
    expect(await wide(judged(condition()))).toEqual([]);
  });

  it('read by any id, listed, and asked by the gate', async () => {
    const { agentOutcome, invocation, execution } = history.ids(70_000);
    for (const id of [agentOutcome, invocation, execution]) {
      expect(await wide((sql) => sql.unsafe('select public.get_judgment($1::text::uuid)', [id]))).toEqual([]);
    }
    expect(await wide(list('list_judgments', {}))).toEqual([]);
    expect(await wide(list('list_judgments', { correlation_id: history.ids(70_000).correlation }))).toEqual([]);
    const ids = JSON.stringify({ ids: [history.ids(70_000).workflowOutcome] });
    expect(await wide((sql) => sql.unsafe('select public.pass_gate($1::text::jsonb)', [ids]))).toEqual([]);
  });
});

describe('what is missing', () => {
  it.each([
    null,
    'unresolved_causation',
    'past_deadline',
    'missing_contribution',
    'policy_missing',
    'hitl_missing',
    'undefined_source',
  ])('lineage_gaps(%s)', async (gap) => {
    expect(await wide((sql) => sql`select count(*) from public.lineage_gaps(${gap})`)).toEqual([]);
  });
});

describe('what is running', () => {
  it.each(['running', 'stalled', 'overdue'])('invocations that are %s', async (state) => {
    expect(await wide(list('list_invocations', { state }))).toEqual([]);
  });
  it('invocations that have ended, first page', async () => {
    expect(await wide(list('list_invocations', { state: 'ended' }))).toEqual([]);
  });
  it('executions that are running', async () => {
    expect(await wide(list('list_executions', { state: 'running' }))).toEqual([]);
  });
  it.each([
    ['correlation_id', () => history.ids(70_000).correlation],
    ['execution_id', () => history.ids(70_000).execution],
  ])('invocations of one %s', async (parameter, value) => {
    expect(await wide(list('list_invocations', { [parameter]: value() }))).toEqual([]);
  });
});

describe('asking why', () => {
  it.each(['lineage_why', 'lineage_impact'])('%s, twenty levels', async (name) => {
    const { workflowOutcome } = history.ids(70_000);
    expect(
      await wide((sql) => sql.unsafe(`select * from public.${name}($1::text::uuid, 20)`, [workflowOutcome])),
    ).toEqual([]);
  });
});

describe('between two outcomes', () => {
  it('lineage_path, twenty links', async () => {
    const [from, to] = [history.ids(70_000).workflowOutcome, history.ids(70_020).workflowOutcome];
    const rows: unknown[] = [];
    expect(
      await wide(async (sql) => {
        rows.push(...(await sql`select * from public.lineage_path(${from}, ${to}, 20)`));
      }),
    ).toEqual([]);
    expect(rows).toHaveLength(21);
  });

  it('lineage_governed', async () => {
    const { agentOutcome } = history.ids(70_000);
    expect(await wide((sql) => sql`select * from public.lineage_governed(${agentOutcome})`)).toEqual([]);
  });
});

describe('the feed, as a mirror reads it', () => {
  const KINDS = ['agent_invocation_outcomes', 'workflow_outcomes', 'agent_lineage_links', 'tombstones'];
  const asSync = (work: (sql: TransactionSql) => Promise<unknown>) => async (sql: TransactionSql) => {
    await sql`set local role ledger_sync`;
    await work(sql);
  };

  it('a page of facts, from the start and from the middle', async () => {
    const [middle] = await server.database.admin`
      select epoch, xid::text, seq::text from public.agent_invocation_outcomes where outcome_id = ${history.ids(70_000).agentOutcome}`;
    for (const { epoch, xid, seq } of [
      { epoch: 0, xid: '0', seq: '0' },
      middle as { epoch: number; xid: string; seq: string },
    ]) {
      expect(
        await wide(
          asSync((sql) => sql`select * from public.feed(${epoch}, ${xid}, ${seq}, 5000, ${KINDS}, facts => true)`),
        ),
      ).toEqual([]);
    }
  });

  it('its end, and what is behind it', async () => {
    const end = asSync(async (sql) => {
      const [at] = await sql`select epoch, xid, seq::text from ledger_internal.feed_end(${KINDS})`;
      await sql`select * from public.feed_lag(${at?.['epoch']}, ${at?.['xid']}, ${at?.['seq']}, ${KINDS})`;
    });
    expect(await wide(end)).toEqual([]);
  });

  it('a page of outcomes by id, and the links that lead out of them', async () => {
    const compare = asSync(async (sql) => {
      const rows = await sql`select outcome_id from ledger_internal.outcome_facts_after(null, 500)`;
      const ids = rows.map((row) => row['outcome_id'] as string);
      await sql`select * from ledger_internal.link_facts_from(${ids}::uuid[])`;
      await sql`select * from ledger_internal.link_sources_after(${ids[0] as string}, 500)`;
    });
    expect(await wide(compare)).toEqual([]);
  });
});

describe('one by its id', () => {
  it.each([
    ['get_outcome', () => history.ids(70_000).agentOutcome],
    ['get_outcome', () => history.ids(70_000).workflowOutcome],
    ['get_invocation', () => history.ids(70_000).invocation],
    ['get_execution', () => history.ids(70_000).execution],
  ])('%s', async (name, id) => {
    expect(await wide((sql) => sql.unsafe(`select public.${name}($1::text::uuid)`, [id()]))).toEqual([]);
  });
});

describe('writing', () => {
  it('a start and its outcome', async () => {
    const start = invocationStart({ causation_id: history.ids(70_000).agentOutcome });
    expect(
      await wide(async (sql) => {
        await sql`select public.start_invocation(${JSON.stringify(start)}::text::jsonb)`;
        await sql`select public.record_agent_outcome(${start['invocation_id']}::text::uuid, ${JSON.stringify(envelopeFor(start))}::text::jsonb)`;
      }),
    ).toEqual([]);
  });

  it('a batch', async () => {
    const starts = Array.from({ length: 20 }, () =>
      invocationStart({ correlation_id: `corr-${randomUUID()}`, causation_id: history.ids(70_001).agentOutcome }),
    );
    const items = starts.map((start) => ({ invocation_id: start['invocation_id'], outcome: envelopeFor(start) }));
    expect(
      await wide(async (sql) => {
        await sql`select public.start_invocations(${JSON.stringify(starts)}::text::jsonb)`;
        await sql`select public.record_outcomes(${JSON.stringify(items)}::text::jsonb)`;
      }),
    ).toEqual([]);
  });
});
