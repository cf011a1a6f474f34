// One session, many callers: what a pooled connection, an agent, the service key and a token of one tenant get to see.
import { beforeAll, describe, expect, it } from 'vitest';
import { WRITE_TABLES } from '../src/contract/roles.ts';
import { jsonb } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { type FilledLedger, fillLedger, LEDGER_TABLES } from './support/filled-ledger.ts';
import { ACTOR, makeSubjects, rowFor, type Subjects } from './support/matrix.ts';
import { codeOf } from './support/refused.ts';
import { insertRow } from './support/rows.ts';
import { connect } from './support/shared-server.ts';
import { callIn, ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let filled: FilledLedger;
let other: FilledLedger;
let subjects: Subjects;

beforeAll(async () => {
  filled = await fillLedger(database);
  other = await fillLedger(database);
  subjects = await makeSubjects(database, filled.tenantId, { source: true, started: true });
});

const about = (over: Document) => ({
  tenant_id: filled.tenantId,
  ledger_role: 'orchestrator',
  actor_id: ACTOR,
  ...over,
});

// B045: one connection, many tenants.
describe('on one pooled connection', () => {
  it('nothing of a request is left for the next, whatever became of it', async () => {
    const pool = connect(database.gatewayUrl, 1);
    const request = <T>(tenantId: string | null, work: (tx: Parameters<typeof callIn>[0]) => Promise<T>) =>
      pool.begin(async (tx) => {
        if (tenantId) {
          const claims = JSON.stringify({ app_metadata: about({ tenant_id: tenantId }) });
          await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
        } else await tx`select set_config('role', 'authenticated', true)`;
        return work(tx);
      });
    const tenants = (tx: Parameters<typeof callIn>[0]) =>
      tx`select distinct tenant_id from public.agent_invocations`.then((rows) => rows.map((row) => row['tenant_id']));
    const disturbances: ((tx: Parameters<typeof callIn>[0]) => Promise<unknown>)[] = [
      (tx) => tx`select 1 / 0`,
      (tx) => tx`select public.start_invocation('{}')`,
      (tx) => tx`select set_config('statement_timeout', '5ms', true)`.then(() => tx`select pg_sleep(5)`),
      async () => {
        throw new Error('given up');
      },
      (tx) => tx`select 1`,
    ];
    try {
      for (const disturb of disturbances) {
        for (const { tenantId } of [filled, other]) {
          expect(await request(tenantId, tenants)).toEqual([tenantId]);
          await request(tenantId, disturb).catch(() => undefined);
          expect(await request(null, tenants)).toEqual([]);
          expect(
            await pool`select current_user as role, nullif(current_setting('request.jwt.claims', true), '') as claims`,
          ).toEqual([{ role: 'ledger_gateway', claims: null }]);
        }
      }
      // The hole: a setting of the session instead of the transaction.
      const claims = JSON.stringify({ app_metadata: about({}) });
      await pool`select set_config('request.jwt.claims', ${claims}, false)`;
      expect(await request(null, tenants)).toEqual([filled.tenantId]);
    } finally {
      await pool.end();
    }
  });

  it('the login itself, when no role was taken on, may nothing', async () => {
    for (const table of LEDGER_TABLES) {
      expect(await codeOf(database.gateway.unsafe(`select from public.${table}`)), table).toBe('not_permitted');
    }
    expect(await codeOf(database.gateway`select public.start_invocation('{}')`)).toBe('not_permitted');
    for (const role of ['service_role', 'postgres', 'ledger_sync', 'ledger_retention', 'anon']) {
      await expect(
        database.gateway.begin((tx) => tx.unsafe(`set local role ${role}`)),
        role,
      ).rejects.toMatchObject({ code: '42501' });
    }
  });
});

// B034: a role that only inserts still gets its id.
describe('an agent', () => {
  it('gets the id it recorded under, by the function and by a bare insert that returns', async () => {
    const ledger = sqlLedger(database, { tenantId: filled.tenantId, role: 'agent', actorId: 'art-agt-003' });
    const start = await ledger.start();
    expect(await ledger.end(start)).toMatch(/^[0-9a-f-]{36}$/);
    const next = await ledger.start();
    const row = { invocation_id: next['invocation_id'], outcome_envelope: envelopeFor(next) };
    const returned = await database.as(
      ledger.caller,
      (tx) => tx`insert into public.agent_invocation_outcomes ${tx(row as never)} returning outcome_id, recorded_by`,
    );
    expect(returned).toEqual([{ outcome_id: expect.any(String), recorded_by: 'art-agt-003' }]);
    const upsert = database.as(
      ledger.caller,
      (tx) =>
        tx`insert into public.agent_invocation_outcomes ${tx(row as never)} on conflict (invocation_id, tenant_id) do update set outcome_envelope = excluded.outcome_envelope`,
    );
    expect(await codeOf(upsert)).toBe('not_permitted');
  });
});

describe('service_role', () => {
  it('reads everything and writes nothing', async () => {
    for (const table of LEDGER_TABLES) {
      expect(
        (await database.asRole('service_role', (tx) => tx.unsafe(`select from public.${table}`))).count,
        table,
      ).toBeGreaterThan(0);
    }
    for (const table of WRITE_TABLES) {
      const row = { ...rowFor(table, subjects), tenant_id: filled.tenantId };
      expect(await codeOf(database.asRole('service_role', (tx) => insertRow(tx, table, row))), table).toBe(
        'not_permitted',
      );
    }
    const claims = { app_metadata: about({}) };
    const recorded = database.asRole(
      'service_role',
      (tx) => callIn(tx, 'start_invocation', jsonb(invocationStart())),
      claims,
    );
    expect(await codeOf(recorded)).toBe('not_permitted');
  });
});

describe('a caller of the default kind', () => {
  it('is told of its own tenant only, by every table', async () => {
    await database.as({ tenantId: filled.tenantId, ...ORCHESTRATOR }, async (tx) => {
      for (const table of [...LEDGER_TABLES, 'tenants', 'retention_policies']) {
        const rows = await tx.unsafe(`select distinct tenant_id from public.${table}`);
        expect(
          rows.map((row) => row['tenant_id']),
          table,
        ).toEqual([filled.tenantId]);
      }
    });
  });
});
