// What goes wrong with a mirror in the embedded graph.
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { describeFaults } from './support/sync-faults.ts';

describeFaults(useDatabase(), EMBEDDED);
