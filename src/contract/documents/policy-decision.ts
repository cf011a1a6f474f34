import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import {
  count,
  flag,
  freeObject,
  idText,
  name,
  policyDecisionWord,
  score,
  semver,
  time,
  uuid4,
} from '../scalars/index.ts';
import { POLICY_INPUT_MAX_BYTES, within } from './parts.ts';

/** How the ledger's own guard came to a decision: which set and policies, from what (masked), and how long it took. */
export const policyEvaluation = z.strictObject({
  policy_set_version: semver,
  policy_ids: z.array(idText),
  input: freeObject,
  errors: z.array(name).nullish(),
  latency_us: count,
});

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
  evaluation: policyEvaluation.nullish(),
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
  within('/evaluation', POLICY_INPUT_MAX_BYTES),
];
