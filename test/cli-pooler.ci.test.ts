// Workers behind a real PgBouncer: refused at the start where sessions do not last, at home where they do.
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useCli } from './support/cli.ts';
import { useDatabase } from './support/database.ts';
import { startPgBouncer } from './support/pgbouncer.ts';
import { startWorkers } from './support/worker-process.ts';

const cli = useCli();
const database = useDatabase();

async function pooledUrl(mode: 'transaction' | 'session'): Promise<string> {
  const pooler = await startPgBouncer(database, { pool_mode: mode, default_pool_size: 10 });
  onTestFinished(() => pooler.stop());
  return pooler.urlAs('ledger_sync');
}

test('a transaction pooler: exit 2 with the port to use instead', async () => {
  const url = ['--database-url', await pooledUrl('transaction')];
  const graph = ['--graph', 'embedded', '--graph-dir', path.join(cli.folder, 'graph')];
  for (const command of [
    ['workers', 'sync', '--port', '0'],
    ['sync', '--once'],
    ['sync', '--status'],
  ]) {
    const { code, stderr } = await cli.run([...command, ...graph, ...url]);
    expect([code, stderr], command.join(' ')).toEqual([2, expect.stringMatching(/pooler_unsupported.*\n.*port 5432/)]);
  }
});

test('a session pooler: it mirrors', async () => {
  const graph = ['--graph', 'embedded', '--graph-dir', path.join(cli.folder, 'session')];
  const worker = await startWorkers(cli.main, graph, { OUTCOME_LEDGER_SYNC_DATABASE_URL: await pooledUrl('session') });
  await vi.waitFor(
    async () => {
      const [code, { workers }] = await worker.health();
      expect([code, workers[0]?.['state']]).toEqual([200, 'active']);
    },
    { timeout: 30_000, interval: 50 },
  );
});
