// Nobody changes or removes a recorded row: every caller, every statement, every ledger table.
import { beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../src/contract/roles.ts';
import { LOGIN_ROLES } from '../src/stack/role-passwords.ts';
import { ATTACK_NAMES, type Attack, attack } from './support/attacks.ts';
import { claimsOf } from './support/claims.ts';
import { useDatabase } from './support/database.ts';
import { type FilledLedger, fillLedger, fingerprintOf, LEDGER_TABLES } from './support/filled-ledger.ts';
import { readRefusal, refusalOf } from './support/refused.ts';

const database = useDatabase();
let filled: FilledLedger;
let before: Record<string, string>;

beforeAll(async () => {
  filled = await fillLedger(database);
  before = await fingerprintOf(database);
});

/** The code the attack was refused with. */
async function refused(
  role: string,
  name: Attack,
  table: string,
  options: { claims?: ReturnType<typeof claimsOf>; replica?: boolean } = {},
): Promise<string> {
  try {
    const reached = await database.asRole(
      'supabase_admin',
      async (tx) => {
        if (options.replica) await tx`select set_config('session_replication_role', 'replica', true)`;
        await tx`select set_config('role', ${role}, true)`;
        return attack(tx, name, table);
      },
      options.claims,
    );
    return `reached ${reached} rows`;
  } catch (error) {
    return readRefusal(error).code;
  }
}

async function everyAttack(role: string, options: Parameters<typeof refused>[3] = {}) {
  const answers: Record<string, string> = {};
  for (const table of LEDGER_TABLES) {
    for (const name of ATTACK_NAMES) answers[`${name} ${table}`] = await refused(role, name, table, options);
  }
  return answers;
}

const all = (code: string) =>
  Object.fromEntries(LEDGER_TABLES.flatMap((table) => ATTACK_NAMES.map((name) => [`${name} ${table}`, code])));

describe('what is append-only', () => {
  it('is every table that carries a position, and the ids', async () => {
    const guarded = await database.sql<{ name: string }[]>`
      select c.relname::text as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and (exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'xid') or c.relname = 'outcome_ids')
       order by 1`;
    expect(guarded.map((row) => row.name)).toEqual([...LEDGER_TABLES]);
  });

  it('holds something to lose in every table', () => {
    for (const [table, digest] of Object.entries(before)) expect(digest, table).not.toMatch(/^0 /);
  });
});

describe('is refused', () => {
  it.each(ROLES)('to a token of role %s', async (role) => {
    const claims = claimsOf({ tenantId: filled.tenantId, role, actorId: 'art-agt-003' });
    expect(await everyAttack('authenticated', { claims })).toEqual(all('not_permitted'));
  });

  it.each(['anon', 'service_role', ...LOGIN_ROLES])('to %s', async (role) => {
    expect(await everyAttack(role)).toEqual(all('not_permitted'));
  });

  // Its inserts are refused by the accepting triggers already; outcome_ids and tombstones have none.
  it('to the owner', async () => {
    const answers = await everyAttack('postgres');
    for (const [what, code] of Object.entries(answers)) {
      if (what.startsWith('upsert'))
        expect(code, what).toMatch(/^(append_only|not_permitted|unknown_invocation|unknown_execution)$/);
      else expect(code, what).toBe('append_only');
    }
    expect(answers['upsert outcome_ids']).toBe('append_only');
  });

  it.each(['postgres', 'supabase_admin'])('to %s in replica mode, where ordinary triggers are off', async (role) => {
    expect(await everyAttack(role, { replica: true })).toEqual(all('append_only'));
  });

  it('to the retention role outside its purge function', async () => {
    const answers = await everyAttack('ledger_retention');
    for (const [what, code] of Object.entries(answers)) expect(code, what).toMatch(/^(append_only|not_permitted)$/);
    expect(answers['delete outcome_ids']).toBe('not_permitted');
  });
});

// What tombstones and positions rest on: no tenant's, and as immutable.
describe('epochs and retention policies', () => {
  const statements = {
    epochs: ['update public.epochs set epoch = epoch', 'delete from public.epochs', 'truncate public.epochs cascade'],
    retention_policies: [
      'update public.retention_policies set reason = reason',
      'delete from public.retention_policies',
      'truncate public.retention_policies cascade',
    ],
  };

  it.each(Object.entries(statements))('%s change for nobody', async (table, attacks) => {
    const before = await database.admin.unsafe(`select t::text as row from public.${table} t order by 1`);
    expect(before.length).toBeGreaterThan(0);
    const roles = [
      'anon',
      'authenticated',
      'service_role',
      ...LOGIN_ROLES,
      'ledger_retention',
      'postgres',
      'supabase_admin',
    ];
    for (const role of roles) {
      for (const statement of attacks) {
        const tried = database.asRole('supabase_admin', async (tx) => {
          await tx`select set_config('session_replication_role', 'replica', true), set_config('role', ${role}, true)`;
          await tx.unsafe(statement);
        });
        const owns = role === 'postgres' || role === 'supabase_admin';
        expect((await refusalOf(tried)).code, `${role}: ${statement}`).toBe(owns ? 'append_only' : 'not_permitted');
      }
    }
    expect(await database.admin.unsafe(`select t::text as row from public.${table} t order by 1`)).toEqual(before);
  });
});

it('after all that, every row is as it was', async () => {
  expect(await fingerprintOf(database)).toEqual(before);
});
