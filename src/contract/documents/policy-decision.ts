import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { flag, name, policyDecisionWord, score, time, uuid4 } from '../scalars/index.ts';

/** The Policy Guard's binding decision about one invocation or one execution. */
export const policyDecisionSchema = z.strictObject({
  invocation_id: uuid4.nullish(),
  execution_id: uuid4.nullish(),
  decision: policyDecisionWord,
  policy_rule_triggered: name.nullish(),
  risk_score: score,
  requires_hitl: flag,
  evaluated_at: time,
  guard_invocation_id: uuid4.nullish(),
});

export const policyDecisionRules: readonly Rule[] = [
  {
    rule: 'one_subject',
    path: '',
    need: { onePresent: ['/invocation_id', '/execution_id'] },
    message: 'must have exactly one of invocation_id and execution_id',
  },
  {
    rule: 'guard_differs',
    path: '/guard_invocation_id',
    need: { textDiffers: ['/guard_invocation_id', '/invocation_id'] },
    message: 'must not be the invocation that is decided about',
  },
];
