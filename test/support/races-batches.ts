import { describe, expect, it } from 'vitest';
import type { TestDatabase } from './database.ts';
import { envelopeFor, event, invocationStart, policyDecision, sourceDefinition, toolCall } from './envelopes.ts';
import { counted, many, type Racers, SEED } from './racers.ts';
import { shuffled } from './random.ts';
import { type Answer, GUARD, idOf, OPERATOR } from './sql-ledger.ts';

/** Batches over the same subjects in other orders: none dies of a deadlock. */
export function describeBatches(
  database: TestDatabase,
  racers: Racers,
  rounds: { batches: number },
  timeout: number,
): void {
  const options = { timeout };

  describe(`overlapping batches in any order (${rounds.batches} rounds, seed ${SEED})`, () => {
    it.each(['good ones', 'with a bad one in each'])(
      'outcomes, %s: no deadlock, one outcome each',
      options,
      async (kind) => {
        for (let round = 0; round < rounds.batches; round += 1) {
          const execution = await racers.ledger.startExecution();
          const starts = await many(30, (n) => racers.ledger.start(n % 2 ? { execution_id: idOf(execution) } : {}));
          const items = [
            ...starts.map((start) => ({ invocation_id: idOf(start), outcome: envelopeFor(start) })),
            { execution_id: idOf(execution), outcome: envelopeFor(execution) },
          ];
          const bad = kind === 'good ones' ? [] : [{ invocation_id: idOf(starts[0] as Document), outcome: null }];
          const batches = await many(8, () =>
            racers.batch('record_outcomes', [...bad, ...shuffled(items, racers.random)]),
          );
          racers.expectAnswered(batches, round);
          const words = batches.flatMap((end) =>
            'value' in end ? (end.value as Answer[]).slice(bad.length).map((answer) => answer.result) : [],
          );
          expect(counted(words), `round ${round}`).toEqual({ recorded: 31, replayed: 7 * 31 });
          const ids = starts.map(idOf);
          expect(
            (await database.sql`select from public.agent_invocation_outcomes where invocation_id = any(${ids})`).count,
          ).toBe(30);
        }
      },
    );

    it('starts, of sources nobody defined and with triggers they share', options, async () => {
      for (let round = 0; round < rounds.batches; round += 1) {
        const items = Array.from({ length: 50 }, (_, n) => {
          const { causation_id: _cause, ...start } = invocationStart({
            source: { id: `undefined-${round}-${n % 10}`, version: '1.0.0', domain: 'art' },
          });
          return { ...start, trigger: { type: 'shop.order', source: 'shop', event_id: `order-${round}-${n % 5}` } };
        });
        racers.expectAnswered(
          await many(8, () => racers.batch('start_invocations', shuffled(items, racers.random))),
          round,
        );
      }
    });

    it('starts of other invocations, of sources nobody defined', options, async () => {
      for (let round = 0; round < rounds.batches; round += 1) {
        const sources = Array.from({ length: 30 }, (_, n) => ({
          id: `unknown-${round}-${n}`,
          version: '1.0.0',
          domain: 'art',
        }));
        racers.expectAnswered(
          await many(6, () =>
            racers.batch(
              'start_invocations',
              shuffled(sources, racers.random).map((source) => invocationStart({ source })),
            ),
          ),
          round,
        );
      }
    });

    it('heartbeats, while the batch they belong to ends', options, async () => {
      for (let round = 0; round < rounds.batches; round += 1) {
        const starts = await many(40, () => racers.ledger.start());
        const outcomes = starts.map((start) => ({ invocation_id: idOf(start), outcome: envelopeFor(start) }));
        const calls = [
          ...Array.from({ length: 10 }, () => racers.batch('heartbeats', shuffled(starts.map(idOf), racers.random))),
          racers.batch('record_outcomes', shuffled(outcomes, racers.random)),
        ];
        racers.expectAnswered(await Promise.all(calls), round);
      }
    });

    it('definitions and declared links', options, async () => {
      for (let round = 0; round < rounds.batches; round += 1) {
        const definitions = Array.from({ length: 30 }, (_, n) =>
          sourceDefinition({ source_id: `defined-${round}-${n}` }),
        );
        racers.expectAnswered(
          await many(6, () => racers.batch('put_source_definitions', shuffled(definitions, racers.random), OPERATOR)),
          round,
        );
        const ids: string[] = [];
        for (let n = 0; n < 8; n += 1) ids.push(await racers.ledger.end(await racers.ledger.start()));
        const links = ids.flatMap((source, n) =>
          ids
            .slice(n + 1)
            .map((target) => ({ source_outcome_id: source, target_outcome_id: target, relation: 'invoked' })),
        );
        racers.expectAnswered(
          await many(6, () => racers.batch('declare_links', shuffled(links, racers.random))),
          round,
        );
      }
    });

    it('tool calls, events and decisions beside outcomes', options, async () => {
      for (let round = 0; round < rounds.batches; round += 1) {
        const starts = await many(30, () => racers.ledger.start());
        const calls = starts.map((start) => toolCall(idOf(start)));
        const events = starts.map((start) => event(idOf(start)));
        const decisions = starts.map((start) => policyDecision({ invocation_id: idOf(start) }));
        const outcomes = starts.map((start) => ({ invocation_id: idOf(start), outcome: envelopeFor(start) }));
        const batches = await many(3, () =>
          Promise.all([
            racers.batch('record_tool_calls', shuffled(calls, racers.random)),
            racers.batch('register_events', shuffled(events, racers.random)),
            racers.batch('record_policy_decisions', shuffled(decisions, racers.random), GUARD),
            racers.batch('record_outcomes', shuffled(outcomes, racers.random)),
          ]),
        );
        racers.expectAnswered(batches.flat(), round);
      }
    });
  });
}
