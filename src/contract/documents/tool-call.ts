import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { anyJson, errorCode, freeObject, idText, name, toolCallStatus, uuid4 } from '../scalars/index.ts';
import { DATA_MAX_BYTES, timing, timingOrder, within } from './parts.ts';

/** One tool call of an open invocation. */
export const toolCallSchema = z.strictObject({
  invocation_id: uuid4,
  tool_call_id: idText.nullish(),
  tool_name: idText,
  status: toolCallStatus,
  input: freeObject.nullish(),
  output: anyJson.optional(),
  error: z.strictObject({ code: errorCode, message: name }).nullish(),
  timing,
});

export const toolCallRules: readonly Rule[] = [
  {
    rule: 'status',
    path: '/error',
    when: [{ is: ['/status', 'failed'] }],
    need: { present: '/error' },
    message: 'is required when status is failed',
  },
  {
    rule: 'status',
    path: '/error',
    when: [{ is: ['/status', 'succeeded'] }],
    need: { absent: '/error' },
    message: 'must be null when status is succeeded',
  },
  timingOrder,
  within('', DATA_MAX_BYTES),
];
