import { type Ledger, LedgerRefused } from '../feed/ledger.ts';
import { GraphFault, GraphRefused, PositionMoved, QueryRefused } from '../graph/fault.ts';
import type { Graph } from '../graph/graph.ts';

/** The ledger's session is lost, and with it the lock: open another. */
export class LedgerLost extends Error {
  constructor(cause: unknown) {
    super(`the ledger does not answer: ${messageOf(cause)}`, { cause });
    this.name = 'LedgerLost';
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The ledger, with every error that is no refusal as `LedgerLost`, so that a fault says by itself which side it came from. */
export function guardLedger(ledger: Ledger): Ledger {
  return guarded(ledger, (error) => (error instanceof LedgerRefused ? error : new LedgerLost(error)));
}

/**
 * The graph, with every error that its store did not classify as a fault of the whole batch: nothing is parked for a reason
 * that nobody understood.
 */
export function guardGraph(graph: Graph): Graph {
  return guarded(graph, classified);
}

const CLASSIFIED = [GraphFault, GraphRefused, PositionMoved, QueryRefused];

/** What a graph's error is when its store did not say. */
export function classified(error: unknown): unknown {
  if (CLASSIFIED.some((kind) => error instanceof kind)) return error;
  return new GraphFault('whole', 'unexpected', messageOf(error), { cause: error });
}

type Translate = (error: unknown) => unknown;

/** Every method of an object, and of the objects it holds, with its errors translated. */
function guarded<T extends object>(target: T, translate: Translate): T {
  const made = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return value;
      if (!made.has(name)) {
        made.set(name, typeof value === 'object' ? guarded(value, translate) : translated(object, value, translate));
      }
      return made.get(name);
    },
  });
}

// biome-ignore lint/complexity/noBannedTypes: any method of either side
function translated(owner: object, method: Function, translate: Translate) {
  return async (...args: unknown[]) => {
    try {
      return await Reflect.apply(method, owner, args);
    } catch (error) {
      throw translate(error);
    }
  };
}
