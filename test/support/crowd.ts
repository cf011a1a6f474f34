import type { Sql, TransactionSql } from 'postgres';
import { type Caller, type Claims, claimsOf, isCaller } from './claims.ts';
import type { TestDatabase } from './database.ts';
import { connect } from './shared-server.ts';

/** Many callers at once: a pool of its own, each call in a transaction as the functions would run it. */
export interface Crowd {
  as<T>(caller: Caller | Claims, work: (tx: TransactionSql) => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

export function openCrowd(database: TestDatabase, size: number): Crowd {
  const pool = connect(database.gatewayUrl, size);
  return {
    as: <T>(caller: Caller | Claims, work: (tx: TransactionSql) => Promise<T>) =>
      pool.begin(async (tx) => {
        await become(tx, caller);
        return work(tx);
      }) as Promise<T>,
    end: () => pool.end({ timeout: 5 }),
  };
}

/** One caller's transaction, opened and ended by hand. */
export interface OpenTransaction {
  readonly sql: TransactionSql;
  readonly pid: number;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export async function openTransaction(database: TestDatabase, caller: Caller | Claims): Promise<OpenTransaction> {
  const session = connect(database.gatewayUrl, 1);
  await session`begin`;
  const sql = session as unknown as TransactionSql;
  const [row] = await session`select pg_backend_pid() as pid`;
  await become(sql, caller);
  const end = (command: string) => async () => {
    await session.unsafe(command);
    await session.end({ timeout: 5 });
  };
  return { sql, pid: row?.['pid'], commit: end('commit'), rollback: end('rollback') };
}

async function become(sql: Sql | TransactionSql, caller: Caller | Claims): Promise<void> {
  const claims = JSON.stringify(isCaller(caller) ? claimsOf(caller) : caller);
  await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
}

/** Whether a call waits for another transaction (`waits`) or comes to its end by itself (`ends`). Asks the server, not the clock. */
export async function waitsOrEnds(
  database: TestDatabase,
  pid: number,
  call: Promise<unknown>,
): Promise<'waits' | 'ends'> {
  let ended = false;
  call.then(
    () => (ended = true),
    () => (ended = true),
  );
  for (;;) {
    const [row] = await database.admin`select cardinality(pg_blocking_pids(${pid})) > 0 as blocked`;
    if (row?.['blocked']) return 'waits';
    if (ended) return 'ends';
  }
}

/** Takes the advisory locks of every writer away from a database, whichever functions take them, and gives them back. */
export async function withoutLocks<T>(database: TestDatabase, work: () => Promise<T>): Promise<T> {
  const functions = await database.sql<{ text: string }[]>`
    select pg_get_functiondef(p.oid) as text from pg_proc p
     where p.pronamespace in ('ledger_internal'::regnamespace, 'public'::regnamespace) and p.prokind = 'f'
       and p.prosrc like '%pg_advisory_xact_lock%' and p.proowner = current_user::regrole`;
  const apply = async (change: (text: string) => string) => {
    for (const { text } of functions) await database.sql.unsafe(change(text));
  };
  await database.sql.unsafe(
    `create or replace function ledger_internal.no_lock(key bigint) returns void language plpgsql as 'begin end'`,
  );
  await apply((text) => text.replace(/pg_advisory_xact_lock(_shared)?\(/g, 'ledger_internal.no_lock('));
  try {
    return await work();
  } finally {
    await apply((text) => text);
  }
}
