// The ledger as a mirror reads it: nothing lost, nothing twice, facts alone, and refusals where a position means nothing.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FeedRow, Ledger } from '../lineage/feed/ledger.ts';
import { openLedger } from '../lineage/feed/open.ts';
import type { Position } from '../lineage/graph/graph.ts';
import { DOCUMENT_COLUMNS, FEED_TABLES } from '../src/contract/ledger-tables.ts';
import { jsonb } from '../src/database/statement.ts';
import { openCrowd, openTransaction } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { envelopeFor, invocationStart, toolCall } from './support/envelopes.ts';
import { purgeTable } from './support/filled-ledger.ts';
import { startMeteredProxy } from './support/metered-proxy.ts';
import { randomFrom } from './support/random.ts';
import { callIn, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const SEED = 41;
const PATIENCE_MS = 20_000;
/** Of the documents, those that are words and not jsonb. */
const FREE_WORDS: Record<string, string[]> = {
  workflow_outcomes: ['verdict_detail'],
  policy_sets: ['policies', 'schema', 'note'],
  hitl_requests: ['reason'],
  hitl_resolutions: ['reason'],
  phase_reports: ['error'],
  artifacts: ['title', 'content', 'content_bytes'],
  outcome_verifications: ['command', 'output_excerpt'],
  delivery_assessments: ['reason'],
  outcome_integrations: ['reference', 'gate_reason'],
  lifecycle_events: ['reason'],
};
const database = useDatabase();
let tenantId: string;
let writer: SqlLedger;
let ledger: Ledger;
const open = new Set<Ledger>();

async function opened(options: Partial<Parameters<typeof openLedger>[0]> = {}): Promise<Ledger> {
  const one = await openLedger({ url: database.urlAs('ledger_sync'), tenantId, ...options });
  open.add(one);
  return one;
}

beforeAll(async () => {
  // A session of another zone: what is read does not depend on it.
  await database.admin.unsafe(`alter database ${database.name} set timezone to 'Asia/Kolkata'`);
  await sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR }).start();
});
beforeEach(async () => {
  tenantId = await database.tenant();
  writer = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  ledger = await opened();
});
afterAll(async () => {
  for (const one of open) await one.close();
});

const idsOf = (rows: FeedRow[]) =>
  rows.map(({ change }) => {
    if (change.type === 'link') return change.facts.link_id;
    return change.type === 'outcome' ? change.facts.outcome_id : undefined;
  });

/**
 * Reads from a position until there is enough. Other files' transactions on the shared server hold the feed back for a
 * moment, so what is settled here may come a little later; it must come.
 */
async function follow(from: Position | null, enough: (rows: FeedRow[]) => boolean, limit = 1000, reader = ledger) {
  const rows: FeedRow[] = [];
  let position = from;
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    const page = await reader.read(position, limit);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    position = page.to ?? position;
    if (enough(rows)) return { rows, position };
    if (Date.now() > until) throw new Error(`the feed gave ${rows.length} rows only`);
  }
}

const many = (count: number) => (rows: FeedRow[]) => rows.length >= count;

async function link(source: string, target: string): Promise<string> {
  const answer = await writer.link({ source_outcome_id: source, target_outcome_id: target, relation: 'invoked' });
  return answer.record['link_id'];
}

/** Links of one tenant written as a restore writes them, between outcomes that are not there, at given times. */
async function loadLinks(times: string[]): Promise<string[]> {
  const ids = times.map(() => randomUUID());
  await database.admin.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(
      `insert into public.agent_lineage_links (tenant_id, link_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
       select $1::text::uuid, l.id, gen_random_uuid(), 'agent', gen_random_uuid(), 'agent', 'invoked', nextval('ledger_internal.feed_seq'),
              (select max(epoch) from public.epochs), pg_current_xact_id(), l.at, 'a test'
         from jsonb_to_recordset($2::text::jsonb) as l (id uuid, at timestamptz)`,
      [tenantId, JSON.stringify(ids.map((id, n) => ({ id, at: times[n] })))],
    );
  });
  return ids;
}

