import type { EventInput, EventRecord, Recorded } from '../documents.ts';
import type { EventFilter } from '../filters.ts';
import { newId } from '../identity.ts';
import type { Listing } from '../pages.ts';
import { prepared } from '../prepared.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readList, readOne } from './read.ts';

export interface Events {
  /** Registers an event for an open invocation, or, without `invocation_id`, one received from outside. */
  register(event: EventInput): Promise<Recorded<EventRecord>>;
  get(eventId: string): Promise<EventRecord>;
  list(filter?: EventFilter): Listing<EventRecord>;
}

export function events(transport: Transport): Events {
  return {
    async register(event) {
      const body = prepared({ ...event, event_id: event.event_id ?? newId() }, 'the event');
      const answer = await transport.call<EventRecord>({ method: 'POST', path: 'events', body });
      return { record: answer.data, replayed: answer.replayed };
    },
    get: (id) => readOne(transport, `events/${segment(id)}`),
    list: (filter) => readList(transport, 'events', filter),
  };
}
