import type { PolicyDecisionWord } from '../contract/index.ts';
import type { Say } from './annotations.ts';
import { DEFAULT_DENY } from './reserved.ts';

/** Why an evaluation is not to be trusted. */
export interface EvaluationError {
  /** `policy_error`: a policy failed; `request_mismatch`: Cedar refused the request; `engine_failed`: Cedar broke down. */
  code: 'policy_error' | 'request_mismatch' | 'engine_failed';
  /** The policy that failed; null when it was none. */
  policy_id: string | null;
  message: string;
}

/** What Cedar answered: the policies that decided, in the order of the set, and what failed. */
export interface Answer {
  decision: 'allow' | 'deny';
  determining: readonly (Say & { id: string })[];
  errors: readonly EvaluationError[];
  /** The request's own `risk_score`, 0 to 1; null when it has none. */
  riskScore: number | null;
}

export interface Verdict {
  decision: PolicyDecisionWord;
  /** The first policy, in the order of the set, that made the decision what it is. */
  policy_rule_triggered: string | null;
  /** 0 to 1. */
  risk_score: number;
  requires_hitl: boolean;
}

/** How Cedar's answer becomes a decision; the table stands in docs/policy.md. */
export function verdictOf(answer: Answer): Verdict {
  const { decision, determining, errors } = answer;
  if (errors.length > 0) {
    const failed = errors.find(({ policy_id }) => policy_id !== null)?.policy_id ?? null;
    return { decision: 'escalate', policy_rule_triggered: failed, risk_score: 1, requires_hitl: true };
  }
  if (decision === 'allow') {
    const requires_hitl = determining.some((policy) => policy.requiresHitl);
    const rule = determining[0]?.id ?? null;
    return { decision: 'allow', policy_rule_triggered: rule, risk_score: riskOf(answer, 0), requires_hitl };
  }
  const blocking = determining.find((policy) => policy.decision !== 'escalate');
  const [first] = determining;
  if (blocking || !first) {
    const rule = blocking?.id ?? DEFAULT_DENY;
    return { decision: 'block', policy_rule_triggered: rule, risk_score: riskOf(answer, 1), requires_hitl: false };
  }
  return {
    decision: 'escalate',
    policy_rule_triggered: first.id,
    risk_score: riskOf(answer, 1),
    requires_hitl: true,
  };
}

/** The highest score that anybody named. */
function riskOf({ determining, riskScore }: Answer, unknown: number): number {
  const scores = [riskScore, ...determining.map((policy) => policy.riskScore)].filter((score) => score !== null);
  return scores.length === 0 ? unknown : Math.max(...scores);
}
