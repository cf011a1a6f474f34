import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { jsonb } from '../../src/database/statement.ts';
import type { TestDatabase } from './database.ts';
import { type Document, envelopeFor, event, invocationStart, policyDecision, policyMember } from './envelopes.ts';
import { counted, type Ended, type Racers, wordOf } from './racers.ts';
import { shuffled } from './random.ts';
import { type Answer, GUARD, idOf } from './sql-ledger.ts';

/** Two writers that refer to each other, at the same moment: a link's ends, a decision and its subject, a start and its execution. */
export function describeMeetings(
  database: TestDatabase,
  racers: Racers,
  rounds: { links: number; decisions: number; closings: number },
  timeout: number,
): void {
  const options = { timeout };

  describe(`both ends of a link at the same moment (${rounds.links} rounds)`, () => {
    const kinds: Record<string, () => Promise<{ ends: [Document, Document][]; links: number }>> = {
      'cause by its id': async () => {
        const cause = await racers.ledger.start();
        return pair(cause, await racers.ledger.start({ causation_id: idOf(cause) }));
      },
      'cause by its event': async () => {
        const cause = await racers.ledger.start();
        const seen = event(idOf(cause));
        await racers.ledger.event(seen);
        return pair(cause, await racers.ledger.start({ causation_id: seen['event_id'] }));
      },
      'a contribution': async () => {
        const workflow = await racers.ledger.startExecution();
        return pair(workflow, await racers.ledger.start({ execution_id: idOf(workflow) }));
      },
      'a child’s contribution': async () => {
        const parent = await racers.ledger.startExecution();
        return pair(parent, await racers.ledger.startExecution({ parent_execution_id: idOf(parent) }));
      },
      'a guard': async () => {
        const guarding = await racers.ledger.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'os' } });
        const governed = await racers.ledger.start();
        const decision = policyDecision({ invocation_id: idOf(governed) }, { guard_invocation_id: idOf(guarding) });
        await racers.call('record_policy_decision', jsonb(decision), GUARD);
        return {
          ends: [
            [guarding, envelopeFor(guarding)],
            [governed, envelopeFor(governed, 'success', { policy: policyMember() })],
          ],
          links: 1,
        };
      },
      'two that caused each other': async () => {
        const id = randomUUID();
        const one = await racers.ledger.start({ causation_id: id });
        return { ...pair(one, await racers.ledger.start({ invocation_id: id, causation_id: idOf(one) })), links: 2 };
      },
    };
    const pair = (one: Document, two: Document): { ends: [Document, Document][]; links: number } => ({
      ends: [
        [one, envelopeFor(one)],
        [two, envelopeFor(two)],
      ],
      links: 1,
    });

    it.each(Object.keys(kinds))('%s: the link is there', options, async (kind) => {
      for (let round = 0; round < rounds.links; round += 1) {
        const { ends, links } = await (kinds[kind] as (typeof kinds)[string])();
        const answers = await Promise.all(
          shuffled(ends, racers.random).map(([start, envelope]) => racers.record(start, envelope)),
        );
        expect(counted(answers.map(wordOf)), `round ${round}`).toEqual({ recorded: 2 });
        const ids = answers.map((end) => ('value' in end ? end.value.record['outcome_id'] : ''));
        const found =
          await database.sql`select from public.agent_lineage_links where source_outcome_id = any(${ids}) and target_outcome_id = any(${ids})`;
        expect(found.count, `round ${round}`).toBe(links);
      }
    });
  });

  it(`a block decision against a success: never both (${rounds.decisions} rounds)`, options, async () => {
    const seen = new Set<string>();
    for (let round = 0; round < rounds.decisions; round += 1) {
      const start = await racers.ledger.start();
      const decision = policyDecision({ invocation_id: idOf(start) }, { decision: 'block' });
      const decide = () => racers.call('record_policy_decision', jsonb(decision), GUARD);
      const [one, two] =
        round % 2
          ? await Promise.all([decide(), racers.record(start, envelopeFor(start))])
          : (await Promise.all([racers.record(start, envelopeFor(start)), decide()])).reverse();
      const words = `${wordOf(one as Ended<Answer>)} / ${wordOf(two as Ended<Answer>)}`;
      expect(['recorded / PT422 policy_mismatch', 'PT409 invocation_closed / recorded'], `round ${round}`).toContain(
        words,
      );
      seen.add(words);
    }
    if (rounds.decisions >= 100) expect(seen.size).toBe(2);
  });

  it(`a start within an execution that ends: before it, or refused (${rounds.closings} rounds)`, options, async () => {
    for (let round = 0; round < rounds.closings; round += 1) {
      const execution = await racers.ledger.startExecution();
      const starts = Array.from({ length: 4 }, () => invocationStart({ execution_id: idOf(execution) }));
      const calls = shuffled(
        [
          () => racers.record(execution, envelopeFor(execution)),
          ...starts.map((start) => () => racers.call('start_invocation', jsonb(start))),
        ],
        racers.random,
      );
      const words = (await Promise.all(calls.map((run) => run()))).map(wordOf);
      for (const word of words) expect(['recorded', 'PT409 execution_closed'], `round ${round}`).toContain(word);
      const slipped = await database.sql`
        select from public.agent_invocations i join public.workflow_outcomes o using (execution_id) where i.execution_id = ${idOf(execution)} and i.seq > o.seq`;
      expect(slipped.count, `round ${round}`).toBe(0);
    }
  });
}
