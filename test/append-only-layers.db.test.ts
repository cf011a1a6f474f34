// Each layer of append-only alone: with the others taken away, the hole that opens without it and the refusal with it.
import { randomUUID } from 'node:crypto';
import type { TransactionSql } from 'postgres';
import { beforeAll, describe, expect, it } from 'vitest';
import { ATTACK_NAMES, type Attack, attack, undone } from './support/attacks.ts';
import { claimsOf } from './support/claims.ts';
import { useDatabase } from './support/database.ts';
import { envelopeFor } from './support/envelopes.ts';
import { type FilledLedger, fillLedger, fingerprintOf, LEDGER_TABLES } from './support/filled-ledger.ts';
import { readRefusal } from './support/refused.ts';
import { ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let filled: FilledLedger;
let before: Record<string, string>;

beforeAll(async () => {
  filled = await fillLedger(database);
  before = await fingerprintOf(database);
});

type Guard = (tx: TransactionSql, table: string) => Promise<unknown>;

const noTriggers: Guard = (tx, table) => tx.unsafe(`alter table public.${table} disable trigger user`);
const noRowSecurity: Guard = (tx, table) => tx.unsafe(`alter table public.${table} disable row level security`);
const notForced: Guard = (tx, table) => tx.unsafe(`alter table public.${table} no force row level security`);
const platformGrants: Guard = (tx, table) => tx.unsafe(`grant all on public.${table} to authenticated`);
const ordinaryTriggers: Guard = (tx, table) =>
  tx.unsafe(`alter table public.${table} enable trigger refuse_change, enable trigger refuse_truncate`);
const noTruncateTrigger: Guard = (tx, table) =>
  tx.unsafe(`alter table public.${table} disable trigger refuse_truncate`);

interface Situation {
  role: string;
  /** Guards taken away from every ledger table. */
  changes?: Guard[];
  /** Without foreign keys, which are the business of another guard; the default. */
  replica?: boolean;
  tenantId?: string;
  /** What else is changed first. */
  before?: (tx: TransactionSql) => Promise<unknown>;
}

/** Tries something for itself: rows reached, or the code of the refusal. */
type Probe = (work: (tx: TransactionSql) => Promise<number>) => Promise<number | string>;

/** Guards taken away, a role taken on, any number of probes that do not see each other; all of it undone. */
function within<T>(situation: Situation, run: (probe: Probe) => Promise<T>): Promise<T> {
  const claims = claimsOf({ tenantId: situation.tenantId ?? filled.tenantId, ...ORCHESTRATOR });
  return undone(
    (work) => database.admin.begin(work),
    async (tx) => {
      for (const change of situation.changes ?? []) for (const table of LEDGER_TABLES) await change(tx, table);
      await situation.before?.(tx);
      await tx`select set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
                      set_config('session_replication_role', ${situation.replica === false ? 'origin' : 'replica'}, true),
                      set_config('role', ${situation.role}, true)`;
      return run(async (work) => {
        try {
          return await undone((inner) => tx.savepoint(inner), work);
        } catch (error) {
          return readRefusal(error).code;
        }
      });
    },
  );
}

function attackAll(situation: Situation, names: Attack[] = ATTACK_NAMES): Promise<Set<number | string>> {
  return within(situation, async (probe) => {
    const answers = new Set<number | string>();
    for (const table of LEDGER_TABLES) {
      for (const name of names) answers.add(await probe((tx) => attack(tx, name, table)));
    }
    return answers;
  });
}

const rowsOf = (table: string) => async (tx: TransactionSql) =>
  (await tx.unsafe(`select 1 from public.${table}`)).count;

const reachesRows = (answers: Set<number | string>) => {
  for (const answer of answers) expect(answer).toEqual(expect.any(Number));
};

const CHANGES = ['update', 'delete', 'merge update', 'merge delete'] as const;

describe('layer 1, grants', () => {
  const others = [noTriggers, noRowSecurity];

  it('without it, the platform’s default grants let a token change, remove and truncate', () =>
    within({ role: 'authenticated', changes: [...others, platformGrants] }, async (probe) => {
      for (const table of LEDGER_TABLES) {
        for (const name of CHANGES) expect(await probe((tx) => attack(tx, name, table)), name).toBeGreaterThan(0);
        const left = await probe(async (tx) => {
          await attack(tx, 'truncate', table);
          return rowsOf(table)(tx);
        });
        expect(left, `truncate ${table}`).toBe(0);
      }
    }));

  it('with it alone, all of that is refused', async () => {
    expect(await attackAll({ role: 'authenticated', changes: others })).toEqual(new Set(['not_permitted']));
  });

  it('without it, a column grant restricts nothing: a token names its own outcome_id', async () => {
    const ledger = sqlLedger(database, { tenantId: filled.tenantId, ...ORCHESTRATOR });
    const start = await ledger.start();
    const row = { ...start, outcome_id: randomUUID(), outcome_envelope: envelopeFor(start), seq: 0 };
    const insert = async (tx: TransactionSql) =>
      (
        await tx.unsafe(
          `insert into public.agent_invocation_outcomes
             select (jsonb_populate_record(o, $1::text::jsonb)).* from public.agent_invocation_outcomes o limit 1`,
          [JSON.stringify(row)],
        )
      ).count;
    const asToken = {
      role: 'authenticated',
      replica: false,
      before: (tx: TransactionSql) => tx`alter table public.agent_invocation_outcomes disable trigger accept`,
    };
    expect(await within({ ...asToken, changes: [platformGrants] }, (probe) => probe(insert))).toBe(1);
    expect(await within(asToken, (probe) => probe(insert))).toBe('not_permitted');
  });
});

describe('layer 2, row-level security', () => {
  const others = [noTriggers, platformGrants];

  it('without it, a token of another tenant reads and changes everything', async () => {
    const tenantId = await database.tenant();
    await within({ role: 'authenticated', tenantId, changes: [...others, noRowSecurity] }, async (probe) => {
      for (const table of LEDGER_TABLES) {
        expect(await probe(rowsOf(table)), table).toBeGreaterThan(0);
        expect(await probe((tx) => attack(tx, 'update', table)), table).toBeGreaterThan(0);
      }
    });
  });

  it('with it alone, it reads nothing, and not even its own tenant’s rows can be changed', async () => {
    const tenantId = await database.tenant();
    await within({ role: 'authenticated', tenantId, changes: others }, async (probe) => {
      for (const table of LEDGER_TABLES) expect(await probe(rowsOf(table)), table).toBe(0);
    });
    // A command without a policy sees no row; MERGE says so instead.
    const own = await attackAll({ role: 'authenticated', changes: others }, [...CHANGES]);
    expect(own).toEqual(new Set([0, 'not_permitted']));
  });

  it('with it alone, a row of another tenant cannot be written', async () => {
    const tenantId = await database.tenant();
    const copy = (table: string) => async (tx: TransactionSql) =>
      (
        await tx.unsafe(
          `insert into public.${table} select (jsonb_populate_record(t, $1::text::jsonb)).* from public.${table} t limit 1`,
          [JSON.stringify({ tenant_id: tenantId })],
        )
      ).count;
    await within({ role: 'authenticated', changes: others }, async (probe) => {
      for (const table of LEDGER_TABLES) expect(await probe(copy(table)), table).toBe('not_permitted');
    });
  });

  it('unforced, an owner without BYPASSRLS changes rows; forced, it reaches none', async () => {
    const plain = `plain_owner_${randomUUID().slice(0, 8)}`;
    const asOwner = {
      role: plain,
      before: async (tx: TransactionSql) => {
        await tx.unsafe(`create role ${plain}; grant usage on schema public, ledger_internal to ${plain}`);
        for (const table of LEDGER_TABLES) await tx.unsafe(`alter table public.${table} owner to ${plain}`);
      },
    };
    const open = await attackAll({ ...asOwner, changes: [noTriggers, notForced] }, ['update', 'delete']);
    for (const answer of open) expect(answer).toBeGreaterThan(0);
    expect(await attackAll({ ...asOwner, changes: [noTriggers] }, ['update', 'delete'])).toEqual(new Set([0]));
  });
});

describe('layer 3, refusing triggers', () => {
  it('without them, the owner, whom neither grants nor policies stop, changes and removes', async () => {
    reachesRows(await attackAll({ role: 'postgres', changes: [noTriggers] }));
    expect(await attackAll({ role: 'postgres' })).toEqual(new Set(['append_only']));
  });

  it('not enabled always, they sleep in replica mode', async () => {
    reachesRows(await attackAll({ role: 'supabase_admin', changes: [ordinaryTriggers] }));
    expect(await attackAll({ role: 'supabase_admin' })).toEqual(new Set(['append_only']));
  });

  it('a row trigger alone does not see TRUNCATE', async () => {
    reachesRows(await attackAll({ role: 'postgres', changes: [noTruncateTrigger] }, ['truncate']));
    expect(await attackAll({ role: 'postgres' }, ['truncate'])).toEqual(new Set(['append_only']));
  });
});

it('what was taken away for a moment left no trace', async () => {
  const after = await fingerprintOf(database);
  delete after['agent_invocations'];
  const { agent_invocations: _, ...rest } = before;
  expect(after).toEqual(rest);
});
