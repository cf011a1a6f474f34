import type { Position } from '../graph/graph.ts';

/** Where a row stands in the feed. */
export type Place = Pick<Position, 'epoch' | 'xid' | 'seq'>;
/** A place whose row is known, so that it can be a position. */
export type RowPlace = Place & Pick<Position, 'kind'>;

/** The place before the first row. */
export const START: Place = { epoch: 0, xid: '0', seq: 0 };

/** Whether the feed gives `place` after `other`: by epoch, then by transaction, then by sequence, as the database orders. */
export function isAfter(place: Place, other: Place): boolean {
  if (place.epoch !== other.epoch) return place.epoch > other.epoch;
  const [xid, otherXid] = [BigInt(place.xid), BigInt(other.xid)];
  return xid === otherXid ? place.seq > other.seq : xid > otherXid;
}
