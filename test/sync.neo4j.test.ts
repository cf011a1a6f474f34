// The mirror of the ledger in a real Neo4j: what sync.db, sync-evidence, sync-faults, sync-workers, sync-reconcile and sync-restore ask of
// the embedded graph.
import { vi } from 'vitest';
import { useDatabase } from './support/database.ts';
import { describeEvidence } from './support/sync-evidence.ts';
import { describeFaults } from './support/sync-faults.ts';
import { describeMirroring } from './support/sync-mirroring.ts';
import { useNeo4jGraphs } from './support/sync-neo4j.ts';
import { describeReconcile } from './support/sync-reconcile.ts';
import { describeRestore } from './support/sync-restore.ts';
import { describeWorkers } from './support/sync-workers.ts';

// A server that compiles as it goes.
vi.setConfig({ testTimeout: 180_000 });

const database = useDatabase();
const graphs = useNeo4jGraphs();

describeMirroring(database, graphs);
describeEvidence(database, graphs);
describeFaults(database, graphs);
describeWorkers(database, graphs);
describeReconcile(database, graphs);
// All tenants of a ledger of its own.
describeRestore(useDatabase(), graphs);
