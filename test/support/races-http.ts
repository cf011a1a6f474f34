import { beforeAll, describe, expect, it } from 'vitest';
import { type Api, apiOf } from '../functions-client.ts';
import { envelopeFor, invocationStart } from './envelopes.ts';
import type { TestStack } from './stack.ts';

const CALLERS = 50;

/** 50 concurrent duplicates over HTTP (B058): one 201, every loser answered, never a 500. */
export function describeHttpRaces(
  stack: TestStack,
  rounds: { outcomes: number; starts: number },
  timeout = 60_000,
): void {
  let api: Api;
  beforeAll(async () => {
    api = await apiOf(stack, { tenantId: await stack.database.tenant() });
  });

  const many = (ask: (n: number) => ReturnType<Api>) => Promise.all(Array.from({ length: CALLERS }, (_, n) => ask(n)));
  const counted = (values: (string | number)[]) =>
    Object.fromEntries([...new Set(values)].map((value) => [value, values.filter((other) => other === value).length]));

  describe(`${CALLERS} callers over HTTP at once (${rounds.outcomes} and ${rounds.starts} rounds)`, () => {
    it.each([
      ['the same', 200],
      ['different', 409],
    ])('record %s content: one 201, the others %i', { timeout }, async (content, second) => {
      for (let round = 0; round < rounds.outcomes; round += 1) {
        const start = invocationStart();
        await api('POST', '/invocations', start);
        const answers = await many((n) => {
          const outcome = envelopeFor(start, 'success', content === 'different' ? { result: { n } } : {});
          return api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome });
        });
        const wanted = { 201: 1, [second]: CALLERS - 1 };
        expect(counted(answers.map((answer) => answer.status)), `round ${round}`).toEqual(wanted);
        expect(new Set(answers.map((answer) => answer.body.outcome_id)).size, `round ${round}`).toBe(1);
        const losers = answers.filter((answer) => answer.status !== 201);
        if (second === 200)
          expect(losers.every((answer) => answer.headers.get('idempotent-replayed') === 'true')).toBe(true);
        else expect(losers.every((answer) => answer.body.code === 'outcome_conflict')).toBe(true);
      }
    });

    it.each([
      ['the same', 200],
      ['different', 409],
    ])('start %s invocation: one 201, the others %i', { timeout }, async (content, second) => {
      for (let round = 0; round < rounds.starts; round += 1) {
        const start = invocationStart();
        const answers = await many((n) =>
          api('POST', '/invocations', { ...start, ...(content === 'different' ? { attributes: { n } } : {}) }),
        );
        const wanted = { 201: 1, [second]: CALLERS - 1 };
        expect(counted(answers.map((answer) => answer.status)), `round ${round}`).toEqual(wanted);
      }
    });
  });
}
