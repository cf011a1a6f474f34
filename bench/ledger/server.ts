import { type ServerAccess, startTestServer, TEMPLATE, urlOf, using } from '../../test/support/shared-server.ts';

export { connect, PASSWORD, using } from '../../test/support/shared-server.ts';

/** A server of the benchmark's own, everything on disk before it answers, with fresh ledgers on demand. */
export interface BenchServer {
  readonly port: number;
  /** A new database: migrated, or empty. Answers how to reach it as any role. */
  database(name: string, options?: { empty?: boolean }): Promise<{ urlAs(role: string): string }>;
  stop(): Promise<void>;
}

// Checkpoints come when a benchmark asks for one, not in the middle of one side's slice.
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '1GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  max_connections: '200',
  autovacuum: 'off',
};

/** Starts a durable server in a temporary folder. */
export async function startBenchServer(settings: Record<string, string> = {}): Promise<BenchServer> {
  const { server, remove } = await startTestServer({ ...SETTINGS, ...settings });
  const access: ServerAccess = { port: server.port };
  return {
    port: server.port,
    async database(name, options = {}) {
      const template = options.empty ? 'template0' : TEMPLATE;
      await using(server.url(), (admin) => admin.unsafe(`create database ${name} owner postgres template ${template}`));
      return { urlAs: (role) => urlOf(access, role, name) };
    },
    async stop() {
      await server.stop('immediate');
      await remove();
    },
  };
}
