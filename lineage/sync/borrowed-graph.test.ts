import { describe, expect, it } from 'vitest';
import type { Graph } from '../graph/graph.ts';
import { BorrowedGraph } from './borrowed-graph.ts';

/** A graph that counts how often it was opened and closed. */
function counting() {
  const counts = { opened: 0, closed: 0 };
  const graph = {
    async close() {
      counts.closed += 1;
    },
  } as unknown as Graph;
  const open = async () => {
    counts.opened += 1;
    return graph;
  };
  const borrowed = new BorrowedGraph({ graph: { kind: 'embedded', address: 'a', tenantId: null, open } });
  return { counts, graph, borrowed, signal: new AbortController().signal };
}

describe('a worker’s graph', () => {
  it('is opened once, and anew after it was closed', async () => {
    const { borrowed, counts, signal } = counting();
    await borrowed.open(signal);
    await borrowed.open(signal);
    await borrowed.close();
    await borrowed.close();
    expect(borrowed.current).toBeNull();
    await borrowed.open(signal);
    expect(counts).toEqual({ opened: 2, closed: 1 });
  });

  it('is lent only while it is open', async () => {
    const { borrowed } = counting();
    await expect(borrowed.lend(async () => 1)).rejects.toMatchObject({
      code: 'not_active',
      remedy: expect.any(String),
    });
  });

  it('is not closed for a fault while somebody works with it', async () => {
    const { borrowed, counts, signal } = counting();
    await borrowed.open(signal);
    let end = () => {};
    const working = borrowed.lend(() => new Promise<void>((resolve) => (end = resolve)));
    await borrowed.closeIfIdle();
    expect(counts.closed).toBe(0);
    end();
    await working;
    await borrowed.closeIfIdle();
    expect(counts.closed).toBe(1);
  });

  it('is closed for good once what works with it has ended, which is told to', async () => {
    const { borrowed, counts, signal } = counting();
    await borrowed.open(signal);
    const order: string[] = [];
    const working = borrowed.lend(async (_graph, ends) => {
      await new Promise((resolve) => ends.addEventListener('abort', resolve));
      expect(counts.closed).toBe(0);
      order.push('worked');
    });
    await borrowed.close();
    await working;
    expect(order).toEqual(['worked']);
    expect(counts.closed).toBe(1);
  });

  it('that opens after the stop is closed again', async () => {
    const { counts, graph } = counting();
    const stop = new AbortController();
    let opened = (_graph: Graph) => {};
    const late = new BorrowedGraph({
      graph: {
        kind: 'embedded',
        address: 'a',
        tenantId: null,
        open: () => new Promise<Graph>((resolve) => (opened = resolve)),
      },
    });
    const opening = late.open(stop.signal);
    stop.abort();
    expect(await opening).toBeNull();
    opened(graph);
    await expect.poll(() => counts.closed).toBe(1);
  });
});
