import { expect, it } from 'vitest';
import { isAfter, type Place, START } from './place.ts';

it('orders by epoch, transaction and sequence, transaction ids above 2^53 included', () => {
  const inOrder: Place[] = [
    START,
    { epoch: 1, xid: '9', seq: 700 },
    { epoch: 1, xid: '10', seq: 5 },
    { epoch: 1, xid: '10', seq: 6 },
    { epoch: 1, xid: '9007199254740993', seq: 3 },
    { epoch: 1, xid: '9007199254740994', seq: 2 },
    { epoch: 2, xid: '3', seq: 1 },
  ];
  for (const [n, place] of inOrder.entries()) {
    for (const [m, other] of inOrder.entries()) expect(isAfter(place, other), `${n} after ${m}`).toBe(n > m);
  }
});
