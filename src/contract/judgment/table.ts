import { COUNTS_AS_SUCCESS, deriveJudgment, type Judgment } from './derive.ts';
import {
  type GateFlag,
  type JudgmentWord,
  LIFECYCLES,
  type Lifecycle,
  type UnverifiedReason,
  VERIFICATIONS,
  type Verification,
} from './words.ts';

/** What a gate does: `warn` needs a flag with a reason, `refuse_override` an operator's override with one. */
type Gate = 'proceed' | 'warn' | 'refuse_override' | 'refuse';

/** One cell of lifecycle × verification × required, with all that follows from it. */
export interface JudgmentCell extends Judgment {
  lifecycle: Lifecycle;
  verification: Verification;
  required: boolean;
  /** What people are shown; null where verification has nothing to say. */
  tag: 'VFAIL' | 'VTIMEOUT' | 'VINFRA' | 'VNORESULT' | null;
  gate: Gate;
  counts_as_success: boolean;
  /** In the denominator of a success rate. */
  in_success_base: boolean;
  /** In numerator and denominator of an agent's score. */
  in_agent_score: boolean;
}

/** What opens a gate that does not open by itself; no flag opens the others. */
export const FLAG_OF_GATE: Readonly<Partial<Record<Gate, GateFlag>>> = {
  warn: 'allow_unverified',
  refuse_override: 'override_broken',
};

const REASON_TAGS: Readonly<Record<UnverifiedReason, JudgmentCell['tag']>> = {
  timed_out: 'VTIMEOUT',
  infrastructure: 'VINFRA',
  no_result: 'VNORESULT',
};

const GATES: Readonly<Record<JudgmentWord, Gate>> = {
  verified: 'proceed',
  delivered: 'proceed',
  unverified: 'warn',
  broken: 'refuse_override',
  failed: 'refuse',
  stopped: 'refuse',
  skipped: 'refuse',
  in_progress: 'refuse',
};

/** What says something about the agent (design section 11). */
const AGENT_SCORED: readonly JudgmentWord[] = ['verified', 'delivered', 'broken', 'failed'];

/** What follows from a judgment. */
export function consequencesOf({ outcome, reason }: Judgment) {
  return {
    tag: outcome === 'broken' ? ('VFAIL' as const) : reason === null ? null : REASON_TAGS[reason],
    gate: GATES[outcome],
    counts_as_success: COUNTS_AS_SUCCESS[outcome],
    in_success_base: outcome !== 'in_progress',
    in_agent_score: AGENT_SCORED.includes(outcome),
  };
}

/** Every cell, in the order of the axes' words. */
export function judgmentTable(): JudgmentCell[] {
  return LIFECYCLES.flatMap((lifecycle) =>
    VERIFICATIONS.flatMap((verification) =>
      [true, false].map((required) => {
        const judgment = deriveJudgment(lifecycle, verification, required);
        return { lifecycle, verification, required, ...judgment, ...consequencesOf(judgment) };
      }),
    ),
  );
}
