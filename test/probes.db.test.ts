// Faults that systems like this one have had (B023 to B033), put to the database itself: what is refused leaves no row, what
// is accepted is on disk to the byte. Two ways in, one answer: the recording function and a bare insert.
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { KEPT, REFUSED, withResult, withTiming } from './support/probe-cases.ts';
import { readRefusal } from './support/refused.ts';
import { idOf, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const ID = '0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1';
const database = useDatabase();
let ledger: SqlLedger;

beforeAll(async () => {
  ledger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
});

const WAYS: Record<string, string> = {
  'the function': 'select public.record_agent_outcome($1::text::uuid, $2::text::jsonb)',
  'a bare insert':
    'insert into public.agent_invocation_outcomes (invocation_id, outcome_envelope) values ($1::text::uuid, $2::text::jsonb)',
};

/** Sends raw JSON text as the envelope of a new invocation; what became of it, and of the invocation. */
async function sent(way: string, spell: (good: string, start: Document) => string) {
  const start = await ledger.start();
  const text = spell(JSON.stringify(envelopeFor(start)), start);
  const ended = await database
    .as(ledger.caller, (tx) => tx.unsafe(WAYS[way] as string, [idOf(start), text]))
    .then(
      () => ({ code: 'recorded', paths: [] as string[] }),
      // Text that jsonb itself cannot hold never reaches the ledger.
      (error) => (/^22/.test(error.code) ? { code: 'no jsonb', paths: [] } : readRefusal(error)),
    );
  const [row] =
    await database.sql`select outcome_envelope::text as text from public.agent_invocation_outcomes where invocation_id = ${idOf(start)}`;
  const [open] = await database.sql`select from ledger_internal.open_work where subject_id = ${idOf(start)}`;
  expect(Boolean(row), 'either an outcome or open work').toBe(!open);
  return {
    code: ended.code,
    paths: ended.paths,
    stored: row ? (JSON.parse(row['text']) as Document) : undefined,
    text: row?.['text'] as string | undefined,
  };
}

describe.each(Object.keys(WAYS))('by %s', (way) => {
  describe('refused, and no row', () => {
    it.each(REFUSED)('%s %s', async (_, __, code, path, spell) => {
      const answer = await sent(way, spell);
      expect(answer.code).toBe(code);
      if (path !== undefined) expect(answer.paths).toContain(path);
    });
  });

  describe('accepted, and kept', () => {
    it.each(KEPT)('%s %s', async (_, __, json) => {
      const answer = await sent(way, withResult(json));
      expect(answer.code).toBe('recorded');
      expect(answer.stored?.['result']).toEqual(JSON.parse(json));
    });

    it('B027 numbers spelled in other ways are the same number', async () => {
      const answer = await sent(way, withResult('{"a":1.0,"b":-0,"c":1e2,"d":0.10}'));
      expect(answer.stored?.['result']).toEqual({ a: 1, b: 0, c: 100, d: 0.1 });
    });

    it('B025 of a key twice what is checked is what is stored: the last', async () => {
      const good = await sent(way, (text) =>
        text.replace('"status":"success"', '"status":"failure","status":"success"'),
      );
      expect([good.code, good.stored?.['status']]).toEqual(['recorded', 'success']);
      const bad = await sent(way, (text) =>
        text.replace('"status":"success"', '"status":"success","status":"failure"'),
      );
      expect(bad.code).toBe('envelope_invalid');
    });

    it('B029 the times of the grammar', async () => {
      for (const time of [
        '2026-05-20T10:00:00Z',
        '2026-05-20T10:00:00+00:00',
        '2026-05-20T09:59:59.1Z',
        '2026-05-20T09:59:59.123456789Z',
        '1970-01-01T00:00:00Z',
        '2024-02-29T23:59:59Z',
      ]) {
        const answer = await sent(way, withTiming(time, '2026-05-20T10:00:00Z', '0'));
        expect(answer.code, time).toBe('recorded');
        expect(answer.stored?.['timing'].started_at).toBe(time);
      }
    });

    it('B032 a duration that disagrees by an hour is kept, and shown', async () => {
      const start = await ledger.start();
      const timing = {
        started_at: '2026-05-20T10:00:00Z',
        completed_at: '2026-05-20T10:00:01Z',
        duration_ms: 3_601_000,
      };
      const outcomeId = await ledger.end(start, 'success', { timing });
      expect(await ledger.read('get_outcome', outcomeId)).toMatchObject({ timing, timing_drift_ms: 3_600_000 });
    });
  });
});

// B027: also of requests that are compared as they were sent.
it('a request whose numbers are spelled otherwise is the same request', async () => {
  const open = idOf(await ledger.start());
  const timing = '"timing":{"started_at":"2026-05-20T10:00:00Z","completed_at":"2026-05-20T10:00:00Z","duration_ms":0}';
  const requests: [string, (n: string) => string][] = [
    [
      'start_invocation',
      (n) => JSON.stringify(invocationStart({ invocation_id: ID, attributes: '#' })).replace('"#"', `{"n":${n}}`),
    ],
    [
      'record_tool_call',
      (n) =>
        `{"invocation_id":"${open}","tool_call_id":"c","tool_name":"t","status":"succeeded",${timing},"output":[{"n":${n}}]}`,
    ],
    ['register_event', (n) => `{"event_id":"e","type":"shop.order","source":"shop","data":{"n":[${n}]}}`],
  ];
  for (const [name, spell] of requests) {
    const results: string[] = [];
    for (const n of ['1', '1.0', '1.00e0', '10e-1', '1.5'])
      results.push((await ledger.ask(name, { type: 'jsonb', text: spell(n) })).result);
    expect(results, name).toEqual(['recorded', 'replayed', 'replayed', 'replayed', 'conflict']);
  }
});
