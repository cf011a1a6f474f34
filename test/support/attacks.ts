import type { TransactionSql } from 'postgres';

/** The ways SQL has to change or remove rows. Each touches every row it can see and would change nothing but for a row that goes. */
export const ATTACKS = {
  update: (table) => `update public.${table} set tenant_id = tenant_id`,
  delete: (table) => `delete from public.${table}`,
  truncate: (table) => `truncate public.${table} cascade`,
  'merge update': (table) =>
    `merge into public.${table} t using public.${table} s on t.ctid = s.ctid when matched then update set tenant_id = t.tenant_id`,
  'merge delete': (table) =>
    `merge into public.${table} t using public.${table} s on t.ctid = s.ctid when matched then delete`,
  upsert: (table) =>
    `insert into public.${table} select * from public.${table} on conflict on constraint ${table}_pkey do update set tenant_id = excluded.tenant_id`,
} satisfies Record<string, (table: string) => string>;

export type Attack = keyof typeof ATTACKS;
export const ATTACK_NAMES = Object.keys(ATTACKS) as Attack[];

/** Rows the attack reached. */
export async function attack(tx: TransactionSql, name: Attack, table: string): Promise<number> {
  return (await tx.unsafe(ATTACKS[name](table))).count ?? 0;
}

class Undo extends Error {}

/** Runs `work` in a transaction that is rolled back whatever comes of it: a guard taken away within it is back afterwards. */
export async function undone<T>(
  begin: (work: (tx: TransactionSql) => Promise<never>) => Promise<unknown>,
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  let value: T | undefined;
  await begin(async (tx) => {
    value = await work(tx);
    throw new Undo();
  }).catch((error) => {
    if (!(error instanceof Undo)) throw error;
  });
  return value as T;
}
