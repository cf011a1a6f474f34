// Events out: the relay delivers the ledger's own events to webhooks, and exports spans.
export { createRelayMetrics, type RelayMetrics } from './metrics.ts';
export type * from './types.ts';
export { RelayMisconfigured } from './types.ts';
export { startRelay } from './worker.ts';
