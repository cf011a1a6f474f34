import postgres from 'postgres';

/** Without an answer for so long, the connections count as lost. */
const ANSWER_MS = 30_000;

/**
 * Statements of the relay's login, each a transaction of its own, so that any pooler will do. Connections are made when they
 * are needed and made again when they were lost; what was asked when they were lost fails.
 */
export class RelaySession {
  readonly #url: string;
  #client: postgres.Sql | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** The one value of one row. Parameters travel as text that the statement casts. */
  async ask<T>(statement: string, values: (string | number | null)[] = []): Promise<T> {
    this.#client ??= connect(this.#url);
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

function connect(url: string): postgres.Sql {
  return postgres(url, {
    max: 4,
    prepare: false,
    fetch_types: false,
    idle_timeout: 30,
    connect_timeout: 10,
    keep_alive: 5,
    backoff: () => 0,
    onnotice: () => undefined,
    connection: { application_name: 'outcome-ledger relay' },
  });
}
