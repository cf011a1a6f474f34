import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { deadlineMs, hitlResolutionWord, idText, name, time, uuid4 } from '../scalars/index.ts';
import { within } from './parts.ts';

/** What a human is asked and answers has to fit on a page. */
const HITL_MAX_BYTES = 8 * 1024;

/** A question to a human about an open invocation or execution, or about an escalated outcome. `hitl_request_id` is its natural key. */
export const hitlRequestSchema = z.strictObject({
  hitl_request_id: idText.nullish(),
  invocation_id: uuid4.nullish(),
  execution_id: uuid4.nullish(),
  outcome_id: uuid4.nullish(),
  reason: name,
  expires_at: time.nullish(),
  expires_in_ms: deadlineMs.nullish(),
});

export const hitlRequestRules: readonly Rule[] = [
  {
    rule: 'one_subject',
    path: '',
    need: { onePresent: ['/invocation_id', '/execution_id', '/outcome_id'] },
    message: 'must have exactly one of invocation_id, execution_id and outcome_id',
  },
  {
    rule: 'one_expiry',
    path: '',
    need: { atMostOnePresent: ['/expires_at', '/expires_in_ms'] },
    message: 'must have at most one of expires_at and expires_in_ms',
  },
  within('', HITL_MAX_BYTES),
];

/** A human's one answer to a request. */
export const hitlResolutionSchema = z.strictObject({
  hitl_request_id: idText,
  resolution: hitlResolutionWord,
  reason: name,
});

export const hitlResolutionRules: readonly Rule[] = [within('', HITL_MAX_BYTES)];
