// A sweep whose transaction stays open, and one that is stopped half-way.
import type { TransactionSql } from 'postgres';
import type { OpenTransaction } from './crowd.ts';
import type { TestDatabase } from './database.ts';
import type { Swept } from './races-sweep.ts';
import { connect } from './shared-server.ts';

export interface OpenSweep extends Omit<OpenTransaction, 'sql'> {
  /** What the one batch in the transaction said. */
  said: Promise<Swept>;
}

/** Begins a transaction as the sweep's login and sweeps in it. */
export async function openSweep(database: TestDatabase): Promise<OpenSweep> {
  const session = connect(database.urlAs('ledger_sweep'), 1);
  const [row] = await session`select pg_backend_pid() as pid`;
  await session`begin`;
  const end = (command: string) => async () => {
    await session.unsafe(command);
    await session.end({ timeout: 5 });
  };
  const said = session`select public.sweep_overdue() as said`.then(([answer]) => answer?.['said'] as Swept);
  // Whoever awaits it meets its fault; until then nobody does.
  said.catch(() => undefined);
  return { said, pid: row?.['pid'], commit: end('commit'), rollback: end('rollback') };
}

const BARRIER = 20261130;

/**
 * Stops every sweep at the moment it has found what is due and has no lock of it yet, for as long as `work` runs; then lets
 * it go on. Answers what the sweep said.
 */
export async function sweepStoppedDuring(database: TestDatabase, work: () => Promise<unknown>): Promise<Swept> {
  await database.sql.unsafe(`
    alter function ledger_internal.try_lock_outcome(ledger_internal.subject) rename to try_lock_outcome_kept;
    create function ledger_internal.try_lock_outcome(subject ledger_internal.subject) returns boolean language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${BARRIER});
      return ledger_internal.try_lock_outcome_kept(subject);
    end $$`);
  try {
    let sweeping: OpenSweep | undefined;
    await database.admin.begin(async (tx: TransactionSql) => {
      await tx`select pg_advisory_xact_lock(${BARRIER})`;
      sweeping = await openSweep(database);
      for (let stopped = false; !stopped; ) {
        const [row] = await tx`select cardinality(pg_blocking_pids(${sweeping.pid})) > 0 as stopped`;
        stopped = row?.['stopped'];
      }
      await work();
    });
    if (!sweeping) throw new Error('no sweep');
    const said = await sweeping.said;
    await sweeping.commit();
    return said;
  } finally {
    await database.sql.unsafe(`
      drop function ledger_internal.try_lock_outcome(ledger_internal.subject);
      alter function ledger_internal.try_lock_outcome_kept(ledger_internal.subject) rename to try_lock_outcome`);
  }
}
