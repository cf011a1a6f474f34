// Evidence about outcomes in the embedded graph: it follows what the ledger holds, in whatever order it comes.
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { describeEvidence } from './support/sync-evidence.ts';

describeEvidence(useDatabase(), EMBEDDED);
