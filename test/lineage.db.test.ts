// Why, impact, correlation: against a walk of our own over the same links.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, invocationStart, policyDecision, policyMember } from './support/envelopes.ts';
import { randomFrom } from './support/random.ts';
import { codeOf } from './support/refused.ts';
import { connect } from './support/shared-server.ts';
import { type Answer, callIn, GUARD, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const SEED = 7;
const NODES = 40;
const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;
let outcomes: string[];
let chain: string[];
let edges: { cause: string; effect: string; relation: string }[];

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  const guard = sqlLedger(database, { tenantId, ...GUARD });
  const random = randomFrom(SEED);
  const guarding = await ledger.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'synedrix-os' } });
  outcomes = [await ledger.end(guarding)];
  for (let n = 1; n < NODES; n += 1) {
    const start = n % 5 === 0 ? await ledger.startExecution() : await ledger.start();
    const governed = n % 7 === 0 && start['invocation_id'];
    if (governed)
      await guard.decide(
        policyDecision({ invocation_id: governed }, { guard_invocation_id: guarding['invocation_id'] }),
      );
    outcomes.push(await ledger.end(start, 'success', governed ? { policy: policyMember() } : {}));
  }
  const links: Document[] = [];
  for (let n = 0; n < 70; n += 1) {
    const [source, target] = [outcomes[Math.floor(random() * NODES)], outcomes[Math.floor(random() * NODES)]];
    if (source !== target)
      links.push({
        source_outcome_id: source,
        target_outcome_id: target,
        relation: random() < 0.8 ? 'invoked' : 'escalated-to',
      });
  }
  await ledger.ask<Answer[]>('declare_links', jsonb(links));
  const rows =
    await database.sql`select source_outcome_id as source, target_outcome_id as target, relation from public.agent_lineage_links where tenant_id = ${tenantId}`;
  edges = rows.map(({ source, target, relation }) =>
    relation === 'governed-by'
      ? { cause: target, effect: source, relation }
      : { cause: source, effect: target, relation },
  );
  chain = await makeChain(71);
});

/** Outcomes each caused by the one before: a chain longer than any depth that may be asked for. */
async function makeChain(length: number): Promise<string[]> {
  const starts: Document[] = [];
  for (let n = 0; n < length; n += 1)
    starts.push(invocationStart(n > 0 ? { causation_id: starts[n - 1]?.['invocation_id'] } : {}));
  await ledger.ask('start_invocations', jsonb(starts));
  const items = starts.map((start) => ({ invocation_id: start['invocation_id'], outcome: envelopeFor(start) }));
  const answers = await ledger.ask<Answer[]>('record_outcomes', jsonb(items));
  return answers.map((answer) => answer.record['outcome_id']);
}

/** Breadth first over the edges, each node once: its depth. */
function walked(root: string, direction: 'why' | 'impact', cap: number): Map<string, number> {
  const reached = new Map([[root, 0]]);
  let frontier = [root];
  for (let depth = 1; depth <= cap && frontier.length > 0; depth += 1) {
    const next = edges
      .filter((edge) => frontier.includes(direction === 'why' ? edge.effect : edge.cause))
      .map((edge) => (direction === 'why' ? edge.cause : edge.effect))
      .filter((id) => !reached.has(id));
    frontier = [...new Set(next)];
    for (const id of frontier) reached.set(id, depth);
  }
  return reached;
}

const ask = (
  direction: 'why' | 'impact',
  root: string,
  depth: number | null = 20,
  from: SqlLedger = ledger,
): Promise<Document[]> =>
  database.as(from.caller, async (tx) => [
    ...(await tx.unsafe(`select * from public.lineage_${direction}($1::text::uuid, $2)`, [root, depth])),
  ]);

describe.each(['why', 'impact'] as const)('%s', (direction) => {
  it('holds cycles, both directions of governed-by, and every node once at its least depth', async () => {
    expect(edges.length).toBeGreaterThan(60);
    expect(edges.some((edge) => edge.relation === 'governed-by')).toBe(true);
    for (const root of outcomes) {
      const rows = await ask(direction, root, 64);
      expect(
        Object.fromEntries(rows.map((row) => [row['outcome_id'], row['depth']])),
        `seed ${SEED}, root ${root}`,
      ).toEqual(Object.fromEntries(walked(root, direction, 64)));
      expect(new Set(rows.map((row) => row['outcome_id'])).size).toBe(rows.length);
      expect(rows.every((row) => row['truncated'] === false)).toBe(true);
      expect(rows[0]).toMatchObject({ depth: 0, outcome_id: root, relation: null, via_outcome_id: null });
      for (const row of rows.slice(1)) {
        const [cause, effect] =
          direction === 'why' ? [row['outcome_id'], row['via_outcome_id']] : [row['via_outcome_id'], row['outcome_id']];
        expect(edges).toContainEqual({ cause, effect, relation: row['relation'] });
      }
    }
  });

  it.each([0, 1, 2, 3])('stops at depth %i and says where there was more', async (cap) => {
    for (const root of outcomes.slice(0, 12)) {
      const rows = await ask(direction, root, cap);
      const wanted = walked(root, direction, cap);
      expect(new Set(rows.map((row) => row['outcome_id']))).toEqual(new Set(wanted.keys()));
      const more = walked(root, direction, cap + 1).size > wanted.size;
      expect(
        rows.some((row) => row['truncated']),
        `root ${root}`,
      ).toBe(more);
    }
  });

  it('caps a depth that is too great, refuses one below nought, takes 20 for none', async () => {
    const root = (direction === 'why' ? chain[70] : chain[0]) as string;
    expect(await ask(direction, root, 1_000_000)).toHaveLength(65);
    expect(await ask(direction, root, null)).toHaveLength(21);
    expect(await codeOf(ask(direction, root, -1))).toBe('request_invalid');
    expect((await ask(direction, root, 1_000_000)).filter((row) => row['truncated'])).toHaveLength(1);
  });

  it('of an unknown outcome and of another tenant’s answer alike', async () => {
    const stranger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const raised = async (root: string) =>
      ask(direction, root, 20, stranger).catch(({ code, message, detail, hint }) => ({ code, message, detail, hint }));
    const foreign = await raised(outcomes[0] as string);
    expect(foreign).toMatchObject({ message: 'unknown_outcome' });
    expect(await raised(randomUUID())).toEqual(foreign);
  });

  it('as one document has the same nodes and every link among them', async () => {
    const root = outcomes[3] as string;
    const rows = await ask(direction, root, 5);
    const document = await database.as(ledger.caller, async (tx) => {
      const [row] = await tx`select public.lineage_document(${direction}, ${root}, 5) as document`;
      return row?.['document'] as Document;
    });
    const ids = new Set(rows.map((row) => row['outcome_id']));
    expect(new Set(document['nodes'].map((node: Document) => node['outcome_id']))).toEqual(ids);
    expect(document['truncated']).toBe(rows.some((row) => row['truncated']));
    expect(document['links']).toHaveLength(edges.filter((edge) => ids.has(edge.cause) && ids.has(edge.effect)).length);
  });
});

