import { expect, it } from 'vitest';
import type { Ledger } from '../feed/ledger.ts';
import { GraphFault } from '../graph/fault.ts';
import type { Graph } from '../graph/graph.ts';
import { syncOnce } from './once.ts';
import type { Mirror } from './types.ts';

/** Both sides without a row; `prepare` is what the graph does when it is asked. */
function sides(prepare: (n: number) => Promise<void>) {
  let asked = 0;
  const closed: string[] = [];
  const ledger = {
    tryLock: async () => true,
    identify: async () => null,
    read: async () => ({ rows: [], to: null }),
    lag: async () => ({ rows: 0, rows_capped: false, seconds: 0, held_back_by: [] }),
    close: async () => void closed.push('ledger'),
  };
  const graph = {
    prepare: () => prepare(++asked),
    position: async () => null,
    close: async () => void closed.push('graph'),
  };
  const mirror: Mirror = {
    openLedger: async () => ledger as unknown as Ledger,
    graph: { kind: 'neo4j', address: 'neo4j://nowhere', tenantId: null, open: async () => graph as unknown as Graph },
  };
  return { mirror, closed, asked: () => asked };
}

const away = () => Promise.reject(new GraphFault('passing', 'ServiceUnavailable', 'no server answers'));

it('gives up on a graph that is away after its attempts, with its fault, and closes both sides', async () => {
  const { mirror, closed, asked } = sides(away);
  const said: string[] = [];
  const once = syncOnce({
    ...mirror,
    log: ({ message }) => said.push(message),
    patience: { attempts: 4, firstWaitMs: 1 },
  });
  await expect(once).rejects.toMatchObject({ name: 'GraphFault', kind: 'passing', code: 'ServiceUnavailable' });
  expect([asked(), said.length, closed]).toEqual([4, 3, ['graph', 'ledger']]);
});

it('begins no further try once its time is over, however few there were', async () => {
  const { mirror, asked } = sides(away);
  await expect(syncOnce({ ...mirror, patience: { giveUpMs: -1 } })).rejects.toMatchObject({
    code: 'ServiceUnavailable',
  });
  expect(asked()).toBe(1);
});

it('goes on where the graph comes back before', async () => {
  const { mirror, asked } = sides((n) => (n < 3 ? away() : Promise.resolve()));
  expect(await syncOnce({ ...mirror, patience: { firstWaitMs: 1 } })).toMatchObject({ rows: 0 });
  expect(asked()).toBe(3);
});

it('waits for nothing that does not pass', async () => {
  const { mirror, asked } = sides(() => Promise.reject(new GraphFault('whole', 'graph_files', 'no rights')));
  await expect(syncOnce(mirror)).rejects.toMatchObject({ code: 'graph_files' });
  expect(asked()).toBe(1);
});
