import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { eventType, freeObject, idText, time, uuid4 } from '../scalars/index.ts';
import { DATA_MAX_BYTES, within } from './parts.ts';

/** An event: registered by an agent for its open invocation, or, without `invocation_id`, received from outside. */
export const eventSchema = z.strictObject({
  event_id: idText.nullish(),
  type: eventType,
  source: idText.nullish(),
  invocation_id: uuid4.nullish(),
  correlation_id: idText.nullish(),
  occurred_at: time.nullish(),
  data: freeObject.nullish(),
});

export const eventRules: readonly Rule[] = [
  {
    rule: 'outside_source',
    path: '/source',
    when: [{ absent: '/invocation_id' }],
    need: { present: '/source' },
    message: 'is required for an event without invocation_id',
  },
  within('/data', DATA_MAX_BYTES),
];
