import { type Ledger, LedgerRefused } from '../feed/ledger.ts';
import type { Graph } from '../graph/graph.ts';
import { classified, guardGraph, guardLedger, LedgerLost } from './guards.ts';
import type { Mirror } from './types.ts';

/** What a session may take to close; its server frees what it held in any case. */
const CLOSING_MS = 5_000;

/** @throws LedgerRefused, LedgerLost */
export async function openGuardedLedger({ openLedger }: Pick<Mirror, 'openLedger'>): Promise<Ledger> {
  try {
    return guardLedger(await openLedger());
  } catch (error) {
    throw error instanceof LedgerRefused ? error : new LedgerLost(error);
  }
}

/** @throws GraphFault, GraphRefused */
export async function openGuardedGraph({ graph }: Pick<Mirror, 'graph'>): Promise<Graph> {
  try {
    return guardGraph(await graph.open());
  } catch (error) {
    throw classified(error);
  }
}

/**
 * Opens something unless the signal comes first; what opens too late is closed again.
 *
 * @returns null when the signal came first
 */
export async function openUnless<T extends { close(): Promise<void> }>(
  signal: AbortSignal,
  open: () => Promise<T>,
): Promise<T | null> {
  if (signal.aborted) return null;
  const opening = open();
  let stopped = () => {};
  const stop = new Promise<null>((resolve) => {
    stopped = () => resolve(null);
    signal.addEventListener('abort', stopped, { once: true });
  });
  try {
    const opened = await Promise.race([opening, stop]);
    if (opened === null) opening.then((late) => late.close()).catch(() => undefined);
    return opened;
  } finally {
    signal.removeEventListener('abort', stopped);
  }
}

/** Closes a session, and waits no longer for one that does not answer. Never rejects. */
export async function closeSession(ledger: Ledger): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSING_MS);
  });
  await Promise.race([ledger.close().catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Opens a session of the ledger, works, and closes it whatever happens. */
export async function withLedger<T>(
  sides: Pick<Mirror, 'openLedger'>,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const ledger = await openGuardedLedger(sides);
  try {
    return await work(ledger);
  } finally {
    await closeSession(ledger);
  }
}

/** Opens the graph, works, and closes it whatever happens. */
export async function withGraph<T>(sides: Pick<Mirror, 'graph'>, work: (graph: Graph) => Promise<T>): Promise<T> {
  const graph = await openGuardedGraph(sides);
  try {
    return await work(graph);
  } finally {
    await graph.close().catch(() => undefined);
  }
}
