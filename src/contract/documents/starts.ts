import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import {
  anyText,
  deadlineMs,
  freeObject,
  governanceClass,
  idText,
  positive,
  recoveryMode,
  time,
  traceparent,
  uuid4,
} from '../scalars/index.ts';
import { sourceReference, startRules, trigger } from './parts.ts';

const startMembers = {
  source: sourceReference,
  governance_class: governanceClass.nullish(),
  correlation_id: idText,
  causation_id: idText.nullish(),
  trigger: trigger.nullish(),
  verify: anyText.nullish(),
  deadline_at: time.nullish(),
  deadline_in_ms: deadlineMs.nullish(),
  traceparent: traceparent.nullish(),
  attributes: freeObject.nullish(),
};

/** An invocation's start, written before it runs. `invocation_id` is its natural key: a retry is the same call. */
export const invocationStartSchema = z.strictObject({
  invocation_id: uuid4.nullish(),
  ...startMembers,
  execution_id: uuid4.nullish(),
  step_id: idText.nullish(),
  step_name: idText.nullish(),
  attempt: positive.nullish(),
  surfaces: z.array(idText).nullish(),
  recovery_mode: recoveryMode.nullish(),
});

export const invocationStartRules: readonly Rule[] = [
  ...startRules,
  {
    rule: 'attempt_of_step',
    path: '/attempt',
    when: [{ present: '/attempt' }],
    need: { present: '/step_id' },
    message: 'needs step_id',
  },
];

/** An execution's start. */
export const executionStartSchema = z.strictObject({
  execution_id: uuid4.nullish(),
  ...startMembers,
  execution_pattern: idText.nullish(),
  parent_execution_id: uuid4.nullish(),
  resumed_from_execution_id: uuid4.nullish(),
});

export const executionStartRules = startRules;
