import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { count, eventType, freeObject, idText, semver, time } from '../scalars/index.ts';

/** Who ran, as a start names it: its type is known from what is started. */
export const sourceReference = z.strictObject({ id: idText, version: semver, domain: idText });

/** Something outside the ledger that caused a start; it becomes an event. */
export const trigger = z.strictObject({
  type: eventType,
  source: idText,
  data: freeObject.nullish(),
  event_id: idText.nullish(),
});

export const timing = z.strictObject({ started_at: time, completed_at: time, duration_ms: count });

export const timingOrder: Rule = {
  rule: 'time_order',
  path: '/timing/completed_at',
  need: { timeAtMost: ['/timing/started_at', '/timing/completed_at'] },
  message: 'must not be before started_at',
};

const KIB = 1024;
export const ATTRIBUTES_MAX_BYTES = 4 * KIB;
export const DATA_MAX_BYTES = 64 * KIB;
/** Of a policy set as a whole. */
export const POLICY_TEXT_MAX_BYTES = 512 * KIB;
/** Of the input that a decision was made from, masked. */
export const POLICY_INPUT_MAX_BYTES = 512 * KIB;
/** Of any document, as text and as stored. */
export const DOCUMENT_MAX_BYTES = KIB * KIB;

export function within(path: string, bytes: number): Rule {
  return {
    rule: 'too_large',
    path,
    need: { storedWithin: [path, bytes] },
    message: `must take at most ${bytes} bytes when stored`,
  };
}

export const startRules: readonly Rule[] = [
  {
    rule: 'one_cause',
    path: '',
    need: { onePresent: ['/causation_id', '/trigger'] },
    message: 'must have exactly one of causation_id and trigger',
  },
  {
    rule: 'one_deadline',
    path: '',
    need: { atMostOnePresent: ['/deadline_at', '/deadline_in_ms'] },
    message: 'must have at most one of deadline_at and deadline_in_ms',
  },
  within('/attributes', ATTRIBUTES_MAX_BYTES),
  within('/trigger/data', DATA_MAX_BYTES),
];
