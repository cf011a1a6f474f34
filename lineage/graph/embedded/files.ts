import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openingFault } from './faults.ts';
import { Ground } from './ground.ts';
import type { Connection, Database, Library, Parameters, QueryResult } from './library.ts';

export type Row = Record<string, unknown>;

/**
 * Address space set aside for the files, not memory. Every checkpoint uses up about 9 MiB of it until the graph is opened
 * again, whatever it writes, and one that finds none left damages the files: 1 TiB is for over 100,000 of them.
 */
const ADDRESS_SPACE = 2 ** 40;

/** The files of one graph, held open: `graph.lbug` as of the last checkpoint, and the log of what came after it. */
export class Files {
  readonly directory: string;
  readonly ground: Ground;
  readonly #library: Library;
  readonly #bufferPool: number;
  readonly #file: string;
  #database: Database | null = null;

  constructor(directory: string, library: Library, bufferPool: number) {
    this.directory = directory;
    this.#library = library;
    this.#bufferPool = bufferPool;
    this.#file = join(directory, 'graph.lbug');
    this.ground = new Ground(directory, this.#file);
  }

  /** False after a failed checkpoint behind which the files could not be opened again: `open` must be called first. */
  get standing(): boolean {
    return this.#database !== null;
  }

  /** Bytes that the next checkpoint has to write. */
  get log(): number {
    return statSync(`${this.#file}.wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /**
   * The directory must exist.
   *
   * A checkpoint first puts the log aside. Where it came to no end, the library reads that log on opening and deletes it at
   * once, before the files hold what it said; a second crash would leave files to which the next log does not belong. So
   * nothing is written before a checkpoint has gone through, and where none does, the files fall back to the last one: their
   * position says so, and the rows after it are read from the ledger again.
   *
   * @throws GraphFault, GraphRefused with the remedy
   */
  async open(): Promise<void> {
    if (this.#database) return;
    try {
      this.ground.refuseFull(this.log);
      await this.#openWhole();
      this.ground.noteOpened();
    } catch (error) {
      throw openingFault(error, this.directory);
    }
  }

  /**
   * Writes the log into the files; nothing else may be at work. One that fails half-way leaves the log put aside, and the next
   * would overwrite it with what was written since: so the files are opened again, as after a crash.
   */
  async checkpoint(): Promise<void> {
    try {
      await this.#statement('CHECKPOINT');
    } catch (error) {
      if (!this.#logInPlace) {
        await this.#release();
        await this.open();
      }
      throw error;
    }
  }

  /**
   * Writes the log into the files and gives them up. What a checkpoint does not bring into them is read at the next opening.
   * But where the log itself cannot be written, on a full disk, they stay open, because the library ends the process when it
   * fails in giving them up. Files that are no longer there are given up as they are: what stands in their place is not theirs.
   */
  async close(): Promise<void> {
    if (!this.#database) return;
    if (this.ground.lost) return this.#release();
    await this.#statement('CHECKPOINT').catch((error) => {
      if (this.#logInPlace) throw error;
    });
    await this.#release();
  }

  /** A connection for one piece of work: it keeps every statement that it prepared until it is closed. */
  async connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = new this.#library.Connection(this.#database as Database);
    try {
      await connection.init();
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  /** After a failed checkpoint: did it fail before it put the log aside? */
  get #logInPlace(): boolean {
    return !this.#interrupted && existsSync(`${this.#file}.wal`);
  }

  /** Is a log put aside of a checkpoint that came to no end? */
  get #interrupted(): boolean {
    return existsSync(`${this.#file}.wal.checkpoint`);
  }

  async #openWhole(): Promise<void> {
    const interrupted = this.#interrupted;
    this.#database = await this.#opened();
    if (!interrupted) return;
    try {
      await this.#statement('CHECKPOINT');
    } catch {
      await this.#release();
      this.#database = await this.#opened();
    }
  }

  async #opened(): Promise<Database> {
    // Checkpoints are ours to time: never beside a query. What a torn log cannot give back is read from the ledger again.
    const { Database } = this.#library;
    const database = new Database(this.#file, this.#bufferPool, true, false, ADDRESS_SPACE, false, -1, false, true);
    await database.init();
    return database;
  }

  async #release(): Promise<void> {
    const database = this.#database;
    this.#database = null;
    await database?.close().catch(() => undefined);
  }

  #statement(text: string): Promise<Row[]> {
    return this.connected((connection) => rowsOf(connection, text, {}));
  }
}

export async function rowsOf(connection: Connection, text: string, parameters: Parameters): Promise<Row[]> {
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
