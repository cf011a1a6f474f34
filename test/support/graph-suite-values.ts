import { afterEach, describe, expect, it } from 'vitest';
import { contentOf } from './graph-model.ts';
import { batchAt, linkBetween, outcomeFrom } from './graph-rows.ts';
import type { GraphBench } from './graph-suite.ts';
import { randomFrom } from './random.ts';

const HOME_ZONE = process.env['TZ'];
const JANUARY = new Date('2026-01-15T12:00:00Z');

/** Sets the process's time zone, and makes sure that it did. */
function moveTo(zone: string, minutesWestInJanuary: number): void {
  process.env['TZ'] = zone;
  expect(JANUARY.getTimezoneOffset()).toBe(minutesWestInJanuary);
}

/** Values: what the database printed comes back to the digit, wherever the worker runs. */
export function checkValues(bench: GraphBench): void {
  describe('values', () => {
    afterEach(() => {
      if (HOME_ZONE === undefined) delete process.env['TZ'];
      else process.env['TZ'] = HOME_ZONE;
    });

    it('leaves out every optional fact that is null, and a re-run changes nothing', async () => {
      const graph = await bench.ready();
      const random = randomFrom(31);
      const bare = outcomeFrom(random, {
        invocation_id: null,
        execution_id: null,
        decision: null,
        escalation_target: null,
        completion_reason: null,
      });
      const link = linkBetween(random, bare.outcome_id, bare.outcome_id, { declared_by: null });
      for (const step of [0, 1]) {
        await graph.write(batchAt(step, { outcomes: [bare], links: [link] }));
        expect((await contentOf(graph)).outcomes[bare.outcome_id]?.facts).toEqual(bare);
        expect(await graph.linksFrom([bare.outcome_id])).toEqual([link]);
        const { rows } = await graph.query(
          'match (o:Outcome) where o.decision is null return count(o) as bare',
          {},
          LIMITS,
        );
        expect(rows).toEqual([{ bare: 1 }]);
      }
      // And takes one away that was there.
      const full = { ...bare, decision: 'approve', completion_reason: 'success' };
      await graph.write(batchAt(2, { outcomes: [full] }));
      await graph.write(batchAt(3, { outcomes: [bare] }));
      expect((await contentOf(graph)).outcomes[bare.outcome_id]?.facts).toEqual(bare);
    });

    it.each([0, 1, 42, 4_294_967_296, Number.MAX_SAFE_INTEGER])(
      'keeps %i milliseconds as an integer',
      async (duration_ms) => {
        const graph = await bench.ready();
        const row = outcomeFrom(randomFrom(32), { duration_ms });
        await graph.write(batchAt(0, { outcomes: [row] }));
        expect((await contentOf(graph)).outcomes[row.outcome_id]?.facts?.duration_ms).toBe(duration_ms);
        // Integer division tells an integer from a float: 43 / 2 is 21.
        const { rows } = await graph.query(
          'match (o:Outcome) return o.duration_ms as ms, (o.duration_ms + 1) / 2 as half',
          {},
          LIMITS,
        );
        const half = (BigInt(duration_ms) + 1n) / 2n;
        expect(rows).toEqual([{ ms: duration_ms, half: Number(half) }]);
      },
    );

    it.each([
      ['America/New_York', 300],
      ['Asia/Kolkata', -330],
      ['UTC', 0],
    ])('keeps every microsecond of every time in %s', async (zone, offset) => {
      moveTo(zone, offset);
      const graph = await bench.ready();
      const random = randomFrom(33);
      // 00:30 in New York, midnight in Kolkata, the hours that summer time skips and doubles, before 1970, the last microsecond.
      const times = [
        '2026-05-20T04:30:00.123456Z',
        '2026-05-19T18:30:00.000001Z',
        '2026-03-08T07:00:00.000000Z',
        '2026-11-01T05:30:00.999999Z',
        '1969-12-31T23:59:59.999999Z',
        '9999-12-31T23:59:59.999999Z',
        '0001-01-01T00:00:00.000001Z',
      ];
      const outcomes = times.map((time) =>
        outcomeFrom(random, { started_at: time, completed_at: time, recorded_at: time }),
      );
      const links = outcomes.map(({ outcome_id, recorded_at }) =>
        linkBetween(random, outcome_id, outcome_id, { recorded_at }),
      );
      await graph.write(batchAt(0, { outcomes, links }));
      const content = await contentOf(graph);
      for (const row of outcomes) expect(content.outcomes[row.outcome_id]?.facts).toEqual(row);
      expect(
        Object.values(content.links)
          .map((link) => link.recorded_at)
          .sort(),
      ).toEqual([...times].sort());

      const { rows } = await graph.query(
        'match (o:Outcome) return o.completed_at as at order by o.completed_at',
        {},
        LIMITS,
      );
      expect(rows.map((row) => row['at'])).toEqual([...times].sort());
    });

    it('keeps text of any script, quotes and line ends', async () => {
      const graph = await bench.ready();
      const decision = `"quoted" 'single' \\back\\slash\n\ttab \u2028 ünïcödé 漢字 👩‍👩‍👧 $param \${x} {a: 1}`;
      const row = outcomeFrom(randomFrom(34), { decision });
      await graph.write(batchAt(0, { outcomes: [row] }));
      expect((await contentOf(graph)).outcomes[row.outcome_id]?.facts).toEqual(row);
    });
  });
}

const LIMITS = { timeoutMs: 10_000, maxRows: 100 };
