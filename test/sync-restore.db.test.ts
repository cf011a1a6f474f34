// A restored ledger and the embedded graph that mirrored it.
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { describeRestore } from './support/sync-restore.ts';

describeRestore(useDatabase(), EMBEDDED);
