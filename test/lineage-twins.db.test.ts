// The SQL twins of the named graph queries: path, governed, root causes. Against the same questions asked of a plain model.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from './support/database.ts';
import type { Document } from './support/envelopes.ts';
import { purgeTable } from './support/filled-ledger.ts';
import { type LineageModel, readModel, rootCauses, shortestPath } from './support/lineage-model.ts';
import { type LineageShapes, writeShapes } from './support/lineage-shapes.ts';
import { codeOf } from './support/refused.ts';
import { connect } from './support/shared-server.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const SEEDS = [11, 12];
const database = useDatabase();
const DAY = ['2026-05-20T00:00:00Z', '2026-05-21T00:00:00Z'] as const;

interface Written {
  seed: number;
  shapes: LineageShapes;
  model: LineageModel;
  ledger: SqlLedger;
}
const written: Written[] = [];
let first: Written;

beforeAll(async () => {
  for (const seed of SEEDS) {
    const shapes = await writeShapes(database, seed);
    const model = await readModel(database.admin, shapes.tenantId);
    written.push({ seed, shapes, model, ledger: sqlLedger(database, { tenantId: shapes.tenantId, ...ORCHESTRATOR }) });
  }
  first = written[0] as Written;
});

const ask = (ledger: SqlLedger, text: string, values: (string | number | null)[]): Promise<Document[]> =>
  database.as(ledger.caller, async (tx) => [...(await tx.unsafe(text, values))]);

describe('lineage_path', () => {
  /** All pairs of some outcomes in one statement: from, to → the rows. */
  async function paths({ ledger }: Written, pairs: [string, string][], cap: number | null) {
    const rows = await ask(
      ledger,
      `select p."from", p."to", l.position, l.outcome_id, l.relation, l.direction
         from jsonb_to_recordset($1::text::jsonb) as p ("from" uuid, "to" uuid)
        cross join lateral public.lineage_path(p."from", p."to", $2::integer) l order by 1, 2, 3`,
      [JSON.stringify(pairs.map(([from, to]) => ({ from, to }))), cap],
    );
    const found = new Map<string, Document[]>();
    for (const row of rows) {
      const key = `${row['from']} ${row['to']}`;
      found.set(key, [...(found.get(key) ?? []), row]);
    }
    return found;
  }

  async function compare(of: Written, pairs: [string, string][], cap: number) {
    const found = await paths(of, pairs, cap);
    for (const [from, to] of pairs) {
      const rows = found.get(`${from} ${to}`) ?? [];
      const wanted = shortestPath(of.model, from, to, cap);
      const said = `seed ${of.seed}, ${from} → ${to}, cap ${cap}`;
      expect(
        rows.map(({ outcome_id, relation }) => ({ outcome_id, relation })),
        said,
      ).toEqual(wanted?.steps ?? []);
      expect(rows.map((row) => row['position'])).toEqual(rows.map((_, n) => n));
      expect(new Set(rows.map((row) => row['direction'])), said).toEqual(new Set(wanted ? [wanted.direction] : []));
    }
  }

  it('finds the least of the shortest chains between any two outcomes of a knot, in either direction', async () => {
    for (const of of written) {
      const ids = [...of.shapes.knot, of.shapes.guard];
      const pairs = ids.flatMap((from) => ids.map((to): [string, string] => [from, to]));
      await compare(of, pairs, 20);
      await compare(of, pairs.slice(0, 300), 2);
      const directions = pairs.map(([from, to]) => shortestPath(of.model, from, to, 20)?.direction);
      expect(new Set(directions)).toEqual(new Set(['forward', 'backward', undefined]));
      const relations = of.model.edges.filter((edge) => ids.includes(edge.cause)).map((edge) => edge.relation);
      expect(new Set(relations)).toEqual(new Set(['invoked', 'escalated-to', 'governed-by']));
    }
  });

  it('goes down a million chains of stacked diamonds, and through a fan of two hundred, in bounded time', async () => {
    const { diamonds, fan } = first.shapes;
    const [top, bottom] = [diamonds[0] as string, diamonds[60] as string];
    await compare(
      first,
      [
        [top, bottom],
        [bottom, top],
        [diamonds[1] as string, diamonds[59] as string],
      ],
      64,
    );
    await compare(
      first,
      [
        [fan[0] as string, fan[201] as string],
        [fan[7] as string, fan[8] as string],
      ],
      20,
    );
  });

  it('from an outcome to itself is that outcome, alone or in a cycle', async () => {
    const { ring, chain } = first.shapes;
    for (const id of [ring[0], chain[0]] as string[]) {
      for (const cap of [0, 20]) {
        expect(
          await ask(first.ledger, 'select * from public.lineage_path($1::text::uuid, $1::text::uuid, $2::integer)', [
            id,
            cap,
          ]),
        ).toMatchObject([
          {
            position: 0,
            outcome_id: id,
            relation: null,
            direction: 'forward',
            status: 'failure',
            source_type: 'agent',
          },
        ]);
      }
    }
    await compare(
      first,
      [
        [ring[0], ring[1]],
        [ring[1], ring[0]],
        [ring[2], ring[0]],
      ] as [string, string][],
      20,
    );
  });

  it('has at most so many links: 20 for none, 64 for more, refused below nought', async () => {
    const { chain } = first.shapes;
    const ends = (links: number): [string, string] => [chain[0] as string, chain[links] as string];
    const found = async (links: number, cap: number | null) =>
      (await paths(first, [ends(links)], cap)).get(ends(links).join(' '))?.length ?? 0;
    expect(await found(20, null)).toBe(21);
    expect(await found(21, null)).toBe(0);
    expect(await found(64, 1_000_000)).toBe(65);
    expect(await found(65, 1_000_000)).toBe(0);
    expect(await codeOf(paths(first, [ends(1)], -1))).toBe('request_invalid');
  });

  it('of unknown outcomes and of another tenant’s are refused alike', async () => {
    const text = 'select * from public.lineage_path($1::text::uuid, $2::text::uuid)';
    const mine = first.shapes.ring[0] as string;
    const foreign = written[1]?.shapes.ring[0] as string;
    for (const pair of [
      [mine, foreign],
      [foreign, mine],
      [mine, randomUUID()],
      [randomUUID(), mine],
    ]) {
      expect(await codeOf(ask(first.ledger, text, pair))).toBe('unknown_outcome');
    }
  });
});

