import { GraphFault } from '../fault.ts';
import { faultOf } from './faults.ts';
import { Files, type Row, rowsOf } from './files.ts';
import { Gate, Places, Queue } from './gate.ts';
import type { Connection, Library, Parameters } from './library.ts';
import { Pause } from './pause.ts';

export type { Row };
/** Runs one statement inside a transaction. */
export type Run = (text: string, parameters?: Parameters) => Promise<Row[]>;

export interface StoreOptions {
  /** Bytes of the files kept in memory. Results of queries, what the log holds and the changes of an open transaction need room here, too. */
  bufferPool: number;
  /** How long nothing must have been written, in milliseconds, until the log is worth a checkpoint. */
  pauseMs: number;
}

const MIB = 1024 * 1024;
export const STORE_DEFAULTS: StoreOptions = { bufferPool: 256 * MIB, pauseMs: 1_000 };

/**
 * When the log is written into the files, which stops writers for seconds in a large graph, however short the log is. By its
 * length, as a share of the buffer pool: what the log holds stays there until then, in about as many bytes, and a checkpoint
 * that finds the pool full fails.
 */
const LOG_SHARE = {
  /** In a pause of writing: what a crash leaves to read again is short then. */
  worth: 1 / 16,
  /** Before the next write: with more than this in the log, writes become slower. */
  due: 1 / 8,
  /** Then it no longer waits for a moment without queries. */
  overdue: 1 / 4,
};
/** How long a checkpoint lets everything else wait for queries to end: the library does not end each of them at its limit. */
const PATIENCE_MS = 5_000;
/** Queries at once. More would take the threads of Node's pool from the writer. */
const READERS = 2;

/** One graph, opened: one transaction that writes at a time, and a few queries beside it. */
export class Store {
  readonly directory: string;
  readonly #files: Files;
  readonly #bufferPool: number;
  readonly #gate = new Gate();
  readonly #writes = new Queue();
  readonly #readers = new Places(READERS);
  readonly #pause: Pause;
  /** Works of the writer that run or wait. */
  #pending = 0;
  /** The log's length at which a checkpoint next waits for queries; raised when they did not end. */
  #overdue: number;
  /** The log's length after the last of them: one that left it as it was has only read. */
  #logged = 0;
  #countsWrong = false;
  #closed: Promise<void> | null = null;

  private constructor(files: Files, { bufferPool, pauseMs }: StoreOptions) {
    this.directory = files.directory;
    this.#files = files;
    this.#bufferPool = bufferPool;
    this.#overdue = bufferPool * LOG_SHARE.overdue;
    this.#pause = new Pause(pauseMs, () => this.#paused());
  }

  /**
   * The directory must exist.
   *
   * @throws GraphFault, GraphRefused with the remedy
   */
  static async open(directory: string, library: Library, options: Partial<StoreOptions> = {}): Promise<Store> {
    const given = { ...STORE_DEFAULTS, ...options };
    const files = new Files(directory, library, given.bufferPool);
    await files.open();
    const store = new Store(files, given);
    // What a crash left in the log may hold deletions.
    store.#countsWrong = files.log > 0;
    store.#noteLog();
    return store;
  }

  /** One statement in a transaction of its own. */
  run(text: string, parameters: Parameters = {}): Promise<Row[]> {
    return this.#write((writer) => rowsOf(writer, text, parameters));
  }

