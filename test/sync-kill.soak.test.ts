// The worker of an embedded graph killed at random moments while writers write.
import { describe } from 'vitest';
import { useDatabase } from './support/database.ts';
import { EMBEDDED } from './support/sync.ts';
import { itSurvives, type KilledGraph } from './support/sync-kill.ts';

const database = useDatabase();
const embedded = async (tenantId: string): Promise<KilledGraph> => {
  const source = await EMBEDDED.fresh(tenantId);
  return { source, order: { kind: 'embedded', directory: source.address } };
};

describe('the embedded graph, through', () => {
  itSurvives(database, embedded, { rounds: 20, seed: 4101, end: 'SIGKILL' });
  itSurvives(database, embedded, { rounds: 20, seed: 4102, end: 'stop' });
});
