// The worker of an embedded graph killed at random moments while writers write (the full number of rounds is in sync-kill.chaos).
import { describe } from 'vitest';
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { itSurvives, itWouldLoseRows, type KilledGraph } from './support/sync-kill.ts';

const database = useDatabase();
const embedded = async (tenantId: string): Promise<KilledGraph> => {
  const source = await EMBEDDED.fresh(tenantId);
  return { source, order: { kind: 'embedded', directory: source.address } };
};

describe('the embedded graph, through', () => {
  itWouldLoseRows(database, embedded);
  itSurvives(database, embedded, { rounds: 2, seed: 4101, end: 'SIGKILL' });
  itSurvives(database, embedded, { rounds: 1, seed: 4102, end: 'stop' });
});
