import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { jsonb } from '../../src/database/statement.ts';
import type { TestDatabase } from './database.ts';
import {
  type Document,
  envelopeFor,
  event,
  executionStart,
  invocationStart,
  policyDecision,
  sourceDefinition,
  toolCall,
} from './envelopes.ts';
import { CALLERS, counted, many, type Racers, wordOf } from './racers.ts';
import { GUARD, idOf, OPERATOR } from './sql-ledger.ts';

/** The same call by many at once: one row, one id, every loser answered. */
export function describeDuplicates(
  database: TestDatabase,
  racers: Racers,
  rounds: { duplicates: number; starts: number },
  timeout: number,
): void {
  const options = { timeout };

  describe(`${CALLERS} callers record one subject at once (${rounds.duplicates} rounds)`, () => {
    it.each(['the same', 'different'])(
      '%s content: one row, one id, every loser answered',
      options,
      async (content) => {
        for (let round = 0; round < rounds.duplicates; round += 1) {
          const start = round % 2 ? await racers.ledger.start() : await racers.ledger.startExecution();
          const ends = await many(CALLERS, (n) =>
            racers.record(
              start,
              envelopeFor(start, 'success', content === 'different' ? { result: { caller: n } } : {}),
            ),
          );
          const second = content === 'different' ? 'conflict' : 'replayed';
          expect(counted(ends.map(wordOf)), `round ${round}`).toEqual({ recorded: 1, [second]: CALLERS - 1 });
          const ids = new Set(ends.map((end) => 'value' in end && end.value.record['outcome_id']));
          expect(ids.size, `round ${round}`).toBe(1);
          const [kept] = await database.sql`
          select (select count(*)::int from ledger_internal.outcomes o where o.subject_id = ${idOf(start)}) as outcomes,
                 (select count(*)::int from public.os_events e where e.outcome_id = any(${[...ids] as string[]})) as events,
                 (select count(*)::int from public.outcome_ids i where i.outcome_id = any(${[...ids] as string[]})) as ids,
                 (select count(*)::int from public.late_outcomes l where l.winning_outcome_id = any(${[...ids] as string[]})) as late`;
          expect(kept, `round ${round}`).toEqual({
            outcomes: 1,
            events: 1,
            ids: 1,
            late: content === 'different' ? CALLERS - 1 : 0,
          });
        }
        // No id was minted for a loser.
        const [orphans] = await database.sql`
        select count(*)::int as n from public.outcome_ids i
         where not exists (select from ledger_internal.outcomes o where o.outcome_id = i.outcome_id and o.source_type = i.source_type)`;
        expect(orphans).toEqual({ n: 0 });
      },
    );
  });

  describe(`every other creating call, by many at once (${rounds.starts} rounds)`, () => {
    it.each(['the same', 'different'])('%s content', options, async (content) => {
      const other = (n: number, over: Document) => (content === 'different' && n > 0 ? over : {});
      const expected = { recorded: 1, [content === 'different' ? 'conflict' : 'replayed']: 19 };
      for (let round = 0; round < rounds.starts; round += 1) {
        const open = await racers.ledger.start();
        const start = invocationStart();
        const { causation_id: _, ...run } = executionStart();
        const trigger = { type: 'shop.order', source: 'shop', event_id: randomUUID() };
        const tool = toolCall(idOf(open));
        const seen = event(idOf(open));
        const decision = policyDecision({ invocation_id: idOf(open) });
        const definition = sourceDefinition({ source_id: `d-${randomUUID()}` });
        const calls: [string, Document, (n: number) => Document, object?][] = [
          ['start_invocation', start, (n) => ({ attributes: { n } })],
          ['start_execution', { ...run, trigger }, (n) => ({ attributes: { n } })],
          ['record_tool_call', tool, (n) => ({ output: n })],
          ['register_event', seen, (n) => ({ data: { n } })],
          ['record_policy_decision', decision, (n) => ({ risk_score: (n + 50) / 100 }), GUARD],
          ['put_source_definition', definition, (n) => ({ default_deadline_ms: n }), OPERATOR],
        ];
        for (const [name, document, change, caller] of calls) {
          const ends = await many(20, (n) => racers.call(name, jsonb({ ...document, ...other(n, change(n)) }), caller));
          expect(counted(ends.map(wordOf)), `${name}, round ${round}`).toEqual(expected);
        }
      }
    });

    it('one attempt of a step is one invocation’s', options, async () => {
      const execution = await racers.ledger.startExecution();
      for (let round = 0; round < rounds.starts; round += 1) {
        const step = { execution_id: idOf(execution), step_id: `step-${round}`, attempt: 1 };
        const ends = await many(20, () => racers.call('start_invocation', jsonb(invocationStart(step))));
        expect(counted(ends.map(wordOf)), `round ${round}`).toEqual({ recorded: 1, 'PT409 attempt_conflict': 19 });
      }
    });
  });
}
