import postgres from 'postgres';

/** Without an answer for so long, the connections count as lost. */
const ANSWER_MS = 30_000;

/**
 * Statements of a worker's login, each a transaction of its own, so that any pooler will do. Connections are made when they
 * are needed and made again when they were lost; what was asked when they were lost fails.
 */
export class WorkerSession {
  readonly #url: string;
  readonly #name: string;
  #client: postgres.Sql | null = null;

  /** @param name what the server's own views call these connections */
  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
  }

  /** The one value of one row. Parameters travel as text that the statement casts. */
  async ask<T>(statement: string, values: (string | number | null)[] = []): Promise<T> {
    this.#client ??= connect(this.#url, this.#name);
    const client = this.#client;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#drop(client);
        reject(Object.assign(new Error('the ledger’s database does not answer'), { code: 'ETIMEDOUT' }));
      }, ANSWER_MS);
    });
    try {
      const rows = await Promise.race([client.unsafe(statement, values), late]);
      return Object.values(rows[0] ?? {})[0] as T;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end({ timeout: 1 }).catch(() => undefined);
  }

  // The driver would wait for ever for a socket that swallows what it is given.
  #drop(client: postgres.Sql): void {
    if (this.#client === client) this.#client = null;
    void client.end({ timeout: 0 }).catch(() => undefined);
  }
}

function connect(url: string, name: string): postgres.Sql {
  return postgres(url, {
    max: 4,
    prepare: false,
    fetch_types: false,
    idle_timeout: 30,
    connect_timeout: 10,
    keep_alive: 5,
    backoff: () => 0,
    onnotice: () => undefined,
    connection: { application_name: name },
  });
}
