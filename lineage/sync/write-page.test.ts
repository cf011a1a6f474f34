// Against sides in memory, which fail where they are told to: no real store can be made to fail at each single step.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedRow, Ledger } from '../feed/ledger.ts';
import { type FaultKind, GraphFault, PositionMoved } from '../graph/fault.ts';
import type { Graph, GraphChanges, OutcomeFacts, Position } from '../graph/graph.ts';
import { BatchSize } from './batch-size.ts';
import { mirrorPass, type PassListener } from './pass.ts';
import type { Session } from './session.ts';

const SEED = 31337;
const LEDGER_ID = 'ledger-1';
const SILENT: PassListener = { began() {}, wrote() {}, parked() {} };

class Killed extends Error {}

/** Both sides in memory. `bad` rows are refused by the graph; the step numbered `killAt` is the last that happens. */
class Sides {
  readonly rows: FeedRow[];
  readonly mirrored = new Map<string, OutcomeFacts>();
  readonly parked: string[] = [];
  readonly others: OutcomeFacts[] = [];
  bad = new Set<string>();
  badKind: FaultKind = 'row';
  position: Position | null = null;
  killAt = Number.POSITIVE_INFINITY;
  steps = 0;
  pagesRead = 0;

  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, n) => row(n));
  }

  async session(): Promise<Session> {
    return {
      ledger: this.ledger,
      graph: this.graph,
      mirror: 'm',
      tenantId: null,
      ledgerId: LEDGER_ID,
      sizes: new BatchSize(),
    };
  }

  async pass(): Promise<void> {
    await mirrorPass(await this.session(), SILENT, new AbortController().signal);
  }

  readonly #step = () => {
    this.steps += 1;
    if (this.steps > this.killAt) throw new Killed();
  };

  readonly #apply = (changes: GraphChanges) => {
    const refused = changes.outcomes.find((facts) => this.bad.has(facts.outcome_id));
    if (refused) throw new GraphFault(this.badKind, 'Bad.Row', `cannot take ${refused.outcome_id}`);
    for (const facts of changes.outcomes) this.mirrored.set(facts.outcome_id, facts);
  };

  readonly graph = {
    position: async () => this.position,
    write: async ({ changes, from, to }: { changes: GraphChanges; from: Position | null; to: Position }) => {
      this.#step();
      if (JSON.stringify(from) !== JSON.stringify(this.position)) throw new PositionMoved();
      this.#apply(changes);
      this.position = to;
    },
    repair: async (changes: GraphChanges) => {
      this.#step();
      this.#apply(changes);
    },
  } as unknown as Graph;

  readonly ledger = {
    identify: async () => LEDGER_ID,
    read: async (after: Position | null, limit: number) => {
      this.pagesRead += 1;
      const rows = this.rows.filter((one) => one.seq > (after?.seq ?? 0)).slice(0, limit);
      const last = rows.at(-1);
      return { rows, to: last ? positionOf(last) : null };
    },
    outcomesAfter: async (_after: null, limit: number) =>
      [...this.others, ...this.rows.map(({ change }) => change.type === 'outcome' && change.facts)].slice(0, limit),
    quarantine: {
      put: async (_mirror: string, one: FeedRow) => {
        this.#step();
        this.parked.push(`${one.seq}`);
      },
    },
  } as unknown as Ledger;
}

function row(n: number): FeedRow {
  const facts = { outcome_id: `o${n}`, tenant_id: 't' } as OutcomeFacts;
  const place = { kind: 'agent_invocation_outcomes', epoch: 1, xid: `${n}`, seq: n + 1, tenant_id: 't' };
  return { ...place, change: { type: 'outcome', facts } };
}

function positionOf({ epoch, xid, seq, kind }: FeedRow): Position {
  return { ledger_id: LEDGER_ID, tenant_id: null, epoch, xid, seq, kind };
}

const count = fc.integer({ min: 2, max: 60 });
const someBad = count.chain((n) =>
  fc.tuple(fc.constant(n), fc.uniqueArray(fc.nat(n - 1), { minLength: 0, maxLength: Math.min(n - 1, 5) })),
);

