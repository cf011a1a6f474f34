import type { SyncPace } from './types.ts';

export const PACE: Readonly<SyncPace> = {
  busyMs: 50,
  idleMs: 1_000,
  standbyMs: 1_000,
  refusedMs: 5_000,
  backoffMs: 100,
  backoffMaxMs: 10_000,
  lagMs: 1_000,
  quarantineMs: 15 * 60_000,
};

/** So long after the last row a worker polls as if more were coming. */
export const BUSY_FOR_MS = 2_000;
