// Rows leave only through the purge function, under a recorded policy, and leave a tombstone.
import { beforeAll, describe, expect, it } from 'vitest';
import { undone } from './support/attacks.ts';
import { useDatabase } from './support/database.ts';
import { envelopeFor } from './support/envelopes.ts';
import { type FilledLedger, fillLedger, fingerprintOf, purgeTable, statePolicy } from './support/filled-ledger.ts';
import { readRefusal, refusalOf } from './support/refused.ts';
import { ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let filled: FilledLedger;

const PURGEABLE = [
  'agent_tool_calls',
  'os_events',
  'late_outcomes',
  'agent_lineage_links',
  'agent_invocation_outcomes',
  'workflow_outcomes',
];

beforeAll(async () => {
  filled = await fillLedger(database);
});

/** Deletes by hand as a role, with the setting the purge function uses; undone. Rows and tombstones, or the refusal. */
async function byHand(role: string, table: string, policyId = '', guard?: string): Promise<unknown> {
  try {
    return await undone(
      (run) => database.admin.begin(run),
      async (tx) => {
        if (guard) await tx.unsafe(guard);
        const [before] = await tx`select count(*)::int as n from public.tombstones`;
        await tx`select set_config('ledger_internal.retention_policy', ${policyId}, true), set_config('role', ${role}, true)`;
        const { count } = await tx.unsafe(`delete from public.${table} where tenant_id = '${filled.tenantId}'`);
        await tx`select set_config('role', 'supabase_admin', true)`;
        const [after] = await tx`select count(*)::int as n from public.tombstones`;
        return { deleted: count, tombstones: after?.['n'] - before?.['n'] };
      },
    );
  } catch (error) {
    return readRefusal(error).code;
  }
}

const guardThat = (body: string) =>
  `create or replace function ledger_internal.refuse_change() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
   begin ${body} perform ledger_internal.refuse('append_only'); return null; end $$`;

describe('the guard', () => {
  it('opened by a setting instead of by a role, would let the owner delete', async () => {
    const policyId = await statePolicy(database, filled.tenantId, 'os_events');
    const open = guardThat(
      `if tg_op = 'DELETE' and current_setting('ledger_internal.retention_policy', true) <> '' then return old; end if;`,
    );
    expect(await byHand('postgres', 'os_events', policyId, open)).toMatchObject({
      deleted: expect.any(Number),
      tombstones: 0,
    });
    for (const role of ['postgres', 'supabase_admin'])
      expect(await byHand(role, 'os_events', policyId)).toBe('append_only');
  });

  it('without its own tombstone, would let the retention role delete without a trace', async () => {
    const silent = guardThat(`if tg_op = 'DELETE' and current_user = 'ledger_retention' then return old; end if;`);
    const gone = (await byHand('ledger_retention', 'os_events', '', silent)) as { deleted: number; tombstones: number };
    expect(gone.deleted).toBeGreaterThan(0);
    expect(gone.tombstones).toBe(0);
  });

  it.each(PURGEABLE)('lets nothing of %s go by hand without a policy', async (table) => {
    const before = await fingerprintOf(database);
    expect(await byHand('ledger_retention', table)).toMatch(/^(append_only|not_permitted)$/);
    expect(await fingerprintOf(database)).toEqual(before);
  });

  it('lets a policy’s rows go, each with its tombstone, and no others', async () => {
    const policyId = await statePolicy(database, filled.tenantId, 'os_events');
    const gone = (await byHand('ledger_retention', 'os_events', policyId)) as { deleted: number; tombstones: number };
    expect(gone.deleted).toBeGreaterThan(0);
    expect(gone.tombstones).toBe(gone.deleted);
    const other = await statePolicy(database, await database.tenant(), 'os_events');
    const table = await statePolicy(database, filled.tenantId, 'late_outcomes');
    const young = await statePolicy(database, filled.tenantId, 'os_events', '1 day');
    for (const wrong of [other, table, young])
      expect(await byHand('ledger_retention', 'os_events', wrong)).toBe('append_only');
  });

  it('lets the ids of outcomes go to nobody', async () => {
    expect(await byHand('ledger_retention', 'outcome_ids')).toBe('not_permitted');
    expect((await refusalOf(database.sql`delete from public.outcome_ids`)).code).toBe('append_only');
    const stated = statePolicy(database, filled.tenantId, 'outcome_ids');
    await expect(stated).rejects.toMatchObject({ code: '23514' });
  });
});

describe('the retention role', () => {
  it('is nobody: no login, and no member that could become it or act with its rights', async () => {
    const [role] =
      await database.sql`select rolcanlogin, rolsuper, rolbypassrls from pg_roles where rolname = 'ledger_retention'`;
    expect(role).toEqual({ rolcanlogin: false, rolsuper: false, rolbypassrls: false });
    const members = await database.sql`
      select m.member::regrole::text as member, m.inherit_option, m.set_option from pg_auth_members m
       where m.roleid = 'ledger_retention'::regrole and (m.inherit_option or m.set_option)`;
    expect(members).toEqual([]);
    await expect(database.sql.begin((tx) => tx`set local role ledger_retention`)).rejects.toMatchObject({
      code: '42501',
    });
    await expect(database.gateway.begin((tx) => tx`set local role ledger_retention`)).rejects.toMatchObject({
      code: '42501',
    });
  });
});

describe('the purge function', () => {
  it('runs for the owner alone', async () => {
    const policyId = await statePolicy(database, filled.tenantId, 'late_outcomes');
    for (const role of ['anon', 'authenticated', 'service_role', 'ledger_gateway', 'ledger_sweep', 'ledger_auditor']) {
      const purge = database.asRole(role, (tx) => tx`select ledger_internal.purge(${policyId})`);
      expect((await refusalOf(purge)).code, role).toBe('not_permitted');
    }
    const unknown = database.sql`select ledger_internal.purge('00000000-0000-4000-8000-000000000000')`;
    expect((await refusalOf(unknown)).code).toBe('not_found');
  });

  it('keeps what is younger than the policy says, and takes no more than it is told', async () => {
    const young = await statePolicy(database, filled.tenantId, 'os_events', '1 hour');
    expect(await database.sql`select ledger_internal.purge(${young}) as n`).toEqual([{ n: 0 }]);
    const ledger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    for (let n = 0; n < 5; n += 1) await ledger.end(await ledger.start());
    const policyId = await statePolicy(database, ledger.tenantId as string, 'os_events');
    expect(await database.sql`select ledger_internal.purge(${policyId}, 2) as n`).toEqual([{ n: 2 }]);
    expect(await database.sql`select ledger_internal.purge(${policyId}, 100) as n`).toEqual([{ n: 3 }]);
    // Its setting does not outlive the call.
    expect(await byHand('ledger_retention', 'late_outcomes')).toMatch(/^(append_only|not_permitted)$/);
  });

  it('touches no other tenant', async () => {
    const other = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const outcomeId = await other.end(await other.start());
    const mine = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    await mine.end(await mine.start());
    expect((await purgeTable(database, mine.tenantId as string, 'agent_invocation_outcomes')).deleted).toBe(1);
    expect(await other.read('get_outcome', outcomeId)).toMatchObject({ outcome_id: outcomeId });
  });

  it('leaves the id, and a purged invocation cannot be recorded again', async () => {
    const ledger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const start = await ledger.start();
    const outcomeId = await ledger.end(start);
    const { policyId, deleted } = await purgeTable(database, ledger.tenantId as string, 'agent_invocation_outcomes');
    expect(deleted).toBe(1);
    expect(await ledger.read('get_outcome', outcomeId)).toBeNull();
    const [stone] =
      await database.sql`select table_name, row_key, policy_id, recorded_by from public.tombstones where tenant_id = ${ledger.tenantId as string}`;
    expect(stone).toEqual({
      table_name: 'agent_invocation_outcomes',
      row_key: {
        outcome_id: outcomeId,
        invocation_id: start['invocation_id'],
        execution_id: null,
        source_type: 'agent',
      },
      policy_id: policyId,
      recorded_by: 'ledger_retention',
    });
    expect(await database.sql`select source_type from public.outcome_ids where outcome_id = ${outcomeId}`).toEqual([
      { source_type: 'agent' },
    ]);
    for (const status of ['success', 'failure'] as const) {
      expect((await refusalOf(ledger.record(start, envelopeFor(start, status)))).code).toBe('invocation_closed');
    }
  });
});