describe('rows that the graph cannot take', () => {
  it('are parked, each once, and all the others land', async () => {
    await fc.assert(
      fc.asyncProperty(someBad, async ([n, bad]) => {
        const sides = new Sides(n);
        sides.bad = new Set(bad.map((one) => `o${one}`));
        await sides.pass();
        expect(sides.parked.map(Number)).toEqual(bad.map((one) => one + 1).sort((a, b) => a - b));
        expect([...sides.mirrored.keys()].sort()).toEqual(
          sides.rows
            .map((one) => `o${one.seq - 1}`)
            .filter((id) => !sides.bad.has(id))
            .sort(),
        );
        expect(sides.position).toEqual(positionOf(sides.rows.at(-1) as FeedRow));
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it('come to the same after a kill at any step', async () => {
    await fc.assert(
      fc.asyncProperty(
        someBad,
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 6 }),
        async ([n, bad], kills) => {
          const sides = new Sides(n);
          sides.bad = new Set(bad.map((one) => `o${one}`));
          for (const after of kills) {
            sides.killAt = sides.steps + after;
            await sides.pass().catch((error) => expect(error).toBeInstanceOf(Killed));
          }
          sides.killAt = Number.POSITIVE_INFINITY;
          await sides.pass();
          // One may be put twice, over the one that is there; none may be missing.
          expect(new Set(sides.parked.map(Number))).toEqual(new Set(bad.map((one) => one + 1)));
          expect(sides.mirrored.size).toBe(n - bad.length);
        },
      ),
      { seed: SEED, numRuns: 200 },
    );
  });

  it('would be all of them where the store is at fault: then nothing is parked, and the position stays', async () => {
    for (const n of [1, 2, 10, 11, 40]) {
      const sides = new Sides(n);
      sides.bad = new Set(sides.rows.map((one) => `o${one.seq - 1}`));
      await expect(sides.pass()).rejects.toMatchObject({ kind: 'whole', code: 'rows_all_refused' });
      expect(sides.parked).toEqual([]);
      expect(sides.position).toBeNull();
      // Mended, everything drains.
      sides.bad = new Set();
      await sides.pass();
      expect(sides.mirrored.size).toBe(n);
    }
  });

  it('alone in the feed are parked once an outcome of the ledger’s start passes', async () => {
    const sides = new Sides(1);
    sides.bad = new Set(['o0']);
    sides.others.push({ outcome_id: 'earlier', tenant_id: 't' } as OutcomeFacts);
    await sides.pass();
    expect(sides.parked).toEqual(['1']);
  });

  it('in a long run of them are looked at anew: a store that breaks in the middle empties no page into the quarantine', async () => {
    const sides = new Sides(400);
    sides.bad = new Set(Array.from({ length: 300 }, (_, n) => `o${n + 100}`));
    const write = sides.graph.write.bind(sides.graph);
    // From here on it takes nothing at all.
    sides.graph.write = async (batch) => {
      await write(batch);
      if (batch.changes.outcomes.length > 0) sides.bad = new Set(sides.rows.map((one) => `o${one.seq - 1}`));
    };
    await expect(sides.pass()).rejects.toMatchObject({ kind: 'whole' });
    expect(sides.parked.length).toBeLessThanOrEqual(10);
  });

  it('are not looked for when the fault is passing or of the whole batch', async () => {
    for (const kind of ['passing', 'whole'] as const) {
      const sides = new Sides(20);
      sides.bad = new Set(['o3']);
      sides.badKind = kind;
      await expect(sides.pass()).rejects.toMatchObject({ kind, code: 'Bad.Row' });
      expect(sides).toMatchObject({ parked: [], position: null, steps: 1 });
    }
  });
});

describe('a pass', () => {
  it('reads ahead by one page and no more', async () => {
    const sides = new Sides(20_000);
    const ahead: number[] = [];
    let written = 0;
    const write = sides.graph.write.bind(sides.graph);
    sides.graph.write = async (batch) => {
      ahead.push(sides.pagesRead - written);
      await write(batch);
      written += 1;
    };
    await sides.pass();
    expect(sides.mirrored.size).toBe(20_000);
    // The page in hand and the next one.
    expect(Math.max(...ahead)).toBe(2);
    expect(written).toBeGreaterThan(4);
  });

  it('whose position was moved by another writer writes nothing', async () => {
    const sides = new Sides(10);
    const position = sides.graph.position;
    sides.graph.position = async () => {
      const seen = await position();
      sides.position = positionOf(sides.rows[4] as FeedRow);
      return seen;
    };
    await expect(sides.pass()).rejects.toBeInstanceOf(PositionMoved);
    expect(sides.mirrored.size).toBe(0);
  });
});
