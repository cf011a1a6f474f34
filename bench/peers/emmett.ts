import { randomUUID } from 'node:crypto';
import type { Event } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { type Contender, together } from '../measure/interleave.ts';

type Recorded = Event<'Recorded', Record<string, unknown>>;

/** emmett's Postgres event store in a database of its own, appending one event to a new stream a call. */
export async function emmett(
  url: string,
  options: { callers: number; perSlice: number; data: Record<string, unknown> },
): Promise<Contender & { close(): Promise<void> }> {
  const store = getPostgreSQLEventStore(url);
  await store.schema.migrate();
  return {
    name: 'emmett',
    async slice() {
      await together(options.callers, options.perSlice, () =>
        store.appendToStream<Recorded>(`invocation-${randomUUID()}`, [{ type: 'Recorded', data: options.data }]),
      );
      return options.perSlice;
    },
    close: () => store.close(),
  };
}
