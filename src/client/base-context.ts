import type { Escalation, ExecutionContextPart, Quality } from './documents.ts';
import type { GoverningDecision, RunState } from './run-state.ts';
import type { ErrorInput, FailOptions } from './verdict.ts';

/** The members that do not depend on what kind of subject runs. Plain functions, so that callers may destructure. */
export function baseContext(state: RunState) {
  const { verdicts } = state;
  return {
    signal: state.signal,
    abort: (reason?: unknown) => state.abort(reason),
    quality: (quality: Quality) => {
      state.quality = { ...state.quality, ...quality };
    },
    governedBy: (decision: GoverningDecision) => state.governedBy(decision),
    get policyDecision() {
      return state.policy;
    },
    partial: <T extends object>(result: T, errors: ErrorInput[], context?: ExecutionContextPart) =>
      verdicts.partial(result, errors, context),
    fail: (code: string, message: string, options?: FailOptions) => verdicts.fail(code, message, options),
    timeout: (message?: string, options?: FailOptions) => verdicts.timeout(message, options),
    blocked: (message?: string, options?: FailOptions) => verdicts.blocked(message, options),
    skip: (reason?: string) => verdicts.skip(reason),
    escalate: (escalation: Escalation) => verdicts.escalate(escalation),
  };
}
