// A batch answers each item for itself, in the order sent; one bad item harms no other.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, event, executionStart, invocationStart, toolCall } from './support/envelopes.ts';
import { randomFrom, shuffled } from './support/random.ts';
import { codeOf, refusalOf } from './support/refused.ts';
import { type Answer, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const SEED = 20260520;
const database = useDatabase();
let ledger: SqlLedger;
let stranger: SqlLedger;

beforeAll(async () => {
  ledger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
  stranger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
});

const item = (start: Document, outcome: unknown = envelopeFor(start)): Document => ({
  ...(start['invocation_id'] ? { invocation_id: start['invocation_id'] } : { execution_id: start['execution_id'] }),
  outcome,
});
const record = (items: unknown[]) => ledger.ask<Answer[]>('record_outcomes', jsonb(items));
const wordOf = (answer: Answer) => (answer.result === 'refused' ? answer.refusal?.['code'] : answer.result);

interface Expected {
  item: unknown;
  word: string;
}

const several = async (count: number, make: () => Promise<Document>) => {
  const made: Document[] = [];
  for (let n = 0; n < count; n += 1) made.push(await make());
  return made;
};

describe('a batch of outcomes', () => {
  it('of a hundred good, bad and repeated ones is answered in order', async () => {
    const random = randomFrom(SEED);
    const invocations = await several(20, () => ledger.start());
    const executions = await several(10, () => ledger.startExecution());
    const ended = await several(10, () => ledger.start());
    for (const start of ended) await ledger.end(start);
    const foreign = await several(5, () => stranger.start());
    const spoiled = await several(10, () => ledger.start());
    const plan: Expected[] = shuffled(
      [
        ...[...invocations, ...executions].map((start) => ({ item: item(start), word: 'recorded' })),
        ...[...invocations.slice(0, 8), ...executions.slice(0, 4)].map((start) => ({
          item: item(start),
          word: 'again',
        })),
        ...[...invocations.slice(8, 16), ...executions.slice(4, 8)].map((start) => ({
          item: item(start, envelopeFor(start, 'failure')),
          word: 'other',
        })),
        ...ended.slice(0, 5).map((start) => ({ item: item(start), word: 'replayed' })),
        ...ended.slice(5).map((start) => ({ item: item(start, envelopeFor(start, 'timeout')), word: 'conflict' })),
        ...spoiled.slice(0, 5).map((start) => ({
          item: item(start, envelopeFor(start, 'success', { mood: 'good' })),
          word: 'envelope_invalid',
        })),
        ...spoiled.slice(5).map((start) => ({
          item: item(start, envelopeFor(start, 'success', { outcome_id: randomUUID() })),
          word: 'outcome_id_refused',
        })),
        ...foreign.map((start) => ({ item: item(start), word: 'unknown_invocation' })),
        ...several5(() => ({ item: item(invocationStart()), word: 'unknown_invocation' })),
        { item: item(executionStart()), word: 'unknown_execution' },
        { item: { outcome: envelopeFor(invocationStart()) }, word: 'request_invalid' },
        { item: { invocation_id: randomUUID(), execution_id: randomUUID(), outcome: null }, word: 'request_invalid' },
        { item: { invocation_id: 'no id', outcome: null }, word: 'request_invalid' },
        {
          item: { invocation_id: spoiled[0]?.['invocation_id'].toUpperCase(), outcome: null },
          word: 'request_invalid',
        },
        { item: { invocation_id: spoiled[1]?.['invocation_id'] }, word: 'envelope_invalid' },
        { item: null, word: 'request_invalid' },
        { item: 7, word: 'request_invalid' },
      ],
      random,
    );
    expect(plan.length, `seed ${SEED}`).toBeLessThanOrEqual(100);
    // Of several items about one subject the first decides; the rest repeat it or contest it.
    const first = new Map<string, unknown>();
    const expected = plan.map(({ item: sent, word }) => {
      if (!['recorded', 'again', 'other'].includes(word)) return word;
      const { invocation_id, execution_id, outcome } = sent as Document;
      const status = outcome.status;
      const id = invocation_id ?? execution_id;
      if (!first.has(id)) {
        first.set(id, status);
        return 'recorded';
      }
      return first.get(id) === status ? 'replayed' : 'conflict';
    });
    const answers = await record(plan.map((entry) => entry.item));
    expect(answers.map(wordOf), `seed ${SEED}`).toEqual(expected);
    for (const start of spoiled) {
      expect(await ledger.read('get_invocation', start['invocation_id'])).toMatchObject({
        state: 'running',
        outcome: null,
      });
    }
    // Sent again, everything that was recorded is replayed with the same id.
    const again = await record(plan.map((entry) => entry.item));
    for (const [n, answer] of answers.entries()) {
      if (answer.result === 'recorded') {
        expect(again[n]).toMatchObject({ result: 'replayed', record: { outcome_id: answer.record['outcome_id'] } });
      }
    }
  });

  it('of good ones alone gives what single calls would, links and events included', async () => {
    const execution = await ledger.startExecution();
    const inside = await several(5, () => ledger.start({ execution_id: execution['execution_id'] }));
    const answers = await record([item(execution), ...inside.map((start) => item(start)), item(execution)]);
    expect(answers.map(wordOf)).toEqual([...Array(6).fill('recorded'), 'replayed']);
    const ids = answers.map((answer) => answer.record['outcome_id']);
    expect(ids[6]).toBe(ids[0]);
    const links =
      await database.sql`select source_outcome_id as source from public.agent_lineage_links where target_outcome_id = ${ids[0]} and relation = 'contributed-to'`;
    expect(links.map((link) => link['source']).sort()).toEqual(ids.slice(1, 6).sort());
    expect(await database.sql`select from public.os_events where event_id = any(${ids.slice(0, 6)})`).toHaveLength(6);
  });

  it('is refused whole when it is no list or too long, and may be empty', async () => {
    expect(await record([])).toEqual([]);
    const start = await ledger.start();
    const long = Array.from({ length: 101 }, () => item(start));
    expect(await codeOf(record(long))).toBe('request_invalid');
    for (const wrong of [{ items: [] }, null, 'x', 3]) {
      expect(await codeOf(ledger.ask('record_outcomes', jsonb(wrong)))).toBe('request_invalid');
    }
    expect(await ledger.read('get_invocation', start['invocation_id'])).toMatchObject({ state: 'running' });
  });

  it('leaves nothing of itself when its transaction ends badly', async () => {
    const starts = await several(3, () => ledger.start());
    const attempt = database.as(ledger.caller, async (tx) => {
      await tx.unsafe('select public.record_outcomes($1::text::jsonb)', [
        JSON.stringify(starts.map((start) => item(start))),
      ]);
      await tx`select 1 / 0`;
    });
    await expect(attempt).rejects.toMatchObject({ code: '22012' });
    for (const start of starts) {
      expect(await ledger.read('get_invocation', start['invocation_id'])).toMatchObject({ state: 'running' });
      expect(await ledger.end(start)).toBeTruthy();
    }
  });
});

describe('the other batches', () => {
  it('answer in order, one bad item harming no other', async () => {
    const open = await ledger.start();
    const id = open['invocation_id'];
    const call = toolCall(id);
    const registered = event(id);
    const fresh = invocationStart();
    const cases: [string, unknown[], string[]][] = [
      [
        'start_invocations',
        [
          fresh,
          { ...fresh, invocation_id: 'x' },
          fresh,
          { ...fresh, domain: 1 },
          { ...fresh, correlation_id: 'other' },
        ],
        ['recorded', 'request_invalid', 'replayed', 'request_invalid', 'conflict'],
      ],
      [
        'record_tool_calls',
        [call, toolCall(randomUUID()), call, { ...call, tool_name: 'other' }],
        ['recorded', 'unknown_invocation', 'replayed', 'conflict'],
      ],
      [
        'register_events',
        [registered, { ...registered, type: 'os.x' }, registered, { ...registered, type: 'art.other' }],
        ['recorded', 'request_invalid', 'replayed', 'conflict'],
      ],
      ['heartbeats', [id, randomUUID(), 'x', id], ['recorded', 'unknown_invocation', 'unknown_invocation', 'recorded']],
    ];
    for (const [name, items, words] of cases) {
      const answers = await ledger.ask<Answer[]>(name, jsonb(items));
      expect(answers.map(wordOf), name).toEqual(words);
      expect((await refusalOf(ledger.ask(name, jsonb({})))).code, name).toBe('request_invalid');
    }
  });
});

function several5<T>(make: () => T): T[] {
  return Array.from({ length: 5 }, make);
}
