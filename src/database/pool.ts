// At most a few sessions per process, and a bounded wait for one: functions start many processes, and a database that is
// short of connections must answer "later", not queue without end.
import type { PooledConnection } from './pooled-connection.ts';
import { Refusal } from './refusals.ts';

export interface PoolOptions {
  /** The most sessions at once. */
  max: number;
  /** Longest wait for a free session, in ms. */
  waitMs: number;
  /** The most requests that wait at once. */
  maxWaiting: number;
  /** A session unused for this long is closed, in ms. */
  idleMs: number;
  /** Opens a session that is fit for use. */
  open(): Promise<PooledConnection>;
}

interface Waiter {
  /** Gives the waiter a session, or nothing: then it looks again. */
  proceed(connection?: PooledConnection): void;
}

interface Idle {
  connection: PooledConnection;
  timer: ReturnType<typeof setTimeout>;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #idle: Idle[] = [];
  readonly #waiting: Waiter[] = [];
  #count = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Lends a session to `work` alone; it comes back when `work` has settled. */
  async use<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.proceed();
    await Promise.all(
      this.#idle.splice(0).map(({ connection, timer }) => {
        clearTimeout(timer);
        return connection.close();
      }),
    );
  }

  async #acquire(): Promise<PooledConnection> {
    const deadline = Date.now() + this.#options.waitMs;
    for (;;) {
      if (this.#closed) throw new Refusal('database_unavailable', { detail: 'This process is shutting down.' });
      const idle = this.#takeIdle();
      if (idle) return idle;
      if (this.#count < this.#options.max) return await this.#open();
      const handed = await this.#turn(deadline);
      if (handed) return handed;
    }
  }

  #takeIdle(): PooledConnection | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (!idle.connection.lost) return idle.connection;
      this.#drop(idle.connection);
    }
    return undefined;
  }

  async #open(): Promise<PooledConnection> {
    this.#count += 1;
    try {
      return await this.#options.open();
    } catch (error) {
      this.#count -= 1;
      this.#next();
      throw error;
    }
  }

  #release(connection: PooledConnection): void {
    if (connection.lost || this.#closed) {
      this.#drop(connection);
      this.#next();
      return;
    }
    // Handed over directly: a session laid down first could be taken by a request that has not waited.
    if (this.#next(connection)) return;
    const timer = setTimeout(() => {
      const index = this.#idle.findIndex((idle) => idle.connection === connection);
      if (index >= 0) this.#idle.splice(index, 1);
      this.#drop(connection);
    }, this.#options.idleMs);
    this.#idle.push({ connection, timer });
  }

  #drop(connection: PooledConnection): void {
    this.#count -= 1;
    void connection.close();
  }

  #next(connection?: PooledConnection): boolean {
    const waiter = this.#waiting.shift();
    waiter?.proceed(connection);
    return waiter !== undefined;
  }

  #turn(deadline: number): Promise<PooledConnection | undefined> {
    if (this.#waiting.length >= this.#options.maxWaiting) throw busy();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        proceed: (connection) => {
          clearTimeout(timer);
          resolve(connection);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(busy());
      }, deadline - Date.now());
      this.#waiting.push(waiter);
    });
  }
}

function busy(): Refusal {
  return new Refusal('database_unavailable', {
    detail: 'Every database connection of this process is busy.',
    retryAfter: 1,
  });
}
