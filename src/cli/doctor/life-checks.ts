import type { Sql } from 'postgres';
import { type Check, fail, ok, warn } from './check.ts';

interface LedgerHealth {
  epoch: number | null;
  epoch_settled: boolean;
  feed: { held_back_by: { pid: number | null; user: string; database: string; age_s: number }[]; degraded: boolean };
}

/** The database's life: its epoch is settled, and nothing holds its feed back. */
export async function checkLife(sql: Sql): Promise<Check[]> {
  const [row] = await sql<{ health: LedgerHealth }[]>`select public.ledger_health() as health`;
  if (!row) return [fail('epoch', 'ledger_health() gave no answer', 'supabase db push')];
  const { epoch, epoch_settled, feed } = row.health;
  const epochCheck = epoch_settled
    ? ok('epoch', epoch === null ? 'none yet: the first write opens it' : `${epoch}, settled`)
    : fail('epoch', 'this database was restored or copied', 'outcome-ledger epoch new, once nothing else writes to it');
  const holders = feed.held_back_by.map(
    (holder) =>
      `${holder.user} in ${holder.database} (pid ${holder.pid ?? 'prepared'}) for ${Math.round(holder.age_s)} s`,
  );
  const end = 'end that transaction: select pg_terminate_backend(pid), or rollback prepared';
  const feedCheck = feed.degraded
    ? warn('feed', `held back by ${holders.join(', ')}`, end)
    : ok('feed', holders.length === 0 ? 'nothing holds it back' : `briefly held back by ${holders.join(', ')}`);
  return [epochCheck, feedCheck];
}

/** Deadlines run on the database's clock; an agent whose own clock is far off reports times that look wrong. */
export async function checkClock(sql: Sql): Promise<Check> {
  const before = Date.now();
  const [row] = await sql<{ now: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as now`;
  const after = Date.now();
  // The database read its clock somewhere between the two; only what lies outside is skew.
  const there = row?.now ?? Number.NaN;
  const skew = there < before ? before - there : Math.max(0, there - after);
  const shown = `${Math.round(skew)} ms between this machine and the database`;
  if (skew < 2000) return ok('clock', shown);
  const remedy = 'set this machine’s clock (NTP); the ledger itself goes by the database’s';
  return skew < 60_000 ? warn('clock', shown, remedy) : fail('clock', shown, remedy);
}
