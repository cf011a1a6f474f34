import { statSync } from 'node:fs';
import { join } from 'node:path';
import { GraphFault } from '../fault.ts';
import { faultOf } from './faults.ts';
import { Gate, Places, Queue } from './gate.ts';
import type { Connection, Database, Library, Parameters, QueryResult } from './library.ts';

export type Row = Record<string, unknown>;
/** Runs one statement inside a transaction. */
export type Run = (text: string, parameters?: Parameters) => Promise<Row[]>;

/** Pages of the files kept in memory. Results of queries and the changes of an open transaction need room here, too. */
const BUFFER_POOL = 256 * 1024 * 1024;
/**
 * Address space set aside for the files, not memory. Every checkpoint uses up about 9 MiB of it until the graph is opened
 * again, whatever it writes, and one that finds none left damages the files: 1 TiB is for over 100,000 of them.
 */
const ADDRESS_SPACE = 2 ** 40;
/** A checkpoint is due when the write-ahead log is so long … */
const LOG_DUE = 64 * 1024 * 1024;
/** … and no longer waits for a moment without queries when it is so long. */
const LOG_OVERDUE = 4 * LOG_DUE;
/** Queries at once. More would take the threads of Node's pool from the writer. */
const READERS = 2;

/** The files of one graph, opened: one transaction that writes at a time, and a few queries beside it. */
export class Store {
  readonly directory: string;
  readonly #file: string;
  readonly #database: Database;
  readonly #library: Library;
  readonly #gate = new Gate();
  readonly #writes = new Queue();
  readonly #readers = new Places(READERS);
  #countsWrong = false;
  #closed: Promise<void> | null = null;

  private constructor(directory: string, library: Library) {
    this.directory = directory;
    this.#library = library;
    this.#file = join(directory, 'graph.lbug');
    // Checkpoints are ours to time: never beside a query. What a torn log cannot give back is read from the ledger again.
    this.#database = new library.Database(this.#file, BUFFER_POOL, true, false, ADDRESS_SPACE, false, -1, false, true);
  }

  /** The directory must exist. Throws what the library throws. */
  static async open(directory: string, library: Library): Promise<Store> {
    const store = new Store(directory, library);
    await store.#database.init();
    // What a crash left in the log may hold deletions.
    store.#countsWrong = store.#log() > 0;
    return store;
  }

  /** One statement in a transaction of its own. */
  run(text: string, parameters: Parameters = {}): Promise<Row[]> {
    return this.#write((writer) => rowsOf(writer, text, parameters));
  }

  /** All or nothing. The first statement that fails ends it: the library has rolled back by then. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.#write(async (writer) => {
      const run: Run = (text, parameters = {}) => rowsOf(writer, text, parameters);
      await run('BEGIN TRANSACTION');
      try {
        const result = await work(run);
        await run('COMMIT');
        return result;
      } catch (error) {
        await run('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * To be called when relationships were deleted: until the next checkpoint the library counts them still, where a query counts
   * a whole relationship table. So one is made before the next query.
   */
  linksWereDeleted(): void {
    this.#countsWrong = true;
  }

  /** Works with a connection that reads, beside the writer. */
  async read<T>(work: (reader: Connection) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    if (this.#countsWrong) await this.#writes.run(() => this.#settleCounts());
    return this.#readers.within(() =>
      this.#gate.shared(() => {
        this.#refuseWhenClosed();
        return this.#connected(work);
      }),
    );
  }

  /** Lets what runs end, writes the log into the files and gives them up. */
  close(): Promise<void> {
    this.#closed ??= this.#writes.run(() =>
      this.#gate.alone(async () => {
        await this.#connected((writer) => rowsOf(writer, 'CHECKPOINT', {})).catch(() => undefined);
        await this.#database.close();
      }),
    );
    return this.#closed;
  }

  async #write<T>(work: (writer: Connection) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    return this.#writes.run(async () => {
      try {
        // Before the work and not after it: a checkpoint that fails must not make a committed transaction look failed.
        await this.#checkpointWhenDue();
        return await this.#gate.shared(() => this.#connected(work));
      } catch (error) {
        throw faultOf(error);
      }
    });
  }

  async #checkpointWhenDue(): Promise<void> {
    const log = this.#log();
    if (log >= LOG_OVERDUE || (log >= LOG_DUE && this.#gate.quiet)) await this.#checkpoint();
  }

  async #settleCounts(): Promise<void> {
    if (this.#countsWrong && !this.#closed) await this.#checkpoint().catch(() => undefined);
  }

  async #checkpoint(): Promise<void> {
    await this.#gate.alone(() => this.#connected((writer) => rowsOf(writer, 'CHECKPOINT', {})));
    this.#countsWrong = false;
  }

  #log(): number {
    return statSync(`${this.#file}.wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** A connection for one piece of work: it keeps every statement that it prepared until it is closed. */
  async #connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = new this.#library.Connection(this.#database);
    try {
      await connection.init();
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closed)
      throw new GraphFault('passing', 'graph_closed', `the embedded graph in ${this.directory} was closed`);
  }
}

async function rowsOf(connection: Connection, text: string, parameters: Parameters): Promise<Row[]> {
  const prepared = await connection.prepare(text);
  if (!prepared.isSuccess()) throw new Error(prepared.getErrorMessage());
  const result = lastOf(await connection.execute(prepared, parameters));
  try {
    return result.getAllSync();
  } finally {
    result.close();
  }
}

export function lastOf(result: QueryResult | QueryResult[]): QueryResult {
  return Array.isArray(result) ? (result.at(-1) as QueryResult) : result;
}
