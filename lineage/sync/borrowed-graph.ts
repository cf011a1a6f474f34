import type { Graph } from '../graph/graph.ts';
import { openGuardedGraph, openUnless } from './guarded-open.ts';
import { type Mirror, SyncRefused } from './types.ts';

/** A worker's graph: opened when it is needed, and lent to queries and repairs, under whose feet it is never closed. */
export class BorrowedGraph {
  readonly #sides: Pick<Mirror, 'graph'>;
  readonly #works = new Set<Promise<unknown>>();
  #graph: Graph | null = null;
  #closing: AbortController | null = null;

  constructor(sides: Pick<Mirror, 'graph'>) {
    this.#sides = sides;
  }

  get current(): Graph | null {
    return this.#graph;
  }

  /** The open graph, opened if need be; null when the signal came first. */
  async open(signal: AbortSignal): Promise<Graph | null> {
    if (!this.#graph) {
      this.#graph = await openUnless(signal, () => openGuardedGraph(this.#sides));
      this.#closing = new AbortController();
    }
    return this.#graph;
  }

  /**
   * Works with the graph and keeps it open meanwhile.
   *
   * @param work its signal asks it to come to an end, because the graph is to be closed
   * @throws SyncRefused `not_active`
   */
  async lend<T>(work: (graph: Graph, signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!this.#graph || !this.#closing) {
      throw new SyncRefused(
        'not_active',
        'this worker has no graph open: it stands by for another one, or could not open it',
        'Ask the active worker, or look at `outcome-ledger sync --status`.',
      );
    }
    const working = work(this.#graph, this.#closing.signal);
    this.#works.add(working);
    try {
      return await working;
    } finally {
      this.#works.delete(working);
    }
  }

  /** Closes it, unless somebody works with it: what is broken will be found again. */
  async closeIfIdle(): Promise<void> {
    if (this.#works.size === 0) await this.close();
  }

  /** Ends what works with it, then closes it. Never rejects. */
  async close(): Promise<void> {
    const graph = this.#graph;
    this.#graph = null;
    this.#closing?.abort();
    await Promise.allSettled(this.#works);
    await graph?.close().catch(() => undefined);
  }
}
