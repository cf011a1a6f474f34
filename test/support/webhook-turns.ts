// What the relay asks of the database, as tests ask it.
import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import { expect } from 'vitest';
import { type Argument, jsonb } from '../../src/database/statement.ts';
import type { Due, Result, TurnOrder } from '../../src/relay/ledger.ts';
import type { TestDatabase } from './database.ts';
import type { Document } from './envelopes.ts';
import { call, OPERATOR, ORCHESTRATOR, type SqlLedger, sqlLedger } from './sql-ledger.ts';

/** The operators' functions of one database. */
export function webhookCalls(database: TestDatabase) {
  const asOperator = <T = Document>(tenantId: string, name: string, ...args: Argument[]) =>
    call<T>(database, { tenantId, ...OPERATOR }, name, ...args);
  return {
    asOperator,
    orchestrating: (tenantId: string): SqlLedger => sqlLedger(database, { tenantId, ...ORCHESTRATOR }),
    async registered(tenantId: string, over: Document = {}): Promise<Document> {
      const document = { url: 'https://hooks.example.com/', ...over };
      return (await asOperator(tenantId, 'register_webhook', jsonb(document)))['record'];
    },
    /** Everything that was recorded for a tenant can be read: other tests of the run hold the one server's feed back. */
    async readable(tenantId: string): Promise<void> {
      const ask = async () => {
        const [row] = await database.sql`
          select coalesce(max(e.xid) < pg_snapshot_xmin(pg_current_snapshot()), true) as readable
            from public.os_events e where e.tenant_id = ${tenantId}`;
        return row?.['readable'];
      };
      await expect.poll(ask, { timeout: 30_000 }).toBe(true);
    },
  };
}

export interface Taking {
  events?: number;
  mostWaiting?: number;
  leaseMs?: number;
}

/** The relay's functions, over its own login. */
export function relayCalls(relay: Sql) {
  const take = async (token: string, tenantId: string, over: Taking = {}): Promise<TurnOrder[]> => {
    const { events = 100, mostWaiting = 10_000, leaseMs = 60_000 } = over;
    const [row] = await relay<{ taken: { turns: TurnOrder[] } }[]>`
      select ledger_internal.relay_take(${token}, 100, ${events}, ${leaseMs}, ${mostWaiting}) as taken`;
    return (row?.taken.turns ?? []).filter((turn) => turn.tenant_id === tenantId);
  };
  return {
    take,
    /** Asks until there is something for the tenant, and gives its first webhook's turn. */
    async taken(tenantId: string, over: Taking = {}): Promise<{ token: string; turn: TurnOrder }> {
      const token = randomUUID();
      let turns: TurnOrder[] = [];
      const ask = async () => {
        turns = await take(token, tenantId, over);
        return turns.length;
      };
      await expect.poll(ask, { timeout: 30_000 }).toBeGreaterThan(0);
      return { token, turn: turns[0] as TurnOrder };
    },
    async settle(
      turn: TurnOrder,
      token: string,
      results: Partial<Result>[],
      over: { release?: boolean; pause?: number } = {},
    ) {
      const [row] = await relay<{ held: boolean }[]>`
        select ledger_internal.relay_settle(${turn.tenant_id}, ${turn.webhook_id}, ${token}, ${relay.json(results as never)},
          ${over.pause ?? 0}, 60000, ${over.release ?? true}) as held`;
      return row?.held;
    },
  };
}

type Which = Pick<Due, 'event_id'> | undefined;

export const delivered = (due: Which): Partial<Result> => ({ event_id: due?.event_id, result: 'delivered' });

export const failed = (due: Which, over: Partial<Result> = {}): Partial<Result> => ({
  event_id: due?.event_id,
  result: 'failed',
  status: 500,
  error: 'http_status: answered 500',
  retry_in_ms: 3_600_000,
  ...over,
});

/** Ends `count` invocations of one correlation, and gives their outcome ids in order. */
export async function ended(ledger: SqlLedger, correlation: string, count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await ledger.end(await ledger.start({ correlation_id: correlation })));
  return ids;
}

export const idsOf = (turn: TurnOrder): string[] => turn.due.map((due) => due.event_id);
