import type { Sql } from 'postgres';
import { Failure, preflight } from './failure.ts';

export interface ConnectOptions {
  /** The session refuses every write, whatever the role may do. */
  readOnly?: boolean;
}

/** One short-lived connection; a database that cannot be reached is a Failure without its password. */
export async function withDatabase<T>(
  url: string,
  work: (sql: Sql) => Promise<T>,
  options: ConnectOptions = {},
): Promise<T> {
  const sql = await open(url, options);
  try {
    await sql`select 1`.catch((cause) => {
      throw preflight(
        'database_unreachable',
        `no connection to ${withoutPassword(url)}: ${(cause as Error).message}`,
        'check --database-url / OUTCOME_LEDGER_DATABASE_URL, and that the role may log in: outcome-ledger roles password',
        cause,
      );
    });
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function open(url: string, options: ConnectOptions): Promise<Sql> {
  const { default: postgres } = await import('postgres');
  try {
    return postgres(url, {
      max: 1,
      connect_timeout: 10,
      onnotice: () => {},
      connection: {
        application_name: 'outcome-ledger cli',
        ...(options.readOnly ? { default_transaction_read_only: true } : {}),
      },
    });
  } catch (cause) {
    throw preflight(
      'database_unreachable',
      'the database URL cannot be read',
      'write postgres://user:password@host:port/name',
      cause,
    );
  }
}

export function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:…@');
}

/** What the database refused, as a problem of the command (never for a ledger's own codes, which arrive as PTnnn). */
export function refusedByDatabase(error: unknown): Failure {
  const {
    code = 'XX000',
    message = String(error),
    detail,
  } = error as { code?: string; message?: string; detail?: string };
  return new Failure({ code: 'database_refused', detail: message, sqlstate: code, more: detail ?? undefined }, 1, {
    cause: error,
  });
}
