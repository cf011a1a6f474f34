// Every named query against its SQL twin, row by row, over generated graphs mirrored by the real worker.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askNamed, bindRaw, type Graph, openLedger, syncOnce } from '../../lineage/index.ts';
import { parametersOf } from '../../lineage/queries/tokens.ts';
import type { GraphSource } from '../../lineage/sync/types.ts';
import { differences } from './compare-graph.ts';
import { cypherUnder, cypherValues } from './cypher-pages.ts';
import { useDatabase } from './database.ts';
import { type GeneratedGraph, writeGeneratedGraphs } from './generated-graphs.ts';
import { randomFrom, shuffled } from './random.ts';
import { codeOf } from './refused.ts';
import { ORCHESTRATOR } from './sql-ledger.ts';
import { until } from './sync.ts';

type Row = Record<string, unknown>;

const DEPTHS = [0, 1, 2, 3, 20, 64];
const UNLIMITED = { timeoutMs: 60_000, maxRows: 10_000 };
const UTC = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`;
const FACTS = 'source_type, source_id, source_version, domain, status, correlation_id';
const WALK = `depth, outcome_id, relation, via_outcome_id, ${FACTS}, ${UTC('completed_at')}, truncated`;

/** The SQL twins, in the named queries' columns. */
const TWINS = {
  why: `select ${WALK} from public.lineage_why($1::text::uuid, $2::integer)`,
  impact: `select ${WALK} from public.lineage_impact($1::text::uuid, $2::integer)`,
  path: `select position, outcome_id, relation, direction, ${FACTS}, ${UTC('completed_at')} from public.lineage_path($1::text::uuid, $2::text::uuid, $3::integer)`,
  governed: `select outcome_id, ${FACTS}, decision, governance_class, ${UTC('completed_at')} from public.lineage_governed($1::text::uuid)`,
  'root-causes': `select outcome_id, failures::integer, ${FACTS}, ${UTC('completed_at')}, truncated from public.lineage_root_causes($1::text::timestamptz, $2::text::timestamptz, $3::integer)`,
  'broken-impact': `select depth, outcome_id, broken_outcome_id, source_type, source_id, source_version, domain, status, judgment, correlation_id, ${UTC('completed_at')}, truncated
    from public.lineage_broken_impact($1::text::timestamptz, $2::text::timestamptz, $3::integer)`,
  correlation: `select outcome_id, source_type, source_id, source_version, domain, status, ${UTC('started_at')}, ${UTC('completed_at')}, invocation_id, execution_id, causation_id, links
    from public.lineage_correlation($1)`,
} as const;

export interface TwinStore {
  source: GraphSource;
  stop(): Promise<void>;
}

/**
 * @param seeds one graph of two tenants each
 * @param headings of docs/cypher.md, whose queries this graph understands
 */
export function describeTwins(
  name: string,
  { seeds, headings }: { seeds: readonly number[]; headings: readonly string[] },
  start: () => Promise<TwinStore>,
): void {
  describe(`named queries and their SQL twins: ${name}`, () => {
    const database = useDatabase();
    const generated: { seed: number; mine: GeneratedGraph; other: GeneratedGraph }[] = [];
    let store: TwinStore;
    let graph: Graph;

    beforeAll(async () => {
      for (const seed of seeds) {
        const [mine, other] = await writeGeneratedGraphs(
          database.admin,
          [await database.tenant(), await database.tenant()],
          seed,
        );
        generated.push({ seed, mine: mine as GeneratedGraph, other: other as GeneratedGraph });
      }
      store = await start();
      const ledger = () => openLedger({ url: database.urlAs('ledger_sync') });
      // Transactions of other files on the shared server hold the feed back for moments.
      await until(
        () => syncOnce({ openLedger: ledger, graph: store.source }),
        (report) => report.rows === 0,
        120_000,
      );
      graph = await store.source.open();
      await until(
        () => differences(database.admin, graph, null),
        (found) => found.length === 0,
      );
    }, 240_000);
    afterAll(async () => {
      await graph?.close();
      await store?.stop();
    });

    const inSql = (of: GeneratedGraph, query: keyof typeof TWINS, values: (string | number | null)[]): Promise<Row[]> =>
      database.as({ tenantId: of.tenantId, ...ORCHESTRATOR }, async (tx) =>
        [...(await tx.unsafe(TWINS[query], values))].map((row) => ({ ...row })),
      );
    const inCypher = async (of: GeneratedGraph, query: keyof typeof TWINS, raw: Row): Promise<Row[]> =>
      (await askNamed(graph, query, raw, of.tenantId, UNLIMITED)).rows;

    async function sameWalk(
      of: GeneratedGraph,
      query: 'why' | 'impact',
      outcome_id: string,
      max_depth: number,
    ): Promise<Row[]> {
      const rows = await inCypher(of, query, { outcome_id, max_depth });
      expect(rows, `${query} of ${outcome_id}, depth ${max_depth}`).toEqual(
        await inSql(of, query, [outcome_id, max_depth]),
      );
      return rows;
    }

    describe.each(['why', 'impact'] as const)('%s', (query) => {
      it('of outcomes of every shape, at every depth, is that of SQL in every column', async () => {
        for (const { seed, mine } of generated) {
          const random = randomFrom(seed);
          const some = (ids: string[], count: number) => shuffled(ids, random).slice(0, count);
          const roots = [
            ...some(mine.knot, 5),
            ...some(mine.dag, 4),
            ...some(mine.workflows, 3),
            mine.guards[0] as string,
            ...mine.purged,
            ...some(mine.diamonds, 1),
            mine.fan[0] as string,
            mine.fan[201] as string,
            mine.alone,
          ];
          const seen = new Set<unknown>();
          for (const root of roots) {
            for (const depth of DEPTHS) {
              for (const row of await sameWalk(mine, query, root, depth))
                seen.add(row['relation']).add(row['truncated']);
            }
          }
          expect(seen, `seed ${seed}`).toEqual(
            new Set([null, 'invoked', 'contributed-to', 'escalated-to', 'governed-by', true, false]),
          );
        }
      });

      it('passes a million paths of diamonds and 8^9 of a lattice, each outcome once', async () => {
        const { mine } = generated[0] as (typeof generated)[0];
        for (const shape of [mine.diamonds, mine.lattice, mine.fan]) {
          const root = (query === 'why' ? shape.at(-1) : shape[0]) as string;
          const started = performance.now();
          const rows = await sameWalk(mine, query, root, 64);
          expect(performance.now() - started).toBeLessThan(20_000);
          expect(new Set(rows.map((row) => row['outcome_id'])).size).toBe(rows.length);
          expect(rows.length).toBeGreaterThanOrEqual(shape === mine.lattice ? 73 : shape.length);
        }
      });

      it('goes round a cycle once', async () => {
        for (const { mine } of generated) {
          for (const id of mine.ring) expect(await sameWalk(mine, query, id, 64)).toHaveLength(3);
        }
      });

      it('stops at 64 of 70 links, or where it is told, and says that there is more', async () => {
        const { mine } = generated[0] as (typeof generated)[0];
        const root = (query === 'why' ? mine.chain.at(-1) : mine.chain[0]) as string;
        for (const depth of [0, 1, 20, 63, 64]) {
          const rows = await sameWalk(mine, query, root, depth);
          expect(rows.map((row) => row['truncated'])).toEqual(rows.map((_, n) => n === depth));
          expect(rows).toHaveLength(depth + 1);
        }
        expect(await inCypher(mine, query, { outcome_id: root })).toHaveLength(21);
      });

      it('of an unknown outcome and of another tenant’s is the same nothing', async () => {
        for (const { mine, other } of generated) {
          for (const id of [randomUUID(), other.knot[3] as string, other.guards[0] as string]) {
            expect(await inCypher(mine, query, { outcome_id: id })).toEqual([]);
            expect(await codeOf(inSql(mine, query, [id, 20]))).toBe('unknown_outcome');
          }
        }
      });
    });

    describe('path', () => {
      async function samePath(
        of: GeneratedGraph,
        from_outcome: string,
        to_outcome: string,
        max_depth: number,
      ): Promise<Row[]> {
        const rows = await inCypher(of, 'path', { from_outcome, to_outcome, max_depth });
        expect(rows, `path from ${from_outcome} to ${to_outcome}, depth ${max_depth}`).toEqual(
          await inSql(of, 'path', [from_outcome, to_outcome, max_depth]),
        );
        return rows;
      }

      it('between outcomes of every shape is the least of the shortest chains, as in SQL', async () => {
        for (const { seed, mine } of generated) {
          const random = randomFrom(seed);
          const ids = [
            ...mine.knot,
            mine.guards[0] as string,
            ...mine.purged,
            ...mine.workflows,
            mine.fan[1] as string,
            mine.alone,
          ];
          const pick = () => ids[Math.floor(random() * ids.length)] as string;
          const directions = new Set<unknown>();
          for (let n = 0; n < 60; n += 1) {
            const rows = await samePath(mine, pick(), pick(), n % 4 === 0 ? 2 : 20);
            directions.add(rows[0]?.['direction']);
          }
          expect(directions, `seed ${seed}`).toEqual(new Set(['forward', 'backward', undefined]));
        }
      });

      it('down the diamonds, through the lattice and the fan, forward and backward', async () => {
        const { mine } = generated[0] as (typeof generated)[0];
        for (const [shape, links] of [
          [mine.diamonds, 40],
          [mine.lattice, 9],
          [mine.fan, 2],
        ] as const) {
          const [first, last] = [shape[0] as string, shape.at(-1) as string];
          expect(await samePath(mine, first, last, 64)).toHaveLength(links + 1);
          expect((await samePath(mine, last, first, 64))[0]).toMatchObject({
            outcome_id: first,
            direction: 'backward',
          });
        }
      });

      it('from an outcome to itself is that outcome, alone or in a cycle', async () => {
        const { mine } = generated[0] as (typeof generated)[0];
        for (const id of [mine.ring[0] as string, mine.alone, mine.purged[0] as string]) {
          for (const depth of [0, 20]) {
            expect(await samePath(mine, id, id, depth)).toMatchObject([
              { position: 0, outcome_id: id, relation: null, direction: 'forward' },
            ]);
          }
        }
        for (const depth of [0, 1, 2]) await samePath(mine, mine.ring[0] as string, mine.ring[2] as string, depth);
      });

      it('has at most so many links', async () => {
        const { mine } = generated[0] as (typeof generated)[0];
        const ends = (links: number) => [mine.chain[0] as string, mine.chain[links] as string] as const;
        expect(await samePath(mine, ...ends(20), 20)).toHaveLength(21);
        expect(await samePath(mine, ...ends(21), 20)).toEqual([]);
        expect(await samePath(mine, ...ends(64), 64)).toHaveLength(65);
        expect(await samePath(mine, ...ends(65), 64)).toEqual([]);
      });

      it('to or from an unknown outcome, or another tenant’s, is the same nothing', async () => {
        const { mine, other } = generated[0] as (typeof generated)[0];
        const id = mine.knot[1] as string;
        for (const stranger of [randomUUID(), other.knot[1] as string]) {
          for (const [from_outcome, to_outcome] of [
            [id, stranger],
            [stranger, id],
            [stranger, stranger],
          ]) {
            expect(await inCypher(mine, 'path', { from_outcome, to_outcome })).toEqual([]);
          }
        }
      });
    });

    it('governed: what a guard’s outcome decided about, purged ones too, and nothing for others', async () => {
      for (const { mine, other } of generated) {
        for (const id of [...mine.guards, ...mine.knot.slice(0, 5), mine.alone]) {
          expect(await inCypher(mine, 'governed', { guard_outcome: id }), id).toEqual(
            await inSql(mine, 'governed', [id]),
          );
        }
        const rows = await inCypher(mine, 'governed', { guard_outcome: mine.guards[0] });
        expect(rows.length).toBeGreaterThan(90);
        expect(rows.some((row) => row['status'] === null)).toBe(true);
        expect(await inCypher(mine, 'governed', { guard_outcome: other.guards[0] })).toEqual([]);
        expect(await inCypher(mine, 'governed', { guard_outcome: randomUUID() })).toEqual([]);
      }
    });

    it('correlation: the same outcomes with the same links, of one tenant of two', async () => {
      const sorted = (rows: Row[]) =>
        rows
          .map((row) => ({
            ...row,
            links: [...(row['links'] as Row[])]
              .map((link) => JSON.stringify(link, ['relation', 'target_outcome_id']))
              .sort(),
          }))
          .sort((a: Row, b: Row) => (String(a['outcome_id']) < String(b['outcome_id']) ? -1 : 1));
      for (const { mine, other } of generated) {
        for (const correlation_id of mine.correlations) {
          const rows = await inCypher(mine, 'correlation', { correlation_id });
          expect(rows.length).toBeGreaterThan(20);
          expect(sorted(rows)).toEqual(sorted(await inSql(mine, 'correlation', [correlation_id])));
          const theirs = (await inCypher(other, 'correlation', { correlation_id })).map((row) => row['outcome_id']);
          expect(rows.filter((row) => theirs.includes(row['outcome_id']))).toEqual([]);
        }
        expect(await inCypher(mine, 'correlation', { correlation_id: 'nobody knows' })).toEqual([]);
      }
    });

    describe('broken-impact', () => {
      const bounds = [3, 7, 12].map((s) => `2026-05-20T10:00:${String(s).padStart(2, '0')}.0001Z`);

      async function sameImpact(
        of: GeneratedGraph,
        from_time: string | null,
        to_time: string | null,
        max_depth: number,
      ): Promise<Row[]> {
        const rows = await inCypher(of, 'broken-impact', { from_time, to_time, max_depth });
        expect(rows, `from ${from_time} to ${to_time}, depth ${max_depth}`).toEqual(
          await inSql(of, 'broken-impact', [from_time, to_time, max_depth]),
        );
        return rows;
      }

      it('is that of SQL at every depth, each outcome once with its judgment', async () => {
        for (const { seed, mine } of generated) {
          const judgments = new Set<unknown>();
          for (const depth of DEPTHS) {
            const rows = await sameImpact(mine, null, null, depth);
            expect(new Set(rows.map((row) => row['outcome_id'])).size).toBe(rows.length);
            const broken = rows.filter((row) => row['depth'] === 0);
            expect(broken.length, `seed ${seed}`).toBeGreaterThan(10);
            expect(new Set(broken.map((row) => row['judgment']))).toEqual(new Set(['broken']));
            if (depth < 3 || depth === 64) expect(rows.some((row) => row['truncated'])).toBe(depth < 3);
            for (const row of rows) judgments.add(row['judgment']);
          }
          // Of a purged outcome nothing can be said; unverified and hollow ones are among the generated.
          const words = [
            'broken',
            'verified',
            'delivered',
            'unverified',
            'failed',
            'stopped',
            'skipped',
            'in_progress',
          ];
          expect(judgments, `seed ${seed}`).toEqual(new Set([null, ...words]));
        }
      });

      it('is that of SQL in every window, whose end is excluded', async () => {
        for (const { mine } of generated) {
          const found: number[] = [];
          for (const from of [null, ...bounds]) {
            for (const to of [null, ...bounds])
              if (!from || !to || from <= to) found.push((await sameImpact(mine, from, to, 20)).length);
          }
          expect(new Set(found).size).toBeGreaterThan(4);
          expect(await sameImpact(mine, bounds[2] as string, bounds[2] as string, 20)).toEqual([]);
        }
      });
    });

    describe('root-causes', () => {
      const bounds = [3, 7, 12, 25].map((s) => `2026-05-20T10:00:${String(s).padStart(2, '0')}.0001Z`);

      async function sameRoots(
        of: GeneratedGraph,
        from_time: string | null,
        to_time: string | null,
        max_depth: number,
      ): Promise<Row[]> {
        const rows = await inCypher(of, 'root-causes', { from_time, to_time, max_depth });
        expect(rows, `from ${from_time} to ${to_time}, depth ${max_depth}`).toEqual(
          await inSql(of, 'root-causes', [from_time, to_time, max_depth]),
        );
        return rows;
      }

      it('are those of SQL at every depth', async () => {
        for (const { seed, mine } of generated) {
          const found = [];
          for (const depth of DEPTHS) found.push(...(await sameRoots(mine, null, null, depth)));
          expect(
            found.some((row) => row['truncated']),
            `seed ${seed}`,
          ).toBe(true);
          expect(
            found.some((row) => Number(row['failures']) > 20),
            `seed ${seed}`,
          ).toBe(true);
        }
      });

      it('are those of SQL in every window, whose end is excluded', async () => {
        for (const { mine } of generated) {
          for (const from of [null, ...bounds]) {
            for (const to of [null, ...bounds]) if (!from || !to || from <= to) await sameRoots(mine, from, to, 20);
          }
          expect(await sameRoots(mine, bounds[2] as string, bounds[2] as string, 20)).toEqual([]);
        }
      });
    });

    it.each(headings.flatMap(cypherUnder))(
      'docs/cypher.md, line $line, finds something, of one tenant',
      async ({ text }) => {
        for (const { mine, other } of generated) {
          const values = cypherValues(mine);
          const wanted = parametersOf(text).filter((parameter) => parameter !== 'tenant_id');
          const raw = Object.fromEntries(wanted.map((parameter) => [parameter, values[parameter]]));
          const bound = bindRaw(text, raw, mine.tenantId);
          const { rows } = await graph.query(bound.text, bound.parameters, UNLIMITED);
          expect(rows.length).toBeGreaterThan(0);
          const said = JSON.stringify(rows);
          for (const id of [other.tenantId, ...other.knot, ...other.guards, ...other.chain])
            expect(said).not.toContain(id);
        }
      },
    );

    it('says that there are more rows than were asked for', async () => {
      const { mine } = generated[0] as (typeof generated)[0];
      for (const [maxRows, truncated] of [
        [5, true],
        [71, false],
      ] as const) {
        const answer = await askNamed(graph, 'why', { outcome_id: mine.chain[70], max_depth: 64 }, mine.tenantId, {
          timeoutMs: 60_000,
          maxRows,
        });
        expect(answer).toMatchObject({ truncated });
        expect(answer.rows).toHaveLength(Math.min(maxRows, 65));
      }
    });
  });
}
