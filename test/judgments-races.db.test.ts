// Evidence, integrations and the gate at the same moment: every order gives an answer that stands.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import type { Document } from './support/envelopes.ts';
import { readRefusal } from './support/refused.ts';
import { type Answer, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const ROUNDS = 25;
const database = useDatabase();
let ledger: SqlLedger;
let worker: SqlLedger;
let operator: SqlLedger;

beforeAll(async () => {
  const tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  worker = sqlLedger(database, { tenantId, role: 'worker', actorId: 'verifier-1' });
  operator = sqlLedger(database, { tenantId, role: 'operator', actorId: 'hanna' });
});

const outcome = async (over: Document = {}): Promise<string> =>
  (await ledger.record(await ledger.start(over))).record['outcome_id'];
const verification = (outcome_id: string, exit_code: 0 | 1, over: Document = {}) =>
  worker.ask(
    'record_verification',
    jsonb({
      outcome_id,
      verification: exit_code === 0 ? 'passed' : 'failed',
      process: { started: true, timed_out: false, system_fault: false, exit_code },
      command: 'npm test',
      ...over,
    }),
  );
const integration = (outcome_id: string, reference: string) =>
  operator.ask('record_integration', jsonb({ outcome_id, reference }));
/** What became of it: the result, or the code of the refusal. */
const became = (answer: Promise<Answer>): Promise<string> =>
  answer.then(
    ({ result }) => result,
    (error) => readRefusal(error).code,
  );
const rounds = async (round: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < ROUNDS; n += 1) await round(n);
};

describe('at the same moment', () => {
  it('one of two integrations is recorded, and the other told so', async () => {
    await rounds(async () => {
      const id = await outcome();
      const both = await Promise.all(['abc', 'def'].map((reference) => became(integration(id, reference))));
      expect(both.sort()).toEqual(['conflict', 'recorded']);
    });
  });

  it('a verification of one id is one, whoever brings it', async () => {
    await rounds(async () => {
      const id = await outcome();
      const verification_id = randomUUID();
      const both = await Promise.all([0, 1].map(() => became(verification(id, 0, { verification_id }))));
      expect(both.sort()).toEqual(['recorded', 'replayed']);
      const other = await outcome();
      const apart = randomUUID();
      const two = await Promise.all([id, other].map((one) => became(verification(one, 0, { verification_id: apart }))));
      expect(two.sort()).toEqual(['conflict', 'recorded']);
    });
  });

  it('a yes and a no are both kept, and the later one counts for everybody', async () => {
    await rounds(async () => {
      const id = await outcome();
      await Promise.all([verification(id, 0), verification(id, 1)]);
      const rows = await database.sql`
        select verification, seq from public.outcome_verifications where outcome_id = ${id} order by epoch, seq`;
      expect(rows).toHaveLength(2);
      const judged = await ledger.ask<Document>('get_judgment', uuid(id));
      expect(judged['verification']).toBe(rows[1]?.['verification']);
    });
  });

  it('nothing is merged that a verification had already said no to', async () => {
    const came = new Set<string>();
    await rounds(async (n) => {
      const id = await outcome({ verify: 'npm test' });
      await verification(id, 0);
      const racers = [() => became(integration(id, 'abc')), () => became(verification(id, 1))];
      if (n % 2 === 1) racers.reverse();
      const answers = await Promise.all(racers.map((race) => race()));
      const merged = n % 2 === 1 ? answers[1] : answers[0];
      came.add(merged as string);
      const [rows] = await database.sql`
        select (select seq from public.outcome_integrations where outcome_id = ${id}) as merged,
               (select max(seq) from public.outcome_verifications where outcome_id = ${id} and verification = 'failed') as refuted`;
      if (merged === 'recorded') expect(BigInt(rows?.['merged'])).toBeLessThan(BigInt(rows?.['refuted']));
      else expect([merged, rows?.['merged']]).toEqual(['gate_refused', null]);
    });
    for (const answer of came) expect(['recorded', 'gate_refused']).toContain(answer);
  });

  it('the gate sees evidence whole or not at all', async () => {
    await rounds(async () => {
      const id = await outcome({ verify: 'npm test' });
      const asked = operator.ask<Document>('pass_gate', jsonb({ ids: [id] })).then(
        ({ items }) => items[0].judgment,
        (error) => readRefusal(error).code,
      );
      const [answer] = await Promise.all([asked, verification(id, 0)]);
      expect(['verified', 'gate_refused']).toContain(answer);
    });
  });
});
