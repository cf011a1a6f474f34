// Comparing the ledger with the embedded graph, and repairing it.
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { describeReconcile } from './support/sync-reconcile.ts';

describeReconcile(useDatabase(), EMBEDDED);
