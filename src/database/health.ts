// Is this the database this code was made for? Asked on every new connection, because a restore or a migration means new
// connections; nothing is written into a database of another schema or an unsettled epoch.
import { SCHEMA_FINGERPRINT } from '../contract/schema-fingerprint.generated.ts';
import type { PooledConnection } from './pooled-connection.ts';
import { Refusal } from './refusals.ts';
import { callOf } from './statement.ts';

/** What `ledger_health()` answers. */
export interface LedgerHealth {
  fingerprint: string;
  epoch: number | null;
  epoch_settled: boolean;
  feed: { held_back_by: FeedHolder[]; degraded: boolean };
}

/** A transaction that holds the feed back; `age_s` in seconds. */
export interface FeedHolder {
  pid: number | null;
  user: string;
  database: string;
  age_s: number;
}

/** The fingerprint this code expects. */
export const EXPECTED_FINGERPRINT: string = SCHEMA_FINGERPRINT;

export async function readHealth(connection: PooledConnection): Promise<LedgerHealth> {
  return (await connection.runAsLogin(callOf('ledger_health', []))) as LedgerHealth;
}

/** The refusal a health answer means, or null when the database may be used. */
export function judgeHealth(health: LedgerHealth, expected: string = EXPECTED_FINGERPRINT): Refusal | null {
  if (health.fingerprint !== expected) {
    const extra = { fingerprint: health.fingerprint, expected_fingerprint: expected };
    return new Refusal('schema_outdated', { extra, retryAfter: 30 });
  }
  return health.epoch_settled ? null : new Refusal('epoch_unsettled', { retryAfter: 30 });
}
