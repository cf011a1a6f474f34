import type { Sql } from 'postgres';
import { refusedByDatabase } from '../database.ts';

/** A row of the list that the ledger looks into at every call: whoever stands there is nobody. */
export interface DisabledActor {
  actor_id: string;
  disabled_at: string;
  reason: string | null;
}

export async function disabledActors(sql: Sql, tenantId: string): Promise<DisabledActor[]> {
  const rows = await sql<(Omit<DisabledActor, 'disabled_at'> & { disabled_at: Date })[]>`
    select actor_id, disabled_at, reason from ledger_internal.disabled_actors
     where tenant_id = ${tenantId} order by actor_id collate "C"`.catch(refuse);
  return rows.map((row) => ({ ...row, disabled_at: row.disabled_at.toISOString() }));
}

export async function disabledActor(sql: Sql, tenantId: string, actorId: string): Promise<DisabledActor | undefined> {
  return (await disabledActors(sql, tenantId)).find((row) => row.actor_id === actorId);
}

/** False when it stood there already: the first reason stays. */
export async function putOnList(sql: Sql, tenantId: string, actorId: string, reason: string): Promise<boolean> {
  const { count } = await sql`insert into ledger_internal.disabled_actors (tenant_id, actor_id, reason)
    values (${tenantId}, ${actorId}, ${reason}) on conflict do nothing`.catch(refuse);
  return count === 1;
}

/** False when it did not stand there. */
export async function takeOffList(sql: Sql, tenantId: string, actorId: string): Promise<boolean> {
  const { count } = await sql`delete from ledger_internal.disabled_actors
    where tenant_id = ${tenantId} and actor_id = ${actorId}`.catch(refuse);
  return count === 1;
}

/** One creation at a time: neither Auth nor a file keeps a second actor of the same id out. */
export async function oneAtATime<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return (await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('outcome-ledger:actors', 0))`;
    return work();
  })) as T;
}

function refuse(error: unknown): never {
  throw refusedByDatabase(error);
}