describe('lineage_governed', () => {
  const text = 'select * from public.lineage_governed($1::text::uuid)';

  it('is what the guard’s outcome decided about, with the decision, in the order it completed', async () => {
    for (const { shapes, ledger, model } of written) {
      const rows = await ask(ledger, text, [shapes.guard]);
      const order = (id: string) => `${model.nodes.get(id)?.completed_at} ${id}`;
      expect(rows.map((row) => row['outcome_id'])).toEqual(
        [...shapes.governed].sort((a, b) => (order(a) < order(b) ? -1 : 1)),
      );
      for (const row of rows) {
        expect(row).toMatchObject({
          decision: 'allow',
          status: model.nodes.get(row['outcome_id'])?.status,
          governance_class: 'autonomous',
        });
      }
    }
  });

  it('of an outcome that governed nothing is nothing; of one that is not there is refused', async () => {
    expect(await ask(first.ledger, text, [first.shapes.ring[0] as string])).toEqual([]);
    expect(await codeOf(ask(first.ledger, text, [randomUUID()]))).toBe('unknown_outcome');
    expect(await codeOf(ask(first.ledger, text, [written[1]?.shapes.guard as string]))).toBe('unknown_outcome');
  });
});

describe('lineage_root_causes', () => {
  const asked = async ({ ledger }: Written, from: string | null, to: string | null, cap: number | null) => {
    const rows = await ask(
      ledger,
      'select * from public.lineage_root_causes($1::text::timestamptz, $2::text::timestamptz, $3::integer)',
      [from, to, cap],
    );
    return rows.map(({ outcome_id, failures, truncated }) => ({ outcome_id, failures: Number(failures), truncated }));
  };

  it('are those of the model, whatever the depth', async () => {
    for (const of of written) {
      for (const cap of [0, 1, 2, 3, 20, 64]) {
        expect(await asked(of, ...DAY, cap), `seed ${of.seed}, cap ${cap}`).toEqual(rootCauses(of.model, ...DAY, cap));
      }
      const roots = rootCauses(of.model, ...DAY, 64);
      expect(roots.some((root) => root.failures > 20)).toBe(true);
      expect(roots.some((root) => root.failures === 1)).toBe(true);
      expect(roots.some((root) => root.truncated)).toBe(true);
    }
  });

  it('of a window are those of what failed in it, its end excluded, wherever they stand themselves', async () => {
    const bounds = [0, 3, 5, 8, 12, 40].map((ms) => `2026-05-20T10:00:00.${String(ms).padStart(3, '0')}123Z`);
    for (const of of written) {
      for (const from of [null, ...bounds]) {
        for (const to of [null, ...bounds]) {
          if (from && to && from > to) continue;
          expect(await asked(of, from, to, 20), `seed ${of.seed}, ${from} to ${to}`).toEqual(
            rootCauses(of.model, from, to, 20),
          );
        }
      }
    }
    const [from, to] = [bounds[4] as string, bounds[5] as string];
    const outside = rootCauses(first.model, from, to, 64).filter(
      ({ outcome_id }) => (first.model.nodes.get(outcome_id)?.completed_at ?? '') < from,
    );
    expect(outside).not.toEqual([]);
    expect(await asked(first, to, to, 20)).toEqual([]);
    expect(await codeOf(asked(first, to, from, 20))).toBe('request_invalid');
    expect(await codeOf(asked(first, from, to, -1))).toBe('request_invalid');
  });

  // Its steps' failures are causes and effects of its own; what ended first is the root, also within one millisecond.
  it('of a workflow that invoked its failing steps are the steps, not the workflow', async () => {
    const [execution, ...steps] = first.shapes.workflow;
    const roots = await asked(first, ...DAY, 20);
    expect(roots.filter(({ outcome_id }) => first.shapes.workflow.includes(outcome_id))).toEqual(
      [...steps]
        .map((outcome_id) => ({ outcome_id, failures: 2, truncated: false }))
        .sort((a, b) => (a.outcome_id < b.outcome_id ? -1 : 1)),
    );
    expect(roots.map((root) => root.outcome_id)).not.toContain(execution);
  });
});