// B001
describe('a row that commits late', () => {
  it('is waited for, and comes with what came after it', async () => {
    const [a, b, c] = [
      await writer.end(await writer.start()),
      await writer.end(await writer.start()),
      await writer.end(await writer.start()),
    ];
    const before = await follow(null, many(3));
    const slow = await openTransaction(database, writer.caller);
    const late = await callIn(
      slow.sql,
      'declare_link',
      jsonb({ source_outcome_id: a, target_outcome_id: b, relation: 'invoked' }),
    );
    const early = await link(b, c);
    expect((await ledger.read(before.position, 100)).rows).toEqual([]);
    // It waits there all the same.
    expect(await ledger.lag(before.position)).toMatchObject({ rows: 1 });
    await slow.commit();
    const after = await follow(before.position, many(2));
    expect(idsOf(after.rows)).toEqual([late.record['link_id'], early]);
  });

  it('and is taken back leaves a gap that stalls nothing', async () => {
    const [a, b] = [await writer.end(await writer.start()), await writer.end(await writer.start())];
    const slow = await openTransaction(database, writer.caller);
    await callIn(slow.sql, 'declare_link', jsonb({ source_outcome_id: a, target_outcome_id: b, relation: 'invoked' }));
    const c = await writer.end(await writer.start());
    await slow.rollback();
    const { rows } = await follow(null, many(3));
    expect(idsOf(rows)).toEqual([a, b, c]);
  });

  it('holds the feed back, and is named', async () => {
    const slow = await openTransaction(database, writer.caller);
    onTestFinished(() => slow.rollback().catch(() => undefined));
    const start = await writer.start();
    await recordIn(slow.sql, start, envelopeFor(start));
    await writer.end(await writer.start());
    const gid = `forgotten-${tenantId}`;
    const session = await database.admin.reserve();
    await session.unsafe(`begin; select pg_current_xact_id(); prepare transaction '${gid}'`).simple();
    session.release();
    onTestFinished(() => database.admin.unsafe(`rollback prepared '${gid}'`).then(() => undefined));
    await expect
      .poll(async () => (await ledger.lag(null)).held_back_by, { timeout: PATIENCE_MS })
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            pid: slow.pid,
            user: 'ledger_gateway',
            database: database.name,
            age_s: expect.any(Number),
          }),
          expect.objectContaining({ pid: null, prepared: gid, database: database.name }),
        ]),
      );
    expect((await ledger.read(null, 10)).rows).toEqual([]);
  });
});