describe('a correlation', () => {
  it('is every outcome of a transaction, in the order recorded, with its links, and what is open', async () => {
    const correlation_id = `corr-${randomUUID()}`;
    const execution = await ledger.startExecution({ correlation_id });
    const agents = [
      await ledger.start({ correlation_id, execution_id: execution['execution_id'] }),
      await ledger.start({ correlation_id, execution_id: execution['execution_id'] }),
    ];
    const open = await ledger.start({ correlation_id });
    const ids = [
      await ledger.end(agents[0] as Document),
      await ledger.end(agents[1] as Document, 'failure'),
      await ledger.end(execution),
    ];
    const rows = await database.as(
      ledger.caller,
      (tx) => tx`select * from public.lineage_correlation(${correlation_id})`,
    );
    expect(rows.map((row) => row['outcome_id'])).toEqual(ids);
    expect(rows.map((row) => row['links'])).toEqual([
      [{ relation: 'contributed-to', target_outcome_id: ids[2] }],
      [{ relation: 'contributed-to', target_outcome_id: ids[2] }],
      [],
    ]);
    expect(rows.every((row) => row['execution_id'] === execution['execution_id'])).toBe(true);
    const document = await database.as(
      ledger.caller,
      async (tx) =>
        (await tx`select public.lineage_correlation_document(${correlation_id}) as d`)[0]?.['d'] as Document,
    );
    expect(document['links']).toHaveLength(2);
    expect(document['open']).toMatchObject([{ subject_id: open['invocation_id'], state: 'running' }]);
    const stranger = { tenantId: await database.tenant(), ...ORCHESTRATOR };
    expect(
      await database.as(stranger, (tx) => tx`select * from public.lineage_correlation(${correlation_id})`),
    ).toHaveLength(0);
  });

  // B048: 1,201 outcomes under one correlation id are 1,201, not a round thousand.
  it('is not cut at a thousand', async () => {
    const correlation_id = `corr-${randomUUID()}`;
    for (let n = 0; n < 1201; n += 100) {
      const starts = Array.from({ length: Math.min(100, 1201 - n) }, () => ({
        invocation_id: randomUUID(),
        source: { id: 'a', version: '1.0.0', domain: 'art' },
        correlation_id,
        causation_id: 'event-abc',
      }));
      await database.as(ledger.caller, async (tx) => {
        await callIn(tx, 'start_invocations', jsonb(starts));
        const answers = await callIn<Answer[]>(
          tx,
          'record_outcomes',
          jsonb(starts.map((start) => ({ invocation_id: start.invocation_id, outcome: envelopeFor(start) }))),
        );
        expect(answers.every((answer) => answer.result === 'recorded')).toBe(true);
      });
    }
    expect(
      await database.as(ledger.caller, (tx) => tx`select from public.lineage_correlation(${correlation_id})`),
    ).toHaveLength(1201);
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: Document = await ledger.ask<Document>('list_outcomes', jsonb({ correlation_id, limit: 500, cursor }));
      for (const item of page['items']) seen.add(item['outcome_id']);
      cursor = page['next_cursor'];
    } while (cursor);
    expect(seen.size).toBe(1201);
  });
});

describe('an auditor’s login', () => {
  it('asks in SQL, of the tenants it is mapped to and no others', async () => {
    const auditor = connect(database.auditorUrl, 1);
    try {
      const root = outcomes[3] as string;
      const mapped = await auditor`select outcome_id from public.lineage_why(${root})`;
      expect(mapped.map((row) => row['outcome_id']).sort()).toEqual([...walked(root, 'why', 20).keys()].sort());
      await database.sql`delete from ledger_internal.auditor_tenants where tenant_id = ${tenantId}`;
      expect(await codeOf(auditor`select * from public.lineage_why(${root})`)).toBe('unknown_outcome');
      expect(await auditor`select from public.agent_lineage_links where tenant_id = ${tenantId}`).toHaveLength(0);
    } finally {
      await auditor.end();
      await database.sql`insert into ledger_internal.auditor_tenants (login, tenant_id) values ('ledger_auditor', ${tenantId})`;
    }
  });
});
