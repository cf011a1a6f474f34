import { GraphFault } from '../fault.ts';
import type { Driver, ManagedTransaction, Neo4jApi, Session } from './driver.ts';
import { faultOf } from './faults.ts';

export interface ConnectionOptions {
  uri: string;
  database: string;
  user?: string;
  password?: string;
  /** Milliseconds after which a call that got no answer is given up, and its connections with it. */
  patienceMs: number;
}

/** How long closing may take: a server that does not answer must not hold the worker's stop. */
const CLOSING_MS = 5_000;
/** The server ends a transaction first, when it answers at all: it looks at its clock every two seconds. */
const GRACE_MS = 3_000;
/** Deadlocks and a change of leader are over by then. What lasts longer is the worker's to wait for, and to tell of. */
const RETRY_MS = 5_000;
const SILENT = Symbol('silent');

/**
 * The driver, used in one way only: the database named, a session per call that is closed on every exit, managed
 * transactions, every error a `GraphFault`. Calls may run side by side.
 */
export class Connection {
  readonly #neo4j: Neo4jApi;
  readonly #options: ConnectionOptions;
  #driver: Driver;
  /** What the last write left behind, so that reads see it on every member of a cluster. */
  #bookmarks: string[] = [];
  #closed = false;

  constructor(neo4j: Neo4jApi, options: ConnectionOptions) {
    this.#neo4j = neo4j;
    this.#options = options;
    this.#driver = this.#connect();
  }

  /** Reads on any member of a cluster; `work` may run more than once. */
  read<T>(work: (tx: ManagedTransaction) => Promise<T>): Promise<T> {
    const timeout = this.#options.patienceMs;
    return this.#call(this.#reading(), (session) => session.executeRead(work, { timeout }));
  }

  /** Writes, or reads what must not be stale, on the leader; `work` may run more than once. */
  write<T>(work: (tx: ManagedTransaction) => Promise<T>): Promise<T> {
    const timeout = this.#options.patienceMs;
    return this.#call(this.#driver.session({ database: this.#options.database }), async (session) => {
      const result = await session.executeWrite(work, { timeout });
      this.#bookmarks = session.lastBookmarks();
      return result;
    });
  }

  /**
   * Reads within a time of its own, which runs from the moment that a connection is there. Resolves to undefined when it is
   * over and the server has said nothing; the server ends the transaction by itself.
   */
  async readWithin<T>(
    { timeoutMs, fetchSize }: { timeoutMs: number; fetchSize: number },
    work: (tx: ManagedTransaction) => Promise<T>,
  ): Promise<T | undefined> {
    this.#mustBeOpen();
    const session = this.#reading(fetchSize);
    let connected = () => {};
    const connecting = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const working = session.executeRead(
      (tx) => {
        connected();
        return work(tx);
      },
      { timeout: timeoutMs },
    );
    try {
      // Where no server is to be had, the reason comes from the driver.
      await Promise.race([working, answerWithin(connecting, RETRY_MS + GRACE_MS)]);
      const result = await answerWithin(working, timeoutMs);
      return result === SILENT ? undefined : result;
    } catch (error) {
      throw this.#faultOf(error);
    } finally {
      connected();
      // Closing waits for the transaction's end, which the caller need not.
      session.close().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await answerWithin(this.#driver.close(), CLOSING_MS).catch(() => undefined);
  }

  async #call<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
    this.#mustBeOpen();
    const driver = this.#driver;
    try {
      const result = await answerWithin(work(session), this.#options.patienceMs + GRACE_MS);
      if (result !== SILENT) return result;
      this.#replace(driver);
      const seconds = this.#options.patienceMs / 1000;
      throw new GraphFault('passing', 'no_answer', `Neo4j: no answer from the server within ${seconds} s`);
    } catch (error) {
      throw this.#faultOf(error);
    } finally {
      await answerWithin(session.close(), CLOSING_MS).catch(() => undefined);
    }
  }

  #reading(fetchSize = 1_000): Session {
    const { database } = this.#options;
    return this.#driver.session({
      database,
      fetchSize,
      defaultAccessMode: this.#neo4j.session.READ,
      bookmarks: this.#bookmarks,
    });
  }

  #faultOf(error: unknown): unknown {
    const fault = faultOf(error);
    // A cluster that was restored from a backup never reaches the bookmarks of before.
    if (fault instanceof GraphFault && fault.code.includes('Bookmark')) this.#bookmarks = [];
    return fault;
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new GraphFault('passing', 'closed', 'this handle on the graph has been closed');
  }

  /** Leaves connections to a silent server behind: only the operating system knows when they end. */
  #replace(silent: Driver): void {
    if (silent !== this.#driver || this.#closed) return;
    this.#driver = this.#connect();
    silent.close().catch(() => undefined);
  }

  #connect(): Driver {
    const { uri, user, password } = this.#options;
    const auth = password === undefined ? undefined : this.#neo4j.auth.basic(user ?? 'neo4j', password);
    return this.#neo4j.driver(uri, auth, {
      // 64-bit integers as bigint: the driver's numbers round, and its own integers are objects.
      useBigInt: true,
      connectionTimeout: 5_000,
      connectionAcquisitionTimeout: 15_000,
      maxConnectionPoolSize: 25,
      maxTransactionRetryTime: RETRY_MS,
      notificationFilter: { minimumSeverityLevel: 'OFF' },
      userAgent: 'outcome-ledger',
    });
  }
}

/** The answer, or `SILENT` when it has not come in time; it is then no longer waited for, nor is its failure heard. */
async function answerWithin<T>(answer: Promise<T>, ms: number): Promise<T | typeof SILENT> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<typeof SILENT>((resolve) => {
    timer = setTimeout(resolve, ms, SILENT);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => undefined);
  }
}
