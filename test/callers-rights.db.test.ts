import { beforeAll, describe, expect, it } from 'vitest';
import { WRITE_TABLES } from '../src/contract/roles.ts';
import { useDatabase } from './support/database.ts';
import { type FilledLedger, fillLedger, LEDGER_TABLES } from './support/filled-ledger.ts';
import { makeSubjects, rowFor, type Subjects } from './support/matrix.ts';
import { codeOf } from './support/refused.ts';
import { insertRow } from './support/rows.ts';
import { ORCHESTRATOR } from './support/sql-ledger.ts';

const database = useDatabase();
let filled: FilledLedger;
let foreign: Subjects;
let subjects: Subjects;

beforeAll(async () => {
  filled = await fillLedger(database);
  subjects = await makeSubjects(database, filled.tenantId, { source: true, started: true });
  foreign = await makeSubjects(database, await database.tenant(), { source: true, started: true });
});

const OURS = `p.pronamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace)
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

// B038: the public key alone.
describe('anon', () => {
  it('reads and writes no table, its claims saying what they like', async () => {
    const claims = {
      role: 'anon',
      app_metadata: { tenant_id: filled.tenantId, ledger_role: 'orchestrator', actor_id: 'x' },
    };
    for (const table of [...LEDGER_TABLES, 'tenants', 'epochs', 'retention_policies']) {
      expect(
        await codeOf(database.asRole('anon', (tx) => tx.unsafe(`select from public.${table}`), claims)),
        table,
      ).toBe('not_permitted');
    }
    for (const table of WRITE_TABLES) {
      const row = { ...rowFor(table, subjects), tenant_id: filled.tenantId };
      expect(await codeOf(database.asRole('anon', (tx) => insertRow(tx, table, row), claims)), table).toBe(
        'not_permitted',
      );
    }
  });

  it('may call no function of the ledger, nor may the public', async () => {
    const open = await database.sql.unsafe(`select p.oid::regprocedure::text as name from pg_proc p where ${OURS}
      and (has_function_privilege('anon', p.oid, 'execute') or exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0 and a.privilege_type = 'EXECUTE'))`);
    expect(open.map((row) => row['name'])).toEqual([]);
    // The hole is real: the platform grants what is new to anon by name.
    await database.sql.unsafe(`create function public.hole() returns int language sql as 'select 1'`);
    expect(await database.asRole('anon', (tx) => tx`select public.hole() as n`)).toEqual([{ n: 1 }]);
    await database.sql.unsafe('drop function public.hole()');
  });

  it('holds no right on any table, column, sequence or schema of ours', async () => {
    const rights = await database.sql`
      select c.oid::regclass::text as name from pg_class c
       where c.relnamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm', 'S')
         and exists (select from aclexplode(c.relacl) a where a.grantee in (0, 'anon'::regrole))`;
    expect(rights).toEqual([]);
    const [schema] =
      await database.sql`select has_schema_privilege('anon', 'ledger_internal', 'usage') as anon, has_schema_privilege('authenticated', 'ledger_internal', 'create') as token`;
    expect(schema).toEqual({ anon: false, token: false });
  });
});

describe('row security', () => {
  it('is on and forced on every table, and no policy is for everyone', async () => {
    const open = await database.sql`
      select c.oid::regclass::text as name from pg_class c
       where c.relkind in ('r', 'p') and c.relnamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace)
         and not (c.relrowsecurity and c.relforcerowsecurity)`;
    expect(open).toEqual([]);
    const everyone = await database.sql`
      select p.polname from pg_policy p where 0 = any (p.polroles) or 'anon'::regrole = any (p.polroles) or 'service_role'::regrole = any (p.polroles)`;
    expect(everyone).toEqual([]);
    const views = await database.sql`
      select c.oid::regclass::text as name from pg_class c where c.relkind = 'v' and c.relnamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace)
         and not coalesce(c.reloptions @> '{security_invoker=on}' or c.reloptions @> '{security_invoker=true}', false)`;
    expect(views).toEqual([]);
  });
});

// B039
describe('a definer function', () => {
  it('has its search path pinned, like every other', async () => {
    const loose =
      await database.sql.unsafe(`select p.oid::regprocedure::text as name from pg_proc p where ${OURS} and p.prokind = 'f'
      and not exists (select from unnest(p.proconfig) c where c = 'search_path=pg_catalog, pg_temp')`);
    expect(loose).toEqual([]);
  });

  it('is a token’s to call only where it takes no tenant from its caller', async () => {
    const callable =
      await database.sql.unsafe(`select p.proname::text as name, pg_get_function_identity_arguments(p.oid) as arguments from pg_proc p
      where ${OURS} and p.prosecdef and has_function_privilege('authenticated', p.oid, 'execute') order by 1`);
    expect(callable.map((row) => row['name'])).toEqual([
      'announce_gate',
      'beat',
      'caller',
      'cancel',
      'dead_letters_of_token',
      'epoch_settled',
      'feed_holders',
      'gaps_of_token',
      'keep_webhook',
      'latest_epoch',
      'ledger_id',
      'new_sources',
      'open_requests_of_tenant',
      'open_subjects',
      'open_work_of_tenant',
      'put_back_dead_letters',
      'record_ordinary',
      'rotate_webhook_secret',
      'subject_of_token',
      'switch_webhook',
      'webhook_of_token',
      'webhooks_of_token',
    ]);
    for (const row of callable) {
      const taken = row['arguments'].replace(/OUT [^,]+/g, '');
      expect(taken, row['name']).not.toMatch(/tenant/);
    }
    const exposed = await database.sql.unsafe(
      `select p.proname::text as name from pg_proc p where ${OURS} and p.pronamespace = 'public'::regnamespace and p.prosecdef`,
    );
    expect(exposed).toEqual([]);
  });

  it('gives a token nothing of another tenant', async () => {
    const caller = { tenantId: filled.tenantId, ...ORCHESTRATOR };
    const ids = [foreign.invocation['invocation_id']];
    expect(
      await database.as(
        caller,
        (tx) => tx`select from ledger_internal.open_work_of_tenant(null, 'invocation', ${ids}::uuid[])`,
      ),
    ).toHaveLength(0);
    expect(
      await database.as(
        caller,
        (tx) =>
          tx`select from ledger_internal.open_work_of_tenant(null, 'execution', ${[foreign.execution['execution_id']]}::uuid[])`,
      ),
    ).toHaveLength(0);
    expect(
      await codeOf(
        database.as(caller, (tx) => tx`select ledger_internal.beat(${foreign.invocation['invocation_id']})`),
      ),
    ).toBe('unknown_invocation');
    for (const kind of ['invocation', 'execution']) {
      const open = await database.as(caller, (tx) => tx`select * from ledger_internal.open_subjects(${kind})`);
      expect(open.length, kind).toBeGreaterThan(0);
      expect(new Set(open.map((row) => row['tenant_id'])), kind).toEqual(new Set([filled.tenantId]));
    }
    const flags = { allow_unverified: 'mine' };
    expect(
      await codeOf(
        database.as(
          caller,
          (tx) => tx`select ledger_internal.announce_gate(${foreign.outcomes[0] as string}, ${tx.json(flags)})`,
        ),
      ),
    ).toBe('unknown_outcome');
    const gaps = await database.as(
      caller,
      (tx) => tx`select subject_id from ledger_internal.gaps_of_token(null, 10000)`,
    );
    expect(gaps.map((row) => row['subject_id'])).not.toContain(foreign.invocation['invocation_id']);
  });

  it('of another kind is nobody’s', async () => {
    for (const statement of [
      `select ledger_internal.open_epoch('mine')`,
      `select ledger_internal.current_epoch()`,
      `select ledger_internal.find_subject('${filled.tenantId}', 'invocation', '${filled.invocation['invocation_id']}')`,
      `select ledger_internal.cause_known('${filled.tenantId}', 'x')`,
      `select ledger_internal.audited_tenants()`,
      `select ledger_internal.tenants_of_reader()`,
      `select nextval('ledger_internal.feed_seq')`,
    ]) {
      for (const role of ['anon', 'authenticated', 'service_role'])
        expect(await codeOf(database.asRole(role, (tx) => tx.unsafe(statement))), `${role}: ${statement}`).toBe(
          'not_permitted',
        );
    }
  });
});
