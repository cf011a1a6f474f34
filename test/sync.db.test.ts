// The mirror of the ledger in the embedded graph: what the ledger has comes to be in the graph, once.
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { describeMirroring } from './support/sync-mirroring.ts';

describeMirroring(useDatabase(), EMBEDDED);
