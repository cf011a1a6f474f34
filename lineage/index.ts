// The mirror of a ledger in a graph, as the stack and the command line use it.
export type { Ledger, QuarantinedRow } from './feed/ledger.ts';
export { LedgerRefused } from './feed/ledger.ts';
export { openLedger } from './feed/open.ts';
export { openEmbedded } from './graph/embedded/index.ts';
export type { OnOverrun } from './graph/embedded/overrun.ts';
export { GraphFault, GraphRefused, QueryRefused } from './graph/fault.ts';
export type { Graph, QueryOptions, QueryResult } from './graph/graph.ts';
export { openNeo4j } from './graph/neo4j/index.ts';
export * from './queries/index.ts';
export { reconcile, retryQuarantined, syncStatus } from './sync/commands.ts';
export { createSyncMetrics } from './sync/metrics.ts';
export { mirrorName } from './sync/mirror-name.ts';
export { syncOnce } from './sync/once.ts';
export { embeddedSource, neo4jSource } from './sync/sources.ts';
export type * from './sync/types.ts';
export { SyncRefused } from './sync/types.ts';
export { startSync } from './sync/worker.ts';
