import { describe, expect, it } from 'vitest';
import { type Ledger, LedgerRefused } from '../feed/ledger.ts';
import { GraphFault, PositionMoved } from '../graph/fault.ts';
import type { Graph } from '../graph/graph.ts';
import { guardGraph, guardLedger, LedgerLost } from './guards.ts';

class Counting {
  readonly #rows = 7;
  readonly kind = 'neo4j';
  readonly quarantine = {
    count: async () => this.#rows,
    list: async () => {
      throw new Error('cut');
    },
  };
  identify() {
    throw new Error('thrown at once');
  }
  async position() {
    throw new PositionMoved();
  }
  lag = async () => {
    throw new LedgerRefused('epoch_unsettled', 'restored', 'epoch new');
  };
}

const guarded = () => guardLedger(new Counting() as unknown as Ledger);

describe('a guarded side', () => {
  it('answers as the side does, private members and nested ones too', async () => {
    expect(await guarded().quarantine.count('m')).toBe(7);
    expect(guardGraph(new Counting() as unknown as Graph).kind).toBe('neo4j');
  });

  it('tells refusals from a lost session', async () => {
    await expect(guarded().lag(null)).rejects.toBeInstanceOf(LedgerRefused);
    await expect(guarded().quarantine.list('m')).rejects.toBeInstanceOf(LedgerLost);
    await expect(guarded().identify()).rejects.toThrow('the ledger does not answer: thrown at once');
  });

  it('takes what its graph did not classify for a fault of the whole batch', async () => {
    const graph = guardGraph(new Counting() as unknown as Graph);
    await expect(graph.position()).rejects.toBeInstanceOf(PositionMoved);
    const broken = guardGraph({ position: async () => Promise.reject(new TypeError('x is not a function')) } as never);
    await expect(broken.position()).rejects.toMatchObject({ kind: 'whole', code: 'unexpected' });
    await expect(broken.position()).rejects.toBeInstanceOf(GraphFault);
  });
});