  /**
   * All or nothing. The first statement that fails ends it: the library has rolled back by then. Where it failed because the
   * buffer pool was full, `work` is called a second time.
   */
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
    if (this.#countsWrong) await this.#inTurn(() => this.#settleCounts());
    return this.#readers.within(async () => {
      await this.#stand();
      return this.#gate.shared(() => {
        this.#refuseWhenClosed();
        this.#files.ground.refuseLost();
        return this.#files.connected(work);
      });
    });
  }

  /** Writes the log into the files, so that what stands there no longer depends on it. */
  checkpoint(): Promise<void> {
    this.#refuseWhenClosed();
    return this.#inTurn(() => this.#checkpoint());
  }

  /**
   * Lets what runs end, writes the log into the files and gives them up.
   *
   * @throws GraphFault when the log cannot be written: then they stay open
   */
  close(): Promise<void> {
    this.#closed ??= this.#writes.run(async () => {
      try {
        this.#pause.stop();
        await this.#gate.alone(() => this.#files.close());
      } catch (error) {
        this.#closed = null;
        throw faultOf(error, this.directory);
      }
    });
    return this.#closed;
  }

  #write<T>(work: (writer: Connection) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    const working = async () => {
      await this.#stand();
      return this.#gate.shared(() => this.#files.connected(work));
    };
    return this.#inTurn(async () => {
      this.#files.ground.refuseLost();
      this.#files.ground.refuseFull(this.#files.log);
      // Before the work and not after it: a checkpoint that fails must not make a committed transaction look failed.
      await this.#checkpointWhenDue();
      return await working().catch((error) => this.#withRoom(error, working));
    });
  }

  /** One after the other: what writes, and checkpoints. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    return this.#writes.run(async () => {
      try {
        return await work();
      } catch (error) {
        throw faultOf(error, this.directory);
      } finally {
        this.#pending -= 1;
        this.#noteLog();
      }
    });
  }

  /** A full buffer pool: queries take room in it, and so does what only the log holds. Both are gone after a checkpoint. */
  async #withRoom<T>(error: unknown, working: () => Promise<T>): Promise<T> {
    const fault = faultOf(error, this.directory);
    if (!(fault instanceof GraphFault && fault.code === 'buffer_pool_full')) throw fault;
    await this.#checkpoint();
    return working();
  }

  async #checkpointWhenDue(): Promise<void> {
    const log = this.#files.log;
    const due = LOG_SHARE.due * this.#bufferPool;
    if (log < due || !(this.#gate.quiet || log >= this.#overdue)) return;
    // A query that does not end must not stop the writer: the log grows a while longer then.
    if (!(await this.#checkpointed())) this.#overdue = log + due;
  }

  #paused(): void {
    if (this.#closed || this.#files.log < LOG_SHARE.worth * this.#bufferPool) return;
    if (this.#pending > 0 || !this.#gate.quiet) this.#pause.restart();
    else void this.#writes.run(() => this.#checkpoint().catch(() => undefined));
  }

  /** Without it, a count may be wrong: where a query that does not end prevents the checkpoint, the next one is refused. */
  async #settleCounts(): Promise<void> {
    if (this.#countsWrong && !this.#closed) await this.#checkpoint();
  }

  /** @throws GraphFault `graph_busy` too */
  async #checkpoint(): Promise<void> {
    if (!(await this.#checkpointed())) throw this.#busy();
  }

  /** @returns false when queries left it no moment */
  async #checkpointed(): Promise<boolean> {
    await this.#stand();
    this.#files.ground.refuseFull(this.#files.log);
    return this.#gate.alone(async () => {
      try {
        await this.#files.checkpoint();
        this.#overdue = this.#bufferPool * LOG_SHARE.overdue;
      } finally {
        this.#logged = this.#files.log;
        this.#countsWrong = this.#logged > 0;
      }
    }, PATIENCE_MS);
  }

  /** Opens the files again where a failed checkpoint has left them closed. */
  async #stand(): Promise<void> {
    if (this.#files.standing) return;
    if (!(await this.#gate.alone(() => this.#files.open(), PATIENCE_MS))) throw this.#busy();
  }

  /** Each write that made the log longer lets the pause begin anew. */
  #noteLog(): void {
    const log = this.#files.log;
    if (log !== this.#logged && !this.#closed) this.#pause.restart();
    this.#logged = log;
  }

  #busy(): GraphFault {
    return new GraphFault(
      'passing',
      'graph_busy',
      `the embedded graph in ${this.directory} is held by a query that does not end`,
    );
  }

  #refuseWhenClosed(): void {
    if (this.#closed)
      throw new GraphFault('passing', 'graph_closed', `the embedded graph in ${this.directory} was closed`);
  }
}
