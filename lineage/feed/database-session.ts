import postgres from 'postgres';
import { faultOf, LedgerUnreachable } from './faults.ts';
import { LedgerRefused } from './ledger.ts';

export interface SessionOptions {
  /** Connection string of the `ledger_sync` login: a session connection, never a transaction pooler. */
  url: string;
  /** Seconds to connect. Default 10. */
  connectTimeout?: number;
  /** Milliseconds without an answer after which the session counts as lost. Default 60,000. */
  answerMs?: number;
}

export type Row = Record<string, unknown>;
/** Parameters are sent as text or numbers; arrays and documents as text that the statement casts. */
export type Parameter = string | number | null;

// Without parameters the driver would else send one message of the simple protocol.
const EXTENDED = { prepare: true, simple: false } as const;
const DEFAULT_ANSWER_MS = 60_000;

/**
 * One session of the database, held for good: what it locks is locked as long as it lives. Once it is lost every call throws
 * `LedgerUnreachable`; it never connects again by itself, because another session holds none of its locks.
 */
export class DatabaseSession {
  readonly #client: postgres.Sql;
  readonly #session: postgres.ReservedSql;
  readonly #answerMs: number;
  readonly #waiting = new Set<(error: LedgerUnreachable) => void>();
  #lost: LedgerUnreachable | null = null;

  private constructor(client: postgres.Sql, session: postgres.ReservedSql, answerMs: number) {
    this.#client = client;
    this.#session = session;
    this.#answerMs = answerMs;
  }

  /**
   * @throws LedgerUnreachable
   * @throws LedgerRefused the login or the database does not exist, or the connection string is none
   */
  static async open(options: SessionOptions): Promise<DatabaseSession> {
    let opened: DatabaseSession | undefined;
    let closed = false;
    const client = clientFor(options, () => {
      closed = true;
      opened?.lose('CONNECTION_CLOSED');
    });
    const answerMs = options.answerMs ?? DEFAULT_ANSWER_MS;
    try {
      // `reserve` alone never hands out a connection that it opened itself while `fetch_types` is off.
      await within(answerMs, client.unsafe('select 1'));
      opened = new DatabaseSession(client, await client.reserve(), answerMs);
      if (closed) opened.lose('CONNECTION_CLOSED');
      return opened;
    } catch (error) {
      void client.end({ timeout: 0 }).catch(() => undefined);
      throw faultOf(error);
    }
  }

  /** Runs one prepared statement. Calls may overlap; they are answered in the order sent. */
  query(text: string, values: Parameter[] = []): Promise<Row[]> {
    return this.#answered(() => this.#session.unsafe(text, values, EXTENDED));
  }

  /** Runs one statement without preparing it: what a transaction pooler also understands. */
  plain(text: string): Promise<Row[]> {
    return this.#answered(() => this.#session.unsafe(text).simple() as unknown as Promise<Row[]>);
  }

  async close(): Promise<void> {
    this.lose('CONNECTION_ENDED');
    this.#session.release();
    await this.#client.end({ timeout: 1 }).catch(() => undefined);
  }

  /** Nothing more is asked of this session, and what was asked is not waited for: the driver would wait for ever. */
  lose(code: string): void {
    if (this.#lost) return;
    this.#lost = new LedgerUnreachable(code, 'the session with the ledger was lost');
    for (const fail of this.#waiting) fail(this.#lost);
    // A socket that is not answered any more would else keep the session, and its lock, at the server.
    if (code === 'ETIMEDOUT') void this.#client.end({ timeout: 0 }).catch(() => undefined);
  }

  async #answered(ask: () => PromiseLike<unknown>): Promise<Row[]> {
    if (this.#lost) throw this.#lost;
    const timer = setTimeout(() => this.lose('ETIMEDOUT'), this.#answerMs);
    let fail: (error: LedgerUnreachable) => void = () => undefined;
    const loss = new Promise<never>((_, reject) => {
      fail = reject;
      this.#waiting.add(reject);
    });
    try {
      return (await Promise.race([ask(), loss])) as Row[];
    } catch (error) {
      throw this.#lost ?? faultOf(error);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(fail);
    }
  }
}

// A session pooler lets a client in at once and answers it when a session is free.
async function within<T>(ms: number, answer: PromiseLike<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function clientFor(options: SessionOptions, onclose: () => void): postgres.Sql {
  try {
    return postgres(options.url, {
      max: 1,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      keep_alive: 5,
      connect_timeout: options.connectTimeout ?? 10,
      backoff: () => 0,
      onnotice: () => undefined,
      onclose,
      connection: { application_name: 'outcome-ledger sync' },
    });
  } catch {
    // The driver's own words would show the string, and with it the password.
    throw new LedgerRefused(
      'request_invalid',
      'the connection string of the ledger is not one',
      'Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters in the password percent-encoded.',
    );
  }
}
