// Several workers of one mirror, over the embedded graph.
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { describeWorkers } from './support/sync-workers.ts';

describeWorkers(useDatabase(), EMBEDDED);
