import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { eventPattern, flag, idText, name, overlapMs, uuid4, webhookSecret, webhookUrl } from '../scalars/index.ts';
import { within } from './parts.ts';

const WEBHOOK_MAX_BYTES = 8 * 1024;

/** Where a tenant's own events go. `webhook_id` is its natural key; without a secret the ledger makes one. */
export const webhookSchema = z.strictObject({
  webhook_id: uuid4.nullish(),
  url: webhookUrl,
  /** None: every event of the ledger's own. */
  event_types: z.array(eventPattern).nullish(),
  description: name.nullish(),
  secret: webhookSecret.nullish(),
});

export const webhookRules: readonly Rule[] = [within('', WEBHOOK_MAX_BYTES)];

/** A new secret; the one it replaces stays valid beside it for a while. */
export const webhookRotationSchema = z.strictObject({
  secret: webhookSecret.nullish(),
  previous_valid_ms: overlapMs.nullish(),
});

export const webhookRotationRules: readonly Rule[] = [];

/** Which dead letters are to be sent again: one event, or all. */
export const webhookRedeliverySchema = z.strictObject({ event_id: idText.nullish(), all: flag.nullish() });

export const webhookRedeliveryRules: readonly Rule[] = [
  {
    rule: 'one_or_all',
    path: '',
    need: { onePresent: ['/event_id', '/all'] },
    message: 'must have exactly one of event_id and all',
  },
];
