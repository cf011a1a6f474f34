import { describe, expect, it } from 'vitest';
import { QueryRefused } from '../../lineage/graph/fault.ts';
import type { Graph } from '../../lineage/graph/graph.ts';
import { contentOf } from './graph-model.ts';
import { batchAt, linkBetween, outcomeFrom } from './graph-rows.ts';
import type { GraphBench } from './graph-suite.ts';
import { randomFrom } from './random.ts';

const LIMITS = { timeoutMs: 10_000, maxRows: 100 };

/** Queries: what an auditor may ask. They change nothing, end in time, and answer in plain JSON. */
export function checkQueries(bench: GraphBench): void {
  describe('queries', () => {
    it.each([
      'create (o:Outcome {outcome_id: "planted", tenant_id: "planted"})',
      'create (o:Outcome {outcome_id: "planted", tenant_id: "planted"}) return o',
      'merge (o:Outcome {outcome_id: "planted"}) return o.outcome_id',
      'match (o:Outcome) set o.status = "planted" return count(o)',
      'match (o:Outcome) detach delete o',
      'match (o:Outcome) set o.status = null return o.outcome_id',
      'match (a:Outcome), (b:Outcome) create (a)-[:INVOKED]->(b)',
      'match (p:LedgerPosition) detach delete p',
    ])('refuses `%s` before anything changes', async (text) => {
      const { graph } = await filled(bench);
      const before = await contentOf(graph);
      expect((await refused(graph.query(text, {}, LIMITS))).code).toBe('query_writes');
      expect(await contentOf(graph)).toEqual(before);
      expect(await graph.position()).not.toBeNull();
    });

    it.each(['match (o:Outcome return o', 'this is no query', '', 'match (o:Outcome) return o.outcome_id, missing'])(
      'refuses `%s` as no query, in words',
      async (text) => {
        const { graph } = await filled(bench);
        const refusal = await refused(graph.query(text, {}, LIMITS));
        expect(refusal.code).toBe('query_invalid');
        expect(refusal.message).not.toMatch(/\n\s+at /);
        expect(refusal.message.length).toBeGreaterThan(10);
      },
    );

    it('names the parameter that is missing', async () => {
      const { graph } = await filled(bench);
      const refusal = await refused(graph.query('match (o:Outcome {outcome_id: $wanted}) return o', {}, LIMITS));
      expect(refusal.code).toBe('query_invalid');
      expect(refusal.message).toContain('wanted');
    });

    it('gives up in time, and answers the next query', async () => {
      const { graph } = await filled(bench);
      const started = Date.now();
      // Three outcomes, 3^18 rows: the embedded graph refuses a range that long.
      const names = [...'abcdefghijklmnopqr'];
      const text = `match ${names.map((name) => `(${name}:Outcome)`).join(', ')} return sum(a.duration_ms * r.duration_ms) as n`;
      expect((await refused(graph.query(text, {}, { ...LIMITS, timeoutMs: 700 }))).code).toBe('query_timeout');
      expect(Date.now() - started).toBeLessThan(10_000);
      expect((await graph.query('match (o:Outcome) return count(o) as n', {}, LIMITS)).rows).toEqual([{ n: 3 }]);
    });

    it('leaves off rows beyond the limit, and says so', async () => {
      const { graph } = await filled(bench);
      const ask = (count: number) =>
        graph.query(`unwind range(1, ${count}) as x return x`, {}, { ...LIMITS, maxRows: 10 });
      expect(await ask(10)).toEqual({ columns: ['x'], rows: oneTo(10), truncated: false });
      expect(await ask(11)).toEqual({ columns: ['x'], rows: oneTo(10), truncated: true });
      expect(await ask(5_000)).toEqual({ columns: ['x'], rows: oneTo(10), truncated: true });
      expect((await graph.query('unwind range(1, 3) as x return x', {}, LIMITS)).rows).toEqual(oneTo(3));
    });

    it('answers in plain JSON: nodes, links, integers, nothing', async () => {
      const { graph, outcome, link } = await filled(bench);
      const there = <T extends object>(facts: T) =>
        Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
      const answer = await graph.query(
        `match (o:Outcome {outcome_id: $id})-[l:INVOKED]->(t:Outcome)
         return o, l, o.duration_ms as ms, 9007199254740993 as big, null as nothing, [1, 2] as list, true as yes, 1.5 as half`,
        { id: outcome.outcome_id },
        LIMITS,
      );
      expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      const { source_outcome_id: _source, target_outcome_id: _target, relation: _relation, ...facts } = link;
      expect(answer).toEqual({
        columns: ['o', 'l', 'ms', 'big', 'nothing', 'list', 'yes', 'half'],
        rows: [
          {
            o: { labels: ['Outcome'], ...there(outcome) },
            l: { type: 'INVOKED', ...there(facts) },
            ms: outcome.duration_ms,
            big: '9007199254740993',
            nothing: null,
            list: [1, 2],
            yes: true,
            half: 1.5,
          },
        ],
        truncated: false,
      });
    });

    it('keeps the columns of an answer without rows', async () => {
      const { graph } = await filled(bench);
      const text = 'match (o:Outcome {outcome_id: "nobody"}) return o.outcome_id as id, o.status as status';
      expect(await graph.query(text, {}, LIMITS)).toEqual({ columns: ['id', 'status'], rows: [], truncated: false });
    });

    it('takes parameters of every plain kind, integers as integers', async () => {
      const { graph, outcome } = await filled(bench);
      const text = 'return $text as text, $whole / 2 as half, $yes as yes, $list as list, $half as exact';
      const parameters = { text: 'a "b" $c', whole: 43, yes: false, list: ['x', 'y'], half: 0.5 };
      expect((await graph.query(text, parameters, LIMITS)).rows).toEqual([
        { text: 'a "b" $c', half: 21, yes: false, list: ['x', 'y'], exact: 0.5 },
      ]);
      const found = await graph.query(
        'match (o:Outcome) where o.outcome_id in $ids return o.outcome_id as id',
        { ids: [outcome.outcome_id] },
        LIMITS,
      );
      expect(found.rows).toEqual([{ id: outcome.outcome_id }]);
    });

    it('answers 50 at once while rows are written and one query fails', async () => {
      const { graph } = await filled(bench);
      const random = randomFrom(52);
      const count = () => graph.query('match (o:Outcome) return count(o) as n', {}, LIMITS);
      const writing = (async () => {
        for (let step = 1; step < 12; step += 1) {
          await graph.write(batchAt(step, { outcomes: Array.from({ length: 20 }, () => outcomeFrom(random)) }));
        }
      })();
      const reads = Array.from({ length: 50 }, (_, n) =>
        n === 25 ? refused(graph.query('match (o:Outcome return o', {}, LIMITS)) : count(),
      );
      const answers = await Promise.all(reads);
      await writing;
      expect((answers[25] as QueryRefused).code).toBe('query_invalid');
      const counts = answers.filter((_, n) => n !== 25).map((answer) => Number((answer as Count).rows[0]?.['n']));
      // Batches of 20 become visible whole.
      for (const n of counts) expect((n - 3) % 20).toBe(0);
      expect((await count()).rows).toEqual([{ n: 223 }]);
      for (let round = 0; round < 200; round += 1) await count();
    });
  });
}

type Count = Awaited<ReturnType<Graph['query']>>;

const oneTo = (count: number) => Array.from({ length: count }, (_, n) => ({ x: n + 1 }));

async function refused(asked: Promise<unknown>): Promise<QueryRefused> {
  const error = await asked.then(
    (answer) => new Error(`it was answered: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof QueryRefused)) throw error;
  return error;
}

/** A graph with three outcomes in a row. */
async function filled(bench: GraphBench) {
  const graph = await bench.ready();
  const random = randomFrom(51);
  const outcomes = [outcomeFrom(random), outcomeFrom(random), outcomeFrom(random)] as const;
  const link = linkBetween(random, outcomes[0].outcome_id, outcomes[1].outcome_id);
  const next = linkBetween(random, outcomes[1].outcome_id, outcomes[2].outcome_id, { relation: 'contributed-to' });
  await graph.write(batchAt(0, { outcomes: [...outcomes], links: [link, next] }));
  return { graph, outcome: outcomes[0], link };
}
