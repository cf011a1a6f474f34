import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GraphSource, reconcile, syncOnce } from '../../lineage/index.ts';
import { restoreData } from './copying.ts';
import { type OpenDatabase, openDatabase, type TestDatabase } from './database.ts';
import { connect, startTestServer } from './shared-server.ts';
import { ORCHESTRATOR, sqlLedger } from './sql-ledger.ts';
import { type GraphKind, look, mirrorOf, recordChain, startWorker, until, untilEqual } from './sync.ts';

/** A ledger restored from a dump into a fresh cluster, and the graph that mirrored it before. */
export function describeRestore(source: TestDatabase, graphs: GraphKind): void {
  let server: Awaited<ReturnType<typeof startTestServer>>;
  let mine: string;
  const restored: OpenDatabase[] = [];

  beforeAll(async () => {
    // The old cluster has lived longer: its transaction ids are far above the new one's.
    await source.admin.unsafe(
      'do $$ begin for n in 1..5000 loop perform pg_current_xact_id(); commit; end loop; end $$',
    );
    mine = await source.tenant();
    await recordChain(sqlLedger(source, { tenantId: mine, ...ORCHESTRATOR }), 10);
    server = await startTestServer({
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      scram_iterations: '1',
    });
  }, 180_000);
  afterAll(async () => {
    for (const database of restored) await database.close();
    await server?.server.stop('immediate');
    await server?.remove();
  });

  /** What the source has now, restored. */
  const restore = async (): Promise<OpenDatabase> => {
    const database = await openDatabase({ port: server.server.port });
    restored.push(database);
    const admin = connect(database.adminUrl, 1);
    await restoreData(source.admin, admin);
    await admin.end();
    return database;
  };
  const mirrorAll = async (graph: GraphSource) => {
    const worker = startWorker(mirrorOf(source, graph));
    await untilEqual(source, worker);
    await worker.stop();
  };
  const epoch = (database: OpenDatabase) => database.sql`select ledger_internal.open_epoch('restored')`;

  describe('a restored ledger', () => {
    it('is refused until a new epoch is opened; then the graph goes on and is complete', async () => {
      const graph = await graphs.fresh();
      await mirrorAll(graph);
      const target = await restore();
      const worker = startWorker(mirrorOf(target, graph));
      const refused = await worker.until(({ state }) => state === 'refused');
      expect(refused.reason).toMatchObject({ code: 'epoch_unsettled', remedy: expect.stringContaining('epoch new') });
      expect(refused.degraded_by).toHaveLength(1);
      await expect(worker.reconcile()).rejects.toMatchObject({
        code: expect.stringMatching(/epoch_unsettled|not_active/),
      });
      const before = refused.rows_written;
      await epoch(target);
      const own = sqlLedger(target, { tenantId: mine, ...ORCHESTRATOR });
      await recordChain(own, 5);
      await untilEqual(target, worker);
      // It went on where it was: its position holds in every life of the ledger.
      expect(worker.status().rows_written - before).toBeLessThanOrEqual(9);
      expect(worker.status().position).toMatchObject({ epoch: 2 });
      await worker.stop();
      // The same from nothing.
      const fresh = startWorker(mirrorOf(target, await graphs.fresh()));
      await untilEqual(target, fresh);
    });

    it('that was set back to an older state is refused with the remedy; reconcile repairs the graph, and it goes on', async () => {
      const graph = await graphs.fresh();
      const target = await restore();
      await recordChain(sqlLedger(source, { tenantId: mine, ...ORCHESTRATOR }), 4);
      await mirrorAll(graph);
      await epoch(target);
      // Another history from here on.
      await recordChain(sqlLedger(target, { tenantId: mine, ...ORCHESTRATOR }), 3);
      const worker = startWorker(mirrorOf(target, graph));
      const refused = await worker.until(({ state }) => state === 'refused');
      expect(refused.reason).toMatchObject({ code: 'position_gone', remedy: expect.stringContaining('--reconcile') });
      await expect(syncOnceElsewhere(target, graph, worker)).rejects.toMatchObject({ code: 'position_gone' });
      const dry = await reconcile(mirrorOf(target, graph), { dryRun: true });
      expect(dry).toMatchObject({ outcomes: { missing: 3, surplus: 4 }, position_reset: false });
      expect(await reconcile(mirrorOf(target, graph))).toMatchObject({
        outcomes: { missing: 3, surplus: 4 },
        links: { missing: 2, surplus: 3 },
        repaired: 12,
        position_reset: true,
      });
      const after = startWorker(mirrorOf(target, graph));
      await recordChain(sqlLedger(target, { tenantId: mine, ...ORCHESTRATOR }), 2);
      await untilEqual(target, after);
      expect(after.status()).toMatchObject({ state: 'active', degraded_by: [] });
    });

    it('that was set back is repaired by a running worker, too', async () => {
      const graph = await graphs.fresh();
      const target = await restore();
      await recordChain(sqlLedger(source, { tenantId: mine, ...ORCHESTRATOR }), 2);
      await mirrorAll(graph);
      await epoch(target);
      const worker = startWorker(mirrorOf(target, graph));
      await worker.until(({ state }) => state === 'refused');
      const report = await until(
        () => worker.reconcile().catch((error) => error),
        (answer) => answer?.position_reset !== undefined,
      );
      expect(report).toMatchObject({ outcomes: { surplus: 2 }, position_reset: true });
      await untilEqual(target, worker);
    });
  });

  describe('another ledger', () => {
    it('is refused this graph, also before its first row', async () => {
      const graph = await graphs.fresh();
      await mirrorAll(graph);
      const before = await look(graph, (open) => open.position());
      const other = await openDatabase({ port: server.server.port });
      restored.push(other);
      await expect(syncOnce(mirrorOf(other, graph))).rejects.toMatchObject({ code: 'graph_other_ledger' });
      const tenantId = await other.tenant();
      await recordChain(sqlLedger(other, { tenantId, ...ORCHESTRATOR }), 2);
      await expect(syncOnce(mirrorOf(other, graph))).rejects.toMatchObject({ code: 'graph_other_ledger' });
      await expect(reconcile(mirrorOf(other, graph))).rejects.toMatchObject({ code: 'graph_other_ledger' });
      expect(await look(graph, (open) => open.position())).toEqual(before);
    });
  });

  /** The worker must not have the graph or the lock meanwhile. */
  async function syncOnceElsewhere(database: OpenDatabase, graph: GraphSource, worker: { stop(): Promise<void> }) {
    await worker.stop();
    return syncOnce(mirrorOf(database, graph));
  }
}
