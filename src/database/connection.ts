// The gateway's way into the database: pool, health on connect, one transaction a call, retries.
import type { Caller } from './claims.ts';
import { judgeHealth, type LedgerHealth, readHealth } from './health.ts';
import { Pool } from './pool.ts';
import { PooledConnection, type WireMode } from './pooled-connection.ts';
import type { Refusal } from './refusals.ts';
import { DEFAULT_RETRIES, type RetryPolicy, retrying } from './retry.ts';
import { type Argument, callOf, forSomebody } from './statement.ts';

export interface DatabaseOptions {
  /** Connection string of the `ledger_gateway` login. */
  url: string;
  /** `transaction` behind a transaction pooler. Default `session`. */
  mode?: WireMode;
  /** Sessions at once. Default 2. */
  max?: number;
  /** Longest wait for a session, in ms. Default 5000. */
  waitMs?: number;
  /** Requests that may wait at once. Default 1000. */
  maxWaiting?: number;
  /** Unused sessions close after this, in ms. Default 20 000. */
  idleMs?: number;
  /** Seconds to connect. Default 5. */
  connectTimeout?: number;
  retries?: RetryPolicy;
}

/** One caller's way to the exposed SQL functions. */
export interface Session {
  /** Calls `public.<name>` in a transaction of its own; answers its value, throws a `Refusal`. */
  call<T>(name: string, ...args: Argument[]): Promise<T>;
}

export interface Database {
  as(caller: Caller): Session;
  /** The database's own account of itself; throws a `Refusal` when it cannot be asked. */
  health(): Promise<LedgerHealth>;
  close(): Promise<void>;
}

// A database that was found unfit is asked again at most once in this time.
const VERDICT_MS = 1000;

export function connect(options: DatabaseOptions): Database {
  const mode = options.mode ?? 'session';
  const retries = options.retries ?? DEFAULT_RETRIES;
  const connectTimeout = options.connectTimeout ?? 5;
  let unfit: { refusal: Refusal; health: LedgerHealth; until: number } | null = null;

  const open = async () => {
    if (unfit && Date.now() < unfit.until) throw unfit.refusal;
    const connection = await PooledConnection.open({ url: options.url, mode, connectTimeout });
    try {
      const health = await readHealth(connection);
      const refusal = judgeHealth(health);
      unfit = refusal && { refusal, health, until: Date.now() + VERDICT_MS };
      if (refusal) throw refusal;
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  };
  const pool = new Pool({
    max: options.max ?? 2,
    waitMs: options.waitMs ?? 5000,
    maxWaiting: options.maxWaiting ?? 1000,
    idleMs: options.idleMs ?? 20_000,
    open,
  });

  return {
    as: (caller) => ({
      call: <T>(name: string, ...args: Argument[]) => {
        const statement = forSomebody(callOf(name, args));
        return retrying(() => pool.use((connection) => connection.run(caller, statement)), retries) as Promise<T>;
      },
    }),
    health: async () => {
      try {
        return await retrying(() => pool.use(readHealth), { ...retries, attempts: 2 });
      } catch (error) {
        // An unfit database is not used, but it has been asked.
        if (unfit && error === unfit.refusal) return unfit.health;
        throw error;
      }
    },
    close: () => pool.close(),
  };
}
