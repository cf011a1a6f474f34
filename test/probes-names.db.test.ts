// Versions and ids that other databases have let through or stumbled over (B030, B033).
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from './support/database.ts';
import { type Document, sourceDefinition } from './support/envelopes.ts';
import { readRefusal } from './support/refused.ts';
import { idOf, OPERATOR, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let ledger: SqlLedger;

beforeAll(async () => {
  ledger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
});

// B033
describe('the version of a source', () => {
  const versions: [string, boolean][] = [
    ['1.0.0-0beta', true],
    ['1.0.0-0', true],
    ['1.0.0+01', true],
    ['1.0.0-alpha.1+build.7', true],
    [`1.0.0-${'a'.repeat(94)}`, true],
    ['1.0.0-01', false],
    ['v1.0.0', false],
    ['1.0', false],
    ['01.0.0', false],
    ['1.0.0-', false],
    ['1.0.0\n', false],
    [`1.0.0-${'a'.repeat(95)}`, false],
    [`1.0.0-${'a.'.repeat(5000)}a`, false],
  ];

  it.each(
    versions.map(([version, good]) => [JSON.stringify(version.slice(0, 40)), version.length, good, version] as const),
  )('%s of %i characters: %s', async (_, __, good, version) => {
    const answer = await ledger.start({ source: { id: 'art-agt-003', version, domain: 'art' } }).then(
      () => 'recorded',
      (error) => readRefusal(error).code,
    );
    expect(answer).toBe(good ? 'recorded' : 'request_invalid');
    const operator = sqlLedger(database, { tenantId: ledger.tenantId as string, ...OPERATOR });
    const defined = await operator.define(sourceDefinition({ version })).then(
      (put) => put.result,
      (error) => readRefusal(error).code,
    );
    expect(defined).toBe(good ? 'recorded' : 'request_invalid');
  });
});

// B030: a row with an odd id put there by other means stops nobody.
it('a planted id of another version does not stop reads or lists', async () => {
  const odd = '01890a5d-ac96-774b-bcce-b302099a8057';
  const start = await ledger.start();
  await database.admin.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`insert into public.agent_invocations select (jsonb_populate_record(i, jsonb_build_object('invocation_id', ${odd}::text, 'seq', nextval('ledger_internal.feed_seq')))).* from public.agent_invocations i where i.invocation_id = ${idOf(start)}`;
  });
  expect(await ledger.read('get_invocation', odd)).toMatchObject({ invocation_id: odd });
  const listed = await ledger.ask<Document>('list_invocations', { type: 'jsonb', text: '{"limit": 2}' });
  expect(listed['items'].map((item: Document) => item['invocation_id'])).toContain(odd);
});