describe('all three', () => {
  it('answer an auditor’s login, of the tenants it is mapped to', async () => {
    const auditor = connect(database.auditorUrl, 1);
    const { shapes } = first;
    try {
      const path = () =>
        auditor`select * from public.lineage_path(${shapes.chain[0] as string}, ${shapes.chain[3] as string})`;
      const roots = () => auditor`select outcome_id from public.lineage_root_causes(null, null)`;
      expect(await path()).toHaveLength(4);
      expect(await auditor`select * from public.lineage_governed(${shapes.guard})`).toHaveLength(
        shapes.governed.length,
      );
      const all = (await roots()).map((row) => row['outcome_id'] as string);
      for (const { model } of written) expect(all.some((id) => model.nodes.has(id))).toBe(true);
      await database.sql`delete from ledger_internal.auditor_tenants where tenant_id = ${shapes.tenantId}`;
      expect(await codeOf(path())).toBe('unknown_outcome');
      expect((await roots()).some((row) => first.model.nodes.has(row['outcome_id']))).toBe(false);
    } finally {
      await auditor.end();
      await database.sql`insert into ledger_internal.auditor_tenants (login, tenant_id) values ('ledger_auditor', ${shapes.tenantId})`;
    }
  });

  it('show a token nothing of another tenant', async () => {
    const stranger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    expect(await ask(stranger, 'select * from public.lineage_root_causes(null, null)', [])).toEqual([]);
  });

  // Links outlive the outcomes they lead to; what is not known any more has not failed.
  it('pass over purged outcomes whose links stand', async () => {
    const shapes = await writeShapes(database, 13);
    const ledger = sqlLedger(database, { tenantId: shapes.tenantId, ...ORCHESTRATOR });
    await purgeTable(database, shapes.tenantId, 'agent_invocation_outcomes');
    const path = await ask(ledger, 'select * from public.lineage_path($1::text::uuid, $2::text::uuid)', [
      shapes.chain[0] as string,
      shapes.chain[2] as string,
    ]);
    expect(path.map((row) => [row['outcome_id'], row['status'], row['source_type']])).toEqual(
      shapes.chain.slice(0, 3).map((id) => [id, null, null]),
    );
    const governed = await ask(ledger, 'select * from public.lineage_governed($1::text::uuid)', [shapes.guard]);
    expect(governed.map((row) => row['outcome_id']).sort()).toEqual([...shapes.governed].sort());
    expect(governed.some((row) => row['status'] === null && row['decision'] === null)).toBe(true);
    const model = await readModel(database.admin, shapes.tenantId);
    const roots = await ask(ledger, 'select outcome_id from public.lineage_root_causes(null, null)', []);
    expect(roots.map((row) => row['outcome_id'])).toEqual(
      rootCauses(model, null, null, 20).map((root) => root.outcome_id),
    );
    expect(roots).not.toEqual([]);
  });
});
