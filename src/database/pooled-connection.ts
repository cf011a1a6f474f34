// One session of the gateway's login, held by one request at a time. Role and claims are set for the transaction only,
// so nothing of a request is left on the session, whatever became of it.
import postgres from 'postgres';
import { type Caller, claimsText } from './claims.ts';
import { inline, literal, type Statement } from './statement.ts';

/** How statements travel: pipelined and prepared, or as one text for a transaction pooler. */
export type WireMode = 'session' | 'transaction';

const BECOME = "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1::text, true)";

// Above the login's transaction_timeout, so that the server's own answer comes first when there is one.
const ANSWER_MS = 35_000;

export interface ConnectOptions {
  url: string;
  mode: WireMode;
  /** Seconds until an attempt to connect is given up. */
  connectTimeout: number;
}

type Pending = postgres.PendingQuery<postgres.Row[]>;

export class PooledConnection {
  readonly #client: postgres.Sql;
  readonly #session: postgres.ReservedSql;
  readonly #mode: WireMode;
  /** Fails what is in flight; there is at most one request at a time. */
  #fail: ((error: Error) => void) | null = null;
  #done: () => void = () => {};
  /** True once the socket is gone or the session's state is not known. */
  lost = false;

  private constructor(client: postgres.Sql, session: postgres.ReservedSql, mode: WireMode) {
    this.#client = client;
    this.#session = session;
    this.#mode = mode;
  }

  static async open(options: ConnectOptions): Promise<PooledConnection> {
    let opened: PooledConnection | undefined;
    const client = postgres(options.url, {
      max: 1,
      prepare: options.mode === 'session',
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: options.connectTimeout,
      backoff: () => 0,
      onnotice: () => {},
      onclose: () => {
        if (opened) opened.#lose('CONNECTION_CLOSED');
      },
      connection: { application_name: 'outcome-ledger functions' },
    });
    try {
      // Held for good: queues of the driver's own pool know no bound, and a reserved session never moves a statement
      // to another connection.
      // The driver never hands out a connection that is opened by `reserve` itself while `fetch_types` is off.
      await client`select 1`;
      const session = await client.reserve();
      opened = new PooledConnection(client, session, options.mode);
      return opened;
    } catch (error) {
      await client.end({ timeout: 0 });
      throw error;
    }
  }

  /** Runs one statement as the bare login (health only). */
  async runAsLogin(statement: Statement): Promise<unknown> {
    const [row] = await this.#settled([this.#query(statement)]).then((results) => results[0] ?? []);
    return row?.['answer'];
  }

  /** Runs one statement in a transaction of its own as `authenticated` with the caller's claims: one round trip. */
  async run(caller: Caller, statement: Statement): Promise<unknown> {
    return this.#mode === 'session' ? this.#pipelined(caller, statement) : this.#oneMessage(caller, statement);
  }

  async close(): Promise<void> {
    this.lost = true;
    this.#session.release();
    await this.#client.end({ timeout: 1 }).catch(() => {});
  }

  async #pipelined(caller: Caller, statement: Statement): Promise<unknown> {
    const session = this.#session;
    const results = await this.#settled([
      session`begin isolation level read committed`,
      this.#query({ text: BECOME, values: [claimsText(caller)] }),
      this.#query(statement),
      session`commit`,
    ]);
    // After a failed statement the server answers `commit` with ROLLBACK; then `#settled` has thrown already.
    if (results[3]?.command !== 'COMMIT') {
      this.lost = true;
      throw Object.assign(new Error('the transaction was not committed'), { code: 'CONNECTION_CLOSED' });
    }
    return results[2]?.[0]?.['answer'];
  }

  /** Statements of one simple-protocol message are one implicit transaction: it rolls back at the first error. */
  async #oneMessage(caller: Caller, statement: Statement): Promise<unknown> {
    const message = `${BECOME.replace('$1', () => literal(claimsText(caller)))}; ${inline(statement)}`;
    const [results] = await this.#settled([this.#session.unsafe(message).simple() as unknown as Pending]);
    return (results as unknown as postgres.Row[][])[1]?.[0]?.['answer'];
  }

  #query(statement: Statement): Pending {
    if (this.#mode === 'transaction') return this.#session.unsafe(inline(statement)).simple() as unknown as Pending;
    return this.#session.unsafe(statement.text, [...statement.values], { prepare: true }) as unknown as Pending;
  }

  /** All results, or the first failure in the order sent, once every statement has been answered. */
  async #settled(queries: Pending[]): Promise<postgres.RowList<postgres.Row[]>[]> {
    for (const query of queries) query.execute();
    const ends = await this.#answered(queries);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) {
      if (!isServerError(failed.reason)) this.lost = true;
      throw failed.reason;
    }
    return ends.map((end) => (end as PromiseFulfilledResult<postgres.RowList<postgres.Row[]>>).value);
  }

  // Statements still in the driver's queue when the socket closes would never settle by themselves, and a network that
  // swallows packets closes nothing: both end the wait here.
  #answered(queries: Pending[]) {
    return new Promise<PromiseSettledResult<postgres.RowList<postgres.Row[]>>[]>((resolve, reject) => {
      const timer = setTimeout(() => this.#lose('ETIMEDOUT'), ANSWER_MS);
      this.#fail = reject;
      void Promise.allSettled(queries).then(resolve);
      if (this.lost) this.#lose('CONNECTION_CLOSED');
      this.#done = () => clearTimeout(timer);
    }).finally(() => {
      this.#fail = null;
      this.#done();
    });
  }

  #lose(code: string): void {
    this.lost = true;
    this.#fail?.(Object.assign(new Error('the connection was lost'), { code }));
  }
}

/** An error the server sent while the session goes on; anything else leaves the session's state unknown. */
function isServerError(error: unknown): boolean {
  const { name, code, severity } = error as { name?: string; code?: string; severity?: string };
  return (
    name === 'PostgresError' && severity !== 'FATAL' && severity !== 'PANIC' && !/^(26000|0A000)$/.test(code ?? '')
  );
}
