// Deadlines: the worker that has the ledger end what nobody ended in time.
export { createSweepMetrics } from './metrics.ts';
export type * from './types.ts';
export { startSweep } from './worker.ts';