// B003
describe('rows that commit while a pass is running', () => {
  it(`come each once, in a total order (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const crowd = openCrowd(database, 6);
    const hub = await writer.end(await writer.start());
    const kept: string[] = [hub];
    let writing = true;
    const write = async () => {
      for (let round = 0; round < 12; round += 1) {
        const start = invocationStart();
        const keep = random() < 0.8;
        await crowd
          .as(writer.caller, async (tx) => {
            await callIn(tx, 'start_invocation', jsonb(start));
            const { record } = await recordIn(tx, start, envelopeFor(start));
            const outcome = record['outcome_id'] as string;
            for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await tx`select 1`;
            const link = { source_outcome_id: hub, target_outcome_id: outcome, relation: 'invoked' };
            const declared = await callIn(tx, 'declare_link', jsonb(link));
            if (!keep) throw new Error('taken back');
            return [outcome, declared.record['link_id'] as string];
          })
          .then((ids) => kept.push(...ids))
          .catch((error: Error) => {
            if (error.message !== 'taken back') throw error;
          });
      }
    };
    const writers = Promise.all(Array.from({ length: 6 }, write)).finally(() => {
      writing = false;
    });
    const during = await follow(null, () => !writing, 7);
    await writers;
    await crowd.end();
    const rest = await follow(during.position, (rows) => during.rows.length + rows.length >= kept.length, 7);
    const rows = [...during.rows, ...rest.rows];
    expect(idsOf(rows).sort()).toEqual([...kept].sort());
    expect((await ledger.read(rest.position, 7)).rows).toEqual([]);
    for (const [n, row] of rows.slice(1).entries()) {
      const before = rows[n] as FeedRow;
      const later = row.epoch - before.epoch || Number(BigInt(row.xid) - BigInt(before.xid)) || row.seq - before.seq;
      expect(later, `row ${n}`).toBeGreaterThan(0);
    }
  });
});

// B004
describe('rows of one moment', () => {
  it('are a thousand once each, in pages of a hundred, and so are pairs a microsecond apart', async () => {
    const moment = '2026-05-20T00:30:00.123456Z';
    const same = await loadLinks(Array.from({ length: 1000 }, () => moment));
    const pairs = await loadLinks([
      '2026-05-20T00:30:00.000001Z',
      '2026-05-20T00:30:00.000002Z',
      '2026-05-20T00:30:00.999999Z',
      '2026-05-20T00:30:01Z',
    ]);
    // A cursor of time that went through a JavaScript date reads the first page over and over.
    const naive = (after: Date) =>
      database.admin`select link_id, recorded_at from public.agent_lineage_links
        where tenant_id = ${tenantId} and recorded_at > ${after} order by recorded_at, link_id limit 100`;
    const [once, again] = [await naive(new Date(Date.parse(moment))), await naive(new Date(Date.parse(moment)))];
    expect(new Date(once.at(-1)?.['recorded_at'])).toEqual(new Date(Date.parse(moment)));
    expect(again.map((row) => row['link_id'])).toEqual(once.map((row) => row['link_id']));
    const { rows, position } = await follow(null, many(1004), 100);
    expect(idsOf(rows).sort()).toEqual([...same, ...pairs].sort());
    expect((await ledger.read(position, 100)).rows).toEqual([]);
    const times = new Map(
      rows.map(({ change }) => (change.type === 'link' ? [change.facts.link_id, change.facts.recorded_at] : ['', ''])),
    );
    expect(new Set(same.map((id) => times.get(id)))).toEqual(new Set([moment]));
    expect(pairs.map((id) => times.get(id))).toEqual([
      '2026-05-20T00:30:00.000001Z',
      '2026-05-20T00:30:00.000002Z',
      '2026-05-20T00:30:00.999999Z',
      '2026-05-20T00:30:01.000000Z',
    ]);
  });
});

describe('facts', () => {
  const timing = {
    started_at: '2026-05-20T00:30:00.1234569Z',
    completed_at: '2026-05-20T04:30:00.000001+00:00',
    duration_ms: 42,
  };

  it('are exactly those of the rows, in UTC to the microsecond', async () => {
    const execution = await writer.startExecution({ verify: 'npm test' });
    const start = await writer.start({ execution_id: execution['execution_id'] });
    const agent = await writer.end(start, 'escalated', { timing });
    const workflow = await writer.end(execution, 'partial', { timing });
    const { rows } = await follow(null, many(3));
    const common = {
      tenant_id: tenantId,
      source_version: '1.1.0',
      domain: 'art',
      governance_class: 'autonomous',
      correlation_id: 'corr-xyz',
      causation_id: 'event-abc',
      decision: null,
      origin: 'recorded',
      completion_reason: null,
      execution_id: execution['execution_id'],
      started_at: '2026-05-20T00:30:00.123456Z',
      completed_at: '2026-05-20T04:30:00.000001Z',
      recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      duration_ms: 42,
      verification: null,
      assessment: null,
      integrated: false,
      awaiting_until: null,
    };
    expect(rows.map((row) => row.change)).toEqual([
      {
        type: 'outcome',
        facts: {
          ...common,
          outcome_id: agent,
          source_type: 'agent',
          source_id: start['source'].id,
          status: 'escalated',
          invocation_id: start['invocation_id'],
          escalation_target: 'os-agt-004',
          verification_required: false,
        },
      },
      {
        type: 'outcome',
        facts: {
          ...common,
          outcome_id: workflow,
          source_type: 'workflow',
          source_id: execution['source'].id,
          status: 'partial',
          invocation_id: null,
          escalation_target: null,
          verification_required: true,
        },
      },
      {
        type: 'link',
        facts: {
          link_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          tenant_id: tenantId,
          source_outcome_id: agent,
          target_outcome_id: workflow,
          relation: 'contributed-to',
          origin: 'derived',
          declared_by: null,
          recorded_at: expect.stringMatching(/\.\d{6}Z$/),
        },
      },
    ]);
    const [stands] = await database.admin`
      select ledger_internal.rfc3339(recorded_at) as at, extract(microseconds from recorded_at)::int as us, seq::int, xid::text, epoch
        from public.agent_invocation_outcomes where outcome_id = ${agent}`;
    const [row] = rows;
    expect(row?.change.type === 'outcome' && row.change.facts.recorded_at).toBe(stands?.['at']);
    expect(row).toMatchObject({
      seq: stands?.['seq'],
      xid: stands?.['xid'],
      epoch: stands?.['epoch'],
      kind: 'agent_invocation_outcomes',
    });
    // Reconciling sees the very same.
    const outcomes = rows.flatMap(({ change }) => (change.type === 'outcome' ? [change.facts] : []));
    const byId = [...outcomes].sort((a, b) => (a.outcome_id < b.outcome_id ? -1 : 1));
    expect(await ledger.outcomesAfter(null, 10)).toEqual(byId);
    expect(await ledger.outcomesAfter(byId[0]?.outcome_id ?? '', 10)).toEqual(byId.slice(1));
    expect(await ledger.outcomesAfter(null, 1)).toEqual(byId.slice(0, 1));
    expect(await ledger.linksFrom([agent, workflow])).toEqual(
      rows.flatMap(({ change }) => (change.type === 'link' ? [change.facts] : [])),
    );
    expect(await ledger.linkSourcesAfter(null, 10)).toEqual([agent]);
    expect(await ledger.linkSourcesAfter(agent, 10)).toEqual([]);
    expect(await ledger.linksFrom([])).toEqual([]);
  });

  it('come without the envelope, which is neither sent nor fetched', async () => {
    const proxy = await startMeteredProxy(database.port);
    onTestFinished(() => proxy.stop());
    const reader = await opened({ url: proxy.through(database.urlAs('ledger_sync')) });
    const start = await writer.start();
    // Random letters, so that the row is large where it is stored too.
    const random = randomFrom(SEED);
    const text = Array.from({ length: 900_000 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
    const outcome = await writer.end(start, 'success', { result: { text } });
    const sent = proxy.received();
    const { rows } = await follow(null, many(1), 100, reader);
    expect(idsOf(rows)).toEqual([outcome]);
    expect(await reader.outcomesAfter(null, 10)).toHaveLength(1);
    expect(proxy.received() - sent).toBeLessThan(50_000);
    await reader.close();

    /** Blocks of stored documents that one reading of the feed touches. */
    const fetched = async (facts: boolean) => {
      const session = await database.admin.reserve();
      const touched = async () => {
        await session`select pg_stat_force_next_flush()`;
        const [row] = await session`
          select (toast_blks_read + toast_blks_hit)::int as n from pg_statio_user_tables where relname = 'agent_invocation_outcomes'`;
        return row?.['n'] as number;
      };
      try {
        const before = await touched();
        const found = await session`
          select content::text from public.feed(kinds => '{agent_invocation_outcomes}', tenant => ${tenantId}, facts => ${facts})`;
        expect(found).toHaveLength(1);
        return (await touched()) - before;
      } finally {
        session.release();
      }
    };
    expect(await fetched(false)).toBeGreaterThan(100);
    expect(await fetched(true)).toBe(0);
  });

  it('are all columns but those named documents, which are all of type jsonb and the free words beside them', async () => {
    const columns = await database.sql<{ table: string; column: string; type: string }[]>`
      select attrelid::regclass::text as table, attname::text as column, atttypid::regtype::text as type from pg_attribute
       where attrelid = any (${FEED_TABLES.map((name) => `public.${name}`)}::text[]::regclass[]) and attnum > 0 and not attisdropped`;
    for (const table of FEED_TABLES) {
      const mine = columns.filter((column) => column.table.replace('public.', '') === table);
      const documents = DOCUMENT_COLUMNS[table] ?? [];
      const stored = mine.filter(({ type }) => type === 'jsonb').map(({ column }) => column);
      const free = documents.filter((column) => !stored.includes(column));
      expect(free).toEqual(FREE_WORDS[table] ?? []);
      // A tombstone's key is ids alone.
      expect(documents.filter((column) => !free.includes(column)).sort()).toEqual(
        table === 'tombstones' ? [] : stored.sort(),
      );
      const [facts] = await database.sql`select ledger_internal.facts_of(${table}) as text`;
      const named = [...String(facts?.['text']).matchAll(/r\.(\w+)/g)].map((match) => match[1]);
      const beside = ['tenant_id', 'epoch', 'xid', 'seq'];
      expect(named.sort()).toEqual(
        mine
          .map(({ column }) => column)
          .filter((column) => !documents.includes(column) && !beside.includes(column))
          .sort(),
      );
    }
  });
});

describe('a tombstone', () => {
  it('of an outcome or a link is its deletion; of other tables it does not appear', async () => {
    const [a, b] = [await writer.end(await writer.start()), await writer.end(await writer.start())];
    await link(a, b);
    const before = await follow(null, many(3));
    const open = await writer.start();
    await writer.toolCall(toolCall(open['invocation_id']));
    await purgeTable(database, tenantId, 'agent_tool_calls');
    await purgeTable(database, tenantId, 'agent_lineage_links');
    await purgeTable(database, tenantId, 'agent_invocation_outcomes');
    const { rows } = await follow(before.position, many(3));
    const [cut, ...gone] = rows.map((row) => row.change);
    expect(cut).toEqual({
      type: 'link_deleted',
      key: { tenant_id: tenantId, source_outcome_id: a, target_outcome_id: b, relation: 'invoked' },
    });
    // One purge deletes in no order.
    expect(gone).toHaveLength(2);
    for (const outcome_id of [a, b]) {
      expect(gone).toContainEqual({ type: 'outcome_deleted', key: { outcome_id, tenant_id: tenantId } });
    }
    // From the start the rows are gone and their deletions stand.
    expect((await follow(null, many(3))).rows).toEqual(rows);
    expect(await ledger.outcomesAfter(null, 10)).toEqual([]);
  });
});

describe('a reader of one tenant', () => {
  it('gets its rows and no others', async () => {
    const other = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const theirs = await other.end(await other.start());
    const mine = await writer.end(await writer.start());
    const everything = await opened({ tenantId: null });
    const all = await follow(null, (rows) => idsOf(rows).includes(mine), 1000, everything);
    expect(idsOf(all.rows)).toContain(theirs);
    expect(all.position?.tenant_id).toBeNull();
    const { rows, position } = await follow(null, many(1));
    expect(idsOf(rows)).toEqual([mine]);
    expect(position?.tenant_id).toBe(tenantId);
    expect((await ledger.lag(null)).rows).toBe(1);
    expect((await everything.lag(null)).rows).toBeGreaterThan(1);
    expect((await ledger.outcomesAfter(null, 10)).map((facts) => facts.outcome_id)).toEqual([mine]);
    expect((await everything.outcomesAfter(null, 1000)).map((facts) => facts.outcome_id)).toContain(theirs);
  });

  it('moves its position over many rows of others, instead of reading past them for ever', async () => {
    const mine = await writer.end(await writer.start());
    const { position } = await follow(null, many(1));
    await database.sql`select setval('ledger_internal.feed_seq', nextval('ledger_internal.feed_seq') + 20000)`;
    const other = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const theirs = await other.end(await other.start());
    const [far] =
      await database.admin`select seq::int from public.agent_invocation_outcomes where outcome_id = ${theirs}`;
    const reads = async () => {
      const page = await ledger.read(position, 100);
      expect(page.rows).toEqual([]);
      return page.to?.seq;
    };
    await expect.poll(reads, { timeout: PATIENCE_MS }).toBe(far?.['seq']);
    const after = (await ledger.read(position, 100)).to;
    expect(after).toMatchObject({ tenant_id: tenantId, kind: 'agent_invocation_outcomes' });
    expect((await ledger.read(after, 100)).to).toBeNull();
    const next = await writer.end(await writer.start());
    expect(idsOf((await follow(after, many(1))).rows)).toEqual([next]);
    expect(idsOf((await follow(null, many(2))).rows)).toEqual([mine, next]);
  });

  it('refuses a tenant that is not there, or is none', async () => {
    const nobody = await opened({ tenantId: randomUUID() });
    await expect(nobody.identify()).rejects.toMatchObject({
      name: 'LedgerRefused',
      code: 'unknown_tenant',
      remedy: expect.stringContaining('tenant list'),
    });
    await expect(opened({ tenantId: tenantId.toUpperCase() })).rejects.toMatchObject({ code: 'request_invalid' });
  });
});

describe('the lag', () => {
  it('counts the rows behind and the age of the oldest, by the database’s clock', async () => {
    const old = new Date(Date.now() - 3_600_000).toISOString();
    await loadLinks([old, new Date().toISOString()]);
    await expect.poll(async () => (await ledger.lag(null)).rows, { timeout: PATIENCE_MS }).toBe(2);
    const { seconds, rows_capped } = await ledger.lag(null);
    expect(seconds).toBeGreaterThan(3_590);
    expect(seconds).toBeLessThan(3_700);
    expect(rows_capped).toBe(false);
    const { position } = await follow(null, many(2));
    expect(await ledger.lag(position)).toMatchObject({ rows: 0, rows_capped: false, seconds: 0 });
  });

  it('stops counting at a hundred thousand', async () => {
    await database.admin.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
        select ${tenantId}, gen_random_uuid(), 'agent', gen_random_uuid(), 'agent', 'invoked', nextval('ledger_internal.feed_seq'),
               (select max(epoch) from public.epochs), pg_current_xact_id(), now(), 'a test' from generate_series(1, 100001)`;
    });
    await expect.poll(async () => (await ledger.lag(null)).rows, { timeout: PATIENCE_MS }).toBe(100_000);
    expect(await ledger.lag(null)).toMatchObject({ rows_capped: true });
  });
});
