import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { GraphBatch } from '../../lineage/graph/graph.ts';
import type { GraphSource } from '../../lineage/index.ts';
import { graphContents } from './compare-graph.ts';
import type { TestDatabase } from './database.ts';
import { purgeTable } from './filled-ledger.ts';
import { overlaid } from './overlaid.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './sql-ledger.ts';
import { type GraphKind, mirrorOf, recordChain, startWorker, type TestWorker, until, untilEqual } from './sync.ts';

/** Several workers of one mirror: one is active, the others stand by, and whoever lost the lock writes nothing more. */
export function describeWorkers(database: TestDatabase, graphs: GraphKind): void {
  let tenantId: string;
  let ledger: SqlLedger;
  beforeAll(async () => {
    tenantId = await database.tenant();
    ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  });

  const theOther = (workers: TestWorker[], one: TestWorker) => workers.find((worker) => worker !== one) as TestWorker;
  const active = (workers: TestWorker[]) =>
    until(
      () => workers.filter((worker) => worker.status().state === 'active'),
      (found) => found.length > 0,
    ).then(([one]) => one as TestWorker);

  describe('two workers', () => {
    it('started together: one is active, one stands by and has no graph open; each takes over from the other', async () => {
      const source = await graphs.fresh(tenantId);
      let workers = [startWorker(mirrorOf(database, source)), startWorker(mirrorOf(database, source))];
      for (let round = 0; round < 3; round += 1) {
        const first = await active(workers);
        const second = theOther(workers, first);
        await second.until(({ state }) => state === 'standby');
        expect(second.graph()).toBeNull();
        await expect(second.reconcile()).rejects.toMatchObject({ code: 'not_active' });
        expect(second.status()).toMatchObject({ degraded_by: [], reason: null });
        await recordChain(ledger, 3);
        await untilEqual(database, first, tenantId);
        await first.stop();
        await second.until(({ state }) => state === 'active');
        await recordChain(ledger, 3);
        await untilEqual(database, second, tenantId);
        workers = [second, startWorker(mirrorOf(database, source))];
      }
    });

    it('over five hundred rows, the active one’s session cut again and again: every link once (B010, B012)', async () => {
      const mine = await database.tenant();
      const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
      const shared = sharedGraph(await graphs.fresh(mine));
      const pids = new Set<number>();
      const cut = async () => {
        const rows = await database.admin<{ pid: number }[]>`
          select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
           where l.locktype = 'advisory' and l.granted and a.usename = 'ledger_sync' and a.datname = ${database.name}`;
        // One holder of the lock at any moment.
        expect(rows.length).toBeLessThanOrEqual(1);
        for (const { pid } of rows) {
          pids.add(pid);
          await database.admin`select pg_terminate_backend(${pid}, 10000)`;
        }
      };
      const workers = [startWorker(mirrorOf(database, shared)), startWorker(mirrorOf(database, shared))];
      const writers = Promise.all(Array.from({ length: 5 }, () => recordChain(own, 51)));
      let writing = true;
      void writers.finally(() => {
        writing = false;
      });
      while (writing || pids.size < 3) {
        await active(workers);
        await cut();
      }
      await writers;
      await untilEqual(database, await active(workers), mine);
      const { links } = await (await active(workers)).withGraph(graphContents);
      expect(links.size).toBe(250);
    });
  });

  describe('a worker that lost its session while the graph was writing', () => {
    /** Purges an outcome while a write that carries it hangs, and lets the next worker mirror both. Gives the two workers. */
    const overtaken = async (
      change: (batch: GraphBatch, now: () => Promise<GraphBatch['from']>) => Promise<GraphBatch>,
    ) => {
      const mine = await database.tenant();
      const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
      const shared = sharedGraph(await graphs.fresh(mine));
      let hang = true;
      let hanging = false;
      let release = () => {};
      let end: { word: string; contents: Awaited<ReturnType<typeof graphContents>> } | undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      onTestFinished(() => release());
      const open = async () => {
        const graph = await shared.open();
        return overlaid(graph, {
          async write(batch) {
            if (!hang || batch.changes.outcomes.length === 0) return graph.write(batch);
            hang = false;
            hanging = true;
            await released;
            const landing = graph.write(await change(batch, () => graph.position()));
            const word = await landing.then(
              () => 'landed',
              (error) => error.name as string,
            );
            // Before anybody reads the feed again.
            end = { word, contents: await graphContents(graph) };
            return landing;
          },
        });
      };
      const first = startWorker(mirrorOf(database, { ...shared, open }));
      await first.until(({ state }) => state === 'active');
      await recordChain(own, 1);
      await until(() => hanging);
      const [holder] = await database.admin<{ pid: number }[]>`
        select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
         where l.locktype = 'advisory' and l.granted and a.usename = 'ledger_sync' and a.datname = ${database.name}`;
      await database.admin`select pg_terminate_backend(${holder?.pid as number}, 10000)`;
      const second = startWorker(mirrorOf(database, shared));
      await second.until(({ state }) => state === 'active');
      await untilEqual(database, second, mine);
      await purgeTable(database, mine, 'agent_invocation_outcomes');
      await untilEqual(database, second, mine);
      await second.stop();
      release();
      const ended = await until(() => end);
      if (!ended) throw new Error('the write did not end');
      return ended;
    };

    it('would bring back what is purged, were its position not compared', async () => {
      const unfenced = await overtaken(async (batch, now) => ({ ...batch, from: await now() }));
      expect(unfenced.word).toBe('landed');
      expect(unfenced.contents.outcomes.size).toBe(1);
    });

    it('writes nothing: the graph’s position is not the one it left', async () => {
      const fenced = await overtaken(async (batch) => batch);
      expect(fenced.word).toBe('PositionMoved');
      expect(fenced.contents.nodes).toBe(0);
    });
  });

  describe('two mirrors by mistake over one graph, with a lock each', () => {
    it('write in turn, and every node and link stands once (B012)', async () => {
      const mine = await database.tenant();
      const own = sqlLedger(database, { tenantId: mine, ...ORCHESTRATOR });
      const shared = sharedGraph(await graphs.fresh(mine));
      const workers = ['one', 'other'].map((name) =>
        startWorker(mirrorOf(database, { ...shared, address: `${shared.address} by the ${name} name` })),
      );
      await Promise.all(Array.from({ length: 4 }, () => recordChain(own, 20)));
      for (const worker of workers) await untilEqual(database, worker, mine);
      expect(workers.map((worker) => worker.status().rows_parked)).toEqual([0, 0]);
    });
  });
}

/** One graph opened once for several workers of this process, as a server's is; closed when the last has closed it. */
function sharedGraph(source: GraphSource): GraphSource {
  let opened: ReturnType<GraphSource['open']> | null = null;
  let users = 0;
  return {
    ...source,
    async open() {
      users += 1;
      opened ??= source.open();
      const graph = await opened;
      return overlaid(graph, {
        async close() {
          users -= 1;
          if (users > 0) return;
          opened = null;
          await graph.close();
        },
      });
    },
  };
}
